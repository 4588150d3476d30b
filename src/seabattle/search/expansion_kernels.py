"""The actions at a node: one that is untried, or else the one with the highest bound.

There are `ways` of them for each unknown cell, numbered `ways` × cell + way. They are laid
out as children in random order, so the next untried one is a random one.
"""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import Floats
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below
from .simulation_kernels import Simulation, claim
from .tree_kernels import (
    ACTION,
    FEW,
    FIRST,
    REST,
    TRIED,
    Tree,
    bound_run,
    child,
    children,
    claim_child,
    get_link,
    highest,
    publish,
    set_link,
)


@kernel
def untried_child(walk: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> int:
    """The number of an untried child of a node; -1 if there is none, or no room for it."""
    most = ways * walk.count
    tried = get_link(tree, node, TRIED)
    if tried >= most:
        return -1
    if get_link(tree, node, FIRST) == 0 and not lay_first(walk, tree, node, ways, rng):
        return -1
    if tried >= FEW and get_link(tree, node, REST) == 0:
        if not lay_rest(walk, tree, node, ways, rng):
            return -1
    number = claim_child(tree, node)
    if number >= most or (number >= FEW and get_link(tree, node, REST) == 0):
        return -1
    return number


@kernel
def best_child(walk: Simulation, tree: Tree, node: int, count: int, bonus: float, rng: Rng) -> int:
    """The number of the child, of the first `count`, with the highest bound; a random one of
    equals."""
    if node == 0:
        bound_run(walk.near_visits[1:], walk.near_worth[1:], bonus, walk.values[:count])
    else:
        first, rest = get_link(tree, node, FIRST), get_link(tree, node, REST)
        few = min(count, FEW)
        bound_run(tree.visits[first:], tree.worth[first:], bonus, walk.values[:few])
        bound_run(tree.visits[rest:], tree.worth[rest:], bonus, walk.values[few:count])
    return highest(walk.values, count, rng)


@kernel
def action_at(walk: Simulation, ways: int, pick: int) -> int:
    """The action that is number `pick` of those at the unknown cells, in the order of the walk."""
    place = pick // ways
    return ways * np.int64(walk.unknown[place]) + pick - ways * place


@kernel
def has_action(tree: Tree, start: int, count: int, action: int) -> bool:
    """Whether one of `count` slots from `start` on is that of an action."""
    for slot in range(start, start + count):
        if get_link(tree, slot, ACTION) == action:
            return True
    return False


@kernel
def lay_first(walk: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> bool:
    """Give a node its first few actions, a random choice; False if the tree is full."""
    few = min(FEW, ways * walk.count)
    start = claim(tree, walk, few)
    if start == 0:
        return False
    found = 0
    while found < few:
        action = action_at(walk, ways, below(rng, ways * walk.count))
        if not has_action(tree, start, found, action):
            set_link(tree, start + found, ACTION, action)
            found += 1
    publish(tree, node, FIRST, start)
    return True


@kernel
def lay_rest(walk: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> bool:
    """Give a node all its other actions in random order; False if the tree is full."""
    start = claim(tree, walk, ways * walk.count - FEW)
    if start == 0:
        return False
    first, found = get_link(tree, node, FIRST), 0
    for pick in range(ways * walk.count):
        action = action_at(walk, ways, pick)
        if has_action(tree, first, FEW, action):
            continue
        other = below(rng, found + 1)
        set_link(tree, start + found, ACTION, get_link(tree, start + other, ACTION))
        set_link(tree, start + other, ACTION, action)
        found += 1
    publish(tree, node, REST, start)
    return True


@kernel
def add_root(tree: Tree, walk: Simulation, ways: int, visits: Floats, worth: Floats) -> None:
    """Add what one thread knows about the root of its tree to sums for each action."""
    for k in range(children(tree, 0, ways * walk.root_count)):
        action = get_link(tree, child(tree, 0, k), ACTION)
        visits[action] += walk.own_visits[1 + k]
        worth[action] += walk.own_worth[1 + k]
