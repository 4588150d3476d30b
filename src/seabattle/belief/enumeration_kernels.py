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

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import WORDS, Bits, Board, Ints
from ..compiled.jit import compose, kernel
from ..compiled.structs import new_struct
from ..compiled.symmetries import Symmetries
from .evidence_kernels import Evidence, is_candidate

# Templates call parts that `compose` binds.
# ruff: noqa: F821
last_one: Callable[..., Any]
last_two: Callable[..., Any]

MOST_WORDS = 192
"""Words of slots that a desk has at most; fleets that need more are not enumerated."""

MOST_WORK = 2**50
"""A walk ends after this many steps at the latest, which would take days. Each step adds
at most 64 layouts, times 8 for an orbit, to a sum; so no sum reaches 2**63."""

NODE_STEPS = 1000
"""What a node of the tree costs; a step is one popcount for the last two ships."""

DONE, OVER_BUDGET = range(2)
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
    lanes: Bits
    """(words, slots) the same with the slots side by side"""
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
    tried: Ints
    """(depth,) how many slots there were to try"""
    ordered: Ints
    """(depth,) 1 if ships of the class are put down in order of their slots"""
    chosen: Ints
    """(depth,) the slot put down"""
    steps: Ints
    """(1,) the work done"""
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
        lanes=np.empty((words, 64 * words), dtype=np.uint64),
        alive=np.empty((ships + 1, words), dtype=np.uint64),
        branches=np.empty((ships + 1, words), dtype=np.uint64),
        uncovered=np.empty((ships + 1, WORDS), dtype=np.uint64),
        afloat=np.empty((ships + 1, ships), dtype=np.int64),
        sums_at=np.empty(ships + 1, dtype=number),
        scale=np.empty(ships + 1, dtype=number),
        tried=np.empty(ships + 1, dtype=np.int64),
        ordered=np.empty(ships + 1, dtype=np.int64),
        chosen=np.empty(ships + 1, dtype=np.int64),
        steps=np.zeros(1, dtype=np.int64),
        keeps=np.zeros(len(symmetries.cells), dtype=np.bool_),
    )


def new_evidence() -> Evidence:
    return new_struct(Evidence)


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
    slots, through, apart, lanes = desk.slots, desk.through, desk.apart, desk.lanes
    for cell in range(board.cells):
        for w in range(words):
            through[cell, w] = np.uint64(0)
    for w in range(words):
        all_alive = np.uint64(0)
        for b in range(64):
            placement = slots[64 * w + b]
            if placement >= 0:
                bit = ONE << np.uint64(b)
                all_alive |= bit
                for k in range(board.length[placement]):
                    through[board.cover[placement, k], w] |= bit
        desk.alive[0, w] = all_alive
    for slot in range(64 * words):
        placement = slots[slot]
        for w in range(words):
            apart[slot, w] = np.uint64(0)
        if placement >= 0:
            for word in range(WORDS):
                halo = board.halo[placement, word]
                while halo != 0:
                    cell = 64 * word + lowest(halo)
                    halo &= halo - ONE
                    for w in range(words):
                        apart[slot, w] |= through[cell, w]
        for w in range(words):
            apart[slot, w] = ~apart[slot, w]
            lanes[w, slot] = apart[slot, w]


@kernel
def count_one(
    alive: Bits, begin: int, end: int, weights: Numbers, sums: Numbers, scale: int
) -> int:
    """All ways to put the last ship down."""
    found = 0
    for w in range(begin, end):
        bits = alive[w]
        found += popcount(bits)
        while bits != 0:
            sums[64 * w + lowest(bits)] += scale
            bits &= bits - ONE
    return found * scale


