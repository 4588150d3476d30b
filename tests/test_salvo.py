"""Salvos: several shots per turn, answered together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Duel, Game, Observation, Rules, compare, make_player, play, play_duel
from seabattle.compiled.random_streams import streams
from seabattle.compiled.seeds import PLAYER_STREAM
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.uniform import random_layout
from seabattle.errors import CellError, RecordError, RulesError, SeabattleError, ShotError
from seabattle.experiment.play import play_batch
from seabattle.experiment.tournament import tournament
from seabattle.layout import Layout
from seabattle.players import all_players
from seabattle.players.compiled_player import CompiledPlayer
from seabattle.players.in_game import seeded_shooter
from seabattle.record import DuelRecord, GameRecord, read_record
from seabattle.rules import ANSWERS, CONTACTS
from tests import oracle
from tests.strategies import FLEETS

HEURISTICS = [
    name
    for name, info in all_players().items()
    if isinstance(info.make, type) and issubclass(info.make, CompiledPlayer)
]


@st.composite
def salvo_rules(draw: st.DrawFn) -> Rules:
    return Rules(
        draw(st.integers(5, 6)),
        draw(st.integers(5, 6)),
        draw(st.sampled_from(FLEETS)),
        draw(st.sampled_from(CONTACTS)),
        draw(st.sampled_from(ANSWERS)),
        draw(st.sampled_from(["alternate", "rounds"])),
        draw(st.sampled_from(["ships", 1, 2, 3, 5, 7, 25])),
    )


def told(shot: Any) -> tuple[object, ...]:
    """An answer as the oracle gives it."""
    ship = () if shot.answer.ship is None else (shot.answer.ship,)
    return (shot.answer.word, *ship)


@given(rules=salvo_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_duel_in_salvos_is_the_oracles(rules: Rules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    layouts = (random_layout(rules, rng), random_layout(rules, rng))
    orders = tuple(tuple(rng.permutation(rules.cells).tolist()) for _ in layouts)
    runs = tuple(
        tuple(
            frozenset(cell for cell, ship in layout.ship_at.items() if ship == each)
            for each in range(len(rules.fleet))
        )
        for layout in layouts
    )
    expected, winner = oracle.salvo_duel(
        runs, orders, rules.cells, rules.answers, rules.turns, rules.salvo
    )
    duel, fired = Duel(*layouts), [0, 0]
    for side, cells, answers in expected:
        assert (duel.to_move, duel.salvo) == (side, len(cells))
        shots = duel.fire_salvo(orders[side][fired[side] : fired[side] + duel.salvo])
        fired[side] += len(shots)
        assert tuple(shot.cell for shot in shots) == cells
        assert tuple(map(told, shots)) == answers
    assert duel.finished
    assert duel.winner == winner
    assert duel.drawn == (winner is None)
    record = DuelRecord.of(duel, ("a", "b"))
    assert read_record(record.to_text()) == record
    assert DuelRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("name", HEURISTICS)
@given(rules=salvo_rules(), seed=st.integers(0, 2**31))
@settings(max_examples=8, deadline=None)
def test_compiled_salvos_are_those_of_plain_play(name: str, rules: Rules, seed: int) -> None:
    player = make_player(name)
    batch = play_batch(player, rules, seed, range(3))
    seeds = streams(np.uint64(seed), 0, 3, PLAYER_STREAM)
    turns = batch.turns(rules)
    for number in range(3):
        game = Game(layout_of(rules, batch.placements[number]))
        rng = seeds[number : number + 1].copy()
        following = seeded_shooter(player, rules, int(seeds[number]))
        while not game.finished:
            salvo: list[int] = []
            while len(salvo) < game.salvo:
                salvo.append(
                    player.choose_with(Observation(rules, game.shots, tuple(salvo)), rng)  # type: ignore[attr-defined]
                )
                assert following.choose() == salvo[-1]
                following.hold(salvo[-1])
            for shot in game.fire_salvo(salvo):
                following.told(shot)
        cells = [shot.cell for shot in game.shots]
        assert cells == batch.fired[number, : batch.shots[number]].tolist()
        assert game.turns_taken == turns[number]
        record = GameRecord.of(game, name)
        assert read_record(record.to_text()) == record
        assert GameRecord.from_json(record.to_json()) == record


def test_rules_read_and_write_salvos() -> None:
    rules = Rules.from_text("classic salvo=ships")
    assert rules.name is None
    assert rules.to_text().endswith("turns=alternate salvo=ships")
    for each in (rules, Rules(salvo=5), Rules()):
        assert Rules.from_text(each.to_text()) == each == Rules.from_json(each.to_json())
    assert "salvo" not in replace(Rules(), rows=8).to_text()
    for wrong in ("0", "-1", "101", "many", "²", "1.5"):
        with pytest.raises(RulesError, match="A salvo is 'ships' or a number of shots from 1"):
            Rules.from_text(f"classic salvo={wrong}")
    with pytest.raises(RulesError, match="a hit earns another shot"):
        Rules.from_text("russian salvo=ships")
    with pytest.raises(RulesError):
        Rules.from_json({"salvo": True})


def test_a_wrong_salvo_is_refused_whole() -> None:
    rules = Rules(3, 3, (2, 1), salvo=3)
    game = Game(Layout.from_text("destroyer A1 across, boat C3 across", rules))
    game.fire_salvo([4, 5, 6])
    for cells, error, reason in (
        ([0, 1, 0], ShotError, "A1 is in the salvo twice"),
        ([0, 1, 4], ShotError, "B2 has been shot at already"),
        ([0, 1, 9], CellError, "not on a board"),
        ([0, 1], ShotError, "This turn has 3 shots, not 2"),
        ([0, 1, 2, 3], ShotError, "This turn has 3 shots, not 4"),
    ):
        with pytest.raises(error, match=reason):
            game.fire_salvo(cells)
    with pytest.raises(ShotError, match="3 shots, not 1"):
        game.fire(0)
    assert len(game.shots) == 3
    assert game.turns_taken == 1


def test_a_salvo_is_capped_at_the_unknown_cells_and_fired_to_its_end() -> None:
    rules = Rules(2, 3, (2,), salvo=4)
    game = Game(Layout.from_text("destroyer A1 across", rules))
    game.fire_salvo([2, 3, 4, 5])
    assert game.salvo == 2
    game = Game(Layout.from_text("destroyer A1 across", rules))
    assert len(game.fire_salvo([0, 1, 2, 3])) == 4  # the last two are not needed
    assert game.finished
    assert game.salvo == 0


def test_where_sinkings_are_not_told_a_salvo_does_not_tell_them() -> None:
    rules = Rules(4, 4, (2, 1), answers="hit-miss", salvo="ships")
    game = Game(Layout.from_text("destroyer A1 across, boat D4 across", rules))
    game.fire_salvo([15, 5])  # the boat is sunk
    assert game.salvo == 2


def test_pending_cells_are_part_of_an_observation() -> None:
    rules = Rules(salvo=3)
    seen = Observation.from_text("E5 miss, E6 pending, F6 pending", rules)
    assert seen.pending == (rules.cell("E6"), rules.cell("F6"))
    assert len(seen.unknown) == 97
    assert Observation.from_text(seen.to_text(), rules) == seen
    assert Observation.from_json(seen.to_json()) == seen
    answered = seen.after(rules.cell("E6"), seen.shots[0].answer)
    assert answered.pending == (rules.cell("F6"),)
    assert answered.unknown == seen.unknown
    assert answered == Observation.from_text("E5 miss, E6 miss, F6 pending", rules)
    for wrong in (
        "E5 pending, E5 pending",
        "E5 miss, E5 pending",
        ", ".join(f"A{k} pending" for k in range(1, 5)),
    ):
        with pytest.raises(SeabattleError):
            Observation.from_text(wrong, rules)
    with pytest.raises(ShotError, match="only in a salvo"):
        Observation.from_text("E5 pending", Rules())


def test_a_record_with_half_a_salvo_is_refused() -> None:
    record = play("density", "classic salvo=5", seed=1)
    text = record.to_text()
    with pytest.raises(RecordError, match="in the middle of a salvo"):
        read_record(text[: text.rindex(",")] + "\n")
    assert len(record.upto(7).shots) == 5
    both = play_duel("density", "even", "classic salvo=3", seed=1)
    value = both.to_json()
    value["moves"].pop()
    with pytest.raises(RecordError, match="in the middle of a salvo"):
        DuelRecord.from_json(value)
    value = both.to_json()
    value["moves"][3]["side"] = 0
    with pytest.raises(RecordError):
        DuelRecord.from_json(value)


@pytest.mark.parametrize(
    "name",
    ["exact", "heat-map", "admiral", "admiral:effort=normal", "mcts:iterations=5",
     "ismcts:iterations=50", "pomcp:iterations=50", "branch-mcts:branch=2,nodes=500"],
)  # fmt: skip
def test_every_kind_of_player_plays_salvos(name: str) -> None:
    for rules in (Rules(5, 5, (3, 2), salvo=6), Rules(6, 5, (3, 2, 1), "none", salvo="ships")):
        assert play(name, rules, seed=2).replay(99).finished
        assert play_batch(make_player(name), rules, 3, range(1)).shots[0] >= rules.ship_cells


@pytest.mark.parametrize(
    ("name", "rules"),
    [("cnn", "blind salvo=10"), ("policy-gradient", "blind salvo=5"), ("neat", "mini salvo=4")],
)
def test_networks_play_salvos(name: str, rules: str) -> None:
    assert play(name, rules, seed=2).replay(100).finished


def test_optimal_play_refuses_salvos() -> None:
    with pytest.raises(SeabattleError, match="one shot per turn"):
        play("optimal", "mini salvo=2")


def test_compare_reports_turns_too() -> None:
    result = compare(["random", "density"], "classic salvo=ships", games=20)
    again = type(result).from_json(result.to_json())
    assert again == result
    for player in result.players:
        assert player.turns is not None
        assert all(
            5 * turns >= shots > turns
            for turns, shots in zip(player.turns, player.shots, strict=True)
        )
    (fixed,) = compare(["random"], "classic salvo=7", games=5).players
    assert fixed.turns == tuple(-(-shots // 7) for shots in fixed.shots)
    (usual,) = compare(["random"], games=5).players
    assert usual.turns is None
    assert "turns" not in usual.to_json()


@pytest.mark.parametrize("salvo", ["ships", "3"])
@pytest.mark.parametrize("turns", ["alternate", "rounds"])
def test_a_tournament_in_salvos_is_the_games_themselves(salvo: str, turns: str) -> None:
    rules = Rules.from_text(f"mini salvo={salvo} turns={turns} answers=sunk")
    result = tournament(["density", "random"], rules, games=60, seed=4)
    again = tournament(["random", "density"], rules, games=60, seed=4, jobs=1)
    assert result.score("density", "random") == again.score("density", "random")
    assert result.score("density", "random").wins > 30
    assert result.score("density", "random").games == 60
    assert (turns == "rounds") or result.score("density", "random").draws == 0
