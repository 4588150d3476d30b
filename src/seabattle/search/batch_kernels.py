"""Whole games of a search in drawn layouts, in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..compiled.board_tables import Board, Floats
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, clear, fire, lay, tell
from ..compiled.random_streams import Rng
from ..players.heuristics_kernels import weigh
from .expansion_kernels import add_root
from .information_sets_kernels import DENSITY_SETTINGS, HISTORIES, spread, values_by_cell
from .layout_sampler_kernels import Sampler, draw_layouts, prepare
from .simulation_kernels import Worlds, begin, best_cell
from .tree_kernels import Tree, forget

_grow = HISTORIES.grow


@kernel
def play_in_layouts(
    board: Board,
    evidence: Evidence,
    sampler: Sampler,
    tries: int,
    walks: npt.NDArray[Any],
    tree: Tree,
    worlds: Worlds,
    task: Floats,
    simulations: int,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
    start: int,
) -> int:
    """Play the games from number `start` on; the number of the first that was not played.

    That is the one in which drawing takes more than `tries`; it is left to the caller,
    who has other samplers. The room for a knowledge that `worlds` has at its start is the
    shooter's.
    """
    rng = np.empty(1, dtype=np.uint64)
    ship_at = np.empty(board.cells, dtype=np.int16)
    left = np.empty(board.ships, dtype=np.int64)
    told = np.empty(board.cells, dtype=np.int64)
    knowledge = worlds.knowledges[0]
    for game in range(start, seeds.size):
        rng[0] = seeds[game]
        lay(board, placements[game], ship_at, left)
        clear(board, knowledge)
        while knowledge.hits < board.ship_cells:
            count = knowledge.shots
            if not prepare(board, evidence, fired[game, :count], told[:count], sampler):
                return game
            if draw_layouts(board, sampler, tries, worlds.placements, rng) < len(worlds.placements):
                return game
            cell = _choose(board, knowledge, walks, tree, worlds, task, simulations, rng)
            fired[game, count] = cell
            told[count] = fire(board, ship_at, left, cell)
            tell(board, knowledge, cell, told[count])
        shots[game] = knowledge.shots
    return seeds.size


@kernel
def _choose(
    board: Board,
    knowledge: Knowledge,
    walks: npt.NDArray[Any],
    tree: Tree,
    worlds: Worlds,
    task: Floats,
    simulations: int,
    rng: Rng,
) -> int:
    """The most visited cell, in layouts that were drawn."""
    spread(board, worlds.placements, worlds.ship_at)
    weigh(board, knowledge, DENSITY_SETTINGS)
    walk = walks[0]
    begin(board, knowledge, walk)
    walk.turn = 0
    forget(tree)
    _grow(board, walks, 0, tree, worlds, task, simulations, rng)
    visits, worth = np.zeros(board.cells), np.zeros(board.cells)
    add_root(tree, walk, 1, visits, worth)
    cell_visits, values = np.zeros(board.cells), np.zeros(board.cells)
    values_by_cell(board, walk, visits, worth, task, cell_visits, values)
    return best_cell(walk, cell_visits, rng)
