"""The state of a simulation, and the loops that run simulations in threads.

A simulation selects actions from the root down the tree, expands one node, plays a
rollout to the end of the game, and backs its reward up the path. Four functions make a
search: `restart`, `descend` (selection and expansion), `rollout` and `resample`;
`compile_search` composes them with the loops here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add, atomic_load, wait_while
from ..compiled.bitboards import copy_bits, set_bit
from ..compiled.board_tables import LONGEST, MOST_CELLS, WORDS, Bits, Board, Cells, Floats, Ints
from ..compiled.jit import compose, lean_kernel
from ..compiled.knowledge import MISSED, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, below
from ..compiled.structs import struct_type
from .tree_kernels import (
    BLOCK,
    COMPARED,
    UNTRIED_WIDTH,
    Singles,
    Tree,
    claim_block,
    get_link,
    make_empty,
    measure,
    measure_slot,
)

# Templates call parts that `compose` binds.
# ruff: noqa: F821
restart: Callable[..., None]
descend: Callable[..., None]
rollout: Callable[..., float]
resample: Callable[..., None]


ROLLOUTS_PER_LEAF = 4
"""Rollouts per thread from one leaf: enough to make the waiting for other threads cheap."""

STOP = 2**62
"""Added to the leader's signal to end the search."""

NEVER = 2**14
"""The number of a shot that is not fired: above that of any shot."""

MOST_AT_ROOT = 1 + 2 * MOST_CELLS
"""The root, and a hit and a miss on each cell."""

FIRST_WAIT, LONGEST_WAIT = 4, 512
"""Simulations after which a thread reads the other threads' counts at the root again: few at
first, when they change what it selects, and more later."""

MOST_PARTICLES = 2**14
"""The most layouts that can be checked for agreement with a simulation."""


class SampledLayouts(NamedTuple):
    """Determinizations: layouts that answer the shots. None if outcomes are guessed (`mcts`)."""

    placements: npt.NDArray[np.int32]
    """(layouts, ships)"""
    ship_at: npt.NDArray[np.int16]
    """(layouts, cells) the ship on each cell, -1 for none"""
    known: npt.NDArray[Any]
    """(1 + threads,) the shooter's `Knowledge` at the root, then scratch space for each thread"""


