"""The tree: slots in flat arrays, shared by any number of threads without a lock.

A slot is one node. Visits are counted on the way down and rewards on the way back, so a
node below which another thread is at work looks worse than it is: the virtual loss of
tree parallelism. For a single thread it makes no difference.

The children of a node are stored in two runs of slots: the first few, and the rest, which
most nodes never need. Each thread takes runs from a block of slots of its own, so that it
rarely writes to a cache line that another thread reads. A thread that loses the race to
give a node its run leaves its own run unused.

Slot 0 is the root. Every simulation of every thread would write to it and its children, so
each thread keeps its own counts of those (see `simulation_kernels`); their `visits` and
`rewards` here stay 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add, atomic_swap_if
from ..compiled.board_tables import Floats
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below

ACTION, TRIED, FIRST, REST = range(4)
"""Links of a slot: the action that led to it, the children tried, the starts of its runs."""
LINKS = 4

FEW = 8
"""Children in the first run."""

BLOCK = 1024
"""Slots that a thread reserves at a time."""

SLOT_BYTES = 4 + 8 + LINKS * 4


class Tree(NamedTuple):
    visits: npt.NDArray[np.int32]
    """(slots,)"""
    rewards: Floats
    """(slots,) total reward of the simulations through each"""
    links: npt.NDArray[np.int32]
    """(slots × LINKS,)"""
    used: npt.NDArray[np.int64]
    """(1,) slots reserved"""


@kernel
def new_tree(slots: int) -> Tree:
    """A tree with only the root, and room for `slots` - 1 other nodes."""
    tree = Tree(
        np.empty(slots, dtype=np.int32),
        np.empty(slots, dtype=np.float64),
        np.empty(slots * LINKS, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )
    clear_tree(tree)
    return tree


def large_tree(slots: int) -> Tree:
    """`new_tree` in memory allocated by NumPy, which asks the system for large pages."""
    made: Tree = cast(Any, new_tree).py_func(slots)
    return made


@kernel
def clear_tree(tree: Tree) -> None:
    """Keep only the root, without visits."""
    tree.used[0] = 0
    make_empty(tree, claim_block(tree, 1), 1)


@kernel
def claim_block(tree: Tree, count: int) -> int:
    """Reserve `count` slots; the first of them, or -1 if the tree is full."""
    if tree.used[0] + count > tree.visits.size:
        return -1
    start = atomic_add(tree.used, 0, count)
    return start if start + count <= tree.visits.size else -1


@kernel
def make_empty(tree: Tree, start: int, count: int) -> None:
    tree.visits[start : start + count] = 0
    tree.rewards[start : start + count] = 0.0
    tree.links[start * LINKS : (start + count) * LINKS] = 0


@kernel
def get_link(tree: Tree, slot: int, which: int) -> int:
    return np.int64(tree.links[slot * LINKS + which])


@kernel
def set_link(tree: Tree, slot: int, which: int, value: int) -> None:
    tree.links[slot * LINKS + which] = value


@kernel
def set_first(tree: Tree, slot: int, which: int, value: int) -> int:
    """Set a link unless another thread was faster; its earlier value, 0 if it had none."""
    return np.int64(atomic_swap_if(tree.links, slot * LINKS + which, np.int32(0), np.int32(value)))


@kernel
def publish(tree: Tree, slot: int, which: int, start: int) -> int:
    """Make `start` a node's run of children unless another thread was faster; the node's run."""
    before = set_first(tree, slot, which, start)
    return start if before == 0 else before


@kernel
def claim_child(tree: Tree, node: int) -> int:
    """The number of the next untried child; may be past the last one."""
    return np.int64(atomic_add(tree.links, node * LINKS + TRIED, np.int32(1)))


@kernel
def child(tree: Tree, node: int, number: int) -> int:
    """The slot of a node's child."""
    if number < FEW:
        return get_link(tree, node, FIRST) + number
    return get_link(tree, node, REST) + number - FEW


@kernel
def children(tree: Tree, node: int, most: int) -> int:
    """How many children of a node, at most `most`, have been tried and can be read."""
    tried = min(get_link(tree, node, TRIED), most)
    if get_link(tree, node, FIRST) == 0:
        return 0
    return tried if get_link(tree, node, REST) != 0 else min(tried, FEW)


@kernel
def mark(tree: Tree, node: int) -> bool:
    """Mark an answer's node as visited; whether it is the first time.

    For nodes whose visits are not counted: only the first visit writes.
    """
    return get_link(tree, node, ACTION) == 0 and set_first(tree, node, ACTION, 1) == 0


@kernel
def visits_below(tree: Tree, node: int, count: int) -> int:
    """Total visits of the first `count` children of a node."""
    first, rest = get_link(tree, node, FIRST), get_link(tree, node, REST)
    few = min(count, FEW)
    total = 0
    for k in range(few):
        total += tree.visits[first + k]
    for k in range(count - few):
        total += tree.visits[rest + k]
    return total


@kernel
def uct_bounds(visits: npt.NDArray[Any], rewards: Floats, bonus: float, bounds: Floats) -> None:
    """UCT bounds of a run of children: mean reward + sqrt(bonus / n_j).

    In T 3.2 the bonus is 2 ln n.
    """
    for k in range(bounds.size):
        # A child that another thread has reserved but not yet entered counts as untried.
        share = 1.0 / max(float(visits[k]), 1e-9)
        bounds[k] = rewards[k] * share + math.sqrt(bonus * share)


@kernel
def highest(values: Floats, count: int, rng: Rng) -> int:
    """The index of the highest value, ties broken at random."""
    best = values[0]
    for k in range(1, count):
        best = max(best, values[k])
    chosen, ties = 0, 0
    for k in range(count):
        if values[k] == best:
            ties += 1
            if ties == 1 or below(rng, ties) == 0:
                chosen = k
    return chosen
