"""Games of one and of two: answers, turns and how they end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import (
    Duel,
    DuelRecord,
    Game,
    Layout,
    Observation,
    Rules,
    random_layout,
)
from seabattle.errors import CellError, LayoutError, ShotError
from seabattle.record import read_record
from tests.strategies import small_rules

RULES = Rules(4, 4, (2, 2, 1), "none")
LAYOUT = "destroyer A1 across, destroyer-2 C1 down, boat D4 across"
A1, A2, C1, D1, D4, B2 = (RULES.cell(name) for name in ("A1", "A2", "C1", "D1", "D4", "B2"))


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ("hit-miss", "B2 miss, C1 hit, A1 hit, A2 hit, D4 hit, D1 hit"),
        ("sunk", "B2 miss, C1 hit, A1 hit, A2 sunk, D4 sunk, D1 sunk"),
        (
            "sunk-named",
            "B2 miss, C1 hit, A1 hit, A2 sunk destroyer, D4 sunk boat, D1 sunk destroyer-2",
        ),
        (
            "named",
            "B2 miss, C1 hit destroyer-2, A1 hit destroyer, A2 sunk destroyer, D4 sunk boat, "
            "D1 sunk destroyer-2",
        ),
    ],
)
def test_what_is_told_under_each_kind_of_answers(answers: str, told: str) -> None:
    rules = RULES.override(answers=answers)
    game = Game(Layout.from_text(LAYOUT, rules))
    for cell in (B2, C1, A1, A2, D4, D1):
        assert not game.finished
        game.fire(cell)
    assert game.finished
    assert Observation(rules, game.shots).to_text() == told
    assert Observation.from_text(told, rules).shots == game.shots


def test_illegal_shots_are_refused() -> None:
    game = Game(Layout.from_text(LAYOUT, RULES))
    game.fire(A1)
    with pytest.raises(ShotError, match="A1 has been shot at already"):
        game.fire(A1)
    with pytest.raises(CellError):
        game.fire(16)
    with pytest.raises(CellError):
        game.fire("A1")  # type: ignore[arg-type]
    for cell in (A2, C1, D1, D4):
        game.fire(cell)
    with pytest.raises(ShotError, match="over"):
        game.fire(B2)


def play_in_order(duel: Duel) -> list[int]:
    """Both sides fire from A1 on; returns the side of each move."""
    nexts = [0, 0]
    while (side := duel.to_move) is not None:
        duel.fire(nexts[side])
        nexts[side] += 1
    return duel.moves


def duel_of(turns: str, first: str, second: str) -> Duel:
    rules = Rules(3, 3, (2,), turns=turns)
    return Duel(*(Layout.from_text(f"destroyer {text}", rules) for text in (first, second)))


def test_alternate_the_first_to_finish_wins() -> None:
    duel = duel_of("alternate", "A1 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0]
    assert duel.winner == 0
    assert not duel.drawn


def test_rounds_give_the_second_side_its_last_shot() -> None:
    duel = duel_of("rounds", "A1 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.drawn
    assert duel.winner is None
    assert duel.finished
    duel = duel_of("rounds", "A2 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.winner == 0
    duel = duel_of("rounds", "A1 across", "A2 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.winner == 1


def test_again_a_hit_shoots_again() -> None:
    duel = duel_of("again", "A2 across", "A2 across")
    assert play_in_order(duel) == [0, 1, 0, 0]
    assert duel.winner == 0


def test_resigning_ends_a_game() -> None:
    duel = duel_of("rounds", "A1 across", "A1 across")
    duel.resign(0)
    assert duel.winner == 1
    assert duel.to_move is None
    with pytest.raises(ShotError):
        duel.fire(0)
    assert read_record(DuelRecord.of(duel).to_text()).replay(99).winner == 1


def test_both_sides_play_the_same_rules() -> None:
    with pytest.raises(LayoutError, match="same rules"):
        Duel(
            Layout.from_text("destroyer A1 across", Rules(3, 3, (2,))),
            Layout.from_text("destroyer A1 across", Rules(3, 4, (2,))),
        )


@given(small_rules(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_duels_end_and_replay(rules: Rules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    duel = Duel(random_layout(rules, rng), random_layout(rules, rng))
    orders = [list(rng.permutation(rules.cells)) for _ in range(2)]
    while (side := duel.to_move) is not None:
        duel.fire(int(orders[side].pop()))
    assert (duel.winner is None) == duel.drawn
    if rules.turns != "rounds":
        assert not duel.drawn
    record = DuelRecord.of(duel, ("me", "you"))
    assert read_record(record.to_text()) == record
    assert DuelRecord.from_json(record.to_json()) == record
    again = record.replay(len(record.cells))
    assert (again.winner, again.moves) == (duel.winner, duel.moves)
