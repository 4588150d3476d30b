"""Whole games of a search in sampled layouts, in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..compiled.board_tables import Board, Floats
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, clear, fire, hidden_fleet, lay, tell
from ..compiled.random_streams import Rng
from ..players.heuristics_kernels import weigh
from .expansion_kernels import add_root
from .information_sets_kernels import (
    DENSITY_SETTINGS,
    INFORMATION_SETS,
    fill_ship_at,
    values_by_cell,
)
from .layout_sampler_kernels import Sampler, fill_layouts, prepare
from .simulation_kernels import SampledLayouts, Simulations, begin, highest_scoring_cell
from .tree_kernels import Tree, clear_tree

_grow = INFORMATION_SETS.grow


class LayoutSearch(NamedTuple):
    """A search in sampled layouts: what it needs at every move."""

    evidence: Evidence
    sampler: Sampler
    tries: int
    """to draw the layouts of one move, at most"""
    simulations: Simulations
    tree: Tree
    sampled: SampledLayouts
    parameters: Floats
    simulation_count: int


@kernel
def play_in_layouts(
    board: Board,
    search: LayoutSearch,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
    start: int,
) -> int:
    """Play the games from number `start` on; the number of the first game not played.

    That is a game in which sampling takes more than `search.tries` tries; the caller plays it
    with other samplers. `sampled.known[0]` is the shooter's knowledge.
    """
    rng = np.empty(1, dtype=np.uint64)
    ship_at, left = hidden_fleet(board)
    told = np.empty(board.cells, dtype=np.int64)
    sampler, sampled = search.sampler, search.sampled
    knowledge = sampled.known[0]
    for game in range(start, seeds.size):
        rng[0] = seeds[game]
        lay(board, placements[game], ship_at, left)
        clear(board, knowledge)
        while knowledge.hits < board.ship_cells:
            count = knowledge.shots
            if not prepare(board, search.evidence, fired[game, :count], told[:count], sampler):
                return game
            drawn = fill_layouts(board, sampler, search.tries, sampled.placements, rng)
            if drawn < len(sampled.placements):
                return game
            cell = _choose(board, knowledge, search, rng)
            fired[game, count] = cell
            told[count] = fire(board, ship_at, left, cell)
            tell(board, knowledge, cell, told[count])
        shots[game] = knowledge.shots
    return seeds.size


@kernel
def _choose(board: Board, knowledge: Knowledge, search: LayoutSearch, rng: Rng) -> int:
    """The most visited cell of a search in the sampled layouts."""
    simulations, tree, sampled = search.simulations, search.tree, search.sampled
    fill_ship_at(board, sampled.placements, sampled.ship_at)
    weigh(board, knowledge, DENSITY_SETTINGS)
    simulation = simulations[0]
    begin(board, knowledge, simulation)
    simulation.next_layout = 0
    clear_tree(tree)
    _grow(board, simulations, 0, tree, sampled, search.parameters, search.simulation_count, rng)
    visits, rewards = np.zeros(board.cells), np.zeros(board.cells)
    add_root(tree, simulation, 1, visits, rewards)
    cell_visits, values = np.zeros(board.cells), np.zeros(board.cells)
    values_by_cell(board, simulation, visits, rewards, search.parameters, cell_visits, values)
    return highest_scoring_cell(simulation, cell_visits, rng)
