"""Which cells are worth a shot, most promising first, with lower bounds.

Dominated cells. If every layout that covers c also covers d, then d is at least as
good a shot as c: shooting d and then c costs no more than shooting c and tells more.
Only where the order of shots tells nothing (`ordered` is off).

Finishing profiles. P[m] is an upper bound on how many layouts any strategy can finish
with at most m misses. Until its first hit a strategy shoots a fixed sequence of
cells; the i-th cell takes at most as many layouts as cover it, of which at most
P'[m - i + 1] finish in time. The total of misses is at least the sum of
max(0, |S| - P[m]) over m. Profiles by the number of hits to come are tables made
from the whole board; those of a position also use its own cell counts.

Weights. Where layouts are not equally likely, a position's layouts are listed heaviest
first, and splitting keeps that order. Let T(k) be the weight of the k heaviest layouts of
a position. Where at most P[m] layouts can finish with m misses, at most T(P[m]) of the
weight can, so the misses add up to at least the sum over m of max(0, weight - T(P[m])).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, Bits, Int32s, Ints
from ..compiled.jit import kernel
from .positions_kernels import (
    Outlook,
    Position,
    SearchScratch,
    SearchTables,
    answer_to,
    stage_of,
)

PROBE = -1
"""A limit that asks only for the bound that is known without search; less than any bound."""

WEIGHT = 0
"""The row of `counts` that holds weights: no hit is answered by 0."""


class Ranking(NamedTuple):
    """How many cells are worth a shot, and a lower bound for the position.

    With no cells the bound is the exact cost.
    """

    choices: int
    bound: int


@kernel
def count_answers(
    tables: SearchTables,
    scratch: SearchScratch,
    items: Int32s,
    position: Position,
    cells: np.uint64,
) -> tuple[int, int]:
    """Fill `counts`, `units` and `implied` for some cells.

    Returns how many layouts are in layer 0, and how many may share their ending with one.
    """
    counts, units, implied = scratch.counts, scratch.units, scratch.implied
    answers, ship_at, ship_mask = tables.answers, tables.ship_at, tables.ship_mask
    mask, weights, layer = tables.mask, tables.weight, tables.layer
    for code in range(1, tables.ships + 2):
        counts[code, : tables.cells] = 0
        units[code, : tables.cells] = 0
    implied[: tables.cells] = ~np.uint64(0)
    first, second = 0, 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        own, weight = mask[layout], weights[layout]
        unit = 1 if layer[layout] == 0 else 0
        first += unit
        second += 1 if layer[layout] == 1 or weight > 1 else 0
        rest = own & cells
        while rest != 0:
            cell = lowest(rest)
            rest &= rest - ONE
            implied[cell] &= own
            code = 1
            if answers != HIT_MISS:
                code = answer_to(answers, ship_at, ship_mask, position.hits, layout, cell)
            counts[code, cell] += weight
            units[code, cell] += unit
    return first, second


@kernel
def sort_degrees(counts: Ints, first: int, last: int, cells: np.uint64, degrees: Ints) -> int:
    """List in `degrees` each cell's counts under the answers `first` to `last`, added up, the
    highest first; how many cells."""
    size = 0
    while cells != 0:
        cell = lowest(cells)
        cells &= cells - ONE
        degree = 0
        for code in range(first, last + 1):
            degree += counts[code, cell]
        place = size
        while place > 0 and degrees[place - 1] < degree:
            degrees[place] = degrees[place - 1]
            place -= 1
        degrees[place] = degree
        size += 1
    return size


@kernel
def last_hit_cost(worst: bool, degrees: Ints, cells: int) -> int:
    """The exact cost where one hit is left everywhere: the likeliest cells first."""
    if worst:
        return cells - 1
    cost = 0
    for place in range(cells):
        cost += place * degrees[place]
    return cost


@kernel
def position_bound(worst: bool, profile: Ints, degrees: Ints, cells: int, total: int) -> int:
    """A lower bound from the cell counts of a position.

    `profile` is that of the position after a hit; `degrees` are sorted, highest first.
    """
    cost, misses = 0, 0
    while True:
        finish = 0
        for shot in range(min(misses + 1, cells)):
            finish += min(degrees[shot], profile[misses - shot])
        if finish >= total or misses >= cells:
            return cost
        cost += 1 if worst else total - finish
        misses += 1


@kernel
def is_dominated(implied: Bits, unsure: np.uint64, cell: int) -> bool:
    """Whether another cell is at least as good a shot; of equally good ones, the first is kept."""
    bit = ONE << np.uint64(cell)
    others = implied[cell] & unsure & ~bit
    while others != 0:
        other = lowest(others)
        others &= others - ONE
        if implied[other] & bit == 0 or other < cell:
            return True
    return False


@kernel
def shot_bound(
    tables: SearchTables,
    counts: Ints,
    units: Ints,
    cell: int,
    stage: int,
    total: int,
    first: int,
) -> int:
    """A lower bound on the cost of shooting at a cell.

    `total` and `first` are the weight of all layouts and the number in layer 0.
    """
    size_bound, stage_number, worst = tables.size_bound, tables.stage_number, tables.worst
    widest = size_bound.shape[1] - 1
    missed, missed_first = total, first
    cost = 0
    for code in range(1, tables.ships + 2):
        if counts[code, cell] == 0:
            continue
        size = units[code, cell]
        missed -= counts[code, cell]
        missed_first -= size
        number = stage_number[stage + tables.stage_step[code]]
        part = np.int64(size_bound[number, min(size, widest)])
        cost = max(cost, part) if worst else cost + part
    part = np.int64(size_bound[stage_number[stage], min(missed_first, widest)])
    if not worst:
        return cost + missed + part
    return max(cost, 1 + part) if missed > 0 else cost


@kernel
def list_heaviest(tables: SearchTables, items: Int32s, position: Position) -> None:
    """Fill `heaviest` for the layouts of layer 0."""
    heaviest = tables.heaviest
    heaviest[0] = 0
    size = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        if tables.layer[layout] == 0:
            heaviest[size + 1] = heaviest[size] + tables.weight[layout]
            size += 1


@kernel
def count_weights(
    tables: SearchTables, counts: Ints, items: Int32s, position: Position, cells: np.uint64
) -> None:
    """Fill `counts[WEIGHT]` with the weight of layer 0 on each cell."""
    counts[WEIGHT, : tables.cells] = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        if tables.layer[layout] != 0:
            continue
        rest = tables.mask[layout] & cells
        while rest != 0:
            counts[WEIGHT, lowest(rest)] += tables.weight[layout]
            rest &= rest - ONE


@kernel
def least_misses(profile: Ints, heaviest: Ints, size: int, weight: int) -> int:
    """A lower bound for layouts of this weight, among those of a position of `size`."""
    cost = 0
    for misses in range(profile.size):
        finish = heaviest[min(profile[misses], size)]
        if finish >= weight:
            break
        cost += weight - finish
    return cost


@kernel
def weighted_position_bound(
    after_hit: Ints, heaviest: Ints, size: int, degrees: Ints, cells: int
) -> int:
    """A lower bound from the weights of a position's cells, sorted, highest first."""
    total = heaviest[size]
    cost, misses = 0, 0
    while misses < cells:
        finish = 0
        for shot in range(misses + 1):
            finish += min(degrees[shot], heaviest[min(after_hit[misses - shot], size)])
        if finish >= total:
            break
        cost += total - finish
        misses += 1
    return cost


