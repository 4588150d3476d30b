"""Counting layouts by enumeration, except for the last two ships.

`evidence_kernels` leaves a list of candidates for each ship. Ships with the same list
form a class: their layouts are counted once, as sets. Each candidate of each class has
a slot, one bit in a row of words, and `apart[slot]` holds the slots that it does not
clash with; putting a ship down is one AND per word.

The enumeration is a tree of choices: while a hit is not covered, the branches are the
slots through the hit that has fewest; then ships are put down freely, the class with
fewest slots first. The last two are not put down: for every slot a of the one, popcount
of `alive & apart[a]` is the number of partners in the other. So each node costs as many
steps as there are slots, not pairs of slots.

The same enumeration with a weight for each ship and placement sums products of weights
instead (`weigh_layouts`); then every pair of the last two ships is visited.

If some symmetries of the board leave the position unchanged, the ship that is put down
first needs only one candidate of each orbit; the sums are then spread over the
symmetries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import MOST_CELLS, WORDS, Bits, Board, Ints
from ..compiled.jit import compose, kernel
from ..compiled.structs import new_struct
from ..compiled.symmetries import Symmetries
from .evidence_kernels import Evidence, is_candidate

# Templates call parts that `compose` binds.
# ruff: noqa: F821
last_one: Callable[..., Any]
last_two: Callable[..., Any]
count_last_ships: Callable[..., Any]
first_class: Callable[..., int]
enumerate_tree: Callable[..., int]

MOST_SHIPS = MOST_CELLS

MOST_WORDS = 192
"""Words of slots in scratch memory at most; fleets that need more are not enumerated."""

MOST_STEPS = 2**50
"""An enumeration ends after this many steps at the latest, which would take days. Each step
adds at most 64 layouts, times 8 for an orbit, to a sum; so no sum reaches 2**63."""

NODE_STEPS = 1000
"""What a node of the tree costs; a step is one popcount for the last two ships."""

DONE, OVER_BUDGET = range(2)
"""How an enumeration ended."""

Numbers = npt.NDArray[Any]
"""int64 for counts, float64 for weights"""


class ShipClasses:
    """Sets of ships with the same candidates, and the slots of those.

    Slots are numbered class by class; each class begins with a new word.
    """

    of_ship: Annotated[Ints, "i8", (MOST_SHIPS,)]
    """the class of each ship"""
    begin: Annotated[Ints, "i8", (MOST_SHIPS,)]
    """first word of each class"""
    end: Annotated[Ints, "i8", (MOST_SHIPS,)]
    """one past its last word"""
    ships: Annotated[Ints, "i8", (MOST_SHIPS,)]
    """how many ships it has"""
    length: Annotated[Ints, "i8", (MOST_SHIPS,)]
    """their length"""
    of_slot: Annotated[npt.NDArray[np.int32], "i4", (64 * MOST_WORDS,)]
    """the class of each slot"""
    placement: Annotated[npt.NDArray[np.int32], "i4", (64 * MOST_WORDS,)]
    """the placement of each slot, -1 where a word has bits to spare"""


class Slots(NamedTuple):
    """What is summed over slots."""

    weights: Numbers
    """(slots,) 1, or the prior weight of the placement for the ships of the class"""
    sums: Numbers
    """(slots,) layouts (or weight) in which a ship of the class lies there"""
    apart: Bits
    """(slots, words) slots that do not clash with each"""
    lanes: Bits
    """(words, slots) the same with the slots side by side"""


class TreePath:
    """The nodes from the root of the tree to the current one, by depth."""

    alive: Annotated[Bits, "u8", (MOST_SHIPS + 1, MOST_WORDS)]
    """slots still possible"""
    branches: Annotated[Bits, "u8", (MOST_SHIPS + 1, MOST_WORDS)]
    """slots still to be tried"""
    uncovered: Annotated[Bits, "u8", (MOST_SHIPS + 1, WORDS)]
    """hits not covered"""
    afloat: Annotated[Ints, "i8", (MOST_SHIPS + 1, MOST_SHIPS)]
    """ships of each class not put down"""
    tried: Annotated[Ints, "i8", (MOST_SHIPS + 1,)]
    """how many slots there were to try"""
    ordered: Annotated[npt.NDArray[np.uint8], "u1", (MOST_SHIPS + 1,)]
    """1 if ships of the class are put down in order of their slots"""
    chosen: Annotated[Ints, "i8", (MOST_SHIPS + 1,)]
    """the slot put down"""


class EnumerationScratch(NamedTuple):
    """Working memory of one enumeration, made once per rules and used again.

    `classes` and `path` are structs: Numba counts no references to them, which would
    take longer than a small node itself.
    """

    slots: Slots
    classes: ShipClasses
    path: TreePath
    through: Bits
    """(cells, words) slots that cover each cell"""
    found: Numbers
    """(depth,) layouts (or weight) found below each node of the path"""
    scale: Numbers
    """(depth,) product of the weights above it"""
    totals: Numbers
    """(classes, cells) layouts (or weight) in which a ship of the class covers the cell"""
    steps: Ints
    """(1,) the work done"""
    keeps: npt.NDArray[np.bool_]
    """(symmetries,) whether each symmetry leaves the position unchanged"""


class Span(NamedTuple):
    """The words of one class."""

    begin: int
    end: int


def new_enumeration_scratch(
    board: Board, symmetries: Symmetries, weighted: bool
) -> EnumerationScratch:
    ships, cells = int(board.ships), int(board.cells)
    spans = board.last[:ships] - board.first[:ships]
    words = min(int(((spans + 63) // 64).sum()), MOST_WORDS)
    number = np.float64 if weighted else np.int64
    return EnumerationScratch(
        slots=Slots(
            weights=np.empty(64 * words, dtype=number),
            sums=np.empty(64 * words, dtype=number),
            apart=np.empty((64 * words, words), dtype=np.uint64),
            lanes=np.empty((words, 64 * words), dtype=np.uint64),
        ),
        classes=new_struct(ShipClasses, cleared=False),
        path=new_struct(TreePath, cleared=False),
        through=np.empty((cells, words), dtype=np.uint64),
        found=np.empty(ships + 1, dtype=number),
        scale=np.empty(ships + 1, dtype=number),
        totals=np.empty((ships, cells), dtype=number),
        steps=np.zeros(1, dtype=np.int64),
        keeps=np.zeros(len(symmetries.cells), dtype=np.bool_),
    )


def new_evidence() -> Evidence:
    return new_struct(Evidence)


@kernel
def assign_slots(
    board: Board, evidence: Evidence, prior: Numbers, kin: Ints, scratch: EnumerationScratch
) -> int:
    """Sort ships into classes and give every candidate a slot.

    `prior` is (ships, placements); ships with the same `kin` have the same length and
    the same prior. Returns the words in use, or -1 if there are too many candidates.
    """
    slots, classes = scratch.slots, scratch.classes
    words, used = 0, 0
    for ship in range(board.ships):
        if evidence.named_hits[ship] == 0:
            shared = -1
            for other in range(ship):
                if kin[other] == kin[ship] and evidence.named_hits[other] == 0:
                    shared = classes.of_ship[other]
                    break
            if shared >= 0:
                classes.of_ship[ship] = shared
                classes.ships[shared] += 1
                continue
        classes.of_ship[ship] = used
        classes.ships[used] = 1
        classes.length[used] = board.fleet[ship]
        classes.begin[used] = words
        slot = 64 * words
        for placement in range(board.first[ship], board.last[ship]):
            if prior[ship, placement] > 0 and is_candidate(board, evidence, ship, placement):
                if slot >= slots.sums.size:
                    return -1
                classes.placement[slot] = placement
                classes.of_slot[slot] = used
                slots.weights[slot] = prior[ship, placement]
                slot += 1
        words = (slot + 63) >> 6
        for spare in range(slot, 64 * words):
            classes.placement[spare] = -1
        classes.end[used] = words
        used += 1
    for c in range(used, board.ships):
        classes.ships[c] = 0
        classes.begin[c] = classes.end[c] = words
        classes.length[c] = 0
    return words


@kernel
def fill_tables(board: Board, words: int, scratch: EnumerationScratch) -> None:
    """The slots through each cell, the slots apart from each slot, and those alive."""
    through, apart, lanes = scratch.through, scratch.slots.apart, scratch.slots.lanes
    placements, alive = scratch.classes.placement, scratch.path.alive[0]
    for cell in range(board.cells):
        for w in range(words):
            through[cell, w] = np.uint64(0)
    for w in range(words):
        all_alive = np.uint64(0)
        for b in range(64):
            placement = placements[64 * w + b]
            if placement >= 0:
                bit = ONE << np.uint64(b)
                all_alive |= bit
                for k in range(board.length[placement]):
                    through[board.cover[placement, k], w] |= bit
        alive[w] = all_alive
    for slot in range(64 * words):
        placement = placements[slot]
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
def count_one(alive: Bits, span: Span, weights: Numbers, sums: Numbers, scale: int) -> int:
    """All ways to put the last ship down."""
    found = 0
    for w in range(span.begin, span.end):
        bits = alive[w]
        found += popcount(bits)
        while bits != 0:
            sums[64 * w + lowest(bits)] += scale
            bits &= bits - ONE
    return found * scale


@kernel
def count_partners(
    alive: Bits, span: Span, partner_span: Span, lanes: Bits, sums: Numbers, scale: int
) -> int:
    """Add to every slot of one class its number of partners in another; their sum.

    All slots of a word are done alike, alive or not: that way the processor does eight
    at a time, four times as fast as going from one set bit to the next. Unsigned
    indices keep Numba from testing for negative ones, which would undo it.
    """
    found = 0
    begin, end = span.begin, span.end
    for v in range(partner_span.begin, partner_span.end, 3):
        width = min(3, partner_span.end - v)
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
    one: Span,
    other: Span,
    lanes: Bits,
    weights: Numbers,
    sums: Numbers,
    scale: int,
) -> int:
    """All ways to put the last two ships down; of one class, each pair counts once."""
    if one.begin == other.begin:
        return count_partners(alive, one, one, lanes, sums, scale) // 2
    count_partners(alive, other, one, lanes, sums, scale)
    return count_partners(alive, one, other, lanes, sums, scale)


@kernel
def weigh_one(alive: Bits, span: Span, weights: Numbers, sums: Numbers, scale: float) -> float:
    found = 0.0
    for w in range(span.begin, span.end):
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
    one: Span,
    other: Span,
    lanes: Bits,
    weights: Numbers,
    sums: Numbers,
    scale: float,
) -> float:
    found = 0.0
    same = one.begin == other.begin
    for w in range(one.begin, one.end):
        bits = alive[w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            weight = scale * weights[slot]
            below = 0.0
            for v in range(other.begin, other.end):
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
def next_class(used: int, ships: int, classes: ShipClasses, alive: Bits, afloat: Ints) -> int:
    """The class to put down next when every hit is covered; -1 if one has no room left."""
    best, best_cost = -1, 0
    for c in range(used):
        if afloat[c] == 0:
            continue
        count = slots_alive(alive, classes.begin[c], classes.end[c])
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
def branch_on_class(words: int, begin: int, end: int, alive: Bits, branches: Bits) -> None:
    """Try every slot of one class."""
    for w in range(words):
        branches[w] = alive[w] if begin <= w < end else np.uint64(0)


@kernel
def branch_on_hits(
    used: int, words: int, depth: int, classes: ShipClasses, through: Bits, path: TreePath
) -> bool:
    """Choose what to try where hits are uncovered: the hit, or the lone ship of a class,
    with the fewest slots. False if a hit has none."""
    alive, branches, uncovered = path.alive[depth], path.branches[depth], path.uncovered[depth]
    afloat, begin, end = path.afloat[depth], classes.begin, classes.end
    best, best_hit, best_class = 2**40, -1, -1
    for c in range(used):
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
    if best_hit < 0:
        branch_on_class(words, begin[best_class], end[best_class], alive, branches)
    else:
        for w in range(words):
            branches[w] = alive[w] & through[best_hit, w]
    return True


@kernel
def next_branch(words: int, branches: Bits) -> int:
    """The next slot to try, which is taken off the branches; -1 if none is left."""
    for w in range(words):
        bits = branches[w]
        if bits != 0:
            branches[w] = bits & (bits - ONE)
            return 64 * w + lowest(bits)
    return -1


@kernel
def put_down(
    slot: int,
    last_of_class: bool,
    ordered: bool,
    words: int,
    span: Span,
    apart: Bits,
    before: Bits,
    after: Bits,
) -> None:
    """The slots alive after a ship was put on `slot` of the class with this span."""
    for w in range(words):
        after[w] = before[w] & apart[slot, w]
    if last_of_class:
        for w in range(span.begin, span.end):
            after[w] = np.uint64(0)
    elif ordered:
        # Ships of one class are put down in ascending order: each set of slots once.
        for w in range(span.begin, slot >> 6):
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


@kernel
def last_pair(used: int, ships: int, c: int, afloat: Ints) -> tuple[int, int]:
    """The classes of the last two ships; of three, one of class `c` is put down before."""
    one, other = -1, -1
    for each in range(used):
        left = afloat[each]
        if ships == 3 and each == c:
            left -= 1
        if left > 0:
            other = each
            if one < 0:
                one = each
    return one, other


def _count_last_ships(
    used: int,
    words: int,
    ships: int,
    c: int,
    depth: int,
    classes: ShipClasses,
    slots: Slots,
    path: TreePath,
    scale: Any,
) -> tuple[Any, int]:
    """All ways to put the last one, two or three ships down, and the steps it takes.

    Of one or three ships, the first is of class `c`.
    """
    weights, sums, lanes = slots.weights, slots.sums, slots.lanes
    begin, end = classes.begin, classes.end
    alive, afloat = path.alive[depth], path.afloat[depth]
    if ships == 1:
        return last_one(alive, Span(begin[c], end[c]), weights, sums, scale), 0
    first, second = last_pair(used, ships, c, afloat)
    one, other = Span(begin[first], end[first]), Span(begin[second], end[second])
    cost = 64 * (one.end - one.begin) * (other.end - other.begin)
    if ships == 2:
        return last_two(alive, one, other, lanes, weights, sums, scale), cost
    # The third last ship is put down here and not by `_enumerate`: this is where nearly
    # all of the time goes.
    total, steps = 0 * scale, 0
    alike = afloat[c] > 1
    alive_below = path.alive[depth + 1]
    span = Span(begin[c], end[c])
    for w in range(span.begin, span.end):
        bits = alive[w]
        while bits != 0:
            slot = 64 * w + lowest(bits)
            bits &= bits - ONE
            put_down(slot, not alike, alike, words, span, slots.apart, alive, alive_below)
            found = last_two(alive_below, one, other, lanes, weights, sums, scale * weights[slot])
            sums[slot] += found
            total += found
            steps += cost
    return total, steps


@kernel
def start_path(board: Board, evidence: Evidence, words: int, scratch: EnumerationScratch) -> int:
    """Set up the root of the tree; returns how many classes there are."""
    classes, path = scratch.classes, scratch.path
    used = 0
    for c in range(board.ships):
        path.afloat[0, c] = classes.ships[c]
        if classes.ships[c] > 0:
            used = c + 1
    for word in range(WORDS):
        path.uncovered[0, word] = evidence.hit_bits[word]
    for slot in range(64 * words):
        scratch.slots.sums[slot] = 0
    scratch.found[0] = 0
    scratch.scale[0] = 1
    return used


@kernel
def descend(
    board: Board,
    used: int,
    words: int,
    depth: int,
    slot: int,
    placement: int,
    c: int,
    classes: ShipClasses,
    apart: Bits,
    path: TreePath,
) -> None:
    """Put a ship of class `c` on a slot: set up the node below `depth`."""
    below = depth + 1
    path.chosen[depth] = slot
    for each in range(used):
        path.afloat[below, each] = path.afloat[depth, each]
    path.afloat[below, c] -= 1
    last, ordered = path.afloat[below, c] == 0, path.ordered[depth] != 0
    span = Span(classes.begin[c], classes.end[c])
    put_down(slot, last, ordered, words, span, apart, path.alive[depth], path.alive[below])
    for word in range(WORDS):
        path.uncovered[below, word] = path.uncovered[depth, word] & ~board.mask[placement, word]


def _enumerate(
    board: Board,
    evidence: Evidence,
    words: int,
    root_class: int,
    enough: int,
    budget: int,
    scratch: EnumerationScratch,
) -> int:
    """Go through the whole tree: fills `sums` and `found[0]`.

    Ends early once `enough` was found (0: never), or after `budget` steps of work, or
    when part of the budget has shown that all of it will be far from enough.
    """
    slots, classes, path = scratch.slots, scratch.classes, scratch.path
    sums, found, scale = slots.sums, scratch.found, scratch.scale
    used = start_path(board, evidence, words, scratch)
    ships, cells_left = board.ships, board.ship_cells
    # A literal 0 would have all functions that take the depth compiled twice.
    depth, steps, look_ahead = np.int64(0), 0, budget // 32
    while True:
        # A node that was just reached: count below it, or list its branches.
        steps += NODE_STEPS
        alive, afloat, branches = path.alive[depth], path.afloat[depth], path.branches[depth]
        branching = False
        hits = 0
        for word in range(WORDS):
            hits += popcount(path.uncovered[depth, word])
        if hits > 0:
            path.ordered[depth] = 0
            if hits <= cells_left:
                branching = branch_on_hits(used, words, depth, classes, scratch.through, path)
        elif ships == 0:
            found[depth] = scale[depth]
        else:
            c = root_class if depth == 0 else -1
            if c < 0:
                c = next_class(used, ships, classes, alive, afloat)
            if c >= 0 and ships > 3:
                branching = True
                path.ordered[depth] = 1 if afloat[c] > 1 else 0
                branch_on_class(words, classes.begin[c], classes.end[c], alive, branches)
            elif c >= 0:
                below, work = count_last_ships(
                    used, words, ships, c, depth, classes, slots, path, scale[depth]
                )
                found[depth] = below
                steps += work
        slot = -1
        if branching:
            path.tried[depth] = slots_alive(branches, 0, words)
            slot = next_branch(words, branches)
        # Go back up while there is nothing left to try.
        while slot < 0:
            scratch.steps[0] = steps
            if depth == 0:
                return DONE
            depth -= 1
            below = found[depth + 1]
            sums[path.chosen[depth]] += below
            found[depth] += below
            ships += 1
            cells_left += classes.length[classes.of_slot[path.chosen[depth]]]
            if steps > budget:
                return OVER_BUDGET
            if steps > look_ahead and enough == 0:
                look_ahead *= 2
                if steps > 4 * budget * share_done(words, depth, path.branches, path.tried):
                    return OVER_BUDGET
            if 0 < enough <= below:
                found[0] = below
                return DONE
            slot = next_branch(words, path.branches[depth])
        c = np.int64(classes.of_slot[slot])
        placement = np.int64(classes.placement[slot])
        descend(board, used, words, depth, slot, placement, c, classes, slots.apart, path)
        scale[depth + 1] = scale[depth] * slots.weights[slot]
        found[depth + 1] = 0
        depth += 1
        ships -= 1
        cells_left -= classes.length[c]


@kernel
def keep_one_of_each_orbit(symmetries: Symmetries, words: int, scratch: EnumerationScratch) -> int:
    """Leave the class put down first one slot per orbit, weighted by the orbit's size.

    Returns that class, or -1 if there is none with a single ship.
    """
    classes, keeps, alive = scratch.classes, scratch.keeps, scratch.path.alive[0]
    placements = classes.placement
    root = -1
    for c in range(scratch.totals.shape[0]):
        if classes.ships[c] == 1 and (
            root < 0 or classes.end[c] - classes.begin[c] < classes.end[root] - classes.begin[root]
        ):
            root = c
    if root < 0:
        return -1
    orbit = np.empty(keeps.size, dtype=np.int32)
    for w in range(classes.begin[root], classes.end[root]):
        bits = alive[w]
        while bits != 0:
            bit = lowest(bits)
            bits &= bits - ONE
            slot = 64 * w + bit
            size = 0
            first = True
            for g in range(keeps.size):
                if not keeps[g]:
                    continue
                image = symmetries.placements[g, placements[slot]]
                if image < placements[slot]:
                    first = False
                known = False
                for k in range(size):
                    if orbit[k] == image:
                        known = True
                if not known:
                    orbit[size] = image
                    size += 1
            if first:
                scratch.slots.weights[slot] *= size
            else:
                alive[w] &= ~(ONE << np.uint64(bit))
    return root


@kernel
def sum_cells(
    board: Board, words: int, classes: ShipClasses, sums: Numbers, totals: Numbers
) -> None:
    """From sums per slot to totals per class and cell."""
    totals[:, :] = 0
    for slot in range(64 * words):
        placement = classes.placement[slot]
        if placement < 0 or sums[slot] == 0:
            continue
        c = classes.of_slot[slot]
        for k in range(board.length[placement]):
            totals[c, board.cover[placement, k]] += sums[slot]


@kernel
def spread_totals(
    board: Board, symmetries: Symmetries, keeps: npt.NDArray[np.bool_], totals: Numbers
) -> None:
    """Average totals over the symmetries that leave the position unchanged."""
    kept = 0
    for g in range(keeps.size):
        kept += int(keeps[g])
    row = np.empty(board.cells, dtype=totals.dtype)
    for c in range(board.ships):
        row[:] = 0
        for g in range(keeps.size):
            if keeps[g]:
                for cell in range(board.cells):
                    row[symmetries.cells[g, cell]] += totals[c, cell]
        for cell in range(board.cells):
            totals[c, cell] = row[cell] // kept


@kernel
def find_kept(
    board: Board, evidence: Evidence, symmetries: Symmetries, keeps: npt.NDArray[np.bool_]
) -> bool:
    """Mark in `keeps` the symmetries that leave an observation without hits unchanged;
    whether there are any but the identity."""
    others: bool = False
    for g in range(keeps.size):
        keeps[g] = evidence.hits == 0
        for cell in range(board.cells):
            if not keeps[g]:
                break
            image = symmetries.cells[g, cell]
            keeps[g] = (evidence.when[cell] < 0) == (evidence.when[image] < 0)
        others = others or (g > 0 and bool(keeps[g]))
    return others


@kernel
def keep_orbits(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    words: int,
    enough: int,
    scratch: EnumerationScratch,
) -> int:
    """Use the symmetries of the position, if there are any: the class to be put down first, or
    -1."""
    if board.ships > 2 and enough == 0 and find_kept(board, evidence, symmetries, scratch.keeps):
        return keep_one_of_each_orbit(symmetries, words, scratch)
    return -1


@kernel
def keep_all(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    words: int,
    enough: int,
    scratch: EnumerationScratch,
) -> int:
    """Use no symmetry: the images of a placement may have other weights."""
    return -1


def _sum_layouts(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    words: int,
    enough: int,
    budget: int,
    scratch: EnumerationScratch,
) -> int:
    """Count or weigh layouts after `assign_slots`: the sum of all in `found[0]`, by class and
    cell in `totals`, and the steps it took in `steps[0]`."""
    fill_tables(board, words, scratch)
    root = first_class(board, symmetries, evidence, words, enough, scratch)
    ended = enumerate_tree(board, evidence, words, root, enough, budget, scratch)
    if ended == DONE and enough == 0:
        sum_cells(board, words, scratch.classes, scratch.slots.sums, scratch.totals)
        if root >= 0:
            spread_totals(board, symmetries, scratch.keeps, scratch.totals)
    return ended


def _compose(
    name: str,
    last_one: Callable[..., Any],
    last_two: Callable[..., Any],
    first_class: Callable[..., int],
) -> Any:
    last_ships = compose(_count_last_ships, name, last_one=last_one, last_two=last_two)
    tree = compose(_enumerate, name, count_last_ships=last_ships)
    return compose(_sum_layouts, name, first_class=first_class, enumerate_tree=tree)


count_layouts = _compose("counting", count_one, count_two, keep_orbits)
weigh_layouts = _compose("weighing", weigh_one, weigh_two, keep_all)
"""`count_layouts` with a weight for each ship and placement"""
