"""Counting layouts one by one, but for the last two ships.

`evidence` leaves a list of candidates for each ship. Ships with the same list form a
class: their layouts are counted once, as sets. Each candidate of each class has a
slot, one bit in a row of words, and `apart[slot]` holds the slots that it does not
clash with; putting a ship down is one AND per word.

A tree of choices is walked: while a hit is not covered, the branches are the slots
through the hit that has fewest; then ships are put down freely, the class with fewest
slots first. The last two are not put down: for every slot a of the one, popcount of
`alive & apart[a]` is the number of partners in the other. So each node costs as many
steps as there are slots, not pairs of slots.

The same walk with a weight for each ship and placement sums products of weights
instead (`weigh`); then every partner is looked at.

A position that some symmetries of the board leave alone needs only one candidate of
each orbit for the ship that is put down first; the sums are then spread over the
symmetries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import compose, kernel
from .bits import ONE, lowest, popcount
from .board import WORDS, Bits, Board, Ints
from .evidence import Evidence, is_candidate
from .record import new_record
from .symmetry import Symmetries

# Templates call parts that `compose` binds.
# ruff: noqa: F821
last_one: Callable[..., Any]
last_two: Callable[..., Any]

MOST_WORDS = 192
"""Words of slots that a desk has at most; fleets that need more are not enumerated."""

MOST_WORK = 2**50
"""A walk ends after this many steps at the latest, which would take days. Each step adds
at most 64 layouts, times 8 for an orbit, to a sum; so no sum reaches 2**63."""

DONE, OVER_BUDGET, TOO_LARGE = range(3)
"""How a walk ended."""

Numbers = npt.NDArray[Any]
"""int64 for counts, float64 for weights"""


class Desk(NamedTuple):
    """Room for one walk, made once per rules by `new_desk` and used again."""

    slots: npt.NDArray[np.int32]
    """(slots,) the placement of each slot, -1 where a word has bits to spare"""
    slot_class: npt.NDArray[np.int32]
    """(slots,) the class of each slot"""
    weights: Numbers
    """(slots,) 1, or the prior weight of the placement for the ships of the class"""
    sums: Numbers
    """(slots,) layouts (or weight) in which a ship of the class lies there"""
    totals: Numbers
    """(ships, cells) the same for each ship's class and cell"""
    class_of: Ints
    """(ships,) the class of each ship"""
    begin: Ints
    """(classes,) first word of each class"""
    end: Ints
    """(classes,) one past its last word"""
    ships: Ints
    """(classes,) how many ships it has"""
    length: Ints
    """(classes,) their length"""
    through: Bits
    """(cells, words) slots that cover each cell"""
    apart: Bits
    """(slots, words) slots that do not clash with each"""
    alive: Bits
    """(depth, words) slots still possible at each depth of the walk"""
    branches: Bits
    """(depth, words) slots still to be tried there"""
    uncovered: Bits
    """(depth, board words) hits not covered"""
    afloat: Ints
    """(depth, classes) ships of each class not put down"""
    sums_at: Numbers
    """(depth,) what was found below"""
    scale: Numbers
    """(depth,) product of the weights above"""
    ordered: Ints
    """(depth,) 1 if ships of the class are put down in order of their slots"""
    chosen: Ints
    """(depth,) the slot put down"""
    keeps: npt.NDArray[np.bool_]
    """(symmetries,) whether each symmetry leaves the position alone"""


