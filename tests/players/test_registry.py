"""The registry: players of one's own, parameters in names, and what is refused."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from seabattle import Observation, make_player, play, register
from seabattle.errors import PlayerError
from seabattle.naming import name_registry
from seabattle.players import all_players, describe, player_info
from seabattle.players import registry as players_registry
from seabattle.testing import check_player, temporary_registry


def test_a_registered_player_is_known_by_name_and_parameters() -> None:
    @register("last-first", source="test")
    class LastFirst:
        """From the end of the board."""

        def __init__(self, skip: int = 0, often: bool = False, share: float = 0.5) -> None:
            self.skip = skip

        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            return observation.unknown[-1]

    info = player_info("last-first")
    assert info.summary == "From the end of the board."
    assert {p.name: p.kind for p in info.parameters.values()} == {
        "skip": int,
        "often": bool,
        "share": float,
    }
    check_player("last-first", rules=["mini"])
    made = make_player("last-first:skip=3,often=true")
    assert isinstance(made, LastFirst)
    assert made.skip == 3
    assert len(play("last-first", "mini").shots) <= 25
    with pytest.raises(PlayerError, match="already"):
        register("last-first")(lambda: LastFirst())


def test_a_temporary_registry_forgets_its_players_and_hides_others() -> None:
    class Mine:
        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            return observation.unknown[0]

    before = all_players()
    with temporary_registry(without=["even"]):
        with pytest.raises(PlayerError, match="Unknown player 'even'"):
            make_player("even")
        register("even")(Mine)
        register("mine")(Mine)
        assert isinstance(make_player("even"), Mine)
    assert all_players() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hlpp", "Did you mean 'hlp'"),
        ("", "Unknown player ''"),
        ("density:weigh=3", "Did you mean 'weight'"),
        ("density:weight=heavy", "whole number, not 'heavy'"),
        ("density:weight", "has no value"),
        ("density:weight=0", "1 to 1000"),
        ("density:ties=last", "random, first"),
        ("random:speed=3", "has no parameters"),
    ],
)
def test_unknown_players_and_parameters_say_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(text)


def test_names_have_one_canonical_form() -> None:
    assert describe(" density: ties=first , weight=100") == "density:ties=first"
    assert describe("density:weight=5,ties=first") == "density:ties=first,weight=5"
    assert describe("random") == "random"


@pytest.mark.parametrize("name", ["two words", "", "a:b", "a,b", "a=b"])
def test_names_that_could_not_be_typed_are_refused(name: str) -> None:
    with pytest.raises(PlayerError, match="name"):
        register(name)


def test_what_is_registered_must_make_players_and_take_typed_parameters() -> None:
    register("no-player")(lambda: object())
    with pytest.raises(PlayerError, match="'no-player' has no choose"):
        make_player("no-player")

    @register("typed")
    class Typed:
        def __init__(self, often: bool = False, share: float = 0.5) -> None:
            self.often, self.share = often, share

        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            return observation.unknown[0]

    with pytest.raises(PlayerError, match="often of 'typed' must be true or false, not 'yes'"):
        make_player("typed:often=yes")
    with pytest.raises(PlayerError, match="share of 'typed' must be a finite number, not 'half'"):
        make_player("typed:share=half")


def test_a_plug_in_that_cannot_be_loaded_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = EntryPoint("broken", "no_such_module:Player", players_registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(name_registry, "entry_points", lambda **_: [broken])
    with pytest.warns(UserWarning, match="'broken' could not be loaded: No module named"):
        players_registry._load_all()
    assert "broken" not in all_players()
    assert "random" in all_players()
