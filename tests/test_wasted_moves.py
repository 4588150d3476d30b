"""Shots at known cells, as wasted moves: the duel, its record, its replay and its review."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Duel, DuelRecord, Observation, Rules, random_layout, read_record
from seabattle.dataset.duels import duel_episodes
from seabattle.errors import DatasetError, RecordError, ShotError
from seabattle.layout import Layout
from seabattle.review import positions, review_record
from seabattle.rules import TURNS
from seabattle.terminal import Replay

RULES = Rules(3, 3, (2,))
SHIP = Layout.from_text("destroyer A1 across", RULES)


@st.composite
def wasteful_rules(draw: st.DrawFn) -> Rules:
    turns = draw(st.sampled_from(TURNS))
    salvos = [1] if turns == "again" else [1, 2, "ships"]
    return Rules(4, 4, (2, 1), "any", "sunk", turns, draw(st.sampled_from(salvos)))


def expected_turn(
    ships: tuple[list[set[int]], list[set[int]]],
    fired: tuple[set[int], set[int]],
    before_round: int,
    rules: Rules,
    side: int,
) -> int:
    """How many shots a turn has, by counting the ships that the side has left."""
    if rules.salvo == "ships":
        left = sum(not ship <= fired[1 - side] for ship in ships[side])
        if rules.turns == "rounds" and side == 1:
            left = before_round
        return min(left, rules.cells - len(fired[side]))
    assert isinstance(rules.salvo, int)
    return min(rules.salvo, rules.cells - len(fired[side]))


@given(rules=wasteful_rules(), seed=st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_a_game_with_wasted_moves_is_that_of_plain_bookkeeping(rules: Rules, seed: int) -> None:
    """Sets of cells instead of a `Game`: turns, answers and the end are the same, and so is the
    game that is replayed from its record at every move."""
    rng = np.random.default_rng(seed)
    layouts = (random_layout(rules, rng), random_layout(rules, rng))
    ships = tuple([set(cells) for cells in layout.ship_cells] for layout in layouts)
    duel = Duel(*layouts, repeats=(0, 1))
    fired: tuple[set[int], set[int]] = (set(), set())
    side, moves, left_of_second = 0, [], len(rules.fleet)
    while True:
        size = expected_turn(ships, fired, left_of_second, rules, side)
        assert (duel.to_move, duel.salvo) == (side, size)
        known = sorted(fired[side])
        share = 0.4 if duel.wasted_by(side) < 10 else 0
        new = [cell for cell in rng.permutation(rules.cells).tolist() if cell not in fired[side]]
        old = rng.permutation(known).tolist() if known else []
        cells = [old.pop() if old and rng.random() < share else new.pop() for _ in range(size)]
        hit = False
        for cell in cells:
            enemy = ships[1 - side]
            ship = next((ship for ship in enemy if cell in ship), None)
            if cell in fired[side]:
                told = "wasted"
            elif ship is None:
                told = "miss"
            else:
                told = "sunk" if ship <= fired[side] | {cell} else "hit"
            hit = told in ("hit", "sunk")
            fired[side].add(cell)
            moves.append((side, f"{rules.cell_name(cell)} {told}"))
        duel.fire_salvo(cells)
        done = [set().union(*ships[1 - each]) <= fired[each] for each in (0, 1)]
        if (done[side] and rules.turns != "rounds") or (side == 1 and any(done)):
            break
        if side == 1:
            left_of_second = sum(not ship <= fired[0] for ship in ships[1])
        side = side if rules.turns == "again" and hit else 1 - side
    assert [(by, shot.to_text(rules)) for by, shot in duel.shots] == moves
    assert duel.finished
    assert duel.drawn == all(done)

    record = DuelRecord.of(duel, ("Ann", "Ben"))
    assert read_record(record.to_text()) == record
    assert read_record(json.dumps(record.to_json())) == record
    assert record.replay(len(moves)).shots == duel.shots
    replay = Replay(record)
    for number in range(len(moves) + 1):
        assert record.upto(number).moves == duel.shots[: len(record.upto(number).cells)]
        seen = replay.seen(number)
        assert seen is None or isinstance(seen[1], Observation)
    assert [(each.side, each.shot) for each in positions(record)] == list(duel.shots)


def test_only_the_sides_that_may_repeat_can() -> None:
    duel = Duel(SHIP, SHIP, repeats=(0,))
    duel.fire(8)
    duel.fire(8)
    assert duel.shoot(8).wasted
    with pytest.raises(ShotError, match="already"):
        duel.fire(8)
    assert (duel.moves, duel.wasted_by(0), duel.wasted_by(1)) == ([0, 1, 0], 1, 0)
    assert [shot.cell for shot in duel.targets[0].shots] == [8]


def test_a_repeated_hit_does_not_shoot_again() -> None:
    rules = replace(RULES, turns="again")
    ship = Layout.from_text("destroyer A1 across", rules)
    duel = Duel(ship, ship, repeats=(0, 1))
    duel.fire(0)
    assert duel.to_move == 0
    duel.fire(0)
    assert duel.to_move == 1


def test_nobody_wastes_moves_for_ever() -> None:
    duel = Duel(SHIP, SHIP, repeats=(0, 1))
    for cell in [8] * (2 * RULES.cells + 2):
        duel.fire(cell)
    with pytest.raises(ShotError, match="already"):
        duel.fire(8)
    duel.fire(7)


def test_a_record_that_allows_no_repeats_refuses_them() -> None:
    duel = Duel(SHIP, SHIP, repeats=(0,))
    for cell in (8, 8, 8, 7):
        duel.fire(cell)
    record = DuelRecord.of(duel)
    text = record.to_text()
    assert text.endswith("cells: C3 C3 C3 C2\nresigned:\nrepeats: first\n")
    for other in ("repeats: second\n", ""):
        with pytest.raises(RecordError, match="already"):
            read_record(text.replace("repeats: first\n", other))
    with pytest.raises(RecordError, match="says repeats"):
        read_record(text.replace("repeats: first", "repeats: third"))
    value = record.to_json()
    assert (value["repeats"], value["moves"][2]["told"]) == ([0], "wasted")
    for wrong in ([2], 1, "first", None):
        with pytest.raises(RecordError, match="repeats"):
            DuelRecord.from_json({**value, "repeats": wrong})
    value["moves"][2]["told"] = "miss"
    with pytest.raises(RecordError, match="Move 3"):
        DuelRecord.from_json(value)
    assert "repeats" not in replace(record, cells=(8, 8), repeats=()).to_json()


def test_a_wasted_move_costs_the_best_hit_chance_and_is_no_hit() -> None:
    duel = Duel(SHIP, SHIP, repeats=(0,))
    for cell in (0, 8, 0, 7, 1):
        duel.fire(cell)
    record = DuelRecord.of(duel, ("Ann", "Ben"))
    side = review_record(record).sides[0]
    assert (len(side.shots), side.hits, side.wasted) == (3, 2, 1)
    wasted = side.shots[1]
    # A2 and B1 are equally likely to hold the rest of the ship.
    assert (wasted.judgement, wasted.chance, wasted.luck) == ("wasted", 0.0, 0.0)
    assert wasted.cost == wasted.best_chance == pytest.approx(0.5)
    assert side.costliest[0] is wasted
    with pytest.raises(DatasetError, match="wasted"):
        list(duel_episodes([record], RULES))
