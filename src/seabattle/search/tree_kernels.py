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

A slot is half a cache line, because a simulation reaches slots that are in no cache. Selection
reads every child of a node, but a simulation changes one. So the mean reward of a child and the
width of its confidence bound are kept in arrays of their own, in single precision, from the
moment when all children of the node have been tried and are compared.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add, atomic_swap_if
from ..compiled.board_tables import Floats
from ..compiled.jit import kernel, lean_kernel
from ..compiled.random_streams import Rng, below

ACTION, TRIED, FIRST, REST, COMPARED = range(1, 6)
"""Words of a slot after its visits: the action that led to it, the children tried, the starts
of its runs, and whether the means and widths of its children are kept. Rewards are the last
two words."""
SLOT_WORDS = 8
"""Words of 32 bits per slot."""

FEW = 8
"""Children in the first run."""

BLOCK = 1024
"""Slots that a thread reserves at a time."""

SLOT_BYTES = 4 * SLOT_WORDS + 4 + 4

UNTRIED_WIDTH = np.float32(3e4)
"""Width of a child without visits, which another thread has reserved but not yet entered: it
counts as untried."""

Singles = npt.NDArray[np.float32]


class Tree(NamedTuple):
    words: npt.NDArray[np.int32]
    """(slots × SLOT_WORDS,)"""
    visits: npt.NDArray[np.int32]
    """(slots,) a view of `words`"""
    rewards: Floats
    """(slots,) total reward of the simulations through each; a view of `words`"""
    means: Singles
    """(slots,) rewards / visits, where the children of a node are compared"""
    widths: Singles
    """(slots,) 1 / sqrt(visits), likewise"""
    used: npt.NDArray[np.int64]
    """(1,) slots reserved"""


@kernel
def new_tree(slots: int) -> Tree:
    """A tree with only the root, and room for `slots` - 1 other nodes."""
    words = np.empty(slots * SLOT_WORDS, dtype=np.int32)
    tree = Tree(
        words,
        words[::SLOT_WORDS],
        words.view(np.float64)[SLOT_WORDS // 2 - 1 :: SLOT_WORDS // 2],
        np.empty(slots, dtype=np.float32),
        np.empty(slots, dtype=np.float32),
        np.zeros(1, dtype=np.int64),
    )
    clear_tree(tree)
    return tree


def large_tree(slots: int) -> Tree:
    """`new_tree` in memory allocated by NumPy, which asks the system for large pages."""
    made: Tree = cast(Any, new_tree).py_func(slots)
    return made


@lean_kernel
def clear_tree(tree: Tree) -> None:
    """Keep only the root, without visits."""
    tree.used[0] = 0
    make_empty(tree, claim_block(tree, 1), 1)


@lean_kernel
def claim_block(tree: Tree, count: int) -> int:
    """Reserve `count` slots; the first of them, or -1 if the tree is full."""
    if tree.used[0] + count > tree.visits.size:
        return -1
    start = atomic_add(tree.used, 0, count)
    return start if start + count <= tree.visits.size else -1


@lean_kernel
def make_empty(tree: Tree, start: int, count: int) -> None:
    tree.words[start * SLOT_WORDS : (start + count) * SLOT_WORDS] = 0
    tree.means[start : start + count] = np.float32(0.0)
    tree.widths[start : start + count] = UNTRIED_WIDTH


@lean_kernel
def get_link(tree: Tree, slot: int, which: int) -> int:
    return np.int64(tree.words[slot * SLOT_WORDS + which])


@lean_kernel
def set_link(tree: Tree, slot: int, which: int, value: int) -> None:
    tree.words[slot * SLOT_WORDS + which] = value


@lean_kernel
def set_first(tree: Tree, slot: int, which: int, value: int) -> int:
    """Set a link unless another thread was faster; its earlier value, 0 if it had none."""
    return np.int64(
        atomic_swap_if(tree.words, slot * SLOT_WORDS + which, np.int32(0), np.int32(value))
    )


@lean_kernel
def publish(tree: Tree, slot: int, which: int, start: int) -> int:
    """Make `start` a node's run of children unless another thread was faster; the node's run."""
    before = set_first(tree, slot, which, start)
    return start if before == 0 else before


@lean_kernel
def claim_child(tree: Tree, node: int) -> int:
    """The number of the next untried child; may be past the last one."""
    return np.int64(atomic_add(tree.words, node * SLOT_WORDS + TRIED, np.int32(1)))


@lean_kernel
def child(tree: Tree, node: int, number: int) -> int:
    """The slot of a node's child."""
    if number < FEW:
        return get_link(tree, node, FIRST) + number
    return get_link(tree, node, REST) + number - FEW


@lean_kernel
def children(tree: Tree, node: int, most: int) -> int:
    """How many children of a node, at most `most`, have been tried and can be read."""
    tried = min(get_link(tree, node, TRIED), most)
    if get_link(tree, node, FIRST) == 0:
        return 0
    return tried if get_link(tree, node, REST) != 0 else min(tried, FEW)


@lean_kernel
def mark(tree: Tree, node: int) -> bool:
    """Mark an answer's node as visited; whether it is the first time.

    For nodes whose visits are not counted: only the first visit writes.
    """
    return get_link(tree, node, ACTION) == 0 and set_first(tree, node, ACTION, 1) == 0


@lean_kernel
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


@lean_kernel
def measure(
    visits: npt.NDArray[Any], rewards: Floats, means: Singles, widths: Singles, place: int
) -> None:
    """Bring a mean and a width up to date with the counts."""
    if visits[place] > 0:
        share = 1.0 / visits[place]
        means[place] = rewards[place] * share
        widths[place] = math.sqrt(share)


@lean_kernel
def measure_slot(tree: Tree, slot: int) -> None:
    measure(tree.visits, tree.rewards, tree.means, tree.widths, slot)


@lean_kernel
def compare_children(tree: Tree, node: int, count: int) -> None:
    """Keep the means and widths of a node's children from here on."""
    if get_link(tree, node, COMPARED) == 0:
        set_link(tree, node, COMPARED, 1)
        for k in range(count):
            measure_slot(tree, child(tree, node, k))


@lean_kernel
def uct_bounds(means: Singles, widths: Singles, exploration: float, bounds: Singles) -> None:
    """UCT bounds of a run of children: mean reward + sqrt(bonus / n_j).

    `exploration` is the square root of the bonus, which is 2 ln n in T 3.2.
    """
    scale = np.float32(exploration)
    for k in range(bounds.size):
        bounds[k] = means[k] + scale * widths[k]


@lean_kernel
def highest(bounds: Singles, rng: Rng) -> int:
    """The index of the highest bound, ties broken at random; no bound is negative.

    The bits of such floats, read as integers, are in the same order. The processor compares
    several integers at a time, but floats, which may be NaN, one by one.
    """
    bits = bounds.view(np.int32)
    count = bits.size
    best = bits[0]
    for k in range(1, count):
        best = max(best, bits[k])
    first, ties = np.int32(count), np.int32(0)
    for k in range(count):
        same = bits[k] == best
        ties = np.int32(ties + np.int32(same))
        first = min(first, np.int32(k) if same else np.int32(count))
    chosen = np.int64(first)
    for _ in range(below(rng, np.int64(ties)) if ties > 1 else 0):
        chosen += 1
        while bits[chosen] != best:
            chosen += 1
    return chosen
