"""Optimal search: depth-first branch and bound over sets of layouts.

A position is the set of layouts that are still possible, together with the cells
that were hit. Only misses are counted: every layout also costs one shot for each of
its ship cells, whatever the strategy. With M(S) the least total of misses over the
layouts of S,

    M(S) = min over cells c of |S without c| + sum over answers a of M(S that answer a to c)

(`worst` asks for the most misses of any layout instead: max for sum, 1 for the size).

`search` proves either the exact value, if it is at most `limit`, or a lower bound
above it. Proofs are stored in a table under a 128-bit sum of random words, one per
layout, the least over the symmetries of the board; so a position is recognised in
whatever order and orientation it was reached.

Three things keep the search small.

Free hits. A cell that every layout covers must be hit anyway. Where the order of
shots tells nothing (`ordered` is off) it is shot at once.

Dominated cells. If every layout that covers c also covers d, then d is at least as
good a shot as c: shooting d and then c costs no more than shooting c and tells more.
Also only where the order tells nothing.

Finishing profiles. P[m] is an upper bound on how many layouts any strategy can finish
with at most m misses. Until its first hit a strategy shoots a fixed sequence of
cells; the i-th cell takes at most as many layouts as cover it, of which at most
P'[m - i + 1] finish in time. The total of misses is at least the sum of
max(0, |S| - P[m]) over m. Profiles by the number of hits to come are tables made
from the whole board; those of a position also use its own cell counts.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, Bits, Ints
from ..compiled.jit import kernel

MOST_CELLS = 64
"""Cells of a board that can be searched: one word."""

MOST_KINDS = MOST_CELLS + 2
"""Different answers to a shot: a miss, a hit, and one for each ship."""

MOST_DEPTH = 2 * MOST_CELLS + 4
"""Shots on the way to any position, and some to spare."""

MOST_IMAGES = 48
"""Symmetries that keys are made under."""

PROBE = -1
"""A limit that asks only for the bound that is known without search."""

ENDLESS = 1 << 40

WINDOW = 16
"""Places of the proof table that are tried for one position."""

Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]


class SearchTables(NamedTuple):
    """The unchanging tables of one problem.

    A hit can be answered in `ships` + 1 ways, numbered from 1 (see `answer_to`); a miss is 0.
    """

    answers: int
    """HIT_MISS, SUNK, SUNK_NAMED or NAMED"""
    ordered: bool
    """whether the order of the same shots can tell more or less"""
    worst: bool
    """whether the cost is the most misses of any layout, not their sum"""
    cells: int
    ships: int
    ship_cells: int
    mask: Bits
    """(layouts,) the cells of the fleet"""
    weight: Ints
    """(layouts,) how many layouts a row stands for"""
    ship_at: Int8s
    """(layouts, cells) the ship on each cell, or -1"""
    ship_mask: Bits
    """(layouts, ships) the cells of each ship"""
    layout_words: Bits
    """(layouts, 2 × symmetries) random words of each layout's images"""
    cell_words: Bits
    """(cells, 2 × symmetries) the same for cells"""
    cell_image: Int8s
    """(symmetries, cells) from the cells of an image back to those of the board"""
    layer: Int8s
    """(layouts,) see `Problem.layer`"""
    stage_share: Ints
    """(ships, hits) each ship's share of the code of a stage (see `stages`)"""
    stage_step: Ints
    """(answers,) what an answer adds to the code"""
    stage_number: Ints
    """(codes,) the number of each stage"""
    after_hit: Ints
    """(stages, misses) layouts that can finish after a hit"""
    size_bound: Int32s
    """(stages, layouts) the least cost of so many layouts"""


class ProofTable(NamedTuple):
    """What has been proven, by position."""

    entries: Ints
    """(1,) how many entries are used"""
    keys: Bits
    """(entries, 2); the second word is 0 for a free entry and odd for a used one"""
    proofs: Int32s
    """(entries,) 2 × cost, + 1 if it is exact and not a lower bound"""
    moves: Int8s
    """(entries,) the best cell, as the key's symmetry turns it, or -1"""


