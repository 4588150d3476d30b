"""Simulations of `ismcts` and `pomcp`: a sampled layout answers the shots.

The tree is a tree of information sets. Below a node are the cells that may be shot at, and
below each cell the answers to the shot. All layouts that give the same answers share a
node, so the search cannot use what the shooter does not know. The slot of a cell has the
answers in its first run. Visits and rewards of answers are needed only with a prior;
otherwise they are not counted, because every simulation of every thread would write them.

The reward is 1 for a simulation without a miss after the root, 0 for one that fires at
every unknown cell, and linear in the misses in between.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import HIT_MISS, MOST_CELLS, NAMED, SUNK, SUNK_NAMED, Board, Floats
from ..compiled.jit import lean_kernel
from ..compiled.knowledge import HIT, MISS, SANK, Knowledge, tell
from ..compiled.random_streams import Rng, below
from ..players.heuristics_kernels import highest_unknown, reweigh
from .expansion_kernels import best_child, untried_child
from .simulation_kernels import (
    MOST_PARTICLES,
    NEVER,
    SampledLayouts,
    Simulation,
    claim,
    compile_search,
    enter,
    mean_at,
    shoot,
    to_root,
    visits_at,
)
from .tree_kernels import (
    ACTION,
    FEW,
    FIRST,
    REST,
    SLOT_WORDS,
    TRIED,
    Singles,
    Tree,
    child,
    children,
    get_link,
    highest,
    mark,
    publish,
    set_link,
    visits_below,
)

EXPLORATION, ROLLOUT, PRIOR, SHARPNESS = range(4)
"""Indices of the search's parameters."""

RANDOM, DENSITY, GREEDY = range(3)
"""Rollouts: a random unknown cell; the highest cell of `density`; the cell on which most of the
layouts that agree so far have a ship."""

PRIOR_SHARE = TRIED
"""Link of a cell's slot, which has no cells to try: its share of the prior, in millionths."""
MILLION = 1_000_000.0

GREEDY_LAYOUTS = 128
"""Layouts that a greedy rollout checks; the prior below the root checks four times as many."""

DENSITY_SETTINGS = np.array([100, 0])
"""The weight of a hit and `ties=first`, as in `density`."""


@lean_kernel
def restart(
    board: Board, simulation: Simulation, sampled: SampledLayouts, parameters: Floats, rng: Rng
) -> None:
    to_root(simulation)
    simulation.layout = simulation.next_layout
    simulation.next_layout = (simulation.next_layout + 1) % sampled.placements.shape[0]


@lean_kernel
def answer_in(
    board: Board, simulation: Simulation, sampled: SampledLayouts, layout: int, cell: int, shot: int
) -> int:
    """The answer of a layout to shot number `shot` of this simulation, at `cell`.

    0 is a miss, 1 a hit, 2 a sinking; where the sunk ship is named, 2 + ship. Under
    `named`, 1 + ship is a hit, and the sinkings follow the hits.
    """
    ship = np.int64(sampled.ship_at[layout, cell])
    if ship < 0:
        return 0
    if board.answers == HIT_MISS:
        return 1
    sank = True
    placement = sampled.placements[layout, ship]
    for k in range(board.fleet[ship]):
        part = board.cover[placement, k]
        if part != cell and simulation.when[part] >= shot:
            sank = False
            break
    if board.answers == NAMED:
        return 1 + ship + (board.ships if sank else 0)
    if not sank:
        return 1
    return 2 + (ship if board.answers == SUNK_NAMED else 0)


@lean_kernel
def answers(board: Board) -> int:
    """The number of different answers."""
    if board.answers == HIT_MISS:
        return 2
    if board.answers == SUNK:
        return 3
    if board.answers == SUNK_NAMED:
        return 2 + board.ships
    return 1 + 2 * board.ships


