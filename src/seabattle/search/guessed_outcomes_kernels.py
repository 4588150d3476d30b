"""Simulations of `mcts`: the search itself decides whether a shot hits.

The actions are (cell, hit) and (cell, miss) for every unknown cell. The end of a simulated
game is scored by how much of the fleet its hits could be (T 3.5).

A rollout fires at random unknown cells, hit or miss with equal probability, until all ship
cells are hit or no cell is left. Here it is drawn in one step, from the same distribution:
the number of shots is the number of coin flips until enough heads, and the cells hit are a
random set of that size. Where the misses are makes no difference.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.bitboards import copy_bits, has_bit, set_bit
from ..compiled.bits import lowest, popcount
from ..compiled.board_tables import DOWN, LONGEST, RIGHT, WORDS, Board, Floats
from ..compiled.finish_reward import finish_reward
from ..compiled.jit import lean_kernel
from ..compiled.random_streams import Rng, below, draw
from .expansion_kernels import best_child, untried_child
from .simulation_kernels import (
    SampledLayouts,
    Simulation,
    compile_search,
    enter,
    shoot,
    to_root,
    visits_at,
)
from .tree_kernels import ACTION, Tree, child, children, get_link

CLASSIC, SHIPS_SQUARED, FULL_SHIPS = range(3)
"""Rewards: T 3.1, T 4.1, and 0 unless the whole fleet is valid."""

REWARD, ONLY_HITS, FINAL, FOUND, COUNTED = range(5)
"""Indices of the search's parameters."""

TILES, SHIPS = range(2)
"""What is found of the fleet: cells of valid ships, or valid ships."""

ALL_SHOTS, SIMULATED_SHOTS = range(2)
"""The shots that a reward counts: all of the game, or those of the simulation."""

MEAN, SUM, VISITS = range(3)
"""What the final choice compares: the mean reward of an action, its total reward, its visits."""

WAYS = 2
"""Actions per cell: miss and hit."""

ONE = np.uint64(1)


@lean_kernel
def restart(
    board: Board, simulation: Simulation, sampled: SampledLayouts, parameters: Floats, rng: Rng
) -> None:
    to_root(simulation)


@lean_kernel
def descend(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    rng: Rng,
) -> None:
    """Select by UCT down to a node with an untried action, and expand that action."""
    node = 0
    while simulation.hits < board.ship_cells and simulation.count > 0:
        number = untried_child(simulation, tree, node, WAYS, rng)
        if number < 0:
            count = children(tree, node, WAYS * simulation.count)
            if count == 0:
                return
            bonus = 2.0 * math.log(visits_at(tree, simulation, node))
            number = best_child(simulation, tree, node, count, bonus, rng)
        slot = child(tree, node, number)
        fresh = enter(tree, simulation, node, slot, number)
        node = slot
        action = get_link(tree, node, ACTION)
        shoot(simulation, action >> 1, action & 1 == 1)
        if fresh:
            return


@lean_kernel
def rollout(
    board: Board,
    simulation: Simulation,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    rng: Rng,
) -> float:
    """Play at random to the end; the reward."""
    need = board.ship_cells - simulation.hits
    shots = flips(rng, need, simulation.count)
    if shots < 0:
        return 0.0
    shots += simulation.shots
    if parameters[COUNTED] == SIMULATED_SHOTS:
        shots -= simulation.root_shots
    speed = finish_reward(board, shots)
    if speed <= 0.0:
        return 0.0
    draw_hits(simulation, need, rng)
    found = valid_cells(board, simulation) / board.ship_cells
    if parameters[FOUND] == SHIPS:
        found = valid_ships(simulation) / board.ships
    if parameters[REWARD] == CLASSIC:
        return found * speed
    if parameters[REWARD] == SHIPS_SQUARED:
        return found * found * speed
    return speed if found == 1.0 else 0.0


