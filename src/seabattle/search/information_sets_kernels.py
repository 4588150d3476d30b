"""Walks in a world: a layout that agrees with the observation says what a shot finds.

The tree is one of information: below a node stand the cells that may be shot at, and
below each of those the answers. All layouts that give the same answers share a node, so
nothing is decided by what the shooter cannot know. A slot of a cell has the answers in its
first run. Only a prior needs the visits and the worth of answers; without one they are not
counted, since every walk of every thread would have to.

A walk is worth 1 if it takes no miss from the root on, and 0 if it takes every unknown
cell; in between in proportion.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import HIT_MISS, MOST_CELLS, NAMED, SUNK, SUNK_NAMED, Board, Floats
from ..compiled.jit import kernel
from ..compiled.knowledge import HIT, MISS, SANK, Knowledge, tell
from ..compiled.random_streams import Rng, below
from ..players.heuristics_kernels import highest_unknown, reweigh
from .expansion_kernels import best_child, untried_child
from .simulation_kernels import (
    MOST_AGREEING,
    NEVER,
    Simulation,
    Worlds,
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
    LINKS,
    REST,
    TRIED,
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
"""Places in a task."""

RANDOM, DENSITY, GREEDY = range(3)
"""Rollouts: any unknown cell; the highest of `density`; the cell that most of the layouts
that agree so far have a ship on."""

CHANCE = TRIED
"""Link of a cell's slot, which has no cells to try: its share of the prior, in millionths."""
MILLION = 1_000_000.0

COMPANY = 128
"""Worlds that a greedy rollout looks at; the prior below the root looks at four times that."""

DENSITY_SETTINGS = np.array([100, 0])
"""Weight of a hit and first of equals, as in `density`."""


@kernel
def restart(board: Board, walk: Simulation, worlds: Worlds, task: Floats, rng: Rng) -> None:
    to_root(walk)
    walk.world = walk.turn
    walk.turn = (walk.turn + 1) % worlds.placements.shape[0]


@kernel
def answer_in(
    board: Board, walk: Simulation, worlds: Worlds, world: int, cell: int, shot: int
) -> int:
    """What shot number `shot` of this walk, at `cell`, is answered in a world.

    Answers are numbered 0 for a miss, then: 1 a hit, 2 a ship sunk (by number from 2 on,
    where it is named); under `named`, first the ships hit and then those sunk.
    """
    ship = np.int64(worlds.ship_at[world, cell])
    if ship < 0:
        return 0
    if board.answers == HIT_MISS:
        return 1
    sank = True
    placement = worlds.placements[world, ship]
    for k in range(board.fleet[ship]):
        part = board.cover[placement, k]
        if part != cell and walk.when[part] >= shot:
            sank = False
            break
    if board.answers == NAMED:
        return 1 + ship + (board.ships if sank else 0)
    if not sank:
        return 1
    return 2 + (ship if board.answers == SUNK_NAMED else 0)


@kernel
def answers(board: Board) -> int:
    """How many different answers there are."""
    if board.answers == HIT_MISS:
        return 2
    if board.answers == SUNK:
        return 3
    if board.answers == SUNK_NAMED:
        return 2 + board.ships
    return 1 + 2 * board.ships


@kernel
def descend(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, rng: Rng
) -> None:
    """Down to the first node that no walk has visited, by UCT or, with a prior, PUCT."""
    node = 0
    while walk.hits < board.ship_cells:
        if task[PRIOR] == 0.0:
            slot = step_by_bound(walk, tree, task, node, rng)
        else:
            slot = step_by_prior(board, walk, tree, worlds, task, node, rng)
        if slot == 0:
            return
        told = get_link(tree, slot, FIRST)
        if told == 0:
            told = claim(tree, walk, answers(board))
            if told != 0:
                told = publish(tree, slot, FIRST, told)
        cell = get_link(tree, slot, ACTION)
        answer = answer_in(board, walk, worlds, walk.world, cell, walk.shots + 1)
        shoot(walk, cell, answer > 0)
        if told == 0:
            return
        node = told + answer
        if task[PRIOR] == 0.0:
            fresh = mark(tree, node)
        else:
            fresh = enter(tree, walk, node, answer)
        if fresh:
            return


@kernel
def step_by_bound(walk: Simulation, tree: Tree, task: Floats, node: int, rng: Rng) -> int:
    """Step to the cell to be shot at from a node, by UCT; its slot, or 0 if the tree is full."""
    number = untried_child(walk, tree, node, 1, rng)
    if number < 0:
        count = children(tree, node, walk.count)
        if count == 0:
            return 0
        # An answer had the visits of its cells, its first one and this one. (By `leaf` the first
        # is several; that makes no difference to the logarithm.)
        visits = visits_at(tree, walk, node) if node == 0 else visits_below(tree, node, count) + 2.0
        bonus = task[EXPLORATION] ** 2 * math.log(visits)
        number = best_child(walk, tree, node, count, bonus, rng)
    slot = child(tree, node, number)
    enter(tree, walk, slot, number)
    return slot