@lean_kernel
def descend(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    rng: Rng,
) -> None:
    """Select by UCT, or by PUCT if there is a prior, down to a node not visited before."""
    node = 0
    while simulation.hits < board.ship_cells:
        if parameters[PRIOR] == 0.0:
            slot = select_by_uct(simulation, tree, parameters, node, rng)
        else:
            slot = select_by_puct(board, simulation, tree, sampled, parameters, node, rng)
        if slot == 0:
            return
        told = get_link(tree, slot, FIRST)
        if told == 0:
            told = claim(tree, simulation, answers(board))
            if told != 0:
                told = publish(tree, slot, FIRST, told)
        cell = get_link(tree, slot, ACTION)
        answer = answer_in(
            board, simulation, sampled, simulation.layout, cell, simulation.shots + 1
        )
        shoot(simulation, cell, answer > 0)
        if told == 0:
            return
        node = told + answer
        if parameters[PRIOR] == 0.0:
            fresh = mark(tree, node)
        else:
            fresh = enter(tree, simulation, slot, node, answer)
        if fresh:
            return


@lean_kernel
def select_by_uct(
    simulation: Simulation, tree: Tree, parameters: Floats, node: int, rng: Rng
) -> int:
    """Step from a node to the cell with the highest UCT bound; its slot, 0 if the tree is full."""
    number = untried_child(simulation, tree, node, 1, rng)
    if number < 0:
        count = children(tree, node, simulation.count)
        if count == 0:
            return 0
        # Visits of an answer: those of its cells, the first one and this one. (With `leaf` the
        # first counts several times, which hardly changes the logarithm.)
        visits = (
            visits_at(tree, simulation, node)
            if node == 0
            else visits_below(tree, node, count) + 2.0
        )
        bonus = parameters[EXPLORATION] ** 2 * math.log(visits)
        number = best_child(simulation, tree, node, count, bonus, rng)
    slot = child(tree, node, number)
    enter(tree, simulation, node, slot, number)
    return slot


@lean_kernel
def select_by_puct(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    node: int,
    rng: Rng,
) -> int:
    """The same with the highest PUCT bound."""
    cells = get_link(tree, node, FIRST)
    if cells == 0:
        cells = expand_with_prior(board, simulation, tree, sampled, parameters, node)
        if cells == 0:
            return 0
    node_mean = mean_at(tree, simulation, node)
    bonus = parameters[EXPLORATION] * math.sqrt(visits_at(tree, simulation, node)) / MILLION
    priors = tree.words[cells * SLOT_WORDS + PRIOR_SHARE :: SLOT_WORDS]
    bounds = simulation.bounds[: simulation.count]
    if node == 0:
        puct_bounds(
            simulation.root_visits[1:],
            simulation.root_rewards[1:],
            priors,
            node_mean,
            bonus,
            bounds,
        )
    else:
        puct_bounds(tree.visits[cells:], tree.rewards[cells:], priors, node_mean, bonus, bounds)
    number = highest(bounds, rng)
    enter(tree, simulation, node, cells + number, number)
    return cells + number


@lean_kernel
def puct_bounds(
    visits: npt.NDArray[Any],
    rewards: Floats,
    priors: npt.NDArray[np.int32],
    node_mean: float,
    bonus: float,
    bounds: Singles,
) -> None:
    """PUCT bounds of a run of cells: mean reward + bonus × prior / (1 + n_j).

    The mean of an untried cell is taken to be that of its node.
    """
    for k in range(bounds.size):
        mean = rewards[k] / visits[k] if visits[k] > 0 else node_mean
        bounds[k] = mean + bonus * priors[k] / (1.0 + visits[k])


@lean_kernel
def expand_with_prior(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    node: int,
) -> int:
    """Give a node all its cells at once, each with its share of the prior; the first slot, or
    0 if the tree is full."""
    cells = claim(tree, simulation, simulation.count)
    if cells == 0:
        return 0
    count_ships(board, simulation, sampled, MOST_PARTICLES if node == 0 else 4 * GREEDY_LAYOUTS)
    total = 0.0
    for k in range(simulation.count):
        chance = simulation.ships_on[simulation.unknown[k]] / max(simulation.agreeing_count, 1)
        simulation.values[k] = chance ** parameters[SHARPNESS]
        total += simulation.values[k]
    for k in range(simulation.count):
        share = simulation.values[k] / total if total > 0.0 else 1.0 / simulation.count
        set_link(tree, cells + k, ACTION, simulation.unknown[k])
        set_link(tree, cells + k, PRIOR_SHARE, np.int64(MILLION * share))
    # The two runs are adjacent here.
    cells = publish(tree, node, REST, cells + FEW) - FEW
    set_link(tree, node, TRIED, simulation.count)
    return publish(tree, node, FIRST, cells)