class Simulation:
    """One thread's simulation: its position, its path, and its counts at the root.

    `unknown[:count]` are the cells not yet shot at. A shot swaps its cell with the last of
    them, so setting `count` back to `root_count` returns to the root.
    """

    count: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    shots: Annotated[int, "i8"]
    depth: Annotated[int, "i8"]
    root_count: Annotated[int, "i8"]
    root_hits: Annotated[int, "i8"]
    root_shots: Annotated[int, "i8"]
    thread: Annotated[int, "i8"]
    root_child: Annotated[int, "i8"]
    """index into the next four arrays of the root's child on the path; 0 is the root itself"""
    root_visits: Annotated[Floats, "f8", (MOST_AT_ROOT,)]
    """visits of the root and of its children by all threads, as of the last merge"""
    root_rewards: Annotated[Floats, "f8", (MOST_AT_ROOT,)]
    root_means: Annotated[Singles, "f4", (MOST_AT_ROOT,)]
    """of the root's children, as `Tree.means` and `Tree.widths` for other nodes"""
    root_widths: Annotated[Singles, "f4", (MOST_AT_ROOT,)]
    own_visits: Annotated[Floats, "f8", (MOST_AT_ROOT,)]
    """by this thread alone"""
    own_rewards: Annotated[Floats, "f8", (MOST_AT_ROOT,)]
    next_merge: Annotated[float, "f8"]
    """own visits of the root at which this thread merges the counts again"""
    room: Annotated[int, "i8"]
    """slots from here to `room_end` are reserved for this thread"""
    room_end: Annotated[int, "i8"]
    next_layout: Annotated[int, "i8"]
    """the layout of the next simulation"""
    layout: Annotated[int, "i8"]
    """the layout of this simulation (its determinization)"""
    when: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the number of the shot at each cell; 0 if it was known at the root, NEVER if not fired"""
    unknown: Annotated[Cells, "i2", (MOST_CELLS,)]
    where: Annotated[Cells, "i2", (MOST_CELLS,)]
    path: Annotated[Ints, "i8", (2 * MOST_CELLS + 2,)]
    """the slots visited; the first `depth` are valid"""
    parents: Annotated[Ints, "i8", (2 * MOST_CELLS + 2,)]
    """the node that each of them is a child of"""
    agreeing_count: Annotated[int, "i8"]
    agreeing: Annotated[npt.NDArray[np.int32], "i4", (MOST_PARTICLES,)]
    """layouts that agree with the answers so far"""
    ships_on: Annotated[npt.NDArray[np.int32], "i4", (MOST_CELLS,)]
    """how many of those have a ship on each cell"""
    hit_bits: Annotated[Bits, "u8", (WORDS,)]
    root_bits: Annotated[Bits, "u8", (WORDS,)]
    end_bits: Annotated[Bits, "u8", (WORDS,)]
    """hits at the end of the simulated game"""
    seen_bits: Annotated[Bits, "u8", (WORDS,)]
    left: Annotated[Ints, "i8", (LONGEST + 1,)]
    """hits and ships still to be validated (`guessed_outcomes_kernels.valid_cells`)"""
    bounds: Annotated[Singles, "f4", (2 * MOST_CELLS,)]
    """scratch space for the bounds of a node's children"""
    values: Annotated[Floats, "f8", (MOST_CELLS,)]
    """scratch space for the prior of a node's cells"""
    row: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the row of each cell"""
    fleet: Annotated[Ints, "i8", (LONGEST + 1,)]
    """ships of each length"""
    first: Annotated[Ints, "i8", (LONGEST + 1,)]
    """the first placement of each length"""


SIMULATION = struct_type(Simulation)

Simulations = npt.NDArray[Any]
"""(threads,) a `Simulation` each"""


@lean_kernel
def begin(board: Board, knowledge: Knowledge, simulation: Simulation) -> None:
    """Start a search from what the shooter knows."""
    simulation.root_count = 0
    simulation.root_hits = knowledge.hits
    simulation.root_shots = knowledge.shots
    simulation.root_bits[:] = np.uint64(0)
    simulation.root_child = 0
    simulation.next_merge = 0.0
    simulation.root_visits[:] = 0.0
    simulation.root_rewards[:] = 0.0
    simulation.root_means[:] = np.float32(0.0)
    simulation.root_widths[:] = UNTRIED_WIDTH
    simulation.own_visits[:] = 0.0
    simulation.own_rewards[:] = 0.0
    simulation.room = simulation.room_end = 0
    for cell in range(board.cells):
        simulation.row[cell] = cell // board.columns
        simulation.when[cell] = 0
        if knowledge.status[cell] == UNKNOWN:
            simulation.unknown[simulation.root_count] = cell
            simulation.where[cell] = simulation.root_count
            simulation.when[cell] = NEVER
            simulation.root_count += 1
        elif knowledge.status[cell] != MISSED:
            set_bit(simulation.root_bits, cell)
    simulation.fleet[:] = 0
    for ship in range(board.ships):
        simulation.fleet[board.fleet[ship]] += 1
        simulation.first[board.fleet[ship]] = board.first[ship]
    simulation.count = simulation.root_count
    to_root(simulation)


@lean_kernel
def to_root(simulation: Simulation) -> None:
    """Return to the root."""
    for place in range(simulation.count, simulation.root_count):
        simulation.when[simulation.unknown[place]] = NEVER
    simulation.count = simulation.root_count
    simulation.hits = simulation.root_hits
    simulation.shots = simulation.root_shots
    copy_bits(simulation.root_bits, simulation.hit_bits)
    simulation.depth = 0


@lean_kernel
def shoot(simulation: Simulation, cell: int, hit: bool) -> None:
    """Fire at a cell, with this outcome."""
    simulation.count -= 1
    place, last = simulation.where[cell], simulation.unknown[simulation.count]
    simulation.unknown[place] = last
    simulation.where[last] = place
    simulation.unknown[simulation.count] = cell
    simulation.where[cell] = simulation.count
    simulation.shots += 1
    simulation.when[cell] = simulation.shots
    if hit:
        simulation.hits += 1
        set_bit(simulation.hit_bits, cell)


@lean_kernel
def claim(tree: Tree, simulation: Simulation, count: int) -> int:
    """Reserve `count` empty slots; the first of them, or 0 if the tree is full."""
    if simulation.room + count > simulation.room_end:
        wanted = max(count, BLOCK)
        start = claim_block(tree, wanted)
        if start < 0:
            wanted = count
            start = claim_block(tree, wanted)
        if start < 0:
            return 0
        simulation.room = start
        simulation.room_end = start + wanted
    simulation.room += count
    make_empty(tree, simulation.room - count, count)
    return simulation.room - count


@lean_kernel
def visits_at(tree: Tree, simulation: Simulation, node: int) -> float:
    """Visits of the node just entered, including this one."""
    if simulation.depth == 0:
        return simulation.root_visits[0] + 1.0
    return (
        simulation.root_visits[simulation.root_child]
        if simulation.depth == 1
        else tree.visits[node]
    )


@lean_kernel
def mean_at(tree: Tree, simulation: Simulation, node: int) -> float:
    """Mean reward of the earlier simulations through a node; not for children of the root."""
    total = simulation.root_rewards[0] if simulation.depth == 0 else tree.rewards[node]
    return total / max(visits_at(tree, simulation, node) - 1.0, 1.0)


@lean_kernel
def enter(tree: Tree, simulation: Simulation, node: int, slot: int, number: int) -> bool:
    """Step to a child and count the visit at once (virtual loss); whether it is the first."""
    simulation.path[simulation.depth] = slot
    simulation.parents[simulation.depth] = node
    simulation.depth += 1
    if simulation.depth > 1:
        fresh = atomic_add(tree.visits, slot, np.int32(1)) == 0
        if get_link(tree, node, COMPARED) != 0:
            measure_slot(tree, slot)
        return fresh
    simulation.root_child = 1 + number
    count_at_root(simulation, simulation.root_child, 1.0, 0.0)
    return simulation.root_visits[simulation.root_child] == 1.0


@lean_kernel
def count_at_root(simulation: Simulation, number: int, visits: float, reward: float) -> None:
    """Add to the counts of the root (0) or of one of its children (from 1)."""
    simulation.root_visits[number] += visits
    simulation.root_rewards[number] += reward
    simulation.own_visits[number] += visits
    simulation.own_rewards[number] += reward
    measure_at_root(simulation, number)


@lean_kernel
def measure_at_root(simulation: Simulation, number: int) -> None:
    """`measure` for the root and its children."""
    measure(
        simulation.root_visits,
        simulation.root_rewards,
        simulation.root_means,
        simulation.root_widths,
        number,
    )


@lean_kernel
def merge_roots(simulations: Simulations, simulation: Simulation) -> None:
    """Add up all threads' counts at the root and its children.

    Each thread writes only its own counts, so no update is lost and no thread waits.
    """
    simulation.root_visits[:] = 0.0
    simulation.root_rewards[:] = 0.0
    for other in range(simulations.size):
        for k in range(1 + 2 * simulation.root_count):
            simulation.root_visits[k] += simulations[other].own_visits[k]
            simulation.root_rewards[k] += simulations[other].own_rewards[k]
    for k in range(1, 1 + 2 * simulation.root_count):
        measure_at_root(simulation, k)
    wait = simulation.own_visits[0] / 32.0
    simulation.next_merge = simulation.own_visits[0] + min(max(wait, FIRST_WAIT), LONGEST_WAIT)


@lean_kernel
def backup(tree: Tree, simulation: Simulation, reward: float, rollouts: int) -> None:
    """Add the total reward of some rollouts to every slot on the path."""
    again = float(rollouts - 1)
    count_at_root(simulation, 0, float(rollouts), reward)
    if simulation.depth > 0:
        count_at_root(simulation, simulation.root_child, again, reward)
    for step in range(1, simulation.depth):
        atomic_add(tree.rewards, simulation.path[step], reward)
        if rollouts > 1:
            atomic_add(tree.visits, simulation.path[step], np.int32(rollouts - 1))
        if get_link(tree, simulation.parents[step], COMPARED) != 0:
            measure_slot(tree, simulation.path[step])


@lean_kernel
def copy_simulated_position(leader: Simulation, simulation: Simulation) -> None:
    """Move to the position of another thread's simulation."""
    simulation.count = leader.count
    simulation.hits = leader.hits
    simulation.shots = leader.shots
    simulation.depth = leader.depth
    simulation.layout = leader.layout
    copy_bits(leader.hit_bits, simulation.hit_bits)
    for place in range(leader.root_count):
        simulation.unknown[place] = leader.unknown[place]
    for cell in range(MOST_CELLS):
        simulation.where[cell] = leader.where[cell]
        simulation.when[cell] = leader.when[cell]