class SearchScratch:
    """Working memory of a search; rows of one depth outlive the search of the next.

    One struct, as large as a board of 64 cells needs: Numba counts no references to it.
    """

    nodes: Annotated[int, "i8"]
    """positions searched so far"""
    node_limit: Annotated[int, "i8"]
    """stop when there are more"""
    stopped: Annotated[int, "i8"]
    """1 if a search was stopped by the limit"""
    parts: Annotated[Ints, "i8", (MOST_DEPTH, MOST_KINDS + 1)]
    """where the layouts of each answer begin in `items`"""
    bounds: Annotated[Ints, "i8", (MOST_DEPTH, MOST_KINDS)]
    """a lower bound for each answer"""
    order: Annotated[Ints, "i8", (MOST_DEPTH, MOST_CELLS)]
    """the cells worth a shot, most promising first"""
    promise: Annotated[Ints, "i8", (MOST_DEPTH, MOST_CELLS)]
    """a lower bound for each of them"""
    sizes: Annotated[Ints, "i8", (MOST_KINDS,)]
    """the weight of the layouts that give each answer"""
    counts: Annotated[Ints, "i8", (MOST_KINDS, MOST_CELLS)]
    """the weight of the layouts that give this answer at this cell"""
    units: Annotated[Ints, "i8", (MOST_KINDS, MOST_CELLS)]
    """how many of them are in layer 0"""
    degrees: Annotated[Ints, "i8", (MOST_CELLS,)]
    """how many layouts cover each cell, most first"""
    implied: Annotated[Bits, "u8", (MOST_CELLS,)]
    """the cells that all layouts through each cell cover"""
    words: Annotated[Bits, "u8", (2 * MOST_IMAGES,)]
    """a key under each symmetry"""
    stack_start: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    stack_count: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    stack_hits: Annotated[Bits, "u8", (MOST_DEPTH * MOST_KINDS,)]
    stack_missed: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    """positions that `play_policy` has yet to play, and the misses on the way there"""


class Position(NamedTuple):
    """`count` layouts from `items[start]` on, and the cells that were hit."""

    start: int
    count: int
    hits: np.uint64


class Outlook(NamedTuple):
    """The cells of a position, and its size."""

    certain: np.uint64
    """covered by every layout"""
    unsure: np.uint64
    """covered by some layouts and not by others"""
    total: int
    """the weight of its layouts"""


class Key(NamedTuple):
    """A position in the proof table, and the symmetry under which it stands there."""

    first: np.uint64
    second: np.uint64
    image: int


class Ranking(NamedTuple):
    """How many cells are worth a shot, and a lower bound for the position.

    With no cells the bound is the exact cost.
    """

    choices: int
    bound: int


@kernel
def survey(tables: SearchTables, items: Int32s, position: Position) -> Outlook:
    every, some = ~np.uint64(0), np.uint64(0)
    total = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        every &= tables.mask[layout]
        some |= tables.mask[layout]
        total += tables.weight[layout]
    return Outlook(every, some & ~every, total)


@kernel
def answer_to(
    answers: int, ship_at: Int8s, ship_mask: Bits, hits: np.uint64, layout: int, cell: int
) -> int:
    """0 for a miss, else what tells one kind of hit from another."""
    ship = np.int64(ship_at[layout, cell])
    if ship < 0:
        return 0
    if answers == HIT_MISS:
        return 1
    if answers == NAMED:
        return 2 + ship
    if ship_mask[layout, ship] & ~hits != ONE << np.uint64(cell):
        return 1
    return 2 if answers == SUNK else 2 + ship