@kernel
def weighted_shot_bound(
    tables: SearchTables, counts: Ints, cell: int, stage: int, total: int, size: int
) -> int:
    """`shot_bound` by weight; `size` is the number of layouts in layer 0."""
    heaviest = tables.heaviest
    light = total - heaviest[size]
    missed, cost = total, 0
    for code in range(1, tables.ships + 2):
        weight = counts[code, cell]
        if weight > 0:
            missed -= weight
            after = tables.stage_number[stage + tables.stage_step[code]]
            cost += least_misses(tables.profile[after], heaviest, size, weight - light)
    number = tables.stage_number[stage]
    return cost + missed + least_misses(tables.profile[number], heaviest, size, missed - light)


@kernel
def rank_cells(
    tables: SearchTables,
    scratch: SearchScratch,
    items: Int32s,
    depth: int,
    position: Position,
    outlook: Outlook,
    favourite: int,
) -> Ranking:
    """List the cells worth a shot in `order`, most promising first, with a lower bound for
    each in `promise`; `favourite` comes first."""
    counts, units, degrees = scratch.counts, scratch.units, scratch.degrees
    worst, hits = tables.worst, tables.ships + 1
    rest = outlook.unsure | (outlook.certain & ~position.hits)
    first, second = count_answers(tables, scratch, items, position, rest)
    if tables.ship_cells - popcount(position.hits) == 1:
        cells = sort_degrees(counts, 1, hits, rest, degrees)
        return Ranking(0, last_hit_cost(worst, degrees, cells))

    stage = stage_of(tables, items, position)
    number = tables.stage_number[stage]
    if tables.weighted:
        list_heaviest(tables, items, position)
        count_weights(tables, counts, items, position, rest)
        cells = sort_degrees(counts, WEIGHT, WEIGHT, rest, degrees)
        bound = weighted_position_bound(
            tables.after_hit[number], tables.heaviest, first, degrees, cells
        )
    else:
        cells = sort_degrees(units, 1, hits, rest, degrees)
        bound = position_bound(worst, tables.after_hit[number], degrees, cells, first)
        other = np.int64(tables.size_bound[number, min(second, tables.size_bound.shape[1] - 1)])
        bound = max(bound, other) if worst else bound + other

    order, promise = scratch.order[depth], scratch.promise[depth]
    choices = 0
    while rest != 0:
        cell = lowest(rest)
        rest &= rest - ONE
        if not tables.ordered and is_dominated(scratch.implied, outlook.unsure, cell):
            continue
        if tables.weighted:
            cost = weighted_shot_bound(tables, counts, cell, stage, outlook.total, first)
        else:
            cost = shot_bound(tables, counts, units, cell, stage, outlook.total, first)
        key = PROBE if cell == favourite else cost
        place = choices
        while place > 0 and key < (PROBE if order[place - 1] == favourite else promise[place - 1]):
            order[place], promise[place] = order[place - 1], promise[place - 1]
            place -= 1
        order[place], promise[place] = cell, cost
        choices += 1
    return Ranking(choices, bound)