@lean_kernel
def draw_hits(simulation: Simulation, need: int, rng: Rng) -> None:
    """Set `end_bits` to the hits so far and `need` random unknown cells."""
    end = simulation.end_bits
    copy_bits(simulation.hit_bits, end)
    if 2 * need <= simulation.count:
        for _ in range(need):
            cell = np.int64(simulation.unknown[below(rng, simulation.count)])
            while has_bit(end, cell):
                cell = np.int64(simulation.unknown[below(rng, simulation.count)])
            set_bit(end, cell)
        return
    for k in range(need):
        other = k + below(rng, simulation.count - k)
        mine, cell = simulation.unknown[k], simulation.unknown[other]
        simulation.unknown[other] = mine
        simulation.where[mine] = other
        simulation.unknown[k] = cell
        simulation.where[cell] = k
        set_bit(end, cell)


@lean_kernel
def flips(rng: Rng, heads: int, most: int) -> int:
    """Coin flips until that many heads have come up; -1 if more than `most`."""
    if heads == 0:
        return 0
    made = 0
    while made < most:
        word = draw(rng)
        here = popcount(word)
        if here < heads:
            heads -= here
            made += 64
            continue
        for _ in range(heads - 1):
            word &= word - ONE
        made += lowest(word) + 1
        return made if made <= most else -1
    return -1


@lean_kernel
def valid_cells(board: Board, simulation: Simulation) -> int:
    """T 3.5: how many of the hits in `end_bits` belong to valid ships.

    In reading order, each hit not yet seen starts a run to the right, or else down. A run
    is a valid ship if the fleet has one of that length left and no cell around it that
    `contact` keeps clear is hit.
    """
    seen, left = simulation.seen_bits, simulation.left
    copy_bits(simulation.end_bits, seen)
    for length in range(left.size):
        left[length] = simulation.fleet[length]
    valid = 0
    words = (board.cells + 63) >> 6
    for word in range(words):
        while seen[word] != 0:
            cell = 64 * word + lowest(seen[word])
            seen[word] &= seen[word] - ONE
            length, direction = 1, RIGHT
            ahead = np.int64(board.neighbours[cell, RIGHT])
            if ahead < 0 or not has_bit(seen, ahead):
                ahead = np.int64(board.neighbours[cell, DOWN])
                if ahead >= 0 and has_bit(seen, ahead):
                    direction = DOWN
                else:
                    ahead = -1
            while ahead >= 0 and has_bit(seen, ahead):
                seen[ahead >> 6] ^= ONE << np.uint64(ahead & 63)
                length += 1
                ahead = np.int64(board.neighbours[ahead, direction])
            if length <= LONGEST and left[length] > 0:
                placement = placement_at(board, simulation, cell, length, direction)
                clear = True
                for each in range(WORDS):
                    around = board.halo[placement, each] & simulation.end_bits[each]
                    if around != board.mask[placement, each]:
                        clear = False
                if clear:
                    left[length] -= 1
                    valid += length
    return valid


@lean_kernel
def valid_ships(simulation: Simulation) -> int:
    """How many ships `valid_cells` has found."""
    ships = 0
    for length in range(simulation.left.size):
        ships += simulation.fleet[length] - simulation.left[length]
    return ships


@lean_kernel
def placement_at(
    board: Board, simulation: Simulation, cell: int, length: int, direction: int
) -> int:
    """The number of the placement with this top left cell (see `Board`)."""
    across = max(board.columns - length + 1, 0)
    row = np.int64(simulation.row[cell])
    if direction == RIGHT:
        return simulation.first[length] + row * across + cell - row * board.columns
    return simulation.first[length] + board.rows * across + cell


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
    """For each unknown cell, the highest value of its actions that may be chosen."""
    for place in range(simulation.root_count):
        cell = simulation.unknown[place]
        values[cell] = -1.0
        cell_visits[cell] = 0.0
        for action in range(2 * cell + np.int64(parameters[ONLY_HITS]), 2 * cell + 2):
            cell_visits[cell] += visits[action]
            if visits[action] > 0:
                value = rewards[action]
                if parameters[FINAL] == MEAN:
                    value /= visits[action]
                elif parameters[FINAL] == VISITS:
                    value = visits[action]
                values[cell] = max(values[cell], value)


@lean_kernel
def resample(board: Board, simulation: Simulation, sampled: SampledLayouts, rng: Rng) -> None:
    """Nothing to resample: every rollout guesses its own outcomes."""


GUESSED_OUTCOMES = compile_search(
    "guessed_outcomes", restart=restart, descend=descend, rollout=rollout, resample=resample
)