@kernel
def step_by_prior(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, node: int, rng: Rng
) -> int:
    """The same by PUCT."""
    cells = get_link(tree, node, FIRST)
    if cells == 0:
        cells = lay_cells(board, walk, tree, worlds, task, node)
        if cells == 0:
            return 0
    usual = mean_at(tree, walk, node)
    bonus = task[EXPLORATION] * math.sqrt(visits_at(tree, walk, node)) / MILLION
    chances = tree.links[cells * LINKS + CHANCE :: LINKS]
    bounds = walk.values[: walk.count]
    if node == 0:
        judge_run(walk.near_visits[1:], walk.near_worth[1:], chances, usual, bonus, bounds)
    else:
        judge_run(tree.visits[cells:], tree.worth[cells:], chances, usual, bonus, bounds)
    number = highest(bounds, walk.count, rng)
    enter(tree, walk, cells + number, number)
    return cells + number


@kernel
def judge_run(
    visits: npt.NDArray[Any],
    worth: Floats,
    chances: npt.NDArray[np.int32],
    usual: float,
    bonus: float,
    bounds: Floats,
) -> None:
    """Bounds of a run of cells by PUCT: mean + bonus × chance / (1 + n_j).

    A cell that was never tried is thought to be as good as the node, `usual`.
    """
    for k in range(bounds.size):
        mean = worth[k] / visits[k] if visits[k] > 0 else usual
        bounds[k] = mean + bonus * chances[k] / (1.0 + visits[k])


@kernel
def lay_cells(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, node: int
) -> int:
    """Give a node all its cells at once, each with its share of the prior; the first slot,
    or 0 if the tree is full."""
    cells = claim(tree, walk, walk.count)
    if cells == 0:
        return 0
    count_ships(board, walk, worlds, MOST_AGREEING if node == 0 else 4 * COMPANY)
    total = 0.0
    for k in range(walk.count):
        chance = walk.ships_on[walk.unknown[k]] / max(walk.agreeing, 1)
        walk.values[k] = chance ** task[SHARPNESS]
        total += walk.values[k]
    for k in range(walk.count):
        share = walk.values[k] / total if total > 0.0 else 1.0 / walk.count
        set_link(tree, cells + k, ACTION, walk.unknown[k])
        set_link(tree, cells + k, CHANCE, np.int64(MILLION * share))
    # Both runs are one here.
    cells = publish(tree, node, REST, cells + FEW) - FEW
    set_link(tree, node, TRIED, walk.count)
    return publish(tree, node, FIRST, cells)


@kernel
def agrees(board: Board, walk: Simulation, worlds: Worlds, world: int) -> bool:
    """Whether a world gives the answers that the walk has had."""
    for place in range(walk.root_count - 1, walk.count - 1, -1):
        cell = np.int64(walk.unknown[place])
        shot = np.int64(walk.when[cell])
        if board.answers == HIT_MISS:
            mine = worlds.ship_at[walk.world, cell] >= 0
            if (worlds.ship_at[world, cell] >= 0) != mine:
                return False
        elif answer_in(board, walk, worlds, world, cell, shot) != answer_in(
            board, walk, worlds, walk.world, cell, shot
        ):
            return False
    return True


@kernel
def count_ships(board: Board, walk: Simulation, worlds: Worlds, most: int) -> None:
    """List the worlds that agree with the walk in `agreed`, and how many of them have a ship
    on each cell in `ships_on`. Looks at `most` worlds, from the walk's own on."""
    walk.ships_on[: board.cells] = 0
    walk.agreeing = 0
    world, all_worlds = walk.world, worlds.placements.shape[0]
    for _ in range(min(most, all_worlds)):
        if agrees(board, walk, worlds, world):
            walk.agreed[walk.agreeing] = world
            walk.agreeing += 1
            add_ships(board, walk, worlds, world, 1)
        world = world + 1 if world + 1 < all_worlds else 0


@kernel
def add_ships(board: Board, walk: Simulation, worlds: Worlds, world: int, times: int) -> None:
    for ship in range(board.ships):
        placement = worlds.placements[world, ship]
        for k in range(board.fleet[ship]):
            walk.ships_on[board.cover[placement, k]] += times


@kernel
def rollout(
    board: Board, walk: Simulation, tree: Tree, worlds: Worlds, task: Floats, rng: Rng
) -> float:
    """The worth of a walk that goes on by a policy."""
    if task[ROLLOUT] == RANDOM:
        shots = random_end(board, walk)
    elif task[ROLLOUT] == DENSITY:
        shots = density_end(board, walk, worlds, rng)
    else:
        shots = greedy_end(board, walk, worlds)
    need = board.ship_cells - walk.root_hits
    if walk.root_count == need:
        return 1.0
    return 1.0 - (shots - walk.root_shots - need) / (walk.root_count - need)