@kernel
def count_partners(
    alive: Bits,
    begin: int,
    end: int,
    partner_begin: int,
    partner_end: int,
    lanes: Bits,
    sums: Numbers,
    scale: int,
) -> int:
    """Add to every slot of one class its number of partners in another; their sum.

    All slots of a word are done alike, alive or not: that way the processor does eight
    at a time, four times as fast as going from one set bit to the next. Unsigned
    indices keep Numba from testing for negative ones, which would undo it.
    """
    found = 0
    for v in range(partner_begin, partner_end, 3):
        width = min(3, partner_end - v)
        one = alive[v]
        lane = lanes[v]
        if width == 1:
            for w in range(begin, end):
                bits = alive[w]
                for k in range(64):
                    slot = np.uint64(64 * w + k)
                    partners = popcount(one & lane[slot])
                    partners *= np.int64((bits >> np.uint64(k)) & ONE)
                    sums[slot] += partners * scale
                    found += partners
            continue
        two = alive[v + 1]
        second_lane = lanes[v + 1]
        if width == 2:
            for w in range(begin, end):
                bits = alive[w]
                for k in range(64):
                    slot = np.uint64(64 * w + k)
                    partners = popcount(one & lane[slot]) + popcount(two & second_lane[slot])
                    partners *= np.int64((bits >> np.uint64(k)) & ONE)
                    sums[slot] += partners * scale
                    found += partners
            continue
        three = alive[v + 2]
        third_lane = lanes[v + 2]
        for w in range(begin, end):
            bits = alive[w]
            for k in range(64):
                slot = np.uint64(64 * w + k)
                partners = (
                    popcount(one & lane[slot])
                    + popcount(two & second_lane[slot])
                    + popcount(three & third_lane[slot])
                )
                partners *= np.int64((bits >> np.uint64(k)) & ONE)
                sums[slot] += partners * scale
                found += partners
    return found * scale


@kernel
def count_two(
    alive: Bits,
    begin: int,
    end: int,
    other_begin: int,
    other_end: int,
    lanes: Bits,
    weights: Numbers,
    sums: Numbers,
    scale: int,
) -> int:
    """All ways to put the last two ships down; of one class, each pair counts once."""
    if begin == other_begin:
        return count_partners(alive, begin, end, begin, end, lanes, sums, scale) // 2
    count_partners(alive, other_begin, other_end, begin, end, lanes, sums, scale)
    return count_partners(alive, begin, end, other_begin, other_end, lanes, sums, scale)