@kernel
def split(
    tables: SearchTables,
    items: Int32s,
    position: Position,
    cell: int,
    top: int,
    parts: Ints,
    sizes: Ints,
) -> None:
    """Sort a position's layouts by their answer to a shot.

    They are written from `top` on, in the order of answers 1, 2, ..., then 0: part k
    is `parts[k]` to `parts[k + 1]`, the last part being the misses; `sizes` are weights.
    """
    answers, ship_at, ship_mask = tables.answers, tables.ship_at, tables.ship_mask
    weight = tables.weight
    kinds = tables.ships + 2
    start, end = position.start, position.start + position.count
    for k in range(kinds):
        sizes[k] = 0
        parts[k + 1] = 0
    for index in range(start, end):
        layout = items[index]
        code = answer_to(answers, ship_at, ship_mask, position.hits, layout, cell)
        part = code - 1 if code > 0 else kinds - 1
        parts[part + 1] += 1
        sizes[part] += weight[layout]
    parts[0] = top
    for k in range(kinds):
        parts[k + 1] += parts[k]
    for index in range(start, end):
        layout = items[index]
        code = answer_to(answers, ship_at, ship_mask, position.hits, layout, cell)
        part = code - 1 if code > 0 else kinds - 1
        items[parts[part]] = layout
        parts[part] += 1
    for k in range(kinds, 0, -1):
        parts[k] = parts[k - 1]
    parts[0] = top


@kernel
def part_of(parts: Ints, part: int, hits: np.uint64) -> Position:
    """One of the positions that `split` made."""
    return Position(parts[part], parts[part + 1] - parts[part], hits)


@kernel
def position_key(
    tables: SearchTables, items: Int32s, words: Bits, position: Position, waiting: np.uint64
) -> Key:
    """The key of a position; `waiting` are certain hits that were not shot yet."""
    layout_words = tables.layout_words
    width = layout_words.shape[1]
    for k in range(width):
        words[k] = np.uint64(0)
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        for k in range(width):
            words[k] += layout_words[layout, k]
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        for k in range(width):
            words[k] += tables.cell_words[cell, k]
    least = 0
    for image in range(1, width >> 1):
        if words[2 * image] < words[2 * least]:
            least = image
    return Key(words[2 * least], words[2 * least + 1] | ONE, least)


@kernel
def find_proof(proven: ProofTable, key: Key) -> int:
    """The entry of a position, or -1."""
    last = proven.proofs.size - 1
    entry = np.int64(key.first & np.uint64(last))
    for _ in range(WINDOW):
        if proven.keys[entry, 0] == key.first and proven.keys[entry, 1] == key.second:
            return entry
        if proven.keys[entry, 1] == 0:
            return -1
        entry = (entry + 1) & last
    return -1


@kernel
def store_proof(proven: ProofTable, key: Key, proof: int, move: int) -> None:
    """Store a proof; where the table is full it replaces the cheapest one nearby."""
    keys, proofs = proven.keys, proven.proofs
    last = proofs.size - 1
    entry = np.int64(key.first & np.uint64(last))
    cheapest, least = -1, ENDLESS
    for _ in range(WINDOW):
        if keys[entry, 1] == 0:
            proven.entries[0] += 1
            cheapest = -1
            break
        if keys[entry, 0] == key.first and keys[entry, 1] == key.second:
            cheapest = -1
            break
        if proofs[entry] < least:
            cheapest, least = entry, np.int64(proofs[entry])
        entry = (entry + 1) & last
    if cheapest >= 0:
        entry = cheapest
    keys[entry, 0], keys[entry, 1] = key.first, key.second
    proofs[entry] = proof
    proven.moves[entry] = move


@kernel
def copy_proofs(proven: ProofTable, other: ProofTable) -> None:
    """Store every entry of another table in this one."""
    for entry in range(other.proofs.size):
        if other.keys[entry, 1] != 0:
            key = Key(other.keys[entry, 0], other.keys[entry, 1], 0)
            proof, move = np.int64(other.proofs[entry]), np.int64(other.moves[entry])
            store_proof(proven, key, proof, move)


@kernel
def turned(cell_image: Int8s, image: int, move: int) -> int:
    """The cell that the symmetry `image` takes to `move`: how a move is stored."""
    for cell in range(cell_image.shape[1]):
        if cell_image[image, cell] == move:
            return cell
    return -1


