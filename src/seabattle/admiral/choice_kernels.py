"""The choice of the base: the highest score or, while hunting, the lowest cost.

The weights of the scores are the same throughout a game. Which cell is best depends on the ships
that are left, though, so while no hit is open the cells with the highest scores are compared by
the shots that each is expected to cost:

    cost(cell) = sum over features f of rate(f) * f(cell)
    rate(f)    = constant(f) + unknown(f) * part of the board that is unknown
                 + sum over lengths of afloat(f, length) * ships afloat of that length

`learn.hunting_costs` finds the numbers by least squares over many games. Without them, the highest
score decides.
"""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import Board, Floats
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, unknown_cells
from .weighted_density_kernels import (
    BESIDE,
    BEYOND,
    CONSTANT,
    COSTED,
    COSTS,
    DIAGONAL,
    EE,
    HITS,
    NE,
    NN,
    NW,
    SCORE,
    SE,
    SS,
    STRIDE,
    SW,
    TERMS,
    TRIED,
    UNKNOWN_PART,
    WW,
    E,
    N,
    S,
    W,
    WeightedDensity,
    score_cells,
)


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity) -> int:
    """The next cell; after it, the scores are those of this position."""
    score_cells(board, knowledge, settings, density)
    if knowledge.open_hits > 0 or settings[COSTED] == 0.0:
        return highest_score(board, knowledge, density)
    number = rank_cells(board, density)
    if number < 2:
        return highest_score(board, knowledge, density)
    describe_cells(board, settings, density, number)
    set_rates(board, knowledge, settings, density)
    best, least = 0, np.inf
    for k in range(number):
        cost = 0.0
        for feature in range(BEYOND + 1):
            cost += density.rates[feature] * density.features[k, feature]
        for ship in range(board.ships):
            if is_first_of_length(board, ship):
                feature = BEYOND + board.fleet[ship]
                cost += density.rates[feature] * density.features[k, feature]
        if cost < least:
            best, least = k, cost
    return density.tried[best]


@kernel
def highest_score(board: Board, knowledge: Knowledge, density: WeightedDensity) -> int:
    """The unknown cell with the highest score; of several, the first. A cell that no placement
    covers is taken only if there is no other."""
    hunting = knowledge.open_hits == 0
    best, highest = -1, -np.inf
    spare = -1
    cell = 0
    for row in range(board.rows):
        start = (row + 2) * STRIDE + 2
        for column in range(board.columns):
            if density.unknown[cell] == 1.0:
                score = density.scores[start + column]
                if hunting:
                    score *= density.factor[cell]
                if density.totals[cell] == 0.0:
                    spare = cell if spare < 0 else spare
                elif score > highest:
                    best, highest = cell, score
            cell += 1
    return best if best >= 0 else spare


@kernel
def rank_cells(board: Board, density: WeightedDensity) -> int:
    """Fill `tried` with the cells that have the highest scores while no hit is open, the highest
    first and of several the first; how many there are. Cells that no placement covers are left
    out, and so are scores that have no logarithm."""
    number, cell = 0, 0
    for row in range(board.rows):
        start = (row + 2) * STRIDE + 2
        for column in range(board.columns):
            score = density.scores[start + column] * density.factor[cell]
            if (
                density.unknown[cell] == 1.0
                and density.totals[cell] > 0.0
                and score > 0.0
                and (number < TRIED or score > density.tried_scores[TRIED - 1])
            ):
                place = min(number, TRIED - 1)
                while place > 0 and score > density.tried_scores[place - 1]:
                    density.tried[place] = density.tried[place - 1]
                    density.tried_scores[place] = density.tried_scores[place - 1]
                    place -= 1
                density.tried[place], density.tried_scores[place] = cell, score
                number = min(number + 1, TRIED)
            cell += 1
    return number


@kernel
def describe_cells(board: Board, settings: Floats, density: WeightedDensity, number: int) -> None:
    """Fill the features of the first `number` cells of `tried`."""
    # Without open hits, every possible placement lies on unknown cells alone.
    total = 0.0
    for ship in range(board.ships):
        if is_first_of_length(board, ship):
            possible = 0
            for placement in range(board.first[ship], board.last[ship]):
                possible += density.hits[placement] >= 0
            length = board.fleet[ship]
            density.possible[length] = possible
            total += settings[HITS * length] * density.ships[length] * possible * length
    grid = density.grid
    for k in range(number):
        cell = density.tried[k]
        features = density.features[k]
        features[SCORE] = np.log(density.tried_scores[k])
        at = np.uint64(cell // board.columns * STRIDE + cell % board.columns)
        features[BESIDE] = (grid[at + N] + grid[at + W] + grid[at + E] + grid[at + S]) / total
        features[DIAGONAL] = (grid[at + NW] + grid[at + NE] + grid[at + SW] + grid[at + SE]) / total
        features[BEYOND] = (grid[at + NN] + grid[at + WW] + grid[at + EE] + grid[at + SS]) / total
        for ship in range(board.ships):
            features[BEYOND + board.fleet[ship]] = 0.0
        for index in range(board.through_start[cell], board.through_start[cell + 1]):
            placement = board.through[index]
            if density.hits[placement] >= 0:
                features[BEYOND + board.length[placement]] += 1.0
        for ship in range(board.ships):
            length = board.fleet[ship]
            if is_first_of_length(board, ship) and density.possible[length] > 0.0:
                features[BEYOND + length] *= density.ships[length] / density.possible[length]


@kernel
def is_first_of_length(board: Board, ship: int) -> bool:
    """Whether no ship before this one has its length; the longest ones come first."""
    return ship == 0 or board.fleet[ship] != board.fleet[ship - 1]


@kernel
def set_rates(
    board: Board, knowledge: Knowledge, settings: Floats, density: WeightedDensity
) -> None:
    """Fill the rates of all features in this position."""
    part = unknown_cells(knowledge) / board.cells
    for feature in range(BEYOND + 1):
        density.rates[feature] = rate_of(board, settings, density, feature, part)
    for ship in range(board.ships):
        feature = BEYOND + board.fleet[ship]
        density.rates[feature] = rate_of(board, settings, density, feature, part)


@kernel
def rate_of(
    board: Board, settings: Floats, density: WeightedDensity, feature: int, part: float
) -> float:
    """The rate of one feature, with this part of the board unknown."""
    first = COSTS + feature * TERMS
    rate = settings[first + CONSTANT] + settings[first + UNKNOWN_PART] * part
    for ship in range(board.ships):
        if is_first_of_length(board, ship):
            length = board.fleet[ship]
            rate += settings[first + UNKNOWN_PART + length] * density.ships[length]
    return rate
