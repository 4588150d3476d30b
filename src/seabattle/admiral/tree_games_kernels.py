"""Whole games of the weighted density with end-game trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..compiled.board_tables import Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, clear, fire, lay, tell
from .endgame_kernels import TOO_MANY, Endgame, best_by_trees, list_layouts
from .weighted_density_kernels import Density, choose, start_density, weigh_changed

STEPS_PER_LAYOUT = 16
"""Steps of listing for each layout that would fit."""


@kernel
def may_be_listed(board: Board, shots: int, hits: int) -> bool:
    """Whether it is worth trying to list the layouts left: late enough in the game."""
    return 3 * hits >= board.ship_cells or 2 * shots >= board.cells


@kernel
def cell_by_trees(
    board: Board,
    evidence: Evidence,
    game: Endgame,
    width: int,
    cells: Cells,
    answers: Ints,
    tried: Ints,
    misses: Ints,
) -> int:
    """The best cell by end-game trees, or TOO_MANY."""
    steps = STEPS_PER_LAYOUT * game.order.size
    layouts = list_layouts(board, cells, answers, evidence, steps, game)
    if layouts <= 0:
        return TOO_MANY
    number, best = best_by_trees(board, game, evidence, layouts, width, True, tried, misses)
    return tried[best] if number > 0 else TOO_MANY


@kernel
def play_on(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    density: Density,
    evidence: Evidence,
    game: Endgame,
    width: int,
    cells: Cells,
    answers: Ints,
    first: int,
    placements: npt.NDArray[np.int32],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> None:
    """Play one game per row of `placements` from a position on, with `first` as the next shot
    unless it is -1. The game's cells, from its start, go to a row of `fired`. Without a width,
    there are no trees."""
    ship_at = np.empty(board.cells, dtype=np.int16)
    left = np.empty(board.ships, dtype=np.int64)
    told = np.empty(board.cells, dtype=np.int64)
    tried, misses = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.int64)
    for row in range(placements.shape[0]):
        lay(board, placements[row], ship_at, left)
        clear(board, knowledge)
        for shot in range(cells.size):
            fired[row, shot] = cells[shot]
            fire(board, ship_at, left, cells[shot])
            told[shot] = answers[shot]
            tell(board, knowledge, cells[shot], answers[shot])
        start_density(board, knowledge, settings, density)
        next_cell = first
        while knowledge.hits < board.ship_cells:
            shot = knowledge.shots
            cell = next_cell
            next_cell = -1
            if cell < 0 and width > 0 and may_be_listed(board, shot, knowledge.hits):
                cell = cell_by_trees(
                    board, evidence, game, width, fired[row, :shot], told[:shot], tried, misses
                )
            if cell < 0:
                cell = choose(board, knowledge, settings, density)
            answer = fire(board, ship_at, left, cell)
            fired[row, shot], told[shot] = cell, answer
            tell(board, knowledge, cell, answer)
            weigh_changed(board, knowledge, settings, density, cell, answer)
        shots[row] = knowledge.shots
