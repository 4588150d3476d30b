"""One walk: from the root through the tree and on to the end of a simulated game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add, atomic_load, wait_while
from ..compiled.board_tables import LONGEST, MOST_CELLS, WORDS, Bits, Board, Cells, Floats, Ints
from ..compiled.jit import compose, kernel
from ..compiled.knowledge import MISSED, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, below
from ..compiled.structs import struct_type
from .tree_kernels import BLOCK, Tree, claim_block, make_empty

# Templates call parts that `compose` binds.
# ruff: noqa: F821
restart: Callable[..., None]
descend: Callable[..., None]
rollout: Callable[..., float]
elsewhere: Callable[..., None]


ROLLOUTS = 4
"""Rollouts of each thread from one leaf: enough that waiting for each other is cheap."""

STOP = 2**62

NEVER = 2**14
"""Above the number of any shot."""

MOST_NEAR = 1 + 2 * MOST_CELLS
"""The root, and a hit and a miss on each cell."""

OFTEN, SELDOM = 4, 512
"""Walks between looks of a thread at what the others did near the root: so many at first, when
it makes a difference, and so many later."""

MOST_AGREEING = 2**14
"""Layouts that a belief by particles has at most."""


class Worlds(NamedTuple):
    """Layouts that a walk may take place in; none where the walk makes its own answers."""

    placements: npt.NDArray[np.int32]
    """(layouts, ships)"""
    ship_at: npt.NDArray[np.int16]
    """(layouts, cells) the ship on each cell, -1 for none"""
    knowledges: npt.NDArray[Any]
    """(1 + threads,) what the shooter knows at the root, and room for each thread's rollouts"""


