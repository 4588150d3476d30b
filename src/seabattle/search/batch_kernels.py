"""Whole games of a search in sampled layouts, in one compiled call."""

from __future__ import annotations

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
from .layout_sampler_kernels import Sampler, draw_layouts, prepare
from .simulation_kernels import SampledLayouts, Simulations, begin, best_cell
from .tree_kernels import Tree, clear_tree

_grow = INFORMATION_SETS.grow


@kernel
def play_in_layouts(
    board: Board,
    evidence: Evidence,
    sampler: Sampler,
    tries: int,
    simulations: Simulations,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    simulation_count: int,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
    start: int,
) -> int:
    """Play the games from number `start` on; the number of the first game not played.

    That is a game in which sampling takes more than `tries` tries; the caller plays it with
    other samplers. `sampled.known[0]` is the shooter's knowledge.
    """
    rng = np.empty(1, dtype=np.uint64)
    ship_at, left = hidden_fleet(board)
    told = np.empty(board.cells, dtype=np.int64)
    knowledge = sampled.known[0]
    for game in range(start, seeds.size):
        rng[0] = seeds[game]
        lay(board, placements[game], ship_at, left)
        clear(board, knowledge)
        while knowledge.hits < board.ship_cells:
            count = knowledge.shots
            if not prepare(board, evidence, fired[game, :count], told[:count], sampler):
                return game
            if draw_layouts(board, sampler, tries, sampled.placements, rng) < len(
                sampled.placements
            ):
                return game
            cell = _choose(
                board, knowledge, simulations, tree, sampled, parameters, simulation_count, rng
            )
            fired[game, count] = cell
            told[count] = fire(board, ship_at, left, cell)
            tell(board, knowledge, cell, told[count])
        shots[game] = knowledge.shots
    return seeds.size


@kernel
def _choose(
    board: Board,
    knowledge: Knowledge,
    simulations: Simulations,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    simulation_count: int,
    rng: Rng,
) -> int:
    """The most visited cell of a search in the sampled layouts."""
    fill_ship_at(board, sampled.placements, sampled.ship_at)
    weigh(board, knowledge, DENSITY_SETTINGS)
    simulation = simulations[0]
    begin(board, knowledge, simulation)
    simulation.next_layout = 0
    clear_tree(tree)
    _grow(board, simulations, 0, tree, sampled, parameters, simulation_count, rng)
    visits, rewards = np.zeros(board.cells), np.zeros(board.cells)
    add_root(tree, simulation, 1, visits, rewards)
    cell_visits, values = np.zeros(board.cells), np.zeros(board.cells)
    values_by_cell(board, simulation, visits, rewards, parameters, cell_visits, values)
    return best_cell(simulation, cell_visits, rng)