@kernel
def weigh_one(
    alive: Bits, begin: int, end: int, weights: Numbers, sums: Numbers, scale: float
) -> float:
    found = 0.0
    for w in range(begin, end):
        bits = alive[w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            sums[slot] += scale * weights[slot]
            found += scale * weights[slot]
    return found


@kernel
def weigh_two(
    alive: Bits,
    begin: int,
    end: int,
    other_begin: int,
    other_end: int,
    lanes: Bits,
    weights: Numbers,
    sums: Numbers,
    scale: float,
) -> float:
    found = 0.0
    same = begin == other_begin
    for w in range(begin, end):
        bits = alive[w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            weight = scale * weights[slot]
            below = 0.0
            for v in range(other_begin, other_end):
                partners = alive[v] & lanes[v, slot]
                while partners != 0:
                    partner = 64 * v + lowest(partners)
                    partners &= partners - ONE
                    both = weight * weights[partner]
                    below += both
                    if not same:
                        sums[partner] += both
            sums[slot] += below
            found += below
    return found / 2 if same else found


@kernel
def slots_alive(alive: Bits, begin: int, end: int) -> int:
    count = 0
    for w in range(begin, end):
        count += popcount(alive[w])
    return count


@kernel
def next_class(classes: int, alive: Bits, begin: Ints, end: Ints, afloat: Ints, ships: int) -> int:
    """The class to put down next when every hit is covered; -1 if one has no room left."""
    best, best_cost = -1, 0
    for c in range(classes):
        if afloat[c] == 0:
            continue
        count = slots_alive(alive, begin[c], end[c])
        if count < afloat[c]:
            return -1
        # Two ships of one class make the cheapest last pair.
        cost = 2 * count if afloat[c] == 1 else 3 * count
        if ships == 3 and afloat[c] == 2:
            cost = 2**40
        if best < 0 or cost < best_cost:
            best, best_cost = c, cost
    return best


@kernel
def branch_on_hits(
    classes: int,
    words: int,
    uncovered: Bits,
    alive: Bits,
    begin: Ints,
    end: Ints,
    afloat: Ints,
    through: Bits,
    branches: Bits,
) -> bool:
    """Choose what to try where hits are uncovered: the hit, or the lone ship of a class,
    with the fewest slots. False if a hit has none."""
    best, best_hit, best_class = 2**40, -1, -1
    for c in range(classes):
        if afloat[c] == 1:
            count = slots_alive(alive, begin[c], end[c])
            if count < best:
                best, best_class = count, c
    for word in range(WORDS):
        hits = uncovered[word]
        while hits != 0 and best > 0:
            cell = 64 * word + lowest(hits)
            hits &= hits - ONE
            count = 0
            for w in range(words):
                count += popcount(alive[w] & through[cell, w])
            if count < best or (count == best and best_hit < 0):
                best, best_hit = count, cell
    if best == 0:
        return False
    for w in range(words):
        if best_hit >= 0:
            branches[w] = alive[w] & through[best_hit, w]
        else:
            inside = begin[best_class] <= w < end[best_class]
            branches[w] = alive[w] if inside else np.uint64(0)
    return True


@kernel
def put_down(
    slot: int,
    last_of_class: bool,
    ordered: bool,
    words: int,
    begin: int,
    end: int,
    apart: Bits,
    before: Bits,
    after: Bits,
) -> None:
    """The slots alive after a ship was put on `slot` of the class from `begin` to `end`."""
    for w in range(words):
        after[w] = before[w] & apart[slot, w]
    if last_of_class:
        for w in range(begin, end):
            after[w] = np.uint64(0)
    elif ordered:
        # Ships of one class are put down in ascending order: each set of slots once.
        for w in range(begin, slot >> 6):
            after[w] = np.uint64(0)
        after[slot >> 6] &= ~((ONE << np.uint64(slot & 63)) - ONE)


@kernel
def share_done(words: int, depth: int, branches: Bits, tried: Ints) -> float:
    """How much of the tree lies behind, if all branches of a node are alike."""
    done, share = 0.0, 1.0
    for d in range(depth + 1):
        left = slots_alive(branches[d], 0, words)
        done += share * (tried[d] - left - (1 if d < depth else 0)) / tried[d]
        share /= tried[d]
    return done


def _walk(
    board: Board,
    evidence: Evidence,
    words: int,
    root_class: int,
    enough: int,
    budget: int,
    desk: Desk,
) -> int:
    """Walk the whole tree: fills `sums` and `sums_at[0]`.

    Ends early once `enough` was found (0: never), or after `budget` steps of work, or
    when a part of the budget has shown that the rest will be far from enough.
    """
    alive, branches, uncovered, afloat = desk.alive, desk.branches, desk.uncovered, desk.afloat
    begin, end, length, slot_class = desk.begin, desk.end, desk.length, desk.slot_class
    apart, lanes, weights, sums = desk.apart, desk.lanes, desk.weights, desk.sums
    sums_at, scale, ordered, chosen = desk.sums_at, desk.scale, desk.ordered, desk.chosen
    classes, ships, cells_left = 0, board.ships, board.ship_cells
    for c in range(board.ships):
        afloat[0, c] = desk.ships[c]
        if desk.ships[c] > 0:
            classes = c + 1
    for word in range(WORDS):
        uncovered[0, word] = evidence.hit_bits[word]
    for slot in range(64 * words):
        sums[slot] = 0
    sums_at[0] = 0
    scale[0] = 1
    depth = 0
    steps = 0
    look_ahead = budget // 32
    entering = True
    while True:
        leave = False
        if entering:
            entering = False
            leave = True
            steps += NODE_STEPS
            hits = 0
            for word in range(WORDS):
                hits += popcount(uncovered[depth, word])
            if hits > 0:
                if hits <= cells_left and branch_on_hits(
                    classes,
                    words,
                    uncovered[depth],
                    alive[depth],
                    begin,
                    end,
                    afloat[depth],
                    desk.through,
                    branches[depth],
                ):
                    ordered[depth] = 0
                    leave = False
            elif ships == 0:
                sums_at[depth] = scale[depth]
            else:
                c = -1
                if depth == 0:
                    c = root_class
                if c < 0:
                    c = next_class(classes, alive[depth], begin, end, afloat[depth], ships)
                if c >= 0 and ships > 3:
                    leave = False
                    for w in range(words):
                        inside = begin[c] <= w < end[c]
                        branches[depth, w] = alive[depth, w] if inside else np.uint64(0)
                    ordered[depth] = 1 if afloat[depth, c] > 1 else 0
                elif c >= 0 and ships == 1:
                    sums_at[depth] = last_one(
                        alive[depth], begin[c], end[c], weights, sums, scale[depth]
                    )
                elif c >= 0:
                    one, other = -1, -1
                    for each in range(classes):
                        left = afloat[depth, each]
                        if ships == 3 and each == c:
                            left -= 1
                        if left > 0:
                            other = each
                            if one < 0:
                                one = each
                    begin_one, end_one = begin[one], end[one]
                    begin_other, end_other = begin[other], end[other]
                    cost = 64 * (end_one - begin_one) * (end_other - begin_other)
                    if ships == 2:
                        sums_at[depth] = last_two(
                            alive[depth],
                            begin_one,
                            end_one,
                            begin_other,
                            end_other,
                            lanes,
                            weights,
                            sums,
                            scale[depth],
                        )
                        steps += cost
                    else:
                        # The third last ship is put down here and not by the loop around:
                        # this is where nearly all of the time goes.
                        here, below = alive[depth], alive[depth + 1]
                        alike = afloat[depth, c] > 1
                        total = sums_at[depth]
                        start, stop = begin[c], end[c]
                        for w in range(start, stop):
                            bits = here[w]
                            while bits != 0:
                                slot = 64 * w + lowest(bits)
                                bits &= bits - ONE
                                put_down(
                                    slot, not alike, alike, words, start, stop, apart, here, below
                                )
                                found = last_two(
                                    below,
                                    begin_one,
                                    end_one,
                                    begin_other,
                                    end_other,
                                    lanes,
                                    weights,
                                    sums,
                                    scale[depth] * weights[slot],
                                )
                                sums[slot] += found
                                total += found
                                steps += cost
                        sums_at[depth] = total
            if not leave:
                desk.tried[depth] = slots_alive(branches[depth], 0, words)
        if not leave:
            slot = -1
            for w in range(words):
                bits = branches[depth, w]
                if bits != 0:
                    slot = 64 * w + lowest(bits)
                    branches[depth, w] = bits & (bits - ONE)
                    break
            if slot >= 0:
                c = slot_class[slot]
                chosen[depth] = slot
                for each in range(classes):
                    afloat[depth + 1, each] = afloat[depth, each]
                afloat[depth + 1, c] -= 1
                start, stop = begin[c], end[c]
                here, below = alive[depth], alive[depth + 1]
                last, in_order = afloat[depth + 1, c] == 0, ordered[depth] != 0
                put_down(slot, last, in_order, words, start, stop, apart, here, below)
                placement = desk.slots[slot]
                for word in range(WORDS):
                    uncovered[depth + 1, word] = (
                        uncovered[depth, word] & ~board.mask[placement, word]
                    )
                scale[depth + 1] = scale[depth] * weights[slot]
                depth += 1
                sums_at[depth] = 0
                ships -= 1
                cells_left -= length[c]
                entering = True
                continue
        desk.steps[0] = steps
        if depth == 0:
            return DONE
        depth -= 1
        slot = chosen[depth]
        found = sums_at[depth + 1]
        sums[slot] += found
        sums_at[depth] += found
        ships += 1
        cells_left += length[slot_class[slot]]
        if steps > budget:
            return OVER_BUDGET
        if steps > look_ahead and enough == 0:
            look_ahead *= 2
            if steps > 4 * budget * share_done(words, depth, branches, desk.tried):
                return OVER_BUDGET
        if 0 < enough <= found:
            sums_at[0] = found
            return DONE


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
            root < 0 or desk.end[c] - desk.begin[c] < desk.end[root] - desk.begin[root]
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
def count_layouts(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    words: int,
    enough: int,
    budget: int,
    desk: Desk,
) -> int:
    """Count layouts after `lay_out`: in all in `sums_at[0]`, by class and cell in `totals`,
    and the steps it took in `steps[0]`."""
    fill_tables(board, words, desk)
    root, spread = -1, False
    if board.ships > 2 and enough == 0 and find_kept(board, evidence, symmetries, desk):
        root = keep_one_of_each_orbit(board, symmetries, words, desk)
        spread = root >= 0
    ended = walk_counting(board, evidence, words, root, enough, budget, desk)
    if ended == DONE and enough == 0:
        sum_cells(board, symmetries, words, spread, desk)
    return ended


@kernel
def weigh_layouts(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    words: int,
    enough: int,
    budget: int,
    desk: Desk,
) -> int:
    """`count_layouts` with a weight for each ship and placement."""
    fill_tables(board, words, desk)
    ended = walk_weighing(board, evidence, words, -1, enough, budget, desk)
    if ended == DONE and enough == 0:
        sum_cells(board, symmetries, words, False, desk)
    return ended