def new_desk(board: Board, symmetries: Symmetries, weighted: bool) -> Desk:
    ships, cells = int(board.ships), int(board.cells)
    spans = board.last[:ships] - board.first[:ships]
    words = min(int(((spans + 63) // 64).sum()), MOST_WORDS)
    number = np.float64 if weighted else np.int64
    return Desk(
        slots=np.empty(64 * words, dtype=np.int32),
        slot_class=np.empty(64 * words, dtype=np.int32),
        weights=np.empty(64 * words, dtype=number),
        sums=np.empty(64 * words, dtype=number),
        totals=np.empty((ships, cells), dtype=number),
        class_of=np.empty(ships, dtype=np.int64),
        begin=np.empty(ships, dtype=np.int64),
        end=np.empty(ships, dtype=np.int64),
        ships=np.empty(ships, dtype=np.int64),
        length=np.empty(ships, dtype=np.int64),
        through=np.empty((cells, words), dtype=np.uint64),
        apart=np.empty((64 * words, words), dtype=np.uint64),
        alive=np.empty((ships + 1, words), dtype=np.uint64),
        branches=np.empty((ships + 1, words), dtype=np.uint64),
        uncovered=np.empty((ships + 1, WORDS), dtype=np.uint64),
        afloat=np.empty((ships + 1, ships), dtype=np.int64),
        sums_at=np.empty(ships + 1, dtype=number),
        scale=np.empty(ships + 1, dtype=number),
        ordered=np.empty(ships + 1, dtype=np.int64),
        chosen=np.empty(ships + 1, dtype=np.int64),
        keeps=np.zeros(len(symmetries.cells), dtype=np.bool_),
    )


def new_evidence() -> Evidence:
    return new_record(Evidence)


@kernel
def lay_out(board: Board, evidence: Evidence, prior: Numbers, kin: Ints, desk: Desk) -> int:
    """Sort ships into classes and give every candidate a slot.

    `prior` is (ships, placements); ships with the same `kin` have the same length and
    the same prior. Returns the words in use, or -1 if the desk is too small.
    """
    words, classes = 0, 0
    for ship in range(board.ships):
        if evidence.named_hits[ship] == 0:
            shared = -1
            for other in range(ship):
                if kin[other] == kin[ship] and evidence.named_hits[other] == 0:
                    shared = desk.class_of[other]
                    break
            if shared >= 0:
                desk.class_of[ship] = shared
                desk.ships[shared] += 1
                continue
        desk.class_of[ship] = classes
        desk.ships[classes] = 1
        desk.length[classes] = board.fleet[ship]
        desk.begin[classes] = words
        slot = 64 * words
        for placement in range(board.first[ship], board.last[ship]):
            if prior[ship, placement] > 0 and is_candidate(board, evidence, ship, placement):
                if slot >= desk.slots.size:
                    return -1
                desk.slots[slot] = placement
                desk.slot_class[slot] = classes
                desk.weights[slot] = prior[ship, placement]
                slot += 1
        words = (slot + 63) >> 6
        for spare in range(slot, 64 * words):
            desk.slots[spare] = -1
        desk.end[classes] = words
        classes += 1
    for c in range(classes, board.ships):
        desk.ships[c] = 0
        desk.begin[c] = desk.end[c] = words
        desk.length[c] = 0
    return words


@kernel
def fill_tables(board: Board, words: int, desk: Desk) -> None:
    """The slots through each cell, the slots apart from each slot, and those alive."""
    through, apart, alive = desk.through, desk.apart, desk.alive
    through[:, :words] = np.uint64(0)
    for w in range(words):
        all_alive = np.uint64(0)
        for b in range(64):
            placement = desk.slots[64 * w + b]
            if placement < 0:
                break
            bit = ONE << np.uint64(b)
            all_alive |= bit
            for k in range(board.length[placement]):
                through[board.cover[placement, k], w] |= bit
        alive[0, w] = all_alive
    # Slots of one placement in several classes clash with the same slots.
    row_of = np.full(board.placements, -1, dtype=np.int32)
    for slot in range(64 * words):
        placement = desk.slots[slot]
        if placement < 0:
            continue
        if row_of[placement] >= 0:
            apart[slot, :words] = apart[row_of[placement], :words]
            continue
        row_of[placement] = slot
        for w in range(words):
            apart[slot, w] = np.uint64(0)
        for word in range(WORDS):
            halo = board.halo[placement, word]
            while halo != 0:
                cell = 64 * word + lowest(halo)
                halo &= halo - ONE
                for w in range(words):
                    apart[slot, w] |= through[cell, w]
        for w in range(words):
            apart[slot, w] = ~apart[slot, w]


@kernel
def count_one(desk: Desk, begin: int, end: int, depth: int) -> int:
    """All ways to put the last ship down."""
    scale, alive, sums = desk.scale[depth], desk.alive, desk.sums
    found = 0
    for w in range(begin, end):
        bits = alive[depth, w]
        found += popcount(bits)
        while bits != 0:
            sums[64 * w + lowest(bits)] += scale
            bits &= bits - ONE
    return found * scale


@kernel
def weigh_one(desk: Desk, begin: int, end: int, depth: int) -> float:
    found = 0.0
    for w in range(begin, end):
        bits = desk.alive[depth, w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            weight = desk.scale[depth] * desk.weights[slot]
            desk.sums[slot] += weight
            found += weight
    return found


@kernel
def count_partners(
    desk: Desk, depth: int, begin: int, end: int, partner_begin: int, partner_end: int
) -> int:
    """Add to every slot of one class its number of partners in another; their sum."""
    scale, alive, apart, sums = desk.scale[depth], desk.alive, desk.apart, desk.sums
    width = partner_end - partner_begin
    found = 0
    if width == 1:
        first = alive[depth, partner_begin]
        for w in range(begin, end):
            bits = alive[depth, w]
            while bits != 0:
                slot = 64 * w + lowest(bits)
                bits &= bits - ONE
                partners = popcount(first & apart[slot, partner_begin])
                sums[slot] += partners * scale
                found += partners
    elif width == 2:
        first, second = alive[depth, partner_begin], alive[depth, partner_begin + 1]
        for w in range(begin, end):
            bits = alive[depth, w]
            while bits != 0:
                slot = 64 * w + lowest(bits)
                bits &= bits - ONE
                partners = popcount(first & apart[slot, partner_begin]) + popcount(
                    second & apart[slot, partner_begin + 1]
                )
                sums[slot] += partners * scale
                found += partners
    elif width == 3:
        first, second = alive[depth, partner_begin], alive[depth, partner_begin + 1]
        third = alive[depth, partner_begin + 2]
        for w in range(begin, end):
            bits = alive[depth, w]
            while bits != 0:
                slot = 64 * w + lowest(bits)
                bits &= bits - ONE
                partners = (
                    popcount(first & apart[slot, partner_begin])
                    + popcount(second & apart[slot, partner_begin + 1])
                    + popcount(third & apart[slot, partner_begin + 2])
                )
                sums[slot] += partners * scale
                found += partners
    else:
        for w in range(begin, end):
            bits = alive[depth, w]
            while bits != 0:
                slot = 64 * w + lowest(bits)
                bits &= bits - ONE
                partners = 0
                for v in range(partner_begin, partner_end):
                    partners += popcount(alive[depth, v] & apart[slot, v])
                sums[slot] += partners * scale
                found += partners
    return found * scale


@kernel
def count_two(
    desk: Desk, depth: int, begin: int, end: int, other_begin: int, other_end: int
) -> int:
    """All ways to put the last two ships down; of one class, each pair counts once."""
    if begin == other_begin:
        return count_partners(desk, depth, begin, end, begin, end) // 2
    count_partners(desk, depth, other_begin, other_end, begin, end)
    return count_partners(desk, depth, begin, end, other_begin, other_end)


@kernel
def weigh_two(
    desk: Desk, depth: int, begin: int, end: int, other_begin: int, other_end: int
) -> float:
    found = 0.0
    same = begin == other_begin
    for w in range(begin, end):
        bits = desk.alive[depth, w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            weight = desk.scale[depth] * desk.weights[slot]
            below = 0.0
            for v in range(other_begin, other_end):
                partners = desk.alive[depth, v] & desk.apart[slot, v]
                while partners != 0:
                    partner = 64 * v + lowest(partners)
                    partners &= partners - ONE
                    both = weight * desk.weights[partner]
                    below += both
                    if not same:
                        desk.sums[partner] += both
            desk.sums[slot] += below
            found += below
    return found / 2 if same else found


@kernel
def slots_alive(desk: Desk, depth: int, c: int) -> int:
    count = 0
    for w in range(desk.begin[c], desk.end[c]):
        count += popcount(desk.alive[depth, w])
    return count


@kernel
def next_class(board: Board, desk: Desk, depth: int, ships: int) -> int:
    """The class to put down next when every hit is covered; -1 if one has no room left."""
    best, best_cost = -1, 0
    for c in range(board.ships):
        afloat = desk.afloat[depth, c]
        if afloat == 0:
            continue
        count = slots_alive(desk, depth, c)
        if count < afloat:
            return -1
        # Two ships of one class make the cheapest last pair.
        cost = 2 * count if afloat == 1 else 3 * count
        if ships == 3 and afloat == 2:
            cost = 2**40
        if best < 0 or cost < best_cost:
            best, best_cost = c, cost
    return best


@kernel
def branch(board: Board, desk: Desk, words: int, depth: int) -> bool:
    """Choose what to try where hits are uncovered: the hit, or the lone ship of a class,
    with the fewest slots. False if a hit has none."""
    best, best_hit, best_class = 2**40, -1, -1
    for c in range(board.ships):
        if desk.afloat[depth, c] == 1:
            count = slots_alive(desk, depth, c)
            if count < best:
                best, best_class = count, c
    for word in range(WORDS):
        hits = desk.uncovered[depth, word]
        while hits != 0 and best > 0:
            cell = 64 * word + lowest(hits)
            hits &= hits - ONE
            count = 0
            for w in range(words):
                count += popcount(desk.alive[depth, w] & desk.through[cell, w])
            if count < best or (count == best and best_hit < 0):
                best, best_hit = count, cell
    if best == 0:
        return False
    for w in range(words):
        tried = desk.alive[depth, w]
        if best_hit >= 0:
            tried &= desk.through[best_hit, w]
        elif not desk.begin[best_class] <= w < desk.end[best_class]:
            tried = np.uint64(0)
        desk.branches[depth, w] = tried
    desk.ordered[depth] = 0
    return True


def _walk(
    board: Board,
    evidence: Evidence,
    words: int,
    root_class: int,
    enough: int,
    budget: int,
    desk: Desk,
    work: Ints,
) -> int:
    """Walk the whole tree: fills `sums` and `sums_at[0]`.

    Ends early once `enough` was found (0: never), or after `budget` steps of work.
    """
    depth = 0
    desk.sums[: 64 * words] = 0
    desk.sums_at[0] = 0
    desk.scale[0] = 1
    ships, cells_left = board.ships, board.ship_cells
    for c in range(board.ships):
        desk.afloat[0, c] = desk.ships[c]
    for word in range(WORDS):
        desk.uncovered[0, word] = evidence.hit_bits[word]
    entering = True
    while True:
        if entering:
            entering = False
            work[0] += words
            hits = 0
            for word in range(WORDS):
                hits += popcount(desk.uncovered[depth, word])
            leaf = True
            if hits > 0:
                if hits <= cells_left and branch(board, desk, words, depth):
                    leaf = False
            elif ships == 0:
                desk.sums_at[depth] = desk.scale[depth]
            elif ships <= 2:
                one, other = -1, -1
                for c in range(board.ships):
                    if desk.afloat[depth, c] > 0:
                        other = c
                        if one < 0:
                            one = c
                begin, end = desk.begin[one], desk.end[one]
                if ships == 1:
                    desk.sums_at[depth] = last_one(desk, begin, end, depth)
                else:
                    desk.sums_at[depth] = last_two(
                        desk, depth, begin, end, desk.begin[other], desk.end[other]
                    )
                    work[0] += 64 * (end - begin) * (desk.end[other] - desk.begin[other])
            else:
                c = root_class if depth == 0 and root_class >= 0 else -1
                if c < 0:
                    c = next_class(board, desk, depth, ships)
                if c >= 0:
                    leaf = False
                    for w in range(words):
                        inside = desk.begin[c] <= w < desk.end[c]
                        desk.branches[depth, w] = desk.alive[depth, w] if inside else np.uint64(0)
                    desk.ordered[depth] = 1 if desk.afloat[depth, c] > 1 else 0
            if leaf:
                if depth == 0:
                    return DONE
                depth -= 1
                slot = desk.chosen[depth]
                found = desk.sums_at[depth + 1]
                desk.sums[slot] += found
                desk.sums_at[depth] += found
                ships += 1
                cells_left += desk.length[desk.slot_class[slot]]
                if work[0] > budget:
                    return OVER_BUDGET
                if 0 < enough <= found:
                    desk.sums_at[0] = found
                    return DONE
        slot = -1
        for w in range(words):
            bits = desk.branches[depth, w]
            if bits != 0:
                slot = 64 * w + lowest(bits)
                desk.branches[depth, w] = bits & (bits - ONE)
                break
        if slot < 0:
            if depth == 0:
                return DONE
            depth -= 1
            slot = desk.chosen[depth]
            found = desk.sums_at[depth + 1]
            desk.sums[slot] += found
            desk.sums_at[depth] += found
            ships += 1
            cells_left += desk.length[desk.slot_class[slot]]
            continue
        c = desk.slot_class[slot]
        desk.chosen[depth] = slot
        for w in range(words):
            desk.alive[depth + 1, w] = desk.alive[depth, w] & desk.apart[slot, w]
        for other in range(board.ships):
            desk.afloat[depth + 1, other] = desk.afloat[depth, other]
        desk.afloat[depth + 1, c] -= 1
        if desk.afloat[depth + 1, c] == 0:
            for w in range(desk.begin[c], desk.end[c]):
                desk.alive[depth + 1, w] = np.uint64(0)
        elif desk.ordered[depth] != 0:
            for w in range(desk.begin[c], slot >> 6):
                desk.alive[depth + 1, w] = np.uint64(0)
            below = (ONE << np.uint64(slot & 63)) - ONE
            desk.alive[depth + 1, slot >> 6] &= ~below
        placement = desk.slots[slot]
        for word in range(WORDS):
            desk.uncovered[depth + 1, word] = (
                desk.uncovered[depth, word] & ~board.mask[placement, word]
            )
        desk.scale[depth + 1] = desk.scale[depth] * desk.weights[slot]
        depth += 1
        desk.sums_at[depth] = 0
        ships -= 1
        cells_left -= desk.length[c]
        entering = True


walk_counting = compose(_walk, "counting", last_one=count_one, last_two=count_two)
walk_weighing = compose(_walk, "weighing", last_one=weigh_one, last_two=weigh_two)


@kernel
def keep_one_of_each_orbit(board: Board, symmetries: Symmetries, words: int, desk: Desk) -> int:
    """Leave the class put down first one slot per orbit, weighed by the orbit's size.

    Returns that class, or -1 if there is none with a single ship.
    """
    root = -1
    for c in range(board.ships):
        if desk.ships[c] == 1 and (
            root < 0 or slots_alive(desk, 0, c) < slots_alive(desk, 0, root)
        ):
            root = c
    if root < 0:
        return -1
    orbit = np.empty(desk.keeps.size, dtype=np.int32)
    for w in range(desk.begin[root], desk.end[root]):
        bits = desk.alive[0, w]
        while bits != 0:
            bit = lowest(bits)
            bits &= bits - ONE
            slot = 64 * w + bit
            size = 0
            first = True
            for g in range(desk.keeps.size):
                if not desk.keeps[g]:
                    continue
                image = symmetries.placements[g, desk.slots[slot]]
                if image < desk.slots[slot]:
                    first = False
                known = False
                for k in range(size):
                    if orbit[k] == image:
                        known = True
                if not known:
                    orbit[size] = image
                    size += 1
            if first:
                desk.weights[slot] *= size
            else:
                desk.alive[0, w] &= ~(ONE << np.uint64(bit))
    return root


@kernel
def sum_cells(board: Board, symmetries: Symmetries, words: int, spread: bool, desk: Desk) -> None:
    """From sums per slot to `totals` per class and cell."""
    desk.totals[:, :] = 0
    for slot in range(64 * words):
        placement = desk.slots[slot]
        if placement < 0 or desk.sums[slot] == 0:
            continue
        c = desk.slot_class[slot]
        for k in range(board.length[placement]):
            desk.totals[c, board.cover[placement, k]] += desk.sums[slot]
    if not spread:
        return
    kept = 0
    for g in range(desk.keeps.size):
        kept += int(desk.keeps[g])
    row = np.empty(board.cells, dtype=desk.totals.dtype)
    for c in range(board.ships):
        row[:] = 0
        for g in range(desk.keeps.size):
            if desk.keeps[g]:
                for cell in range(board.cells):
                    row[symmetries.cells[g, cell]] += desk.totals[c, cell]
        for cell in range(board.cells):
            desk.totals[c, cell] = row[cell] // kept


@kernel
def find_kept(board: Board, evidence: Evidence, symmetries: Symmetries, desk: Desk) -> bool:
    """Mark in `keeps` the symmetries that leave an observation without hits alone."""
    others: bool = False
    for g in range(desk.keeps.size):
        desk.keeps[g] = evidence.hits == 0
        for cell in range(board.cells):
            if not desk.keeps[g]:
                break
            image = symmetries.cells[g, cell]
            desk.keeps[g] = (evidence.when[cell] < 0) == (evidence.when[image] < 0)
        others = others or (g > 0 and bool(desk.keeps[g]))
    return others


@kernel
def count_position(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    prior: Numbers,
    kin: Ints,
    enough: int,
    budget: int,
    desk: Desk,
    work: Ints,
) -> int:
    """Count the layouts that agree with `evidence`, in all and for each class and cell.

    Layouts go to `sums_at[0]` and `totals`, steps taken to `work[0]`.
    """
    work[0] = 0
    words = lay_out(board, evidence, prior, kin, desk)
    if words < 0:
        return TOO_LARGE
    fill_tables(board, words, desk)
    root, spread = -1, False
    if board.ships > 2 and enough == 0 and find_kept(board, evidence, symmetries, desk):
        root = keep_one_of_each_orbit(board, symmetries, words, desk)
        spread = root >= 0
    ended = walk_counting(board, evidence, words, root, enough, min(budget, MOST_WORK), desk, work)
    if ended == DONE and enough == 0:
        sum_cells(board, symmetries, words, spread, desk)
    return ended


@kernel
def weigh_position(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    prior: Numbers,
    kin: Ints,
    enough: int,
    budget: int,
    desk: Desk,
    work: Ints,
) -> int:
    """`count_position` with a weight for each ship and placement."""
    work[0] = 0
    words = lay_out(board, evidence, prior, kin, desk)
    if words < 0:
        return TOO_LARGE
    fill_tables(board, words, desk)
    ended = walk_weighing(board, evidence, words, -1, 0, budget, desk, work)
    if ended == DONE:
        sum_cells(board, symmetries, words, False, desk)
    return ended