def grow(
    board: Board,
    simulations: Simulations,
    thread: int,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    simulation_count: int,
    rng: Rng,
) -> None:
    """Template: run one thread's simulations in a tree shared by all threads of `simulations`."""
    simulation = simulations[thread]
    for _ in range(simulation_count):
        if simulations.size > 1 and simulation.own_visits[0] >= simulation.next_merge:
            merge_roots(simulations, simulation)
        restart(board, simulation, sampled, parameters, rng)
        descend(board, simulation, tree, sampled, parameters, rng)
        backup(tree, simulation, rollout(board, simulation, tree, sampled, parameters, rng), 1)


def lead(
    board: Board,
    simulations: Simulations,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    simulation_count: int,
    rng: Rng,
    signals: Ints,
    rewards: Floats,
) -> None:
    """Template: leaf parallelism. This thread alone descends the tree; all threads roll out
    from the leaf it reaches, `ROLLOUTS_PER_LEAF` times each. The others run `follow`.

    `signals[0]` counts the leaves announced; `signals[t]` goes up by 2 for each leaf that
    thread t has finished: 1 for copying the position, 1 for its rollouts.
    """
    simulation, threads = simulations[0], simulations.size
    each = ROLLOUTS_PER_LEAF * threads
    for _ in range((simulation_count + each - 1) // each):
        restart(board, simulation, sampled, parameters, rng)
        descend(board, simulation, tree, sampled, parameters, rng)
        leaf = atomic_add(signals, 0, 1) + 1
        # The rollouts change the simulation, so the others must copy it first.
        for thread in range(1, threads):
            wait_while(signals, thread, 2 * leaf - 2)
        total = rollout(board, simulation, tree, sampled, parameters, rng)
        for _ in range(1, ROLLOUTS_PER_LEAF):
            resample(board, simulation, sampled, rng)
            total += rollout(board, simulation, tree, sampled, parameters, rng)
        for thread in range(1, threads):
            wait_while(signals, thread, 2 * leaf - 1)
            total += rewards[thread]
        backup(tree, simulation, total, each)


def follow(
    board: Board,
    simulations: Simulations,
    thread: int,
    tree: Tree,
    sampled: SampledLayouts,
    parameters: Floats,
    rng: Rng,
    signals: Ints,
    rewards: Floats,
) -> None:
    """Template: roll out from every leaf that `lead` announces, until `STOP`."""
    simulation = simulations[thread]
    leaf = 0
    while True:
        wait_while(signals, 0, leaf)
        leaf += 1
        if atomic_load(signals, 0) >= STOP:
            return
        copy_simulated_position(simulations[0], simulation)
        atomic_add(signals, thread, 1)
        total = 0.0
        for _ in range(ROLLOUTS_PER_LEAF):
            resample(board, simulation, sampled, rng)
            total += rollout(board, simulation, tree, sampled, parameters, rng)
        rewards[thread] = total
        atomic_add(signals, thread, 1)


@lean_kernel
def highest_scoring_cell(simulation: Simulation, scores: Floats, rng: Rng) -> int:
    """The unknown cell with the highest score, ties broken at random."""
    best, ties = np.int64(simulation.unknown[0]), 0
    for place in range(simulation.root_count):
        cell = np.int64(simulation.unknown[place])
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
    """The search composed of `restart`, `descend`, `rollout` and `resample`.

    `resample` moves a simulation to another layout that agrees with its answers, so that
    further rollouts from one leaf take place in different layouts.
    """
    return SearchKernels(
        *(
            compose(template, name, compiler=lean_kernel, **parts)
            for template in (grow, lead, follow)
        )
    )