class Simulation:
    """The position of one thread's walk; `begin` fills it from what the shooter knows.

    `unknown[:count]` are the cells not shot at. A cell leaves by changing places with
    the last of them, so putting `count` back to `root_count` is all that it takes to be
    at the root again.
    """

    count: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    shots: Annotated[int, "i8"]
    depth: Annotated[int, "i8"]
    root_count: Annotated[int, "i8"]
    root_hits: Annotated[int, "i8"]
    root_shots: Annotated[int, "i8"]
    thread: Annotated[int, "i8"]
    near: Annotated[int, "i8"]
    """the number, in the next four, of the root's child that this walk is below"""
    near_visits: Annotated[Floats, "f8", (MOST_NEAR,)]
    """visits of the root and of each of its children by all threads, as far as known"""
    near_worth: Annotated[Floats, "f8", (MOST_NEAR,)]
    own_visits: Annotated[Floats, "f8", (MOST_NEAR,)]
    """those by this thread alone"""
    own_worth: Annotated[Floats, "f8", (MOST_NEAR,)]
    meeting: Annotated[float, "f8"]
    """how many walks this thread makes before it looks at what the others did"""
    room: Annotated[int, "i8"]
    """slots from here up to `room_end` are this thread's"""
    room_end: Annotated[int, "i8"]
    turn: Annotated[int, "i8"]
    """the layout that the next walk is in, where there are any"""
    world: Annotated[int, "i8"]
    """the layout that this walk is in"""
    when: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the number of the shot at each cell in this walk; 0 if known at the root, else NEVER"""
    unknown: Annotated[Cells, "i2", (MOST_CELLS,)]
    where: Annotated[Cells, "i2", (MOST_CELLS,)]
    path: Annotated[Ints, "i8", (2 * MOST_CELLS + 2,)]
    """the slots of the walk; the first `depth`"""
    agreeing: Annotated[int, "i8"]
    agreed: Annotated[npt.NDArray[np.int32], "i4", (MOST_AGREEING,)]
    """layouts that agree with the walk so far"""
    ships_on: Annotated[npt.NDArray[np.int32], "i4", (MOST_CELLS,)]
    """how many of those have a ship on each cell"""
    hit_bits: Annotated[Bits, "u8", (WORDS,)]
    root_bits: Annotated[Bits, "u8", (WORDS,)]
    end_bits: Annotated[Bits, "u8", (WORDS,)]
    """hits at the end of the simulated game"""
    seen_bits: Annotated[Bits, "u8", (WORDS,)]
    left: Annotated[Ints, "i8", (LONGEST + 1,)]
    """hits and ships that judging that end has still to look at"""
    values: Annotated[Floats, "f8", (2 * MOST_CELLS,)]
    """room for the bounds of a node's children"""
    row: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the row of each cell"""
    fleet: Annotated[Ints, "i8", (LONGEST + 1,)]
    """ships of each length"""
    first: Annotated[Ints, "i8", (LONGEST + 1,)]
    """the first placement of each length"""


SIMULATION = struct_type(Simulation)


@kernel
def begin(board: Board, knowledge: Knowledge, walk: Simulation) -> None:
    """Start at what the shooter knows."""
    walk.root_count = 0
    walk.root_hits = knowledge.hits
    walk.root_shots = knowledge.shots
    walk.root_bits[:] = np.uint64(0)
    walk.near = 0
    walk.meeting = 0.0
    walk.near_visits[:] = 0.0
    walk.near_worth[:] = 0.0
    walk.own_visits[:] = 0.0
    walk.own_worth[:] = 0.0
    walk.room = walk.room_end = 0
    for cell in range(board.cells):
        walk.row[cell] = cell // board.columns
        walk.when[cell] = 0
        if knowledge.status[cell] == UNKNOWN:
            walk.unknown[walk.root_count] = cell
            walk.where[cell] = walk.root_count
            walk.when[cell] = NEVER
            walk.root_count += 1
        elif knowledge.status[cell] != MISSED:
            set_bit(walk.root_bits, cell)
    walk.fleet[:] = 0
    for ship in range(board.ships):
        walk.fleet[board.fleet[ship]] += 1
        walk.first[board.fleet[ship]] = board.first[ship]
    walk.count = walk.root_count
    to_root(walk)


@kernel
def to_root(walk: Simulation) -> None:
    for place in range(walk.count, walk.root_count):
        walk.when[walk.unknown[place]] = NEVER
    walk.count = walk.root_count
    walk.hits = walk.root_hits
    walk.shots = walk.root_shots
    walk.hit_bits[:] = walk.root_bits
    walk.depth = 0


@kernel
def set_bit(bits: Bits, cell: int) -> None:
    bits[cell >> 6] |= np.uint64(1) << np.uint64(cell & 63)


@kernel
def shoot(walk: Simulation, cell: int, hit: bool) -> None:
    """Take a cell off the unknown ones, with this outcome."""
    walk.count -= 1
    place, last = walk.where[cell], walk.unknown[walk.count]
    walk.unknown[place] = last
    walk.where[last] = place
    walk.unknown[walk.count] = cell
    walk.where[cell] = walk.count
    walk.shots += 1
    walk.when[cell] = walk.shots
    if hit:
        walk.hits += 1
        set_bit(walk.hit_bits, cell)


@kernel
def claim(tree: Tree, walk: Simulation, count: int) -> int:
    """The first of `count` empty slots, or 0 if the tree is full."""
    if walk.room + count > walk.room_end:
        wanted = max(count, BLOCK)
        start = claim_block(tree, wanted)
        if start < 0:
            wanted = count
            start = claim_block(tree, wanted)
        if start < 0:
            return 0
        walk.room = start
        walk.room_end = start + wanted
    walk.room += count
    make_empty(tree, walk.room - count, count)
    return walk.room - count


@kernel
def visits_at(tree: Tree, walk: Simulation, node: int) -> float:
    """Walks that have come to the node that this one has just entered, itself included."""
    if walk.depth == 0:
        return walk.near_visits[0] + 1.0
    return walk.near_visits[walk.near] if walk.depth == 1 else tree.visits[node]


@kernel
def mean_at(tree: Tree, walk: Simulation, node: int) -> float:
    """Mean worth of the walks that were there before this one, at a node not next to the root."""
    worth = walk.near_worth[0] if walk.depth == 0 else tree.worth[node]
    return worth / max(visits_at(tree, walk, node) - 1.0, 1.0)


@kernel
def enter(tree: Tree, walk: Simulation, slot: int, number: int) -> bool:
    """Step to a child, counting the visit at once (see `tree` for why); is it the first?"""
    walk.path[walk.depth] = slot
    walk.depth += 1
    if walk.depth > 1:
        return atomic_add(tree.visits, slot, np.int32(1)) == 0
    walk.near = 1 + number
    count_near(walk, walk.near, 1.0, 0.0)
    return walk.near_visits[walk.near] == 1.0


@kernel
def count_near(walk: Simulation, number: int, visits: float, worth: float) -> None:
    walk.near_visits[number] += visits
    walk.near_worth[number] += worth
    walk.own_visits[number] += visits
    walk.own_worth[number] += worth


@kernel
def meet(walks: npt.NDArray[Any], walk: Simulation) -> None:
    """See what all threads have done at the root and its children.

    Only its own thread writes to what a walk counts, so nothing is lost and nobody waits.
    """
    walk.near_visits[:] = 0.0
    walk.near_worth[:] = 0.0
    for other in range(walks.size):
        for k in range(1 + 2 * walk.root_count):
            walk.near_visits[k] += walks[other].own_visits[k]
            walk.near_worth[k] += walks[other].own_worth[k]
    wait = walk.own_visits[0] / 32.0
    walk.meeting = walk.own_visits[0] + min(max(wait, OFTEN), SELDOM)


@kernel
def backup(tree: Tree, walk: Simulation, reward: float, rollouts: int) -> None:
    """Credit every slot of the walk with the sum of some rollouts' rewards."""
    again = float(rollouts - 1)
    count_near(walk, 0, float(rollouts), reward)
    if walk.depth > 0:
        count_near(walk, walk.near, again, reward)
    for step in range(1, walk.depth):
        atomic_add(tree.worth, walk.path[step], reward)
        if rollouts > 1:
            atomic_add(tree.visits, walk.path[step], np.int32(rollouts - 1))


