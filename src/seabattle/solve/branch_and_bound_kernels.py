"""Optimal search: depth-first branch and bound over sets of layouts.

A position is the set of layouts that are still possible, together with the cells
that were hit. Only misses are counted: every layout also costs one shot for each of
its ship cells, whatever the strategy. With M(S) the least total of misses over the
layouts of S,

    M(S) = min over cells c of |S without c| + sum over answers a of M(S that answer a to c)

(`worst` asks for the most misses of any layout instead: max for sum, 1 for the size).

`search` proves either the exact value, if it is at most `limit`, or a lower bound
above it. What it proves is kept in a table under a 128-bit sum of random words, one
per layout, the least over the symmetries of the board; so a position is recognised
in whatever order and orientation it was reached.

Three things keep the search small.

Free hits. A cell that every layout covers must be hit anyway. Where the order of
shots tells nothing (`ORDERED` is off) it is shot at once.

Dominated cells. If every layout that covers c also covers d, then d is at least as
good a shot as c (shoot d and then c: whoever shot c pays as much and knows less).
Also only where the order tells nothing.

Finishing profiles. P[m] bounds from above how many layouts any strategy can finish
with at most m misses. Until its first hit a strategy shoots a fixed sequence of
cells; the i-th cell takes at most as many layouts as cover it, of which at most
P'[m - i + 1] finish in time. The total of misses is at least the sum of
max(0, |S| - P[m]) over m. Profiles by the number of hits to come are tables made
from the whole board; those of a position use its own cell counts on top.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, Bits, Ints
from ..compiled.jit import kernel

NODES, NODE_LIMIT, STOPPED, ENTRIES, CAPACITY, FULL, REPLACED = range(7)
"""Places in `tally`."""

ANSWERS, ORDERED, WORST, CELLS, IMAGES, SHIPS, SHIP_CELLS = range(7)
"""Places in `settings`; IMAGES is the number of symmetries."""

PROBE = -1
"""A limit that asks only for the bound that is known without search."""

ENDLESS = 1 << 40

WINDOW = 16
"""Places of the table that are tried for one position."""


@kernel
def answer_to(
    settings: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    hits: np.uint64,
    layout: int,
    cell: int,
) -> int:
    """0 for a miss, else what tells one kind of hit from another."""
    ship = np.int64(ship_at[layout, cell])
    if ship < 0:
        return 0
    answers = settings[ANSWERS]
    if answers == HIT_MISS:
        return 1
    if answers == NAMED:
        return 2 + ship
    if ship_mask[layout, ship] & ~hits != ONE << np.uint64(cell):
        return 1
    return 2 if answers == SUNK else 2 + ship


@kernel
def split(
    settings: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    weight: Ints,
    items: npt.NDArray[np.int32],
    start: int,
    count: int,
    top: int,
    hits: np.uint64,
    cell: int,
    parts: Ints,
    sizes: Ints,
) -> None:
    """Sort a position's layouts by their answer to a shot.

    They are written from `top` on, in the order of answers 1, 2, ..., then 0: part k
    is `parts[k]` to `parts[k + 1]`, the last part being the misses; `sizes` are weights.
    """
    kinds = settings[SHIPS] + 2
    sizes[: kinds + 1] = 0
    for k in range(kinds + 1):
        parts[k] = 0
    for index in range(start, start + count):
        layout = items[index]
        code = answer_to(settings, ship_at, ship_mask, hits, layout, cell)
        place = code - 1 if code > 0 else kinds - 1
        parts[place + 1] += 1
        sizes[place] += weight[layout]
    parts[0] = top
    for k in range(kinds):
        parts[k + 1] += parts[k]
    for index in range(start, start + count):
        layout = items[index]
        code = answer_to(settings, ship_at, ship_mask, hits, layout, cell)
        place = code - 1 if code > 0 else kinds - 1
        items[parts[place]] = layout
        parts[place] += 1
    for k in range(kinds, 0, -1):
        parts[k] = parts[k - 1]
    parts[0] = top


@kernel
def signature(
    settings: Ints,
    layout_words: Bits,
    cell_words: Bits,
    items: npt.NDArray[np.int32],
    start: int,
    count: int,
    waiting: np.uint64,
    words: Bits,
) -> int:
    """Put the key of a position into the first two of `words`; returns the symmetry used.

    `waiting` are certain hits that were not shot yet.
    """
    images = settings[IMAGES]
    for k in range(2 * images):
        words[k] = np.uint64(0)
    for index in range(start, start + count):
        layout = items[index]
        for k in range(2 * images):
            words[k] += layout_words[layout, k]
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        for k in range(2 * images):
            words[k] += cell_words[cell, k]
    least = 0
    for image in range(1, images):
        if words[2 * image] < words[2 * least]:
            least = image
    words[0], words[1] = words[2 * least], words[2 * least + 1]
    return least


@kernel
def look_up(tally: Ints, keys: Bits, word0: np.uint64, word1: np.uint64) -> int:
    """Where a position stands in the table, or -1."""
    last = tally[CAPACITY] - 1
    place = np.int64(word0 & np.uint64(last))
    for _ in range(WINDOW):
        if keys[place, 0] == word0 and keys[place, 1] == word1:
            return place
        if keys[place, 1] == 0:
            return -1
        place = (place + 1) & last
    return -1


@kernel
def remember(
    tally: Ints,
    keys: Bits,
    proofs: npt.NDArray[np.int32],
    moves: npt.NDArray[np.int8],
    word0: np.uint64,
    word1: np.uint64,
    proof: int,
    move: int,
) -> None:
    """Keep a proof (2 × value, + 1 if exact); a full table gives up the cheapest nearby."""
    last = tally[CAPACITY] - 1
    place = np.int64(word0 & np.uint64(last))
    cheapest, least = -1, 1 << 40
    for _ in range(WINDOW):
        if keys[place, 1] == 0:
            tally[ENTRIES] += 1
            cheapest = -1
            break
        if keys[place, 0] == word0 and keys[place, 1] == word1:
            cheapest = -1
            break
        if proofs[place] < least:
            cheapest, least = place, np.int64(proofs[place])
        place = (place + 1) & last
    if cheapest >= 0:
        tally[REPLACED] += 1
        tally[FULL] = 1
        place = cheapest
    keys[place, 0], keys[place, 1] = word0, word1
    proofs[place] = proof
    moves[place] = move


@kernel
def rehash(
    tally: Ints,
    keys: Bits,
    proofs: npt.NDArray[np.int32],
    moves: npt.NDArray[np.int8],
    old_keys: Bits,
    old_proofs: npt.NDArray[np.int32],
    old_moves: npt.NDArray[np.int8],
) -> None:
    """Move every entry of an old table to this one."""
    for place in range(old_keys.shape[0]):
        if old_keys[place, 1] != 0:
            remember(
                tally,
                keys,
                proofs,
                moves,
                old_keys[place, 0],
                old_keys[place, 1],
                np.int64(old_proofs[place]),
                np.int64(old_moves[place]),
            )


@kernel
def position_bound(settings: Ints, profile: Ints, degrees: Ints, cells: int, total: int) -> int:
    """A lower bound from the cell counts of a position.

    `profile` is that of the position after a hit; `degrees` are sorted, highest first.
    """
    cost, misses = 0, 0
    while True:
        finish = 0
        for shot in range(min(misses + 1, cells)):
            finish += min(degrees[shot], profile[misses - shot])
        if finish >= total:
            return cost
        if misses >= cells:
            return cost
        cost += 1 if settings[WORST] else total - finish
        misses += 1


@kernel
def free_hit(
    settings: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    items: npt.NDArray[np.int32],
    start: int,
    count: int,
    hits: np.uint64,
    waiting: np.uint64,
) -> int:
    """A certain hit among `waiting` that may be shot at once, or -1.

    Where the order of shots tells something, it may if it completes its ship in every
    layout: later answers stay the same. It also may if sinking is named and the cell
    is known to belong to one ship: each answer to come either stays the same, or
    tells earlier that this ship has sunk.
    """
    if settings[ORDERED] == 0:
        return lowest(waiting) if waiting != 0 else -1
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        last, same = True, settings[ANSWERS] != SUNK
        ship = ship_at[items[start], cell]
        bit = ONE << np.uint64(cell)
        for index in range(start, start + count):
            layout = items[index]
            own = ship_at[layout, cell]
            if ship_mask[layout, own] & ~hits != bit:
                last = False
            if own != ship:
                same = False
            if not last and not same:
                break
        if last or same:
            return cell
    return -1


@kernel
def rank_cells(
    settings: Ints,
    mask: Bits,
    weight: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    layer: npt.NDArray[np.int8],
    stage_step: Ints,
    stage_number: Ints,
    after_hit: Ints,
    size_bound: npt.NDArray[np.int32],
    items: npt.NDArray[np.int32],
    start: int,
    count: int,
    hits: np.uint64,
    unsure: np.uint64,
    waiting: np.uint64,
    total: int,
    stage: int,
    favourite: int,
    room: Ints,
    implied: Bits,
) -> int:
    """List the cells worth a shot in `room[3]`, most promising first, with a lower bound
    for each in `room[4]`; returns how many there are.

    The bound for the position is `room[5, 0]`. A position whose value v needs no search
    returns -v - 1.
    """
    order, promise, counts, sorted_counts, units = room[3], room[4], room[6], room[7], room[8]
    cells = settings[CELLS]
    kinds = settings[SHIPS] + 2
    worst = settings[WORST]
    widest = size_bound.shape[1] - 1
    counts[: cells * kinds] = 0
    units[: cells * kinds] = 0
    for cell in range(cells):
        implied[cell] = ~np.uint64(0)
    plain = settings[ANSWERS] == HIT_MISS
    first, second = 0, 0
    for index in range(start, start + count):
        layout = items[index]
        own = mask[layout]
        rest = own & (unsure | waiting)
        unit = 1 if layer[layout] == 0 else 0
        first += unit
        second += 1 if layer[layout] == 1 or weight[layout] > 1 else 0
        while rest != 0:
            cell = lowest(rest)
            rest &= rest - ONE
            implied[cell] &= own
            code = 1
            if not plain:
                code = answer_to(settings, ship_at, ship_mask, hits, layout, cell)
            counts[cell * kinds + code] += weight[layout]
            units[cell * kinds + code] += unit
    last = settings[SHIP_CELLS] - popcount(hits) == 1
    candidates = 0
    rest = unsure | waiting
    while rest != 0:
        cell = lowest(rest)
        rest &= rest - ONE
        degree = 0
        for code in range(1, kinds):
            degree += counts[cell * kinds + code] if last else units[cell * kinds + code]
        place = candidates
        while place > 0 and sorted_counts[place - 1] < degree:
            sorted_counts[place] = sorted_counts[place - 1]
            place -= 1
        sorted_counts[place] = degree
        candidates += 1
    if last:
        cost = 0
        for place in range(candidates):
            cost += (1 if place > 0 else 0) if worst else place * sorted_counts[place]
        return -cost - 1
    number = stage_number[stage]
    bound = position_bound(settings, after_hit[number], sorted_counts, candidates, first)
    other = np.int64(size_bound[number, min(second, widest)])
    room[5, 0] = max(bound, other) if worst else bound + other
    choices = 0
    rest = unsure | waiting
    while rest != 0:
        cell = lowest(rest)
        rest &= rest - ONE
        bit = ONE << np.uint64(cell)
        if settings[ORDERED] == 0:
            others = implied[cell] & unsure & ~bit
            dominated = False
            while others != 0:
                other = lowest(others)
                others &= others - ONE
                if implied[other] & bit == 0 or other < cell:
                    dominated = True
                    break
            if dominated:
                continue
        missed, missed_first = total, first
        cost = 0
        for code in range(1, kinds):
            if counts[cell * kinds + code] == 0:
                continue
            size = units[cell * kinds + code]
            missed -= counts[cell * kinds + code]
            missed_first -= size
            part = np.int64(size_bound[stage_number[stage + stage_step[code]], min(size, widest)])
            cost = max(cost, part) if worst else cost + part
        part = np.int64(size_bound[number, min(missed_first, widest)])
        if worst:
            if missed > 0:
                cost = max(cost, 1 + part)
        else:
            cost += missed + part
        key = PROBE if cell == favourite else cost
        place = choices
        while place > 0 and key < (PROBE if order[place - 1] == favourite else promise[place - 1]):
            order[place], promise[place] = order[place - 1], promise[place - 1]
            place -= 1
        order[place], promise[place] = cell, cost
        choices += 1
    return choices


@kernel
def search(
    settings: Ints,
    tally: Ints,
    mask: Bits,
    weight: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    layout_words: Bits,
    cell_words: Bits,
    cell_image: npt.NDArray[np.int8],
    layer: npt.NDArray[np.int8],
    stage_share: Ints,
    stage_step: Ints,
    stage_number: Ints,
    after_hit: Ints,
    size_bound: npt.NDArray[np.int32],
    keys: Bits,
    proofs: npt.NDArray[np.int32],
    moves: npt.NDArray[np.int8],
    items: npt.NDArray[np.int32],
    room: Ints,
    room_words: Bits,
    depth: int,
    start: int,
    count: int,
    top: int,
    hits: np.uint64,
    limit: int,
) -> int:
    """The exact cost of a position if it is at most `limit`, else a lower bound above it.

    The position is `items[start : start + count]`; from `top` on, `items` is free.
    """
    tally[NODES] += 1
    if tally[NODES] > tally[NODE_LIMIT]:
        tally[STOPPED] = 1
        return 0
    worst = settings[WORST]
    every, some = ~np.uint64(0), np.uint64(0)
    total = 0
    for index in range(start, start + count):
        layout = items[index]
        every &= mask[layout]
        some |= mask[layout]
        total += weight[layout]
    unsure = some & ~every
    if unsure == 0:
        return 0
    known, forced, move = 0, -1, -1
    waiting = np.uint64(0)
    if settings[ANSWERS] == HIT_MISS:
        hits = every
    else:
        waiting = every & ~hits
        forced = free_hit(settings, ship_at, ship_mask, items, start, count, hits, waiting)

    order, promise = room[depth, 3], room[depth, 4]
    word0 = word1 = np.uint64(0)
    image = 0
    if forced >= 0:
        order[0], promise[0] = forced, 0
        choices = 1
    else:
        words = room_words[depth]
        image = signature(settings, layout_words, cell_words, items, start, count, waiting, words)
        word0, word1 = words[0], words[1] | ONE
        place = look_up(tally, keys, word0, word1)
        if place >= 0:
            known = np.int64(proofs[place]) >> 1
            if proofs[place] & 1 or known > limit:
                return known
            if moves[place] >= 0:
                move = np.int64(cell_image[image, moves[place]])
        stage = 0
        for ship in range(settings[SHIPS]):
            stage += stage_share[ship, popcount(hits & ship_mask[items[start], ship])]
        choices = rank_cells(
            settings,
            mask,
            weight,
            ship_at,
            ship_mask,
            layer,
            stage_step,
            stage_number,
            after_hit,
            size_bound,
            items,
            start,
            count,
            hits,
            unsure,
            waiting,
            total,
            stage,
            move,
            room[depth],
            room_words[depth],
        )
        if choices < 0:
            return -choices - 1
        bound = room[depth, 5, 0]
        if bound > known:
            known = bound
        if known > limit:
            return known
    if limit == PROBE and forced < 0:
        return known

    parts, sizes, lows = room[depth, 0], room[depth, 1], room[depth, 2]
    # A literal argument would make a second specialisation of this recursive function,
    # and those crash when loaded from Numba's cache.
    probe = min(limit, PROBE)
    kinds = settings[SHIPS] + 2
    best, best_move, least = limit + 1, -1, ENDLESS
    if forced >= 0:
        best = ENDLESS if limit == PROBE else limit + 1
    for choice in range(choices):
        if promise[choice] >= best:
            least = min(least, promise[choice])
            continue
        cell = order[choice]
        split(
            settings, ship_at, ship_mask, weight, items, start, count, top, hits, cell, parts, sizes
        )
        after = hits | (ONE << np.uint64(cell))
        above = parts[kinds]
        cost = (1 if sizes[kinds - 1] > 0 else 0) if worst else sizes[kinds - 1]
        missed = 1 if worst and sizes[kinds - 1] > 0 else 0
        value = 0 if worst else cost
        for part in range(kinds):
            lows[part] = 0
            if parts[part + 1] - parts[part] > 1:
                lows[part] = search(
                    settings,
                    tally,
                    mask,
                    weight,
                    ship_at,
                    ship_mask,
                    layout_words,
                    cell_words,
                    cell_image,
                    layer,
                    stage_share,
                    stage_step,
                    stage_number,
                    after_hit,
                    size_bound,
                    keys,
                    proofs,
                    moves,
                    items,
                    room,
                    room_words,
                    depth + 1,
                    parts[part],
                    parts[part + 1] - parts[part],
                    above,
                    after if part < kinds - 1 else hits,
                    probe,
                )
                if tally[STOPPED]:
                    return 0
            if worst:
                value = max(value, lows[part] + (missed if part == kinds - 1 else 0))
            else:
                value += lows[part]
            if value >= best:
                break
        if value >= best:
            least = min(least, value)
            continue
        if limit == PROBE:
            return value
        for part in range(kinds):
            if parts[part + 1] - parts[part] <= 1:
                continue
            if worst:
                allowed = best - 1 - (missed if part == kinds - 1 else 0)
            else:
                allowed = best - 1 - (value - lows[part])
            found = search(
                settings,
                tally,
                mask,
                weight,
                ship_at,
                ship_mask,
                layout_words,
                cell_words,
                cell_image,
                layer,
                stage_share,
                stage_step,
                stage_number,
                after_hit,
                size_bound,
                keys,
                proofs,
                moves,
                items,
                room,
                room_words,
                depth + 1,
                parts[part],
                parts[part + 1] - parts[part],
                above,
                after if part < kinds - 1 else hits,
                allowed,
            )
            if tally[STOPPED]:
                return 0
            if worst:
                value = max(value, found + (missed if part == kinds - 1 else 0))
            else:
                value += found - lows[part]
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
    if best_move >= 0:
        proof = 2 * best + 1
    else:
        proof = 2 * max(known, least)
    if best_move >= 0:
        move = best_move
    if move >= 0:
        for cell in range(settings[CELLS]):
            if cell_image[image, cell] == move:
                move = cell
                break
    remember(tally, keys, proofs, moves, word0, word1, proof, move)
    return proof >> 1


GREEDY, INFORMED = range(2)
"""Policies of `play_all`."""


@kernel
def play_all(
    settings: Ints,
    tally: Ints,
    mask: Bits,
    weight: Ints,
    ship_at: npt.NDArray[np.int8],
    ship_mask: Bits,
    layout_words: Bits,
    cell_words: Bits,
    cell_image: npt.NDArray[np.int8],
    layer: npt.NDArray[np.int8],
    stage_share: Ints,
    stage_step: Ints,
    stage_number: Ints,
    after_hit: Ints,
    size_bound: npt.NDArray[np.int32],
    keys: Bits,
    proofs: npt.NDArray[np.int32],
    moves: npt.NDArray[np.int8],
    items: npt.NDArray[np.int32],
    room: Ints,
    room_words: Bits,
    policy: int,
    count: int,
    hits: np.uint64,
    stack: Ints,
    found: Ints,
) -> None:
    """Play a policy against all of `items[:count]` at once.

    `found` becomes the total of misses, the most misses of any layout, and the first
    cell. GREEDY shoots where most layouts have a ship, the first such cell. INFORMED
    plays what the table has solved, else the cell with the least promise of misses.
    With `settings[WORST]`, solved positions count towards the most misses only.
    """
    kinds = settings[SHIPS] + 2
    cells = settings[CELLS]
    parts, sizes, order, counts = room[0, 0], room[0, 1], room[0, 3], room[0, 6]
    found[0], found[1], found[2] = 0, 0, -1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, count, np.int64(hits), 0
    height = 1
    while height > 0:
        height -= 1
        start, count = stack[height, 0], stack[height, 1]
        hits, missed = np.uint64(stack[height, 2]), stack[height, 3]
        found[1] = max(found[1], missed)
        every, some = ~np.uint64(0), np.uint64(0)
        total = 0
        for index in range(start, start + count):
            every &= mask[items[index]]
            some |= mask[items[index]]
            total += weight[items[index]]
        unsure = some & ~every
        if unsure == 0:
            if found[2] < 0 and every & ~hits != 0:
                found[2] = lowest(every & ~hits)
            continue
        waiting = every & ~hits
        cell = -1
        if policy == GREEDY:
            counts[:cells] = 0
            for index in range(start, start + count):
                layout = items[index]
                rest = mask[layout] & ~hits
                while rest != 0:
                    counts[lowest(rest)] += weight[layout]
                    rest &= rest - ONE
            most = 0
            for each in range(cells):
                if counts[each] > most:
                    cell, most = each, counts[each]
        else:
            if settings[ANSWERS] == HIT_MISS:
                if found[2] < 0 and waiting != 0:
                    found[2] = lowest(waiting)
                hits, waiting = every, np.uint64(0)
            else:
                cell = free_hit(settings, ship_at, ship_mask, items, start, count, hits, waiting)
            if cell < 0:
                words = room_words[0]
                image = signature(
                    settings, layout_words, cell_words, items, start, count, waiting, words
                )
                place = look_up(tally, keys, words[0], words[1] | ONE)
                if place >= 0 and proofs[place] & 1:
                    cell = np.int64(cell_image[image, moves[place]])
                    if found[2] < 0:
                        found[2] = cell
                    if settings[WORST]:
                        found[1] = max(found[1], missed + (proofs[place] >> 1))
                    else:
                        found[0] += proofs[place] >> 1
                    continue
                stage = 0
                for ship in range(settings[SHIPS]):
                    stage += stage_share[ship, popcount(hits & ship_mask[items[start], ship])]
                choices = rank_cells(
                    settings,
                    mask,
                    weight,
                    ship_at,
                    ship_mask,
                    layer,
                    stage_step,
                    stage_number,
                    after_hit,
                    size_bound,
                    items,
                    start,
                    count,
                    hits,
                    unsure,
                    waiting,
                    total,
                    stage,
                    -1,
                    room[0],
                    room_words[0],
                )
                if choices > 0:
                    cell = order[0]
                else:
                    # One hit is left everywhere: the likeliest cell first.
                    most = 0
                    for each in range(cells):
                        size = 0
                        for code in range(1, kinds):
                            size += counts[each * kinds + code]
                        if size > most:
                            cell, most = each, size
        if found[2] < 0:
            found[2] = cell
        split(
            settings,
            ship_at,
            ship_mask,
            weight,
            items,
            start,
            count,
            start + count,
            hits,
            cell,
            parts,
            sizes,
        )
        found[0] += sizes[kinds - 1]
        for part in range(kinds):
            if parts[part + 1] > parts[part]:
                stack[height, 0], stack[height, 1] = parts[part], parts[part + 1] - parts[part]
                struck = part < kinds - 1
                after = hits | (ONE << np.uint64(cell)) if struck else hits
                stack[height, 2] = np.int64(after)
                stack[height, 3] = missed if struck else missed + 1
                height += 1