@kernel
def free_hit(tables: SearchTables, items: Int32s, position: Position, waiting: np.uint64) -> int:
    """A certain hit among `waiting` that may be shot at once, or -1.

    Where the order of shots tells something, it may if it completes its ship in every
    layout: later answers stay the same. It also may if sinking is named and the cell
    is known to belong to one ship: each answer to come either stays the same, or
    tells earlier that this ship has sunk.
    """
    if not tables.ordered:
        return lowest(waiting) if waiting != 0 else -1
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        last, same = True, tables.answers != SUNK
        ship = tables.ship_at[items[position.start], cell]
        bit = ONE << np.uint64(cell)
        for index in range(position.start, position.start + position.count):
            layout = items[index]
            own = tables.ship_at[layout, cell]
            if tables.ship_mask[layout, own] & ~position.hits != bit:
                last = False
            if own != ship:
                same = False
            if not last and not same:
                break
        if last or same:
            return cell
    return -1


@kernel
def stage_of(tables: SearchTables, items: Int32s, position: Position) -> int:
    """The code of the stage of a position (see `stages`)."""
    code = 0
    for ship in range(tables.ships):
        struck = popcount(position.hits & tables.ship_mask[items[position.start], ship])
        code += tables.stage_share[ship, struck]
    return code


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
def sort_degrees(counts: Ints, kinds: int, cells: np.uint64, degrees: Ints) -> int:
    """List in `degrees` by how many layouts each cell is covered, most first; how many cells."""
    size = 0
    while cells != 0:
        cell = lowest(cells)
        cells &= cells - ONE
        degree = 0
        for code in range(1, kinds):
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
    worst, kinds = tables.worst, tables.ships + 2
    rest = outlook.unsure | (outlook.certain & ~position.hits)
    first, second = count_answers(tables, scratch, items, position, rest)
    last = tables.ship_cells - popcount(position.hits) == 1
    cells = sort_degrees(counts if last else units, kinds, rest, degrees)
    if last:
        return Ranking(0, last_hit_cost(worst, degrees, cells))

    stage = stage_of(tables, items, position)
    number = tables.stage_number[stage]
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
        cost = shot_bound(tables, counts, units, cell, stage, outlook.total, first)
        key = PROBE if cell == favourite else cost
        place = choices
        while place > 0 and key < (PROBE if order[place - 1] == favourite else promise[place - 1]):
            order[place], promise[place] = order[place - 1], promise[place - 1]
            place -= 1
        order[place], promise[place] = cell, cost
        choices += 1
    return Ranking(choices, bound)