@kernel
def random_end(board: Board, walk: Simulation) -> float:
    """Shots at the end if the rest is random: the mean of all ways, k (n + 1) / (k + 1)."""
    need = board.ship_cells - walk.hits
    return walk.shots + need * (walk.count + 1.0) / (need + 1.0)


@kernel
def greedy_end(board: Board, walk: Simulation, worlds: Worlds) -> float:
    """Shots at the end if each is at the cell that most of the agreeing worlds hold.

    `COMPANY` worlds are asked, the walk's own among them, so there always is one that
    agrees; once it is alone, no more misses follow.
    """
    count_ships(board, walk, worlds, COMPANY)
    shots, left = walk.shots, walk.count
    hits = walk.hits
    while hits < board.ship_cells and walk.agreeing > 1:
        best = 0
        for k in range(1, left):
            if walk.ships_on[walk.unknown[k]] > walk.ships_on[walk.unknown[best]]:
                best = k
        cell = np.int64(walk.unknown[best])
        shots += 1
        answer = answer_in(board, walk, worlds, walk.world, cell, shots)
        hits += answer > 0
        kept = 0
        for k in range(walk.agreeing):
            world = np.int64(walk.agreed[k])
            if answer_in(board, walk, worlds, world, cell, shots) == answer:
                walk.agreed[kept] = world
                kept += 1
            else:
                add_ships(board, walk, worlds, world, -1)
        walk.agreeing = kept
        # Off the list of unknown cells, as `shoot` does.
        left -= 1
        last = walk.unknown[left]
        walk.unknown[best] = last
        walk.where[last] = best
        walk.unknown[left] = cell
        walk.where[cell] = left
        walk.when[cell] = shots
    for place in range(left, walk.count):
        walk.when[walk.unknown[place]] = NEVER
    return float(shots + board.ship_cells - hits)


@kernel
def density_end(board: Board, walk: Simulation, worlds: Worlds, rng: Rng) -> float:
    """Shots at the end if `density` goes on."""
    worlds.knowledges[walk.thread + 1] = worlds.knowledges[0]
    knowledge = worlds.knowledges[walk.thread + 1]
    for place in range(walk.root_count - 1, walk.count - 1, -1):
        inform(board, walk, worlds, knowledge, np.int64(walk.unknown[place]))
    while knowledge.hits < board.ship_cells:
        cell = highest_unknown(board, knowledge, knowledge.own_counts, True, rng)
        walk.when[cell] = knowledge.shots + 1
        inform(board, walk, worlds, knowledge, cell)
    shots = knowledge.shots
    for place in range(walk.count):
        walk.when[walk.unknown[place]] = NEVER
    return float(shots)


@kernel
def inform(board: Board, walk: Simulation, worlds: Worlds, knowledge: Knowledge, cell: int) -> None:
    """Add to `knowledge` what the walk's world answers to a shot."""
    number = answer_in(board, walk, worlds, walk.world, cell, np.int64(walk.when[cell]))
    ship = np.int64(worlds.ship_at[walk.world, cell])
    answer = MISS
    if board.answers == NAMED and number > 0:
        answer = (SANK if number > board.ships else HIT) + 4 * (ship + 1)
    elif number == 1:
        answer = HIT
    elif number >= 2:
        answer = SANK + (4 * (ship + 1) if board.answers == SUNK_NAMED else 0)
    tell(board, knowledge, cell, answer)
    reweigh(board, knowledge, DENSITY_SETTINGS, cell, answer)


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
    """For each unknown cell, minus the shots that the rest of the game took after it."""
    need = board.ship_cells - walk.root_hits
    for place in range(walk.root_count):
        cell = walk.unknown[place]
        cell_visits[cell] = visits[cell]
        values[cell] = -float(MOST_CELLS)
        if visits[cell] > 0:
            misses = (1.0 - worth[cell] / visits[cell]) * (walk.root_count - need)
            values[cell] = -(need + misses)


@kernel
def spread(board: Board, layouts: npt.NDArray[np.int32], ship_at: npt.NDArray[np.int16]) -> None:
    """Which ship lies on each cell, for every layout."""
    ship_at[:] = -1
    for row in range(layouts.shape[0]):
        for ship in range(board.ships):
            for k in range(board.fleet[ship]):
                ship_at[row, board.cover[layouts[row, ship], k]] = ship


@kernel
def elsewhere(board: Board, walk: Simulation, worlds: Worlds, rng: Rng) -> None:
    """To the next world that agrees with the walk, from a random one on."""
    all_worlds = worlds.placements.shape[0]
    world = below(rng, all_worlds)
    while not agrees(board, walk, worlds, world):
        world = world + 1 if world + 1 < all_worlds else 0
    walk.world = world


HISTORIES = compile_search(
    "histories", restart=restart, descend=descend, rollout=rollout, elsewhere=elsewhere
)
