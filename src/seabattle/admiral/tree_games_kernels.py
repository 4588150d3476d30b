"""Whole games of the weighted density with end-game trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence, gather_candidates, narrow_candidates
from ..compiled.board_tables import NAMED, SUNK_NAMED, Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, Knowledge, clear, fire, lay, tell
from .choice_kernels import choose
from .endgame_kernels import TOO_MANY, Endgame, keep_agreeing_listed, list_candidates
from .trees_kernels import TreeBase, best_by_trees, set_root
from .weighted_density_kernels import WeightedDensity, start_density, weigh_changed

BOUND_PER_LAYOUT = 16.0
"""An upper bound of the layouts left for each layout that fits: with a higher one, listing them
is not tried after the tuned density, which is quick."""

STEPS_PER_LAYOUT = 1024
"""Steps of listing for each layout that fits: with this bound, never too few in practice."""

STEPS_WITHOUT_BOUND = 64
"""The same where the bound is not used: where answers do not say which ship sank it is far too
high."""


@kernel
def may_be_listed(board: Board, shots: int, hits: int) -> bool:
    """Whether it is worth trying to list the layouts left: late enough in the game."""
    return 3 * hits >= board.ship_cells or 2 * shots >= board.cells


@kernel
def listing_limits(board: Board, layouts: int) -> tuple[float, int]:
    """The bound and the steps for listing this many layouts after the tuned density."""
    if board.answers == SUNK_NAMED or board.answers == NAMED:
        return BOUND_PER_LAYOUT * layouts, STEPS_PER_LAYOUT * layouts
    return np.inf, STEPS_WITHOUT_BOUND * layouts


@kernel
def in_opening(opening: Cells, cells: Cells, answers: Ints) -> bool:
    """Whether these shots are the first ones of the opening, all missed, and it goes on."""
    if cells.size >= opening.size:
        return False
    for shot in range(cells.size):
        if cells[shot] != opening[shot] or answers[shot] & 3 != MISS:
            return False
    return True


@kernel
def play_on(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    opening: Cells,
    density: WeightedDensity,
    evidence: Evidence,
    game: Endgame,
    base: TreeBase,
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
    most = game.order.size
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
        next_cell, layouts, gathered = first, TOO_MANY, False
        while knowledge.hits < board.ship_cells:
            shot = knowledge.shots
            cell = next_cell
            next_cell = -1
            if layouts > 0:
                layouts = keep_agreeing_listed(
                    board, evidence, game, layouts, fired[row, shot - 1], told[shot - 1]
                )
            elif cell < 0 and width > 0 and may_be_listed(board, shot, knowledge.hits):
                known = fired[row, :shot], told[:shot]
                if gathered:
                    narrow_candidates(board, *known, evidence, game.candidates, game.counts)
                else:
                    gather_candidates(board, *known, evidence, game.candidates, game.counts)
                    gathered = True
                bound, steps = listing_limits(board, most)
                layouts = list_candidates(board, evidence, bound, steps, game)
            if cell < 0 and layouts > 0:
                if layouts > base.few:
                    set_root(board, base, knowledge, density)
                number, best = best_by_trees(
                    board, game, evidence, base, layouts, width, True, tried, misses
                )
                cell = tried[best] if number > 0 else -1
            if cell < 0 and in_opening(opening, fired[row, :shot], told[:shot]):
                cell = opening[shot]
            if cell < 0:
                cell = choose(board, knowledge, settings, density)
            answer = fire(board, ship_at, left, cell)
            fired[row, shot], told[shot] = cell, answer
            tell(board, knowledge, cell, answer)
            weigh_changed(board, knowledge, settings, density, cell, answer)
        shots[row] = knowledge.shots
