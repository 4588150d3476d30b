"""The tables of a board list every placement once, where brute force finds it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from seabattle import Rules
from seabattle.compiled.rules_tables import board_of, symmetries_of
from tests.oracle import ways_to_lie
from tests.strategies import small_rules


def runs(rules: Rules) -> list[frozenset[int]]:
    board = board_of(rules)
    return [frozenset(map(int, board.cover[p, : board.length[p]])) for p in range(board.placements)]


@given(small_rules())
@settings(deadline=None, max_examples=40)
def test_every_way_to_lie_is_one_placement(rules: Rules) -> None:
    expected = [
        run for length in set(rules.fleet) for run in ways_to_lie(rules.rows, rules.columns, length)
    ]
    found = runs(rules)
    assert len(found) == len(set(found))
    assert set(found) == set(expected)


@given(small_rules())
@settings(deadline=None, max_examples=40)
def test_each_cell_knows_the_placements_through_it(rules: Rules) -> None:
    board, found = board_of(rules), runs(rules)
    for cell in range(rules.cells):
        listed = board.through[board.through_start[cell] : board.through_start[cell + 1]]
        assert sorted(map(int, listed)) == [p for p, run in enumerate(found) if cell in run]


@given(small_rules())
@settings(deadline=None, max_examples=40)
def test_a_symmetry_moves_cells_and_placements_alike(rules: Rules) -> None:
    turned, found = symmetries_of(rules), runs(rules)
    square = rules.rows == rules.columns
    assert len(np.unique(turned.cells, axis=0)) == len(turned.cells) == (8 if square else 4)
    assert turned.cells[0].tolist() == list(range(rules.cells))
    for cells, placements in zip(turned.cells, turned.placements, strict=True):
        assert sorted(cells.tolist()) == list(range(rules.cells))
        for p, run in enumerate(found):
            assert found[placements[p]] == {int(cells[cell]) for cell in run}
