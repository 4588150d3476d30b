"""Games of the base in which every cell it might have shot at is played to the end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..admiral.choice_kernels import choose, describe_cells, rank_cells
from ..admiral.rollout_kernels import copy_density_position, play_to_the_end
from ..admiral.tree_games_kernels import in_opening
from ..admiral.weighted_density_kernels import (
    TRIED,
    WeightedDensity,
    start_density,
    weigh_changed,
)
from ..compiled.board_tables import Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, clear, fire, hidden_fleet, lay, tell, unknown_cells

FEWEST_UNKNOWN = 9
"""Unknown cells in a position, at least: with fewer, hardly anything is left to choose."""


class Sums(NamedTuple):
    """Sums over pairs of cells, by the number of shots before them; see `hunting_costs`."""

    products: Floats
    """(cells, n, n) products of the differences of two explaining numbers"""
    by_shots: Floats
    """(cells, n) products of these differences with the difference in shots"""
    squares: Floats
    """(cells,) squares of the difference in shots"""
    pairs: Floats
    """(cells,) how many there are"""


@kernel
def add_games(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    opening: Cells,
    density: WeightedDensity,
    other_knowledge: Knowledge,
    other_density: WeightedDensity,
    features: Ints,
    lengths: Ints,
    placements: npt.NDArray[np.int32],
    sums: Sums,
) -> None:
    """Play one game per row of `placements` and add its positions without an open hit.

    In each, the cells with the highest scores are shot at in turn, and the base plays on from
    there. The layout of the game is a random one of those that agree with the position, so the
    shots that two cells need differ by their true difference on average.
    """
    ship_at, left = hidden_fleet(board)
    other_ship_at, other_left = hidden_fleet(board)
    told = np.empty(board.cells, dtype=np.int64)
    terms = 2 + lengths.size
    explaining = np.empty((TRIED, features.size * terms))
    term = np.empty(terms)
    other_density.grid[:] = 0.0
    for row in range(placements.shape[0]):
        lay(board, placements[row], ship_at, left)
        clear(board, knowledge)
        start_density(board, knowledge, settings, density)
        other_density.factor[: board.cells] = density.factor[: board.cells]
        while knowledge.hits < board.ship_cells:
            shot = knowledge.shots
            cell = choose(board, knowledge, settings, density)
            if in_opening(opening, knowledge.fired[:shot], told[:shot]):
                cell = opening[shot]
            elif knowledge.open_hits == 0 and unknown_cells(knowledge) >= FEWEST_UNKNOWN:
                number = rank_cells(board, density)
                describe_cells(board, settings, density, number)
                term[0], term[1] = 1.0, unknown_cells(knowledge) / board.cells
                for index in range(lengths.size):
                    term[2 + index] = density.ships[lengths[index]]
                for k in range(number):
                    place = 0
                    for feature in features:
                        for index in range(terms):
                            explaining[k, place] = density.features[k, feature] * term[index]
                            place += 1
                first_shots = 0
                for k in range(number):
                    other_ship_at[:], other_left[:] = ship_at, left
                    copy_density_position(board, knowledge, density, other_knowledge, other_density)
                    play_to_the_end(
                        board, other_knowledge, settings, other_density, other_ship_at,
                        other_left, density.tried[k],
                    )  # fmt: skip
                    if k == 0:
                        first_shots = other_knowledge.shots
                    else:
                        explaining[k] -= explaining[0]
                        add_pair(sums, shot, explaining[k], other_knowledge.shots - first_shots)
            answer = fire(board, ship_at, left, cell)
            told[shot] = answer
            tell(board, knowledge, cell, answer)
            weigh_changed(board, knowledge, settings, density, cell, answer)


@kernel
def add_pair(sums: Sums, shot: int, explaining: Floats, difference: int) -> None:
    """Add a cell compared with the first one."""
    sums.pairs[shot] += 1.0
    sums.squares[shot] += difference * difference
    for i in range(explaining.size):
        sums.by_shots[shot, i] += explaining[i] * difference
        for j in range(i + 1):
            sums.products[shot, i, j] += explaining[i] * explaining[j]
