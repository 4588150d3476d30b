"""The quick base of `admiral`: `density` with weights found by tuning.

For each ship afloat, every placement that avoids misses and sunk ships adds a weight to
the cells it covers; the weight depends on the ship's length and on the number of open
hits that the placement covers. Where ships may not touch, a placement next to a hit that it
does not cover is impossible, too. The score of an unknown cell is its own total plus
fractions of the totals of the unknown cells around it (its four neighbours, its four
diagonals, the four cells two steps away), which may be negative: where a shot also tells
about its neighbours, its neighbours become worth less. While no hit is open, scores are
also multiplied by a factor of the cell's distance from the edge and, on cells of even
colour, by one more.

Totals are whole numbers in floating point, so that adding and taking away weights shot by
shot gives exactly what adding them up anew gives.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.bitboards import set_bit
from ..compiled.bits import ONE
from ..compiled.board_tables import (
    CONTACT_ANY,
    LONGEST,
    MOST_CELLS,
    MOST_PLACEMENTS,
    WORDS,
    Board,
    Floats,
    Ints,
)
from ..compiled.jit import kernel
from ..compiled.knowledge import CLOSED, MISS, MISSED, OPEN, SANK, UNKNOWN, Knowledge
from ..compiled.structs import new_struct

UNIT = 1000
"""Weights are whole numbers of thousandths."""

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

SCORE, BESIDE, DIAGONAL, BEYOND = range(4)
FEATURES = BEYOND + LONGEST + 1
"""Features of a cell that its cost is computed from: the logarithm of its score; the share of its
neighbours, diagonals and cells two away in all totals; then, for each length, the share of the
placements that cover it, times the ships afloat."""

CONSTANT, UNKNOWN_PART = range(2)
TERMS = UNKNOWN_PART + LONGEST + 1
"""What the rate of a feature is the sum of: a constant, the part of the board that is unknown, and,
for each length, the ships afloat."""

COSTED = RING + RINGS
"""1 in the settings if there are costs."""

COSTS = COSTED + 1
SETTINGS = COSTS + FEATURES * TERMS

TRIED = 6
"""Cells whose costs are compared: those with the highest scores."""

MOST_WEIGHT = 10**11
"""The largest weight of a placement: sums of this many stay exact in floating point."""

STRIDE = 18
"""Width of a grid with a margin of two cells on the right of the largest board, which is the
margin on the left of the next row too, so that the cells around a cell need no bounds checks."""

GRID = STRIDE * 20 + 4
"""Its size, with two rows of margin above and below."""

HERE = np.uint64(2 * STRIDE + 2)
N, W, E, S = (np.uint64(2 * STRIDE + 2 + step) for step in (-STRIDE, -1, 1, STRIDE))
NW, NE, SW, SE = N - ONE, N + ONE, S - ONE, S + ONE
NN, WW, EE, SS = (np.uint64(2 * STRIDE + 2 + 2 * step) for step in (-STRIDE, -1, 1, STRIDE))
"""Places in the grid from two rows and two columns before a cell: the cell's own, and those
of the cells around it by compass."""


class WeightedDensity:
    """The base's state in the course of a game."""

    totals: Annotated[Floats, "f8", (MOST_CELLS,)]
    """the weights over each cell, known cells included"""
    unknown: Annotated[Floats, "f8", (MOST_CELLS,)]
    """1 for each cell not shot at, else 0"""
    factor: Annotated[Floats, "f8", (MOST_CELLS,)]
    """of each cell's score while no hit is open"""
    grid: Annotated[Floats, "f8", (GRID,)]
    """the totals of unknown cells, with a margin of zeros"""
    scores: Annotated[Floats, "f8", (GRID,)]
    """filled by `score_cells`"""
    hits: Annotated[npt.NDArray[np.int8], "i1", (MOST_PLACEMENTS,)]
    """open hits that each placement covers; -1 if it is impossible"""
    ships: Annotated[Ints, "i8", (LONGEST + 1,)]
    """ships afloat of each length"""
    possible: Annotated[Floats, "f8", (LONGEST + 1,)]
    """scratch: placements of each length that are possible"""
    rates: Annotated[Floats, "f8", (FEATURES,)]
    """scratch: the rate of each feature in this position"""
    tried: Annotated[Ints, "i8", (TRIED,)]
    """the cells with the highest scores, filled by `rank_cells`"""
    tried_scores: Annotated[Floats, "f8", (TRIED,)]
    features: Annotated[Floats, "f8", (TRIED, FEATURES)]
    """the features of these cells, filled by `describe_cells`"""


def new_density() -> WeightedDensity:
    """A state to be set to a position by `weigh_all`."""
    return new_struct(WeightedDensity)


@kernel
def weigh_all(
    board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity
) -> None:
    """Compute everything from what is known."""
    cells = board.cells
    for cell in range(cells):
        density.totals[cell] = 0.0
        density.unknown[cell] = 1.0 if knowledge.status[cell] == UNKNOWN else 0.0
    density.ships[:] = 0
    for ship in range(board.ships):
        density.ships[board.fleet[ship]] += knowledge.afloat[ship]
    struck = np.zeros(WORDS, dtype=np.uint64)
    for cell in range(cells):
        if knowledge.status[cell] == OPEN or knowledge.status[cell] == CLOSED:
            set_bit(struck, cell)
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
        for word in range(WORDS if board.contact != CONTACT_ANY else 0):
            if board.halo[placement, word] & ~board.mask[placement, word] & struck[word] != 0:
                hits = -1
        density.hits[placement] = hits
        if hits >= 0 and density.ships[length] > 0:
            weight = settings[HITS * length + hits] * density.ships[length]
            for k in range(length):
                density.totals[board.cover[placement, k]] += weight


