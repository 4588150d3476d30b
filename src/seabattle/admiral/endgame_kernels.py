"""End-games: every layout that is left is listed, and shots are compared on the list.

The value of a shot is the number of shots that all listed layouts together need if it is
fired now and `greedy play` goes on from there: always the cell that most of the layouts
left have a ship on; of several, the one whose neighbours have least. Greedy play splits the
list by the answers, so all layouts are played at once, as a tree; every node of the tree
adds one shot for each layout in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence, gather_candidates
from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, WORDS, Bits, Board, Cells, Ints
from ..compiled.jit import kernel

Int32s = npt.NDArray[np.int32]

TOO_MANY = -1
"""Instead of the number of layouts listed."""

STACK = 8192
"""Nodes of a tree of greedy play that wait: more than the answers on any path through it."""

GROUPS = 520
"""Different answers to one shot: named hits and sinkings of up to 256 ships."""


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
    order: Int32s
    """(layouts,) the layouts, sorted so that those of one node are adjacent"""
    sorted: Int32s
    """(layouts,) scratch of sorting"""
    answers: Int32s
    """(layouts,) the answer of each to the shot of the node"""
    sizes: Ints
    """(GROUPS,) layouts by answer; all zero between nodes"""
    cells: Ints
    """(cells,) layouts with a ship on each cell"""
    begin: Ints
    """(STACK,)"""
    end: Ints
    """(STACK,)"""
    fired: Bits
    """(STACK, words) the cells shot at on the way to each node"""


def new_endgame(board: Board, layouts: int) -> Endgame:
    ships, cells = int(board.ships), int(board.cells)
    return Endgame(
        candidates=np.zeros((ships, max(1, int(board.placements))), dtype=np.int32),
        counts=np.zeros(ships, dtype=np.int64),
        placements=np.zeros((layouts, ships), dtype=np.int32),
        bits=np.zeros((layouts, WORDS), dtype=np.uint64),
        order=np.zeros(layouts, dtype=np.int32),
        sorted=np.zeros(layouts, dtype=np.int32),
        answers=np.zeros(layouts, dtype=np.int32),
        sizes=np.zeros(GROUPS, dtype=np.int64),
        cells=np.zeros(cells, dtype=np.int64),
        begin=np.zeros(STACK, dtype=np.int64),
        end=np.zeros(STACK, dtype=np.int64),
        fired=np.zeros((STACK, WORDS), dtype=np.uint64),
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
    board: Board, cells: Cells, answers: Ints, evidence: Evidence, budget: int, game: Endgame
) -> int:
    """List every layout that agrees with these shots; TOO_MANY if there are more than fit, or
    if finding them takes more than `budget` steps.

    Ships are put down one after the other: while a hit is not covered, any ship that covers
    the first such hit; then the ship with the fewest candidates. Ships that are alike are
    put down in order, so that each layout is listed once.
    """
    gather_candidates(board, cells, answers, evidence, game.candidates, game.counts)
    ships, most = board.ships, game.order.size
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
    found, steps, depth, fresh = 0, 0, 0, True
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
                game.order[found] = found
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
                steps += 1
                placement = np.int64(game.candidates[ship, index[depth]])
                if fits(board, placement, hit[depth], taken[depth]):
                    down = placement
                    break
                index[depth] += 1
            if down >= 0 or hit[depth] < 0:
                break
            chosen[depth] = next_ship(board, evidence, game.counts, placed, hit[depth], ship)
            index[depth] = 0
        if steps > budget:
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
def count_cells(board: Board, game: Endgame, begin: int, end: int, fired: Bits) -> None:
    """How many of these layouts have a ship on each cell not shot at."""
    game.cells[:] = 0
    for at in range(begin, end):
        layout = game.order[at]
        for word in range(WORDS):
            ships = game.bits[layout, word] & ~fired[word]
            while ships != 0:
                game.cells[64 * word + lowest(ships)] += 1
                ships &= ships - ONE


@kernel
def beside(board: Board, counts: Ints, cell: int) -> int:
    """The sum of the counts of a cell's neighbours."""
    total = 0
    for direction in range(4):
        neighbour = board.neighbours[cell, direction]
        if neighbour >= 0:
            total += counts[neighbour]
    return total


@kernel
def greedy_cell(board: Board, counts: Ints) -> int:
    """The cell with the highest count; of several, the one with least around it."""
    best, around = 0, -1
    for cell in range(1, board.cells):
        if counts[cell] < counts[best]:
            continue
        if counts[cell] > counts[best]:
            best, around = cell, -1
            continue
        if around < 0:
            around = beside(board, counts, best)
        other = beside(board, counts, cell)
        if other < around:
            best, around = cell, other
    return best


