"""Selection and expansion at a node: an untried action, or the one with the highest bound.

There are `ways` actions per unknown cell, numbered `ways` × cell + way. A node's children
are stored in random order, so the next untried one is a random one.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled.board_tables import Floats
from ..compiled.jit import lean_kernel
from ..compiled.random_streams import Rng, below
from .simulation_kernels import Simulation, claim
from .tree_kernels import (
    ACTION,
    FEW,
    FIRST,
    REST,
    TRIED,
    Tree,
    child,
    children,
    claim_child,
    compare_children,
    get_link,
    highest,
    publish,
    set_link,
    uct_bounds,
)


@lean_kernel
def untried_child(simulation: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> int:
    """The number of an untried child of a node; -1 if all are tried or the tree is full."""
    most = ways * simulation.count
    tried = get_link(tree, node, TRIED)
    if tried >= most:
        return -1
    if get_link(tree, node, FIRST) == 0 and not expand_first(simulation, tree, node, ways, rng):
        return -1
    if tried >= FEW and get_link(tree, node, REST) == 0:
        if not expand_rest(simulation, tree, node, ways, rng):
            return -1
    number = claim_child(tree, node)
    if number >= most or (number >= FEW and get_link(tree, node, REST) == 0):
        return -1
    return number


@lean_kernel
def best_child(
    simulation: Simulation, tree: Tree, node: int, count: int, bonus: float, rng: Rng
) -> int:
    """The child with the highest UCT bound among the first `count`, ties broken at random."""
    exploration = math.sqrt(bonus)
    bounds = simulation.bounds[:count]
    if node == 0:
        uct_bounds(simulation.root_means[1:], simulation.root_widths[1:], exploration, bounds)
    else:
        first, rest = get_link(tree, node, FIRST), get_link(tree, node, REST)
        few = min(count, FEW)
        compare_children(tree, node, count)
        uct_bounds(tree.means[first:], tree.widths[first:], exploration, bounds[:few])
        uct_bounds(tree.means[rest:], tree.widths[rest:], exploration, bounds[few:])
    return highest(bounds, rng)


@lean_kernel
def action_at(simulation: Simulation, ways: int, pick: int) -> int:
    """Action number `pick` of those at the unknown cells."""
    place = pick // ways
    return ways * np.int64(simulation.unknown[place]) + pick - ways * place


@lean_kernel
def has_action(tree: Tree, start: int, count: int, action: int) -> bool:
    """Whether one of the `count` slots from `start` on has this action."""
    for slot in range(start, start + count):
        if get_link(tree, slot, ACTION) == action:
            return True
    return False


@lean_kernel
def expand_first(simulation: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> bool:
    """Give a node its first few children, random actions; False if the tree is full."""
    few = min(FEW, ways * simulation.count)
    start = claim(tree, simulation, few)
    if start == 0:
        return False
    found = 0
    while found < few:
        action = action_at(simulation, ways, below(rng, ways * simulation.count))
        if not has_action(tree, start, found, action):
            set_link(tree, start + found, ACTION, action)
            found += 1
    publish(tree, node, FIRST, start)
    return True


@lean_kernel
def expand_rest(simulation: Simulation, tree: Tree, node: int, ways: int, rng: Rng) -> bool:
    """Give a node all its other children in random order; False if the tree is full."""
    start = claim(tree, simulation, ways * simulation.count - FEW)
    if start == 0:
        return False
    first, found = get_link(tree, node, FIRST), 0
    for pick in range(ways * simulation.count):
        action = action_at(simulation, ways, pick)
        if has_action(tree, first, FEW, action):
            continue
        other = below(rng, found + 1)
        set_link(tree, start + found, ACTION, get_link(tree, start + other, ACTION))
        set_link(tree, start + other, ACTION, action)
        found += 1
    publish(tree, node, REST, start)
    return True


@lean_kernel
def add_root(
    tree: Tree, simulation: Simulation, ways: int, visits: Floats, rewards: Floats
) -> None:
    """Add one thread's counts at the root to the totals of each action."""
    for k in range(children(tree, 0, ways * simulation.root_count)):
        action = get_link(tree, child(tree, 0, k), ACTION)
        visits[action] += simulation.own_visits[1 + k]
        rewards[action] += simulation.own_rewards[1 + k]