@kernel
def to_same_place(leader: Simulation, walk: Simulation) -> None:
    """Go where another thread's walk is."""
    walk.count = leader.count
    walk.hits = leader.hits
    walk.shots = leader.shots
    walk.depth = leader.depth
    walk.world = leader.world
    walk.hit_bits[:] = leader.hit_bits
    walk.unknown[: leader.root_count] = leader.unknown[: leader.root_count]
    walk.where[:] = leader.where
    walk.when[:] = leader.when


def grow(
    board: Board,
    walks: npt.NDArray[Any],
    thread: int,
    tree: Tree,
    worlds: Worlds,
    task: Floats,
    simulations: int,
    rng: Rng,
) -> None:
    """Template: that many walks of a thread, in a tree that it shares with the threads of all
    the other `walks`. Bind `restart`, `descend` and `rollout`."""
    walk = walks[thread]
    for _ in range(simulations):
        if walks.size > 1 and walk.own_visits[0] >= walk.meeting:
            meet(walks, walk)
        restart(board, walk, worlds, task, rng)
        descend(board, walk, tree, worlds, task, rng)
        backup(tree, walk, rollout(board, walk, tree, worlds, task, rng), 1)


def lead(
    board: Board,
    walks: npt.NDArray[Any],
    tree: Tree,
    worlds: Worlds,
    task: Floats,
    simulations: int,
    rng: Rng,
    signals: Ints,
    rewards: Floats,
) -> None:
    """Template: leaf parallelism. This thread alone walks the tree; at the end of each walk
    all of them roll out, `ROLLOUTS` times each. The others run `follow`.

    `signals[0]` counts the leaves and `signals[t]` those that thread t is done with.
    """
    walk, threads = walks[0], walks.size
    each = ROLLOUTS * threads
    for _ in range((simulations + each - 1) // each):
        restart(board, walk, worlds, task, rng)
        descend(board, walk, tree, worlds, task, rng)
        leaf = atomic_add(signals, 0, 1) + 1
        # The rollouts change the walk, which the others have to copy first.
        for thread in range(1, threads):
            wait_while(signals, thread, 2 * leaf - 2)
        total = rollout(board, walk, tree, worlds, task, rng)
        for _ in range(1, ROLLOUTS):
            elsewhere(board, walk, worlds, rng)
            total += rollout(board, walk, tree, worlds, task, rng)
        for thread in range(1, threads):
            wait_while(signals, thread, 2 * leaf - 1)
            total += rewards[thread]
        backup(tree, walk, total, each)


def follow(
    board: Board,
    walks: npt.NDArray[Any],
    thread: int,
    tree: Tree,
    worlds: Worlds,
    task: Floats,
    rng: Rng,
    signals: Ints,
    rewards: Floats,
) -> None:
    """Template: roll out from every leaf that `lead` announces, until it announces `STOP`."""
    walk = walks[thread]
    leaf = 0
    while True:
        wait_while(signals, 0, leaf)
        leaf += 1
        if atomic_load(signals, 0) >= STOP:
            return
        to_same_place(walks[0], walk)
        atomic_add(signals, thread, 1)
        total = 0.0
        for _ in range(ROLLOUTS):
            elsewhere(board, walk, worlds, rng)
            total += rollout(board, walk, tree, worlds, task, rng)
        rewards[thread] = total
        atomic_add(signals, thread, 1)


@kernel
def best_cell(walk: Simulation, scores: Floats, rng: Rng) -> int:
    """The unknown cell with the highest score, a random one of equals."""
    best, ties = np.int64(walk.unknown[0]), 0
    for place in range(walk.root_count):
        cell = np.int64(walk.unknown[place])
        if scores[cell] > scores[best]:
            best, ties = cell, 1
        elif scores[cell] == scores[best]:
            ties += 1
            if below(rng, ties) == 0:
                best = cell
    return best


class SearchKernels(NamedTuple):
    """The compiled forms of one search."""

    grow: Any
    lead: Any
    follow: Any


def compile_search(name: str, **parts: Callable[..., Any]) -> SearchKernels:
    """The search made of these functions: `restart`, `descend` and `rollout`, and `elsewhere`,
    which moves a walk to another world that looks the same, for a second rollout."""
    return SearchKernels(*(compose(template, name, **parts) for template in (grow, lead, follow)))
