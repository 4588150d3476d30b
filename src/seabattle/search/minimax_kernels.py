"""Minimax against a hider who never commits, depth first, with or without alpha-beta.

A position is the set of layouts that agree with the shots. The shooter chooses a cell, and
the hider answers hit or miss as long as some layout agrees. The value is the number of shots
until every ship cell is hit:

    value(layouts) = 0 if all ship cells are hit, else
                     1 + min over cells, max over answers, of value(layouts that agree)

Cells on which no layout has a ship are not tried: a shot there tells nothing.

Alpha-beta stops looking at a cell once an answer needs as many shots as the best cell found
so far, and at a position once a cell meets the bound from above. Nothing is remembered
between positions; `solve --worst-case` does that, and proves larger boards.
"""

from __future__ import annotations

import numpy as np

from ..compiled.atomics import atomic_add, atomic_load
from ..compiled.bits import popcount
from ..compiled.board_tables import Bits, Ints
from ..compiled.jit import kernel

MOST = 10_000
"""more than any value"""
NODES, BEST, NEXT = range(3)
"""what the threads share: nodes visited, the lowest value at the root, the next cell to try"""
ONE = np.uint64(1)


@kernel
def cells_by_ships(masks: Bits, shot: np.uint64, cells: int, order: Ints) -> int:
    """The unknown cells with a ship in some layout, those with most layouts first; how many."""
    counts = np.zeros(cells, dtype=np.int64)
    for layout in range(masks.size):
        for cell in range(cells):
            if masks[layout] >> np.uint64(cell) & ONE:
                counts[cell] += 1
    found = 0
    for cell in range(cells):
        if counts[cell] == 0 or shot >> np.uint64(cell) & ONE:
            continue
        place = found
        while place > 0 and counts[order[place - 1]] < counts[cell]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = cell
        found += 1
    return found


@kernel
def agreeing(masks: Bits, cell: int, hit: int) -> Bits:
    """The layouts that answer a shot in this way."""
    kept = np.empty(masks.size, dtype=np.uint64)
    count = 0
    for layout in range(masks.size):
        if (masks[layout] >> np.uint64(cell) & ONE) == np.uint64(hit):
            kept[count] = masks[layout]
            count += 1
    return kept[:count]


@kernel
def position_value(
    masks: Bits,
    shot: np.uint64,
    cells: int,
    limit: int,
    pruning: bool,
    most_nodes: int,
    shared: Ints,
) -> int:
    """Shots to the end with best play; with pruning, some number from `limit` on if it is not
    below `limit`. MOST if there are too many nodes."""
    to_find = popcount(masks[0] & ~shot)
    if to_find == 0:
        return 0
    if atomic_add(shared, NODES, 1) >= most_nodes:
        return MOST
    if pruning and to_find >= limit:
        return to_find
    order = np.empty(cells, dtype=np.int64)
    count = cells_by_ships(masks, shot, cells, order)
    best = MOST - 1
    for k in range(count):
        bound = min(best, limit) if pruning else MOST
        worst = 0
        # The miss first: it usually needs more shots, and then cuts the hit off.
        for hit in range(2):
            left = agreeing(masks, order[k], hit)
            if left.size > 0:
                now = shot | ONE << np.uint64(order[k])
                value = 1 + position_value(left, now, cells, bound - 1, pruning, most_nodes, shared)
                if value >= MOST:
                    return MOST
                worst = max(worst, value)
                if pruning and worst >= bound:
                    break
        best = min(best, worst)
        if pruning and best <= to_find:
            break
    return best


@kernel
def try_cells(
    masks: Bits,
    shot: np.uint64,
    cells: int,
    order: Ints,
    pruning: bool,
    most_nodes: int,
    shared: Ints,
    values: Ints,
) -> None:
    """One thread's part of the root: take the next cell until none is left.

    With pruning, the value of a cell that is no better than the best is some number from the
    best on.
    """
    while True:
        number = atomic_add(shared, NEXT, 1)
        if number >= order.size:
            return
        bound = atomic_load(shared, BEST) if pruning else MOST
        now = shot | ONE << np.uint64(order[number])
        worst = 0
        for hit in range(2):
            left = agreeing(masks, order[number], hit)
            if left.size > 0 and not (pruning and worst >= bound):
                value = 1 + position_value(left, now, cells, bound - 1, pruning, most_nodes, shared)
                worst = max(worst, value)
        values[number] = worst
        # If two threads write at once, the bound is only less sharp.
        if worst < atomic_load(shared, BEST):
            shared[BEST] = worst
