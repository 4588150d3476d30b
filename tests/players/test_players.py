"""Players: the registry, lawfulness, and what each strategy does and scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, make_player, play, play_duel, register
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.uniform import deal_games
from seabattle.errors import PlayerError
from seabattle.experiment.play import play_batch
from seabattle.players import all_players, describe, player_info
from seabattle.players.compiled_player import CompiledPlayer
from seabattle.testing import VARIETY, check_player, temporary_registry

COMPILED = [name for name, info in all_players().items() if isinstance(info.make(), CompiledPlayer)]
DOCUMENTED = (
    "in-order", "random", "n-parity", "n-parity-hunt", "game-tree", "human-like", "even",
    "hlp", "ohlp", "phlp", "ophlp", "greedy", "density",
)  # fmt: skip


def test_every_rule_based_player_of_the_documents_is_there() -> None:
    assert set(DOCUMENTED) <= set(all_players())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_players_are_lawful_under_all_rules(name: str) -> None:
    check_player(name, games=1)


@pytest.mark.parametrize("name", COMPILED)
@given(rules=st.sampled_from(VARIETY), seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=8)
def test_single_moves_and_whole_games_are_one_strategy(name: str, rules: Rules, seed: int) -> None:
    """The compiled game equals the one that `Game` and `choose` play move by move."""
    player = make_player(name)
    assert isinstance(player, CompiledPlayer)
    placements = deal_games(rules, seed, range(1))
    start = np.array([seed], dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, start)
    game, state = Game(layout_of(rules, placements[0])), start.copy()
    while not game.finished:
        game.fire(player.choose_with(Observation(rules, game.shots), state))
    assert [shot.cell for shot in game.shots] == fired[0, : shots[0]].tolist()


FIGURES = [
    # rules, player, mean and where it comes from, tolerance: 4.5 standard errors of 4,000 games
    ("mini", "random", 5 * 26 / 6, 0.23),
    ("thesis", "random", 17 * 101 / 18, 0.35),
    ("mini", "human-like", 15.22, 0.3),  # T table 4.1
    ("classic", "random", 17 * 101 / 18, 0.35),
    ("classic", "ohlp", 60.19, 1.1),  # E table 1
    ("classic", "ophlp", 51.96, 0.7),
    ("classic", "greedy", 46.72, 0.7),
    ("blind", "density", 56.64, 0.7),  # L
    ("classic", "density:ties=first", 44.37, 0.65),  # best published heuristic
    ("named", "random", 14 * 101 / 15, 0.4),
]


@pytest.mark.parametrize(("rules", "name", "mean", "tolerance"), FIGURES)
def test_figures_of_the_documents_come_out(
    rules: str, name: str, mean: float, tolerance: float
) -> None:
    batch = play_batch(make_player(name), Rules.from_text(rules), 11, range(4000))
    assert abs(batch.shots.mean() - mean) < tolerance


def test_games_are_a_function_of_their_number() -> None:
    player, rules = make_player("hlp"), Rules()
    whole = play_batch(player, rules, 2, range(100))
    part = play_batch(player, rules, 2, range(40, 60))
    assert whole.shots[40:60].tolist() == part.shots.tolist()
    for row, other in zip(whole.fired[40:60], part.fired, strict=True):
        assert row[:5].tolist() == other[:5].tolist()


def first_shots(name: str, rules: str, count: int, told: str = "miss") -> str:
    """The cells that a player names one after another while all it hears is `told`."""
    chosen = Rules.from_text(rules)
    text = ""
    for _ in range(count):
        observation = Observation.from_text(text, chosen)
        cell = make_player(name).choose(observation, np.random.default_rng(0))
        text += f", {chosen.cell_name(cell)} {told}"
    return text.replace(f" {told}", "").lstrip(", ")


def test_n_parity_follows_the_diagonals_of_the_smallest_ship() -> None:
    assert first_shots("n-parity", "named fleet=5,4,3", 5) == "A3, A6, A9, B2, B5"
    assert first_shots("n-parity", "named", 6) == "A2, A4, A6, A8, A10, B1"


def test_in_order_reads_the_board() -> None:
    assert first_shots("in-order", "mini", 6) == "A1, A2, A3, A4, A5, B1"


def test_n_parity_hunt_looks_up_down_left_right_and_follows_the_line() -> None:
    rules = Rules.from_text("named")

    def choose(shots: str) -> str:
        observation = Observation.from_text(shots, rules)
        cell = make_player("n-parity-hunt").choose(observation, np.random.default_rng(0))
        return rules.cell_name(cell)

    hits = "E5 hit carrier"
    assert choose(hits) == "D5"
    assert choose(f"{hits}, D5 miss") == "F5"
    assert choose(f"{hits}, D5 miss, F5 miss, E4 miss") == "E6"
    assert choose(f"{hits}, D5 miss, F5 miss, E4 miss, E6 hit carrier") == "E7"
    assert choose(f"{hits}, D5 hit destroyer") == "F5"


def test_human_like_targets_then_destroys_along_the_line() -> None:
    rules = Rules.from_text("thesis")

    def choose(shots: str) -> str:
        observation = Observation.from_text(shots, rules)
        cell = make_player("human-like").choose(observation, np.random.default_rng(0))
        return rules.cell_name(cell)

    assert choose("E5 hit") in {"D5", "F5", "E4", "E6"}
    assert choose("E5 hit, E6 hit") in {"E4", "E7"}
    assert choose("E5 hit, E6 hit, E7 miss") == "E4"
    assert choose("E5 hit, E6 hit, E7 hit, E8 miss") == "E4"


@pytest.fixture
def registry() -> Iterator[None]:
    with temporary_registry():
        yield


@pytest.mark.usefixtures("registry")
def test_registering_a_player_of_ones_own() -> None:
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
        ("density:wait=3", "Did you mean 'weight'"),
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
def test_names_that_could_not_be_typed(name: str) -> None:
    with pytest.raises(PlayerError, match="name"):
        register(name)


class Cheat:
    """Shoots where told, again and again."""

    def __init__(self, cell: object) -> None:
        self.cell = cell

    def choose(self, observation: Observation, rng: np.random.Generator) -> object:
        return self.cell


class Forgetful:
    """Takes chance from somewhere else."""

    calls = 0

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        self.calls += 1
        return observation.unknown[self.calls % len(observation.unknown)]


class Global:
    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[np.random.randint(len(observation.unknown))]


class Crash:
    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        raise KeyError("lost")


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Cheat(3), "A4 a second time"),
        (Cheat(99), "no cell of the board"),
        (Cheat("A1"), "whole number"),
        (Cheat(None), "whole number"),
        (Forgetful(), "chose differently"),
        (Global(), "global generator"),
        (Crash(), "KeyError"),
        (object(), "has no choose"),
    ],
)
def test_check_player_finds_what_is_unlawful(player: object, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        check_player(player, rules=["mini"])  # type: ignore[arg-type]


def test_a_player_that_names_a_known_cell_is_stopped() -> None:
    with pytest.raises(PlayerError, match="Cheat chose 3"):
        play(Cheat(3), "mini")  # type: ignore[arg-type]


def test_two_players_against_each_other() -> None:
    for rules in ("classic", "mini", "russian"):
        record = play_duel("density", "random", rules, seed=4)
        assert record.players == ("density", "random")
        assert record.replay(len(record.cells)).finished
    assert play_duel("hlp", "hlp", seed=1) == play_duel("hlp", "hlp", seed=1)
