"""End-games: listing every layout that is left, and greedy play on the list.

`Greedy play` always fires at the cell that most of the layouts left have a ship on; of several, the
one whose neighbours have least: at the node itself (`ties_at_nodes`), which is the play of
`exact:ties=isolated`, or at the root, which is quicker. It splits the list by the answers, so all
layouts are played at once, as a tree. Hits need not be counted: every layout has as many of them to
come as any other. So what a position costs is the number of misses of all its layouts together.

Only cells that some layout has a ship on matter, and they are numbered anew, so that a layout
is two words of 64 bits, and cells are counted in bit planes: bit i of plane k is bit k of the
count of cell i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..belief.evidence_kernels import Evidence, gather_candidates
from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, WORDS, Bits, Board, Cells, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, SANK

TOO_MANY = -1
"""Instead of the number of layouts listed."""

MOST_LIVE = 128
"""Cells that matter, at most: two words."""

PLANES = 32

ZERO = np.uint64(0)


class Endgame(NamedTuple):
    """Working memory, made once per rules and size."""

    candidates: Int32s
    """(ships, placements)"""
    counts: Ints
    """(ships,) candidates of each ship"""
    placements: Int32s
    """(layouts, ships) the layouts listed"""
    bits: Bits
    """(layouts, words) their ship cells"""
    low: Bits
    high: Bits
    """(layouts,) the same in the numbers of the cells that matter"""
    ship_low: Bits
    ship_high: Bits
    """(placements,) the cells of each placement in these numbers"""
    ties_at_nodes: bool
    """whether ties are broken at each node, instead of at the root"""
    cell_counts: Ints
    """(cells,) layouts with a ship on each cell not shot at"""
    around: Ints
    """(cells,) the sum of these counts over the neighbours of each cell that matters"""
    beside_low: Bits
    beside_high: Bits
    """(MOST_LIVE,) the neighbours of each cell that matters, by number"""
    live: Ints
    """(MOST_LIVE,) the cells that matter, in the order of their numbers"""
    numbers: Ints
    """(cells,) the number of each cell, or -1"""
    order: Int32s
    """(layouts,) the layouts, sorted so that those of one node are adjacent"""
    sorted: Int32s
    """(layouts,) scratch of sorting"""
    answers: Int32s
    """(layouts,) the answer of each to the shot of the node"""
    stack: Ints
    """(layouts, 2) nodes that wait: where their layouts begin and end"""
    fired: Bits
    """(layouts, 2) the cells shot at on the way to each"""


def new_endgame(board: Board, layouts: int, ties_at_nodes: bool = False) -> Endgame:
    ships, cells, placements = int(board.ships), int(board.cells), max(1, int(board.placements))
    layouts = max(1, layouts)
    return Endgame(
        candidates=np.zeros((ships, placements), dtype=np.int32),
        counts=np.zeros(ships, dtype=np.int64),
        placements=np.zeros((layouts, ships), dtype=np.int32),
        bits=np.zeros((layouts, WORDS), dtype=np.uint64),
        low=np.zeros(layouts, dtype=np.uint64),
        high=np.zeros(layouts, dtype=np.uint64),
        ship_low=np.zeros(placements, dtype=np.uint64),
        ship_high=np.zeros(placements, dtype=np.uint64),
        ties_at_nodes=ties_at_nodes,
        cell_counts=np.zeros(cells, dtype=np.int64),
        around=np.zeros(cells, dtype=np.int64),
        beside_low=np.zeros(MOST_LIVE, dtype=np.uint64),
        beside_high=np.zeros(MOST_LIVE, dtype=np.uint64),
        live=np.zeros(MOST_LIVE, dtype=np.int64),
        numbers=np.zeros(cells, dtype=np.int64),
        order=np.zeros(layouts, dtype=np.int32),
        sorted=np.zeros(layouts, dtype=np.int32),
        answers=np.zeros(layouts, dtype=np.int32),
        stack=np.zeros((layouts, 2), dtype=np.int64),
        fired=np.zeros((layouts, 2), dtype=np.uint64),
    )


@kernel
def are_alike(board: Board, evidence: Evidence, one: int, other: int) -> bool:
    """Whether exchanging two ships leaves the same layout with the same answers."""
    return (
        board.answers != NAMED
        and board.fleet[one] == board.fleet[other]
        and evidence.sunk_by[one] < 0
        and evidence.sunk_by[other] < 0
    )


@kernel
def list_layouts(
    board: Board,
    cells: Cells,
    answers: Ints,
    evidence: Evidence,
    bound: float,
    steps: int,
    game: Endgame,
) -> int:
    """List every layout that agrees with these shots (see `list_candidates`)."""
    gather_candidates(board, cells, answers, evidence, game.candidates, game.counts)
    return list_candidates(board, evidence, bound, steps, game)


@kernel
def list_candidates(
    board: Board, evidence: Evidence, bound: float, steps: int, game: Endgame
) -> int:
    """List every layout of these candidates; TOO_MANY if there are more than fit, or if a simple
    upper bound of their number is more than `bound`, or if finding them takes more steps.

    Ships are put down one after the other: while a hit is not covered, any ship that covers
    the first such hit; then the ship with the fewest candidates. Ships that are alike are
    put down in order, so that each layout is listed once.
    """
    ships, most = board.ships, game.order.size
    if upper_bound(board, evidence, game) > bound:
        return TOO_MANY
    placed = np.full(ships, -1, dtype=np.int64)  # the depth at which each ship was put down
    chosen = np.zeros(ships + 1, dtype=np.int64)  # by depth: the ship put down
    index = np.zeros(ships + 1, dtype=np.int64)  # and which of its candidates
    hit = np.zeros(ships + 1, dtype=np.int64)  # the hit to be covered, or -1
    taken = np.zeros((ships + 1, WORDS), dtype=np.uint64)
    uncovered = np.zeros((ships + 1, WORDS), dtype=np.uint64)
    layout = np.zeros(ships, dtype=np.int32)
    for word in range(WORDS):
        uncovered[0, word] = evidence.hit_bits[word]
    cells_left = board.ship_cells
    found, depth, fresh = 0, 0, True
    while depth >= 0:
        if fresh:
            hits, first = 0, -1
            for word in range(WORDS):
                hits += popcount(uncovered[depth, word])
                if first < 0 and uncovered[depth, word] != 0:
                    first = 64 * word + lowest(uncovered[depth, word])
            if hits > cells_left:
                depth -= 1
                fresh = False
                continue
            if depth == ships:
                if found == most:
                    return TOO_MANY
                for word in range(WORDS):
                    game.bits[found, word] = np.uint64(0)
                for ship in range(ships):
                    game.placements[found, ship] = layout[ship]
                    for word in range(WORDS):
                        game.bits[found, word] |= board.mask[layout[ship], word]
                found += 1
                depth -= 1
                fresh = False
                continue
            hit[depth] = first
            chosen[depth] = next_ship(board, evidence, game.counts, placed, first, -1)
            index[depth] = first_index(board, evidence, placed, chosen, index, hit, depth)
        else:
            placed[chosen[depth]] = -1
            cells_left += board.fleet[chosen[depth]]
            index[depth] += 1
        # The next candidate that fits, of this ship or of the next one that may cover the hit.
        down = -1
        while chosen[depth] >= 0:
            ship = chosen[depth]
            while index[depth] < game.counts[ship]:
                steps -= 1
                placement = np.int64(game.candidates[ship, index[depth]])
                if fits(board, placement, hit[depth], taken[depth]):
                    down = placement
                    break
                index[depth] += 1
            if down >= 0 or hit[depth] < 0:
                break
            chosen[depth] = next_ship(board, evidence, game.counts, placed, hit[depth], ship)
            index[depth] = 0
        if steps < 0:
            return TOO_MANY
        if down < 0:
            depth -= 1
            fresh = False
            continue
        ship = chosen[depth]
        placed[ship] = depth
        layout[ship] = down
        cells_left -= board.fleet[ship]
        for word in range(WORDS):
            taken[depth + 1, word] = taken[depth, word] | board.mask[down, word]
            uncovered[depth + 1, word] = uncovered[depth, word] & ~board.mask[down, word]
        depth += 1
        fresh = True
    return found


@kernel
def upper_bound(board: Board, evidence: Evidence, game: Endgame) -> float:
    """At least the number of layouts: any candidate for each ship, but one of them through a
    hit; of all hits, the one that leaves least.

    Further shots never raise it. So a game in which the layouts were listed once goes on with
    them exactly as if they were listed anew at every shot (see `keep_agreeing_listed`).
    """
    product = 1.0
    for ship in range(board.ships):
        product *= game.counts[ship]
    if product == 0.0:
        return 0.0
    least = 1.0
    for word in range(WORDS):
        hits = evidence.hit_bits[word]
        while hits != 0:
            bit = hits & (~hits + ONE)
            hits &= hits - ONE
            share = 0.0
            for ship in range(board.ships):
                through = 0
                for index in range(game.counts[ship]):
                    if board.mask[game.candidates[ship, index], word] & bit != 0:
                        through += 1
                share += through / game.counts[ship]
            least = min(least, share)
    return product * least


@kernel
def keep_agreeing_listed(
    board: Board, evidence: Evidence, game: Endgame, layouts: int, cell: int, answer: int
) -> int:
    """Drop the layouts listed that do not agree with one more shot, which is added to `evidence`;
    returns how many are left."""
    word, bit = cell >> 6, ONE << np.uint64(cell & 63)
    kind, named = answer & 3, (answer >> 2) - 1
    if kind == MISS:
        evidence.miss_bits[word] |= bit
    else:
        evidence.hit_bits[word] |= bit
    kept = 0
    for layout in range(layouts):
        agrees = (game.bits[layout, word] & bit == 0) == (kind == MISS)
        if agrees and kind != MISS and board.answers != HIT_MISS:
            for ship in range(board.ships):
                placement = game.placements[layout, ship]
                if board.mask[placement, word] & bit == 0:
                    continue
                afloat = False
                for each in range(WORDS):
                    afloat |= board.mask[placement, each] & ~evidence.hit_bits[each] != 0
                agrees = afloat == (kind != SANK)
                if named >= 0:
                    # Ships of one length can exchange their names until one is told.
                    agrees &= (
                        ship == named
                        if board.answers == NAMED
                        else board.fleet[ship] == board.fleet[named]
                    )
                break
        if agrees:
            for each in range(WORDS):
                game.bits[kept, each] = game.bits[layout, each]
            for ship in range(board.ships):
                game.placements[kept, ship] = game.placements[layout, ship]
            kept += 1
    return kept


@kernel
def next_ship(
    board: Board, evidence: Evidence, counts: Ints, placed: Ints, hit: int, after: int
) -> int:
    """The ship to put down: to cover a hit, the first one after `after` that is not like an
    earlier one; otherwise the one with the fewest candidates. -1 if there is none."""
    best = -1
    for ship in range(after + 1, board.ships):
        if placed[ship] >= 0:
            continue
        alike = False
        for other in range(ship):
            if placed[other] < 0 and are_alike(board, evidence, other, ship):
                alike = True
                break
        if alike:
            continue
        if hit >= 0:
            return ship
        if best < 0 or counts[ship] < counts[best]:
            best = ship
    return best


@kernel
def first_index(
    board: Board, evidence: Evidence, placed: Ints, chosen: Ints, index: Ints, hit: Ints, depth: int
) -> int:
    """Where the candidates of the ship at this depth begin: after that of the last ship like it
    that was put down freely."""
    if hit[depth] >= 0 or chosen[depth] < 0:
        return 0
    for above in range(depth - 1, -1, -1):
        if hit[above] < 0 and are_alike(board, evidence, chosen[above], chosen[depth]):
            return index[above] + 1
    return 0


@kernel
def fits(board: Board, placement: int, hit: int, taken: Bits) -> bool:
    """Whether a placement covers the hit, if there is one, and clashes with no ship."""
    if hit >= 0 and (board.mask[placement, hit >> 6] >> np.uint64(hit & 63)) & ONE == 0:
        return False
    for word in range(WORDS):
        if board.halo[placement, word] & taken[word] != 0:
            return False
    return True


@kernel
def number_cells(board: Board, game: Endgame, layouts: int, fired: Bits) -> int:
    """Count the cells not shot at and number those that matter, the most isolated first or, with
    `ties_at_nodes`, in the order of the board; returns how many there are, or TOO_MANY."""
    counts, around = game.cell_counts, game.around
    counts[:] = 0
    around[:] = 0
    for layout in range(layouts):
        for word in range(WORDS):
            ships = game.bits[layout, word] & ~fired[word]
            while ships != 0:
                counts[64 * word + lowest(ships)] += 1
                ships &= ships - ONE
    live = 0
    for cell in range(board.cells):
        if counts[cell] == 0:
            continue
        if live == MOST_LIVE:
            return TOO_MANY
        for direction in range(4):
            neighbour = board.neighbours[cell, direction]
            if neighbour >= 0:
                around[cell] += counts[neighbour]
        at = live
        while not game.ties_at_nodes and at > 0 and around[game.live[at - 1]] > around[cell]:
            game.live[at] = game.live[at - 1]
            at -= 1
        game.live[at] = cell
        live += 1
    return live


@kernel
def renumber(board: Board, game: Endgame, layouts: int, live: int) -> None:
    """Write layouts and placements in the numbers of the cells that matter."""
    new_low, new_high = np.zeros(board.cells, dtype=np.uint64), np.zeros(board.cells, np.uint64)
    game.numbers[:] = -1
    for number in range(live):
        cell = game.live[number]
        game.numbers[cell] = number
        new_low[cell], new_high[cell] = number_bits(number)
    for number in range(live):
        low, high = ZERO, ZERO
        for direction in range(4):
            neighbour = board.neighbours[game.live[number], direction]
            if neighbour >= 0:
                low |= new_low[neighbour]
                high |= new_high[neighbour]
        game.beside_low[number], game.beside_high[number] = low, high
    for ship in range(board.ships):
        for index in range(game.counts[ship]):
            placement = game.candidates[ship, index]
            low, high = ZERO, ZERO
            for k in range(board.length[placement]):
                cell = board.cover[placement, k]
                low |= new_low[cell]
                high |= new_high[cell]
            game.ship_low[placement], game.ship_high[placement] = low, high
    for layout in range(layouts):
        low, high = ZERO, ZERO
        for ship in range(board.ships):
            low |= game.ship_low[game.placements[layout, ship]]
            high |= game.ship_high[game.placements[layout, ship]]
        game.low[layout], game.high[layout] = low, high
        game.order[layout] = layout


class TreeNode(NamedTuple):
    """A position in a tree."""

    begin: int
    end: int
    """its layouts, as places in `order`"""
    shot_low: np.uint64
    shot_high: np.uint64
    """the cells shot at since the root, in the numbers of the cells that matter"""


@kernel
def number_bits(number: int) -> tuple[np.uint64, np.uint64]:
    """The bit of this number in two words; no bit for -1."""
    if number < 0:
        return ZERO, ZERO
    bit = ONE << np.uint64(number & 63)
    return (bit, ZERO) if number < 64 else (ZERO, bit)


@kernel
def full_adder(a: np.uint64, b: np.uint64, c: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The sum and the carry of three bits, for 64 columns at once."""
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@kernel
def greedy_misses(board: Board, game: Endgame, node: TreeNode, number: int, limit: int) -> int:
    """Misses that the layouts of a node cost together: by a shot at the cell of this number, then
    by greedy play; by greedy play alone if it is -1. At least `limit` as soon as that is reached.

    One function without calls: Numba counts references to every array at a call.
    """
    low, high, order, sorted_, codes = game.low, game.high, game.order, game.sorted, game.answers
    ship_low, ship_high, placements = game.ship_low, game.ship_high, game.placements
    stack, fired, ships, fleet = game.stack, game.fired, board.ships, board.fleet
    kind = board.answers
    planes_low, planes_high = np.empty(PLANES, np.uint64), np.empty(PLANES, np.uint64)
    misses, top = 0, 0
    begin, end, shot_low, shot_high = node
    cell_low, cell_high = number_bits(number)
    if number < 0:
        # Without a first shot, greedy play chooses at the node itself.
        stack[0, 0], stack[0, 1] = begin, end
        fired[0, 0], fired[0, 1] = shot_low, shot_high
        top, end = 1, begin
    while True:
        # Fire at the cell; layouts that it hits come first.
        shot_low |= cell_low
        shot_high |= cell_high
        middle, missed = begin, 0
        for at in range(begin, end):
            # Both are written and one is kept: a branch would be mispredicted half the time.
            layout = order[at]
            hit = np.int64((low[layout] & cell_low) | (high[layout] & cell_high) != ZERO)
            order[middle] = sorted_[missed] = layout
            middle += hit
            missed += 1 - hit
        for index in range(missed):
            order[middle + index] = sorted_[index]
        misses += missed
        if misses >= limit:
            return misses
        if missed > 1:
            stack[top, 0], stack[top, 1] = middle, end
            fired[top, 0], fired[top, 1] = shot_low, shot_high
            top += 1
        if kind == HIT_MISS:
            if middle - begin > 1:
                stack[top, 0], stack[top, 1] = begin, middle
                fired[top, 0], fired[top, 1] = shot_low, shot_high
                top += 1
        elif middle - begin > 1:
            for at in range(begin, middle):
                layout = order[at]
                code = 0
                for ship in range(ships):
                    placement = placements[layout, ship]
                    if (ship_low[placement] & cell_low) | (ship_high[placement] & cell_high) != 0:
                        sunk = (ship_low[placement] & ~shot_low) | (
                            ship_high[placement] & ~shot_high
                        ) == ZERO
                        if kind == NAMED:
                            code = 2 * ship + (2 if sunk else 1)
                        elif sunk:
                            # Ships of one length can exchange their names.
                            code = 1 if kind == SUNK else fleet[ship]
                        break
                codes[at] = code
            # Groups of equal answers, one after the other.
            while middle - begin > 1:
                code, last = codes[begin], begin + 1
                for at in range(begin + 1, middle):
                    if codes[at] == code:
                        order[at], order[last] = order[last], order[at]
                        codes[at], codes[last] = codes[last], codes[at]
                        last += 1
                if last - begin > 1:
                    stack[top, 0], stack[top, 1] = begin, last
                    fired[top, 0], fired[top, 1] = shot_low, shot_high
                    top += 1
                begin = last
        # The next node, and the cell that greedy play fires at there.
        while True:
            if top == 0:
                return misses
            top -= 1
            begin, end = stack[top, 0], stack[top, 1]
            shot_low, shot_high = fired[top, 0], fired[top, 1]
            if end - begin == 2:
                one, other = order[begin], order[begin + 1]
                common = ((low[one] & low[other]) & ~shot_low) | (
                    (high[one] & high[other]) & ~shot_high
                )
                if kind == HIT_MISS or common == ZERO:
                    # Shots at common cells tell nothing. Whatever else is fired at misses one of
                    # the two and settles the other.
                    different = ((low[one] ^ low[other]) & ~shot_low) | (
                        (high[one] ^ high[other]) & ~shot_high
                    )
                    misses += np.int64(different != ZERO)
                    continue
            # Four layouts at a time: their sum by carry-save adders, its ones and twos in
            # registers, its fours added to the planes above.
            planes = 2
            ones_low = ones_high = twos_low = twos_high = ZERO
            left_low, left_high = ~shot_low, ~shot_high
            at = begin
            while at < end:
                layout = order[at]
                a_low, a_high = low[layout] & left_low, high[layout] & left_high
                b_low = b_high = c_low = c_high = d_low = d_high = ZERO
                if at + 1 < end:
                    layout = order[at + 1]
                    b_low, b_high = low[layout] & left_low, high[layout] & left_high
                ones_low, one_low = full_adder(ones_low, a_low, b_low)
                ones_high, one_high = full_adder(ones_high, a_high, b_high)
                if at + 2 < end:
                    layout = order[at + 2]
                    c_low, c_high = low[layout] & left_low, high[layout] & left_high
                if at + 3 < end:
                    layout = order[at + 3]
                    d_low, d_high = low[layout] & left_low, high[layout] & left_high
                ones_low, two_low = full_adder(ones_low, c_low, d_low)
                ones_high, two_high = full_adder(ones_high, c_high, d_high)
                twos_low, carry_low = full_adder(twos_low, one_low, two_low)
                twos_high, carry_high = full_adder(twos_high, one_high, two_high)
                at += 4
                plane = 2
                while carry_low | carry_high != ZERO:
                    if plane == planes:
                        planes_low[plane], planes_high[plane] = carry_low, carry_high
                        planes += 1
                        break
                    kept_low, kept_high = planes_low[plane], planes_high[plane]
                    planes_low[plane], planes_high[plane] = (
                        kept_low ^ carry_low,
                        kept_high ^ carry_high,
                    )
                    carry_low &= kept_low
                    carry_high &= kept_high
                    plane += 1
            planes_low[0], planes_high[0] = ones_low, ones_high
            planes_low[1], planes_high[1] = twos_low, twos_high
            if planes == 2 and ones_low | ones_high | twos_low | twos_high == ZERO:
                continue  # all ships are hit
            most_low, most_high = ~ZERO, ~ZERO
            for plane in range(planes - 1, -1, -1):
                some_low, some_high = most_low & planes_low[plane], most_high & planes_high[plane]
                if some_low | some_high != ZERO:
                    most_low, most_high = some_low, some_high
            cell_low = most_low & (~most_low + ONE)
            cell_high = most_high & (~most_high + ONE) if cell_low == ZERO else ZERO
            if game.ties_at_nodes and (most_low ^ cell_low) | (most_high ^ cell_high) != ZERO:
                least = np.int64(2**62)
                while most_low | most_high != ZERO:
                    bit_low = most_low & (~most_low + ONE)
                    bit_high = most_high & (~most_high + ONE) if bit_low == ZERO else ZERO
                    most_low ^= bit_low
                    most_high ^= bit_high
                    tied = lowest(bit_low) if bit_low != ZERO else 64 + lowest(bit_high)
                    beside_low, beside_high = game.beside_low[tied], game.beside_high[tied]
                    around = 0
                    for plane in range(planes):
                        beside = popcount(planes_low[plane] & beside_low)
                        beside += popcount(planes_high[plane] & beside_high)
                        around += beside << plane
                    if around < least:
                        least, cell_low, cell_high = around, bit_low, bit_high
            break


@kernel
def add_greedy_misses(
    board: Board, game: Endgame, evidence: Evidence, layouts: int, cells: Ints, misses: Ints
) -> bool:
    """Add to `misses` what the layouts listed cost together after a shot at each of these cells, if
    greedy play goes on; False if too many cells matter."""
    live = number_cells(board, game, layouts, evidence.hit_bits | evidence.miss_bits)
    if live == TOO_MANY:
        return False
    renumber(board, game, layouts, live)
    for index in range(cells.size):
        number = game.numbers[cells[index]]
        if number < 0:
            misses[index] += layouts  # no layout has a ship there
        node = TreeNode(0, layouts, ZERO, ZERO)
        misses[index] += greedy_misses(board, game, node, number, np.int64(2**62))
    return True