@kernel
def start_density(
    board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity
) -> None:
    """Set everything, with the factors that do not change in a game."""
    density.grid[:] = 0.0
    for cell in range(board.cells):
        row, column = cell // board.columns, cell % board.columns
        ring = min(
            min(row, board.rows - 1 - row), min(column, board.columns - 1 - column), RINGS - 1
        )
        density.factor[cell] = settings[RING + ring]
        if (row + column) & 1 == 0:
            density.factor[cell] *= settings[EVEN]
    weigh_all(board, knowledge, settings, density)


@kernel
def weigh_changed(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    density: WeightedDensity,
    cell: int,
    answer: int,
) -> None:
    """Update what the last shot changed."""
    density.unknown[cell] = 0.0
    kind = answer & 3
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        placement = board.through[index]
        hits = np.int64(density.hits[placement])
        if hits < 0:
            continue
        length = board.length[placement]
        change = -settings[HITS * length + hits]
        if kind == MISS:
            density.hits[placement] = -1
        else:
            change += settings[HITS * length + hits + 1]
            density.hits[placement] = hits + 1
        if density.ships[length] > 0:
            change *= density.ships[length]
            for k in range(length):
                density.totals[board.cover[placement, k]] += change
    if kind != MISS and board.contact != CONTACT_ANY:
        _remove_touching(board, settings, density, cell)
    if kind == SANK:
        _remove_sunk(board, knowledge, settings, density)


@kernel
def _remove_touching(board: Board, settings: Floats, density: WeightedDensity, cell: int) -> None:
    """Take away the placements next to a hit that they do not cover."""
    word, bit = cell >> 6, ONE << np.uint64(cell & 63)
    for placement in range(board.placements):
        touches = board.halo[placement, word] & ~board.mask[placement, word] & bit != 0
        if touches and density.hits[placement] >= 0:
            _add(board, settings, density, placement, -1.0)
            density.hits[placement] = -1


@kernel
def _remove_sunk(
    board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity
) -> None:
    """Take away the placements over sunk ships, and those of a length of which none is left."""
    for cell in range(board.cells):
        if knowledge.status[cell] != CLOSED:
            continue
        for index in range(board.through_start[cell], board.through_start[cell + 1]):
            placement = board.through[index]
            if density.hits[placement] >= 0:
                _add(board, settings, density, placement, -1.0)
                density.hits[placement] = -1
    for ship in range(board.ships):
        length = board.fleet[ship]
        afloat = 0
        for other in range(board.ships):
            if board.fleet[other] == length:
                afloat += knowledge.afloat[other]
        if afloat == density.ships[length]:
            continue
        for placement in range(board.first[ship], board.last[ship]):
            if density.hits[placement] >= 0:
                _add(board, settings, density, placement, -1.0)
        density.ships[length] = afloat
        for placement in range(board.first[ship], board.last[ship]):
            if density.hits[placement] >= 0:
                _add(board, settings, density, placement, 1.0)


@kernel
def _add(
    board: Board, settings: Floats, density: WeightedDensity, placement: int, sign: float
) -> None:
    """Add the weight of a placement to its cells, or take it away."""
    length = board.length[placement]
    hits = np.int64(density.hits[placement])
    weight = sign * settings[HITS * length + hits] * density.ships[length]
    if weight != 0.0:
        for k in range(length):
            density.totals[board.cover[placement, k]] += weight


@kernel
def score_cells(
    board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity
) -> None:
    """Fill `scores`, which are laid out like `grid`; those of known cells mean nothing."""
    columns = board.columns
    grid, scores = density.grid, density.scores
    for row in range(board.rows):
        first, start = row * columns, (row + 2) * STRIDE + 2
        for column in range(columns):
            grid[start + column] = density.totals[first + column] * density.unknown[first + column]
    fractions = HUNTING if knowledge.open_hits == 0 else TARGETING
    beside, diagonal, beyond = (
        settings[fractions],
        settings[fractions + 1],
        settings[fractions + 2],
    )
    # One loop over all rows and their margins, with indices that cannot be negative: only then
    # does the compiler make vector instructions of it.
    for index in range(board.rows * STRIDE):
        at = np.uint64(index)
        scores[at + HERE] = (
            grid[at + HERE]
            + beside * (grid[at + N] + grid[at + W] + grid[at + E] + grid[at + S])
            + diagonal * (grid[at + NW] + grid[at + NE] + grid[at + SW] + grid[at + SE])
            + beyond * (grid[at + NN] + grid[at + WW] + grid[at + EE] + grid[at + SS])
        )


@kernel
def score_of(board: Board, knowledge: Knowledge, density: WeightedDensity, cell: int) -> float:
    """The score of a cell, after `score_cells`."""
    score = density.scores[(cell // board.columns + 2) * STRIDE + cell % board.columns + 2]
    return score * density.factor[cell] if knowledge.open_hits == 0 else score
