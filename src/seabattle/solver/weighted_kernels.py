"""The best strategy against layouts that are not equally likely.

The same search as in `branch_and_bound_kernels`, with a whole-number weight for each layout
and the bounds that weights need. A position's layouts are listed heaviest first, and
splitting keeps that order. Let T(k) be the weight of the k heaviest layouts of a position.
Where at most P[m] layouts can finish with m misses, at most T(P[m]) of the weight can, so
the misses add up to at least the sum over m of max(0, weight - T(P[m])).

Layouts of weight 0 are last in the list. They do not count in the search; `play_weighted`
shoots at them, once nothing else is possible, where most of them have a ship.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, Ints
from ..compiled.jit import kernel
from .branch_and_bound_kernels import (
    ENDLESS,
    MOST_CELLS,
    MOST_DEPTH,
    MOST_KINDS,
    PROBE,
    Int8s,
    Int32s,
    Key,
    Outlook,
    Position,
    ProofTable,
    Ranking,
    SearchScratch,
    SearchTables,
    count_answers,
    find_proof,
    free_hit,
    is_dominated,
    last_hit_cost,
    part_of,
    position_key,
    sort_degrees,
    split,
    stage_of,
    store_proof,
    survey,
    turned,
)

Int16s = npt.NDArray[np.int16]

UNFINISHED = -1
"""The cost of a layout whose game has not been played to the end."""


class WeightedTables(NamedTuple):
    """What the weighted bounds need besides `SearchTables`."""

    profile: Ints
    """(stages, misses) how many layouts can finish"""
    heaviest: Ints
    """(layouts + 1,) scratch: T(k) of the position that is being ranked"""


class ReplayStack:
    """Positions that are yet to be played."""

    start: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    count: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    hits: Annotated[npt.NDArray[np.uint64], "u8", (MOST_DEPTH * MOST_KINDS,)]
    fired: Annotated[npt.NDArray[np.uint64], "u8", (MOST_DEPTH * MOST_KINDS,)]
    missed: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    parts: Annotated[Ints, "i8", (MOST_KINDS + 1,)]
    sizes: Annotated[Ints, "i8", (MOST_KINDS,)]
    counts: Annotated[Ints, "i8", (MOST_CELLS,)]


@kernel
def list_heaviest(tables: SearchTables, items: Int32s, position: Position, heaviest: Ints) -> int:
    """Fill T for the layouts of layer 0; how many those are."""
    heaviest[0] = 0
    size = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        if tables.layer[layout] == 0:
            heaviest[size + 1] = heaviest[size] + tables.weight[layout]
            size += 1
    return size


@kernel
def count_weights(
    tables: SearchTables, counts: Ints, items: Int32s, position: Position, cells: np.uint64
) -> None:
    """Fill `counts[0]` with the weight of layer 0 on each cell."""
    counts[0, : tables.cells] = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        if tables.layer[layout] != 0:
            continue
        rest = tables.mask[layout] & cells
        while rest != 0:
            counts[0, lowest(rest)] += tables.weight[layout]
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
def rank_weighted(
    tables: SearchTables,
    weighted: WeightedTables,
    scratch: SearchScratch,
    items: Int32s,
    depth: int,
    position: Position,
    outlook: Outlook,
    favourite: int,
) -> Ranking:
    """`branch_and_bound_kernels.rank_cells` with the bounds of weights."""
    counts, degrees = scratch.counts, scratch.degrees
    kinds = tables.ships + 2
    rest = outlook.unsure | (outlook.certain & ~position.hits)
    count_answers(tables, scratch, items, position, rest)
    if tables.ship_cells - popcount(position.hits) == 1:
        cells = sort_degrees(counts, kinds, rest, degrees)
        return Ranking(0, last_hit_cost(False, degrees, cells))

    heaviest = weighted.heaviest
    size = list_heaviest(tables, items, position, heaviest)
    light = outlook.total - heaviest[size]
    count_weights(tables, counts, items, position, rest)
    cells = 0
    others = rest
    while others != 0:
        degree = counts[0, lowest(others)]
        others &= others - ONE
        place = cells
        while place > 0 and degrees[place - 1] < degree:
            degrees[place] = degrees[place - 1]
            place -= 1
        degrees[place] = degree
        cells += 1
    stage = stage_of(tables, items, position)
    number = tables.stage_number[stage]
    bound = weighted_position_bound(tables.after_hit[number], heaviest, size, degrees, cells)

    order, promise = scratch.order[depth], scratch.promise[depth]
    choices = 0
    while rest != 0:
        cell = lowest(rest)
        rest &= rest - ONE
        if not tables.ordered and is_dominated(scratch.implied, outlook.unsure, cell):
            continue
        missed, cost = outlook.total, 0
        for code in range(1, kinds):
            weight = counts[code, cell]
            if weight > 0:
                missed -= weight
                after = tables.stage_number[stage + tables.stage_step[code]]
                cost += least_misses(weighted.profile[after], heaviest, size, weight - light)
        cost += missed + least_misses(weighted.profile[number], heaviest, size, missed - light)
        key = PROBE if cell == favourite else cost
        place = choices
        while place > 0 and key < (PROBE if order[place - 1] == favourite else promise[place - 1]):
            order[place], promise[place] = order[place - 1], promise[place - 1]
            place -= 1
        order[place], promise[place] = cell, cost
        choices += 1
    return Ranking(choices, bound)


@kernel
def search_weighted(
    tables: SearchTables,
    weighted: WeightedTables,
    proven: ProofTable,
    scratch: SearchScratch,
    items: Int32s,
    depth: int,
    position: Position,
    top: int,
    limit: int,
) -> int:
    """The exact cost of a position if it is at most `limit`, else a lower bound above it.

    From `top` on, `items` is free. See `branch_and_bound_kernels.search`.
    """
    scratch.nodes += 1
    if scratch.nodes > scratch.node_limit:
        scratch.stopped = 1
        return 0
    outlook = survey(tables, items, position)
    if outlook.unsure == 0:
        return 0
    forced = -1
    if tables.answers == HIT_MISS:
        position = Position(position.start, position.count, outlook.certain)
    else:
        waiting = outlook.certain & ~position.hits
        forced = free_hit(tables, items, position, waiting)

    order, promise = scratch.order[depth], scratch.promise[depth]
    key = Key(np.uint64(0), np.uint64(0), np.int64(0))
    known, move, best = 0, -1, limit + 1
    if forced >= 0:
        order[0], promise[0] = forced, 0
        choices = 1
        if limit == PROBE:
            best = ENDLESS
    else:
        key = position_key(tables, items, scratch.words, position, outlook.certain & ~position.hits)
        entry = find_proof(proven, key)
        if entry >= 0:
            known = np.int64(proven.proofs[entry]) >> 1
            if proven.proofs[entry] & 1 or known > limit:
                return known
            if proven.moves[entry] >= 0:
                move = np.int64(tables.cell_image[key.image, proven.moves[entry]])
        ranking = rank_weighted(tables, weighted, scratch, items, depth, position, outlook, move)
        choices = ranking.choices
        known = max(known, ranking.bound)
        if choices == 0:
            return ranking.bound
        if known > limit:
            return known

    parts, bounds = scratch.parts[depth], scratch.bounds[depth]
    # As in `search`: a literal argument would make a second specialisation.
    probe = min(limit, PROBE)
    kinds = tables.ships + 2
    best_move, least = -1, ENDLESS
    for choice in range(choices):
        if promise[choice] >= best:
            least = min(least, promise[choice])
            continue
        cell = order[choice]
        split(tables, items, position, cell, top, parts, scratch.sizes)
        after = position.hits | (ONE << np.uint64(cell))
        value = scratch.sizes[kinds - 1]
        for part in range(kinds):
            child = part_of(parts, part, after if part < kinds - 1 else position.hits)
            bounds[part] = 0
            if child.count > 1:
                bounds[part] = search_weighted(
                    tables, weighted, proven, scratch, items, depth + 1, child, parts[kinds], probe
                )
                if scratch.stopped:
                    return 0
            value += bounds[part]
            if value >= best:
                break
        if value >= best:
            least = min(least, value)
            continue
        if limit == PROBE:
            return value
        for part in range(kinds):
            child = part_of(parts, part, after if part < kinds - 1 else position.hits)
            if child.count <= 1:
                continue
            others = value - bounds[part]
            found = search_weighted(
                tables,
                weighted,
                proven,
                scratch,
                items,
                depth + 1,
                child,
                parts[kinds],
                best - 1 - others,
            )
            if scratch.stopped:
                return 0
            value = found + others
            if value >= best:
                break
        if value < best:
            best, best_move = value, cell
            if best <= known:
                break
        else:
            least = min(least, value)
    if forced >= 0:
        return best if best_move >= 0 else least
    proof = 2 * best + 1 if best_move >= 0 else 2 * max(known, least)
    if best_move >= 0:
        move = best_move
    store_proof(proven, key, proof, turned(tables.cell_image, key.image, move))
    return proof >> 1


@kernel
def most_covered(
    tables: SearchTables, items: Int32s, counts: Ints, position: Position, weighted: bool
) -> int:
    """The cell not hit yet with the most weight, or with the most layouts."""
    counts[: tables.cells] = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        rest = tables.mask[layout] & ~position.hits
        while rest != 0:
            counts[lowest(rest)] += tables.weight[layout] if weighted else 1
            rest &= rest - ONE
    best, most = -1, 0
    for cell in range(tables.cells):
        if counts[cell] > most:
            best, most = cell, counts[cell]
    return best


@kernel
def next_weighted(
    tables: SearchTables,
    weighted: WeightedTables,
    proven: ProofTable,
    scratch: SearchScratch,
    stack: ReplayStack,
    items: Int32s,
    position: Position,
) -> int:
    """The cell that the proofs tell to shoot at; layouts of weight 0 are last in a position."""
    likely = 0
    while likely < position.count and tables.weight[items[position.start + likely]] > 0:
        likely += 1
    if likely == 0:
        return most_covered(tables, items, stack.counts, position, False)
    chosen = Position(position.start, likely, position.hits)
    outlook = survey(tables, items, chosen)
    waiting = outlook.certain & ~position.hits
    if waiting != 0 and (outlook.unsure == 0 or tables.answers == HIT_MISS):
        return lowest(waiting)
    cell = free_hit(tables, items, chosen, waiting) if waiting != 0 else -1
    if cell >= 0:
        return cell
    key = position_key(tables, items, scratch.words, chosen, waiting)
    entry = find_proof(proven, key)
    if entry >= 0 and proven.moves[entry] >= 0:
        return np.int64(tables.cell_image[key.image, proven.moves[entry]])
    if rank_weighted(tables, weighted, scratch, items, 0, chosen, outlook, -1).choices > 0:
        return scratch.order[0, 0]
    return most_covered(tables, items, stack.counts, chosen, True)


@kernel
def is_settled(tables: SearchTables, items: Int32s, position: Position) -> bool:
    """Whether all layouts of a position cover the same cells, so that nothing can miss."""
    first = tables.mask[items[position.start]]
    for index in range(position.start + 1, position.start + position.count):
        if tables.mask[items[index]] != first:
            return False
    return True


@kernel
def play_weighted(
    tables: SearchTables,
    weighted: WeightedTables,
    proven: ProofTable,
    scratch: SearchScratch,
    stack: ReplayStack,
    items: Int32s,
    rows: int,
    replayed: bool,
    moves: Int8s,
    misses: Int16s,
) -> int:
    """Play a strategy against all layouts at once; the misses of each go to `misses`.

    The strategy is what the proofs tell, and its cells are written to `moves`, in the order
    in which positions are played; or, if it is `replayed`, the one that `moves` holds.
    Returns how many moves there are, or -1 if those in `moves` are not a strategy.
    """
    kinds = tables.ships + 2
    stack.start[0], stack.count[0], stack.missed[0] = 0, rows, 0
    stack.hits[0] = stack.fired[0] = np.uint64(0)
    height, length = 1, 0
    while height > 0:
        height -= 1
        position = Position(stack.start[height], stack.count[height], stack.hits[height])
        missed, fired = stack.missed[height], stack.fired[height]
        if is_settled(tables, items, position):
            for index in range(position.start, position.start + position.count):
                misses[items[index]] = missed
            continue
        if length >= moves.size:
            return -1
        if replayed:
            cell = np.int64(moves[length])
            if cell < 0 or cell >= tables.cells or fired >> np.uint64(cell) & ONE != 0:
                return -1
        else:
            cell = next_weighted(tables, weighted, proven, scratch, stack, items, position)
            moves[length] = cell
        length += 1
        top = position.start + position.count
        split(tables, items, position, cell, top, stack.parts, stack.sizes)
        bit = ONE << np.uint64(cell)
        for part in range(kinds):
            if stack.parts[part + 1] == stack.parts[part]:
                continue
            struck = part < kinds - 1
            stack.start[height] = stack.parts[part]
            stack.count[height] = stack.parts[part + 1] - stack.parts[part]
            stack.hits[height] = position.hits | bit if struck else position.hits
            stack.fired[height] = fired | bit
            stack.missed[height] = missed if struck else missed + 1
            height += 1
    return length