@kernel
def answer_of(board: Board, game: Endgame, layout: int, cell: int, fired: Bits) -> int:
    """What this layout answers to a shot, as a number: 0 for a miss. `fired` includes the shot."""
    bit = ONE << np.uint64(cell & 63)
    if game.bits[layout, cell >> 6] & bit == 0:
        return 0
    if board.answers == HIT_MISS:
        return 1
    for ship in range(board.ships):
        placement = game.placements[layout, ship]
        if board.mask[placement, cell >> 6] & bit != 0:
            sunk = True
            for word in range(WORDS):
                if board.mask[placement, word] & ~fired[word] != 0:
                    sunk = False
            if board.answers == NAMED:
                return 2 * ship + (2 if sunk else 1)
            if not sunk:
                return 1
            # Ships of one length can exchange their names, so only the length tells anything.
            return 2 if board.answers == SUNK else 2 + board.fleet[ship]
    return 0


@kernel
def split(board: Board, game: Endgame, begin: int, end: int, cell: int, fired: Bits) -> int:
    """Sort the layouts of a node by their answers to a shot; returns the highest answer, and
    leaves the size of each group in `sizes`."""
    highest = 0
    for at in range(begin, end):
        answer = answer_of(board, game, game.order[at], cell, fired)
        game.answers[at] = answer
        game.sizes[answer] += 1
        highest = max(highest, answer)
    start = begin
    for answer in range(highest + 1):
        size = game.sizes[answer]
        game.sizes[answer] = start
        start += size
    for at in range(begin, end):
        answer = game.answers[at]
        game.sorted[game.sizes[answer]] = game.order[at]
        game.sizes[answer] += 1
    for at in range(begin, end):
        game.order[at] = game.sorted[at]
    start = begin
    for answer in range(highest + 1):
        size = game.sizes[answer] - start
        start = game.sizes[answer]
        game.sizes[answer] = size
    return highest


@kernel
def cells_left(game: Endgame, at: int, fired: Bits) -> int:
    """Ship cells not hit; the same for all layouts of a node."""
    left = 0
    for word in range(WORDS):
        left += popcount(game.bits[game.order[at], word] & ~fired[word])
    return left


@kernel
def push_groups(
    board: Board, game: Endgame, begin: int, end: int, cell: int, fired: Bits, top: int
) -> int:
    """Put the groups that a shot leads to on the stack; returns its new height.
    `fired` includes the shot."""
    highest = split(board, game, begin, end, cell, fired)
    start = begin
    for answer in range(highest + 1):
        size = game.sizes[answer]
        game.sizes[answer] = 0
        if size > 0:
            game.begin[top], game.end[top] = start, start + size
            for word in range(WORDS):
                game.fired[top, word] = fired[word]
            top += 1
            start += size
    return top


@kernel
def shots_after(
    board: Board, game: Endgame, layouts: int, cell: int, fired: Bits, limit: int
) -> int:
    """Shots that the layouts listed need together: one at `cell` each, then by greedy play.
    At least `limit` as soon as that is reached."""
    shot = np.empty(WORDS, dtype=np.uint64)
    for word in range(WORDS):
        shot[word] = fired[word]
    shot[cell >> 6] |= ONE << np.uint64(cell & 63)
    total = layouts
    top = push_groups(board, game, 0, layouts, cell, shot, 0)
    while top > 0 and total < limit:
        top -= 1
        begin, end = game.begin[top], game.end[top]
        for word in range(WORDS):
            shot[word] = game.fired[top, word]
        left = cells_left(game, begin, shot)
        if end - begin == 1 or left == 0:
            total += left
            continue
        count_cells(board, game, begin, end, shot)
        best = greedy_cell(board, game.cells)
        shot[best >> 6] |= ONE << np.uint64(best & 63)
        total += end - begin
        top = push_groups(board, game, begin, end, best, shot, top)
    return total


@kernel
def best_by_trees(
    board: Board,
    game: Endgame,
    evidence: Evidence,
    layouts: int,
    width: int,
    cut: bool,
    tried: Ints,
    shots: Ints,
) -> tuple[int, int]:
    """Compare the `width` cells that most layouts have a ship on; returns how many there are
    and which is best.

    `tried` holds the cells, the most likely first, and `shots` what all layouts together
    need after each; if trees are `cut` when they cannot be best, at least that.
    """
    fired = np.empty(WORDS, dtype=np.uint64)
    for word in range(WORDS):
        fired[word] = evidence.hit_bits[word] | evidence.miss_bits[word]
    count_cells(board, game, 0, layouts, fired)
    counts = game.cells.copy()
    number = 0
    for _ in range(width):
        cell = greedy_cell(board, counts)
        if counts[cell] <= 0:
            break
        tried[number] = cell
        number += 1
        if counts[cell] == layouts:
            break  # a certain hit
        counts[cell] = -1
    limit = 2**62
    best = 0
    for each in range(number):
        shots[each] = shots_after(board, game, layouts, tried[each], fired, limit)
        if each == 0 or shots[each] < shots[best]:
            best = each
        if cut:
            limit = shots[best]
    return number, best
