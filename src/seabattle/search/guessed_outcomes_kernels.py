"""Walks of T's search: the simulation itself decides whether a shot hits.

The actions are (cell, hit) and (cell, miss) for every unknown cell. The end of a
simulated game is judged by how much of the fleet its hits could be (T 3.5).

A simulated game goes on at random: any unknown cell, hit or miss with equal chance,
until all ship cells are hit or no cell is left. It is drawn in one go here, with the same
distribution: how many shots it takes is how many coin flips give that many heads, and
the cells hit are then any set of that size. Where the misses lie makes no difference.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.bitboards import has_bit
from ..compiled.bits import lowest, popcount
from ..compiled.board_tables import DOWN, LONGEST, RIGHT, WORDS, Board, Floats
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, draw
from .expansion_kernels import best_child, untried_child
from .simulation_kernels import (
    Simulation,
    Worlds,
    compile_search,
    enter,
    set_bit,
    shoot,
    to_root,
    visits_at,
)
from .tree_kernels import ACTION, Tree, child, children, get_link

CLASSIC, SHIPS_SQUARED, FULL_SHIPS = range(3)
"""Rewards: T 3.1, T 4.1, and nothing unless every ship is in place."""

REWARD, ONLY_HITS = range(2)
"""Places in a task."""

WAYS = 2
"""Actions for each cell: miss and hit."""

ONE = np.uint64(1)


@kernel
def restart(board: Board, walk: Simulation, worlds: Worlds, task: Floats, rng: Rng) -> None:
    to_root(walk)


@kernel
def descend(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, rng: Rng
) -> None:
    """Select down to a node with an untried action, and add that action's node."""
    node = 0
    while walk.hits < board.ship_cells and walk.count > 0:
        number = untried_child(walk, tree, node, WAYS, rng)
        if number < 0:
            count = children(tree, node, WAYS * walk.count)
            if count == 0:
                return
            bonus = 2.0 * math.log(visits_at(tree, walk, node))
            number = best_child(walk, tree, node, count, bonus, rng)
        node = child(tree, node, number)
        fresh = enter(tree, walk, node, number)
        action = get_link(tree, node, ACTION)
        shoot(walk, action >> 1, action & 1 == 1)
        if fresh:
            return


@kernel
def rollout(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, rng: Rng
) -> float:
    """Play on at random to the end, and judge it."""
    need = board.ship_cells - walk.hits
    shots = flips(rng, need, walk.count)
    if shots < 0:
        return 0.0
    speed = quickness(board, walk.shots + shots)
    if speed <= 0.0:
        return 0.0
    walk.end_bits[:] = walk.hit_bits
    for k in range(need):
        other = k + below(rng, walk.count - k)
        mine, cell = walk.unknown[k], walk.unknown[other]
        walk.unknown[other] = mine
        walk.where[mine] = other
        walk.unknown[k] = cell
        walk.where[cell] = k
        set_bit(walk.end_bits, cell)
    found = valid_cells(board, walk) / board.ship_cells
    if task[REWARD] == CLASSIC:
        return found * speed
    if task[REWARD] == SHIPS_SQUARED:
        return found * found * speed
    return speed if found == 1.0 else 0.0


@kernel
def flips(rng: Rng, heads: int, most: int) -> int:
    """How many flips of a coin until it shows that many heads; -1 if over `most`."""
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


@kernel
def quickness(board: Board, shots: int) -> float:
    """T 1.1: 1 for a game without a miss, down to 0 when all spare shots are used up.

    The spare shots are all cells less twice the ship cells; on a board so full that
    there are none, every miss counts.
    """
    spare = board.cells - 2 * board.ship_cells
    if spare <= 0:
        spare = max(board.cells - board.ship_cells, 1)
    return max(0.0, 1.0 - (shots - board.ship_cells) / spare)


@kernel
def valid_cells(board: Board, walk: Simulation) -> int:
    """T 3.5: how many of the hits in `end_bits` lie on ships that are in order.

    In reading order, each hit not yet seen begins a run, to the right or else down. A
    run is a ship if the fleet has one of that length left and the cells around it that
    `contact` keeps clear are not hit.
    """
    seen, left = walk.seen_bits, walk.left
    seen[:] = walk.end_bits
    left[:] = walk.fleet
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
                placement = placement_at(board, walk, cell, length, direction)
                clear = True
                for each in range(WORDS):
                    around = board.halo[placement, each] & walk.end_bits[each]
                    if around != board.mask[placement, each]:
                        clear = False
                if clear:
                    left[length] -= 1
                    valid += length
    return valid


@kernel
def placement_at(board: Board, walk: Simulation, cell: int, length: int, direction: int) -> int:
    """The number of the placement with this top left cell (see `Board`)."""
    across = max(board.columns - length + 1, 0)
    row = np.int64(walk.row[cell])
    if direction == RIGHT:
        return walk.first[length] + row * across + cell - row * board.columns
    return walk.first[length] + board.rows * across + cell


@kernel
def values_by_cell(
    board: Board,
    walk: Simulation,
    visits: Floats,
    worth: Floats,
    task: Floats,
    cell_visits: Floats,
    values: Floats,
) -> None:
    """For each unknown cell, the better mean worth of its actions that may be chosen."""
    for place in range(walk.root_count):
        cell = walk.unknown[place]
        values[cell] = -1.0
        cell_visits[cell] = 0.0
        for action in range(2 * cell + np.int64(task[ONLY_HITS]), 2 * cell + 2):
            cell_visits[cell] += visits[action]
            if visits[action] > 0:
                values[cell] = max(values[cell], worth[action] / visits[action])


@kernel
def elsewhere(board: Board, walk: Simulation, worlds: Worlds, rng: Rng) -> None:
    """There are no worlds to choose from: each rollout makes its own."""


GUESSES = compile_search(
    "guesses", restart=restart, descend=descend, rollout=rollout, elsewhere=elsewhere
)