@lean_kernel
def agrees(board: Board, simulation: Simulation, sampled: SampledLayouts, layout: int) -> bool:
    """Whether a layout gives the same answers as the simulation's own."""
    for place in range(simulation.root_count - 1, simulation.count - 1, -1):
        cell = np.int64(simulation.unknown[place])
        shot = np.int64(simulation.when[cell])
        if board.answers == HIT_MISS:
            mine = sampled.ship_at[simulation.layout, cell] >= 0
            if (sampled.ship_at[layout, cell] >= 0) != mine:
                return False
        elif answer_in(board, simulation, sampled, layout, cell, shot) != answer_in(
            board, simulation, sampled, simulation.layout, cell, shot
        ):
            return False
    return True


@lean_kernel
def count_ships(board: Board, simulation: Simulation, sampled: SampledLayouts, most: int) -> None:
    """List the layouts that agree with the simulation in `agreeing`, and count their ships on
    each cell in `ships_on`. Checks at most `most` layouts, starting with the simulation's own."""
    simulation.ships_on[: board.cells] = 0
    simulation.agreeing_count = 0
    layout, layouts = simulation.layout, sampled.placements.shape[0]
    for _ in range(min(most, layouts)):
        if agrees(board, simulation, sampled, layout):
            simulation.agreeing[simulation.agreeing_count] = layout
            simulation.agreeing_count += 1
            add_ships(board, simulation, sampled, layout, 1)
        layout = layout + 1 if layout + 1 < layouts else 0


@lean_kernel
def add_ships(
    board: Board, simulation: Simulation, sampled: SampledLayouts, layout: int, times: int
) -> None:
    for ship in range(board.ships):
        placement = sampled.placements[layout, ship]
        for k in range(board.fleet[ship]):
            simulation.ships_on[board.cover[placement, k]] += times


@lean_kernel
def rollout(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    rng: Rng,
) -> float:
    """Play to the end by the rollout policy; the reward."""
    if parameters[ROLLOUT] == RANDOM:
        shots = random_end(board, simulation)
    elif parameters[ROLLOUT] == DENSITY:
        shots = density_end(board, simulation, sampled, rng)
    else:
        shots = greedy_end(board, simulation, sampled)
    need = board.ship_cells - simulation.root_hits
    if simulation.root_count == need:
        return 1.0
    return 1.0 - (shots - simulation.root_shots - need) / (simulation.root_count - need)


@lean_kernel
def random_end(board: Board, simulation: Simulation) -> float:
    """Mean shots of a game that ends with random shots: k (n + 1) / (k + 1) more."""
    need = board.ship_cells - simulation.hits
    return simulation.shots + need * (simulation.count + 1.0) / (need + 1.0)


@lean_kernel
def greedy_end(board: Board, simulation: Simulation, sampled: SampledLayouts) -> float:
    """Shots of a game that ends with shots at the cell on which most agreeing layouts have a ship.

    The simulation's own layout always agrees; once it is the only one left, no more misses
    follow.
    """
    count_ships(board, simulation, sampled, GREEDY_LAYOUTS)
    shots, left = simulation.shots, simulation.count
    hits = simulation.hits
    while hits < board.ship_cells and simulation.agreeing_count > 1:
        best = 0
        for k in range(1, left):
            if (
                simulation.ships_on[simulation.unknown[k]]
                > simulation.ships_on[simulation.unknown[best]]
            ):
                best = k
        cell = np.int64(simulation.unknown[best])
        shots += 1
        answer = answer_in(board, simulation, sampled, simulation.layout, cell, shots)
        hits += answer > 0
        kept = 0
        for k in range(simulation.agreeing_count):
            layout = np.int64(simulation.agreeing[k])
            if answer_in(board, simulation, sampled, layout, cell, shots) == answer:
                simulation.agreeing[kept] = layout
                kept += 1
            else:
                add_ships(board, simulation, sampled, layout, -1)
        simulation.agreeing_count = kept
        # Remove the cell from the unknown ones, as `shoot` does.
        left -= 1
        last = simulation.unknown[left]
        simulation.unknown[best] = last
        simulation.where[last] = best
        simulation.unknown[left] = cell
        simulation.where[cell] = left
        simulation.when[cell] = shots
    for place in range(left, simulation.count):
        simulation.when[simulation.unknown[place]] = NEVER
    return float(shots + board.ship_cells - hits)


