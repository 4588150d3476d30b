"""The quick base of `admiral`: `density` with weights found by tuning.

For each ship afloat, every placement that avoids misses and sunk ships adds a weight to
the cells it covers; the weight depends on the ship's length and on the number of open
hits that the placement covers. The score of an unknown cell is its own total plus
fractions of the totals of the unknown cells around it (its four neighbours, its four
diagonals, the four cells two steps away), which may be negative: where a shot also tells
about its neighbours, its neighbours become worth less. While no hit is open, scores are
also multiplied by a factor of the cell's distance from the edge and, on cells of even
colour, by one more.

All numbers are integers, so that every machine makes the same choices: weights and
fractions are in thousandths.
"""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import LONGEST, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import CLOSED, HIT, MISSED, OPEN, SANK, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import compile_strategy

UNIT = 1000
"""What 1 is in the settings."""

HITS = LONGEST + 1
"""Weights of one length: for no hit, for one, ..."""

RINGS = 8
"""Distances from the edge, on the largest board."""

HUNTING = (LONGEST + 1) * HITS
TARGETING = HUNTING + 3
"""Where the fractions for neighbours, diagonals and cells two away begin in the settings,
without and with open hits."""

EVEN = TARGETING + 3
RING = EVEN + 1
SETTINGS = RING + RINGS

MOST_WEIGHT = 10**11
"""The largest weight of a placement, so that no score exceeds 2^63."""


@kernel
def weigh_all(board: Board, knowledge: Knowledge, settings: Ints) -> None:
    """Fill `own_counts` with the weights over each cell, and `own_worth` with the number of
    open hits that each placement covers (-1 if it is impossible)."""
    knowledge.own_counts[: board.cells] = 0
    knowledge.own_ships[:] = 0
    for ship in range(board.ships):
        knowledge.own_ships[board.fleet[ship]] += knowledge.afloat[ship]
    for placement in range(board.placements):
        length = board.length[placement]
        hits = 0
        for k in range(length):
            status = knowledge.status[board.cover[placement, k]]
            if status == MISSED or status == CLOSED:
                hits = -1
                break
            if status == OPEN:
                hits += 1
        knowledge.own_worth[placement] = hits
        if hits >= 0:
            weight = settings[HITS * length + hits] * knowledge.own_ships[length]
            for k in range(length):
                knowledge.own_counts[board.cover[placement, k]] += weight


@kernel
def weigh_changed(
    board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int
) -> None:
    """Update only what the last shot changed; everything if a ship sank."""
    if answer & 3 == SANK:
        weigh_all(board, knowledge, settings)
        return
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        placement = board.through[index]
        hits = knowledge.own_worth[placement]
        if hits < 0:
            continue
        length = board.length[placement]
        change = -settings[HITS * length + hits]
        if answer & 3 == HIT:
            change += settings[HITS * length + hits + 1]
            knowledge.own_worth[placement] = hits + 1
        else:
            knowledge.own_worth[placement] = -1
        change *= knowledge.own_ships[length]
        for k in range(length):
            knowledge.own_counts[board.cover[placement, k]] += change


@kernel
def around(board: Board, knowledge: Knowledge, row: int, column: int) -> int:
    """The total of a cell, or 0 if it is known or off the board."""
    if not (0 <= row < board.rows and 0 <= column < board.columns):
        return 0
    cell = row * board.columns + column
    return knowledge.own_counts[cell] if knowledge.status[cell] == UNKNOWN else 0


@kernel
def score(board: Board, knowledge: Knowledge, settings: Ints, cell: int) -> int:
    """How good an unknown cell is to shoot at."""
    row, column = cell // board.columns, cell % board.columns
    hunting = knowledge.open_hits == 0
    fractions = HUNTING if hunting else TARGETING
    beside, diagonal, beyond = 0, 0, 0
    for step in (-1, 1):
        beside += around(board, knowledge, row + step, column)
        beside += around(board, knowledge, row, column + step)
        diagonal += around(board, knowledge, row + step, column - 1)
        diagonal += around(board, knowledge, row + step, column + 1)
        beyond += around(board, knowledge, row + 2 * step, column)
        beyond += around(board, knowledge, row, column + 2 * step)
    total = (
        UNIT * knowledge.own_counts[cell]
        + settings[fractions] * beside
        + settings[fractions + 1] * diagonal
        + settings[fractions + 2] * beyond
    )
    if hunting:
        ring = min(
            min(row, board.rows - 1 - row), min(column, board.columns - 1 - column), RINGS - 1
        )
        total = total * settings[RING + ring]
        if (row + column) & 1 == 0:
            total = total // UNIT * settings[EVEN]
    return total


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    best, highest = -1, np.int64(0)
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN:
            reached = score(board, knowledge, settings, cell)
            if best < 0 or reached > highest:
                best, highest = cell, reached
    return best


WEIGHTED_DENSITY = compile_strategy("weighted_density", choose, weigh_all, weigh_changed)