@kernel
def search(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    items: Int32s,
    depth: int,
    position: Position,
    top: int,
    limit: int,
) -> int:
    """The exact cost of a position if it is at most `limit`, else a lower bound above it.

    From `top` on, `items` is free.
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
        # Certain hits tell nothing; they count as shot.
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
        ranking = rank_cells(tables, scratch, items, depth, position, outlook, move)
        choices = ranking.choices
        known = max(known, ranking.bound)
        if choices == 0:
            return ranking.bound
        if known > limit:
            return known

    parts, bounds = scratch.parts[depth], scratch.bounds[depth]
    # A literal argument would make a second specialisation of this recursive function,
    # and those crash when loaded from Numba's cache.
    probe = min(limit, PROBE)
    worst, kinds = tables.worst, tables.ships + 2
    best_move, least = -1, ENDLESS
    for choice in range(choices):
        if promise[choice] >= best:
            least = min(least, promise[choice])
            continue
        cell = order[choice]
        split(tables, items, position, cell, top, parts, scratch.sizes)
        after = position.hits | (ONE << np.uint64(cell))
        missed = scratch.sizes[kinds - 1]
        value = 0 if worst else missed
        # In the worst case a miss costs 1, and only the layouts that are missed.
        extra = min(missed, 1) if worst else 0
        for part in range(kinds):
            struck = part < kinds - 1
            child = part_of(parts, part, after if struck else position.hits)
            bounds[part] = 0
            if child.count > 1:
                bounds[part] = search(
                    tables, proven, scratch, items, depth + 1, child, parts[kinds], probe
                )
                if scratch.stopped:
                    return 0
            if worst:
                value = max(value, bounds[part] + (0 if struck else extra))
            else:
                value += bounds[part]
            if value >= best:
                break
        if value >= best:
            least = min(least, value)
            continue
        if limit == PROBE:
            return value
        for part in range(kinds):
            struck = part < kinds - 1
            child = part_of(parts, part, after if struck else position.hits)
            if child.count <= 1:
                continue
            others = (0 if struck else extra) if worst else value - bounds[part]
            found = search(
                tables,
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
            value = max(value, found + others) if worst else found + others
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


GREEDY, INFORMED = range(2)
"""Policies of `play_policy`."""


class PolicyCost(NamedTuple):
    """What a policy costs against all layouts of a position."""

    misses: int
    """in total"""
    most: int
    """of any layout"""
    first: int
    """the first cell"""


@kernel
def likeliest_cell(tables: SearchTables, items: Int32s, counts: Ints, position: Position) -> int:
    """The cell where most layouts have a ship, the first of several."""
    counts[: tables.cells] = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        rest = tables.mask[layout] & ~position.hits
        while rest != 0:
            counts[lowest(rest)] += tables.weight[layout]
            rest &= rest - ONE
    best, most = -1, 0
    for cell in range(tables.cells):
        if counts[cell] > most:
            best, most = cell, counts[cell]
    return best


@kernel
def play_policy(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    items: Int32s,
    policy: int,
    root: Position,
) -> PolicyCost:
    """Play a policy against all layouts of a position at once.

    GREEDY shoots where most layouts have a ship, the first such cell. INFORMED
    plays what the table has solved, else the cell with the least promise of misses.
    In the worst case, solved positions count towards the most misses only.
    """
    kinds = tables.ships + 2
    parts, sizes = scratch.parts[0], scratch.sizes
    misses, most, first = 0, 0, -1
    scratch.stack_start[0], scratch.stack_count[0] = root.start, root.count
    scratch.stack_hits[0], scratch.stack_missed[0] = root.hits, 0
    height = 1
    while height > 0:
        height -= 1
        position = Position(
            scratch.stack_start[height], scratch.stack_count[height], scratch.stack_hits[height]
        )
        missed = scratch.stack_missed[height]
        most = max(most, missed)
        outlook = survey(tables, items, position)
        waiting = outlook.certain & ~position.hits
        if (
            first < 0
            and waiting != 0
            and (outlook.unsure == 0 or (policy == INFORMED and tables.answers == HIT_MISS))
        ):
            first = lowest(waiting)
        if outlook.unsure == 0:
            continue
        cell = -1
        if policy == GREEDY:
            cell = likeliest_cell(tables, items, scratch.degrees, position)
        elif tables.answers == HIT_MISS:
            position = Position(position.start, position.count, outlook.certain)
            waiting = np.uint64(0)
        else:
            cell = free_hit(tables, items, position, waiting)
        if cell < 0:
            key = position_key(tables, items, scratch.words, position, waiting)
            entry = find_proof(proven, key)
            if entry >= 0 and proven.proofs[entry] & 1:
                if first < 0:
                    first = np.int64(tables.cell_image[key.image, proven.moves[entry]])
                cost = np.int64(proven.proofs[entry]) >> 1
                if tables.worst:
                    most = max(most, missed + cost)
                else:
                    misses += cost
                continue
            if rank_cells(tables, scratch, items, 0, position, outlook, -1).choices > 0:
                cell = scratch.order[0, 0]
            else:
                # One hit is left everywhere: the likeliest cell first.
                cell = likeliest_cell(tables, items, scratch.degrees, position)
        if first < 0:
            first = cell
        split(tables, items, position, cell, position.start + position.count, parts, sizes)
        misses += sizes[kinds - 1]
        for part in range(kinds):
            if parts[part + 1] > parts[part]:
                struck = part < kinds - 1
                scratch.stack_start[height] = parts[part]
                scratch.stack_count[height] = parts[part + 1] - parts[part]
                scratch.stack_hits[height] = position.hits
                if struck:
                    scratch.stack_hits[height] |= ONE << np.uint64(cell)
                scratch.stack_missed[height] = missed if struck else missed + 1
                height += 1
    return PolicyCost(misses, most, first)