@lean_kernel
def density_end(board: Board, simulation: Simulation, sampled: SampledLayouts, rng: Rng) -> float:
    """Shots of a game that `density` plays to the end."""
    sampled.known[simulation.thread + 1] = sampled.known[0]
    knowledge = sampled.known[simulation.thread + 1]
    for place in range(simulation.root_count - 1, simulation.count - 1, -1):
        inform(board, simulation, sampled, knowledge, np.int64(simulation.unknown[place]))
    while knowledge.hits < board.ship_cells:
        cell = highest_unknown(board, knowledge, knowledge.own_counts, True, rng)
        simulation.when[cell] = knowledge.shots + 1
        inform(board, simulation, sampled, knowledge, cell)
    shots = knowledge.shots
    for place in range(simulation.count):
        simulation.when[simulation.unknown[place]] = NEVER
    return float(shots)


@lean_kernel
def inform(
    board: Board, simulation: Simulation, sampled: SampledLayouts, knowledge: Knowledge, cell: int
) -> None:
    """Add the answer of the simulation's layout to `knowledge`."""
    number = answer_in(
        board, simulation, sampled, simulation.layout, cell, np.int64(simulation.when[cell])
    )
    ship = np.int64(sampled.ship_at[simulation.layout, cell])
    answer = MISS
    if board.answers == NAMED and number > 0:
        answer = (SANK if number > board.ships else HIT) + 4 * (ship + 1)
    elif number == 1:
        answer = HIT
    elif number >= 2:
        answer = SANK + (4 * (ship + 1) if board.answers == SUNK_NAMED else 0)
    tell(board, knowledge, cell, answer)
    reweigh(board, knowledge, DENSITY_SETTINGS, cell, answer)


@lean_kernel
def values_by_cell(
    board: Board,
    simulation: Simulation,
    visits: Floats,
    rewards: Floats,
    parameters: Floats,
    cell_visits: Floats,
    values: Floats,
) -> None:
    """For each unknown cell, minus the mean shots to the end of the game if it is next."""
    need = board.ship_cells - simulation.root_hits
    for place in range(simulation.root_count):
        cell = simulation.unknown[place]
        cell_visits[cell] = visits[cell]
        values[cell] = -float(MOST_CELLS)
        if visits[cell] > 0:
            misses = (1.0 - rewards[cell] / visits[cell]) * (simulation.root_count - need)
            values[cell] = -(need + misses)


@lean_kernel
def fill_ship_at(
    board: Board, placements: npt.NDArray[np.int32], ship_at: npt.NDArray[np.int16]
) -> None:
    """The ship on each cell of every layout."""
    ship_at[:] = -1
    for row in range(placements.shape[0]):
        for ship in range(board.ships):
            for k in range(board.fleet[ship]):
                ship_at[row, board.cover[placements[row, ship], k]] = ship


@lean_kernel
def resample(board: Board, simulation: Simulation, sampled: SampledLayouts, rng: Rng) -> None:
    """Move to another layout that agrees with the simulation: the first after a random one."""
    layouts = sampled.placements.shape[0]
    layout = below(rng, layouts)
    while not agrees(board, simulation, sampled, layout):
        layout = layout + 1 if layout + 1 < layouts else 0
    simulation.layout = layout


INFORMATION_SETS = compile_search(
    "information_sets", restart=restart, descend=descend, rollout=rollout, resample=resample
)
