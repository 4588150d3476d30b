"""Random layouts without counting them: rejection, search, and a Markov chain.

All three read a `Pool`: the placements that each ship may lie on, and the cells that
have to be covered.

Rejection covers the hits first, in a fixed order. For a hit that is still uncovered when
its turn comes, one of all candidates through it is drawn, of any ship, in proportion to
its weight among the candidates of its ship; the ships still missing at the end are drawn
from all their candidates. A layout with weight w is drawn with probability proportional
to w / (product of z over the hits that were uncovered in turn), where z is the sum of the
weights through a hit; rejecting some layouts in proportion to that product corrects for
it. Hits that share no candidate with an earlier one are uncovered in every layout and
need no correction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bitboards import add_bits, cell_set, clashes, has_bit, meets, no_cells, union
from ..compiled.board_tables import LONGEST, WORDS, Bits, Board, Floats, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, fraction


class Pool(NamedTuple):
    """What a layout may be made of."""

    order: Ints
    """(ships,) ships with few candidates first"""
    counts: Ints
    """(ships,) how many candidates each ship has"""
    candidates: Int32s
    """(ships, most) their placements"""
    reached: Floats
    """(ships, most) sums of the candidates' weights up to each; (0, 0) if all weigh 1"""
    hit_bits: Bits
    """(WORDS,) cells to be covered"""
    hit_cell: Ints
    """(hits,) the hits in the order they are covered"""
    through_first: Ints
    """(hits + 1,) where the candidates through each hit begin in the next three"""
    through_ship: Int32s
    """their ships"""
    through_placement: Int32s
    """their placements"""
    through_reached: Floats
    """sums of their weights up to each"""
    keep_uncovered: Floats
    """(hits,) probability to go on when this hit is uncovered in its turn"""
    keep_covered: Floats
    """(hits,) probability to go on when it is covered already"""


@kernel
def drop_impossible(board: Board, candidates: Int32s, counts: Ints, weights: Floats) -> None:
    """Drop candidates of weight 0 and those that clash with a ship that has only one."""
    settled = np.zeros(board.ships, dtype=np.bool_)
    if weights.size > 0:
        for ship in range(board.ships):
            kept = 0
            for index in range(counts[ship]):
                p = candidates[ship, index]
                if weights[ship, p] > 0.0:
                    candidates[ship, kept] = p
                    kept += 1
            counts[ship] = kept
    again = True
    while again:
        again = False
        for fixed in range(board.ships):
            if counts[fixed] != 1 or settled[fixed]:
                continue
            settled[fixed] = again = True
            halo = board.halo[candidates[fixed, 0]]
            for ship in range(board.ships):
                if ship == fixed:
                    continue
                kept = 0
                for index in range(counts[ship]):
                    p = candidates[ship, index]
                    if not clashes(board, p, halo):
                        candidates[ship, kept] = p
                        kept += 1
                counts[ship] = kept


@kernel
def order_hits(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits
) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """The hits in the order they are covered, how many candidates go through each, and
    which of them share no candidate with an earlier one; those come first."""
    cells = np.zeros(board.cells, dtype=np.int64)
    number = np.full(board.cells, -1, dtype=np.int64)
    hits = 0
    for cell in range(board.cells):
        if has_bit(hit_bits, cell):
            number[cell] = hits
            cells[hits] = cell
            hits += 1
    through = np.zeros(hits, dtype=np.int64)
    shared = np.zeros((hits, hits), dtype=np.bool_)
    for ship in range(board.ships):
        for index in range(counts[ship]):
            p = np.int64(candidates[ship, index])
            for k in range(board.length[p]):
                one = number[board.cover[p, k]]
                if one < 0:
                    continue
                through[one] += 1
                for m in range(k):
                    other = number[board.cover[p, m]]
                    if other >= 0:
                        shared[one, other] = shared[other, one] = True
    order = np.zeros(hits, dtype=np.int64)
    apart = np.zeros(hits, dtype=np.bool_)
    taken = 0
    for hit in range(hits):
        apart[hit] = True
        for index in range(taken):
            if shared[hit, order[index]]:
                apart[hit] = False
        if apart[hit]:
            order[taken] = hit
            taken += 1
    for hit in range(hits):
        if not apart[hit]:
            order[taken] = hit
            taken += 1
    return cells[order], through[order], apart[order]


@kernel
def list_through_hits(
    board: Board, candidates: Int32s, counts: Ints, weights: Floats, hit_bits: Bits
) -> tuple[Ints, Ints, Int32s, Int32s, Floats, Floats, Floats]:
    """The last seven fields of a `Pool`."""
    cells, through, apart = order_hits(board, candidates, counts, hit_bits)
    total = np.zeros(board.ships, dtype=np.float64)
    for ship in range(board.ships):
        for index in range(counts[ship]):
            p = np.int64(candidates[ship, index])
            total[ship] += weights[ship, p] if weights.size > 0 else 1.0
    hits, size = cells.size, np.sum(through)
    first = np.zeros(hits + 1, dtype=np.int64)
    ship_of, placement = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    reached = np.zeros(size, dtype=np.float64)
    keep_uncovered, keep_covered = np.ones(hits), np.ones(hits)
    for hit in range(hits):
        entry = first[hit]
        sum_ = 0.0
        for ship in range(board.ships):
            for index in range(counts[ship]):
                p = np.int64(candidates[ship, index])
                if has_bit(board.mask[p], cells[hit]):
                    sum_ += (weights[ship, p] if weights.size > 0 else 1.0) / total[ship]
                    ship_of[entry], placement[entry], reached[entry] = ship, p, sum_
                    entry += 1
        first[hit + 1] = entry
        if not apart[hit]:
            keep_uncovered[hit] = min(1.0, sum_)
            keep_covered[hit] = min(1.0, 1.0 / sum_) if sum_ > 0.0 else 1.0
    return cells, first, ship_of, placement, reached, keep_uncovered, keep_covered


@kernel
def _first_above(reached: Floats, begin: int, end: int, level: float) -> int:
    """The first entry from `begin` on whose sum is above `level`."""
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) >> 1
        if reached[middle] > level:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def pick(pool: Pool, rng: Rng, ship: int) -> int:
    """One of a ship's candidates, in proportion to weight."""
    count = pool.counts[ship]
    if pool.reached.size == 0:
        return np.int64(pool.candidates[ship, below(rng, count)])
    level = fraction(rng) * pool.reached[ship, count - 1]
    return np.int64(pool.candidates[ship, _first_above(pool.reached[ship], 0, count, level)])


@kernel
def _cover_hits(
    board: Board,
    pool: Pool,
    rng: Rng,
    attempt: int,
    placed: Ints,
    taken: Bits,
    covered: Bits,
    placements: Int32s,
) -> bool:
    """Draw a ship for every uncovered hit; False if two clash, or by the correction."""
    for hit in range(pool.hit_cell.size):
        known = has_bit(covered, pool.hit_cell[hit])
        keep = pool.keep_covered[hit] if known else pool.keep_uncovered[hit]
        if keep < 1.0 and fraction(rng) >= keep:
            return False
        if known:
            continue
        begin, end = pool.through_first[hit], pool.through_first[hit + 1]
        level = fraction(rng) * pool.through_reached[end - 1]
        entry = _first_above(pool.through_reached, begin, end, level)
        ship, p = np.int64(pool.through_ship[entry]), np.int64(pool.through_placement[entry])
        if placed[ship] == attempt or clashes(board, p, taken):
            return False
        placed[ship] = attempt
        placements[ship] = p
        add_bits(taken, board.halo[p])
        add_bits(covered, board.mask[p])
    return True


@kernel
def reject_many(
    board: Board, pool: Pool, tries: int, rng: Rng, placements: Int32s
) -> tuple[int, int]:
    """Independent draws of layouts, kept with the right probability (see above).

    Fills rows of `placements` until none is left or the tries are used up; returns how
    many were filled and how many tries it took.
    """
    hits = pool.hit_cell.size
    for hit in range(hits):
        if pool.through_first[hit] == pool.through_first[hit + 1]:
            return 0, tries
    if np.min(pool.counts) == 0:
        return 0, tries
    # The attempt in which each ship was last drawn.
    placed = np.full(board.ships, -1, dtype=np.int64)
    taken = np.zeros(WORDS, dtype=np.uint64)
    covered = np.zeros(WORDS, dtype=np.uint64)
    filled = 0
    for attempt in range(tries):
        if hits > 0:
            taken[:] = np.uint64(0)
            covered[:] = np.uint64(0)
            row = placements[filled]
            if not _cover_hits(board, pool, rng, attempt, placed, taken, covered, row):
                continue
        legal = True
        cells = cell_set(taken)
        for index in range(board.ships):
            ship = pool.order[index]
            if placed[ship] == attempt:
                continue
            p = pick(pool, rng, ship)
            if meets(cells, board.mask, p):
                legal = False
                break
            cells = union(cells, board.halo, p)
            placements[filled, ship] = p
        if legal:
            filled += 1
            if filled == placements.shape[0]:
                return filled, attempt + 1
    return filled, tries


@kernel
def _mark_cells(board: Board, placements: Int32s, ships: Ints, count: int, bits: Bits) -> None:
    """The cells of the first `count` of `ships`: with their halo in row 0, without in row 1."""
    bits[:] = np.uint64(0)
    for index in range(count):
        p = placements[ships[index]]
        add_bits(bits[0], board.halo[p])
        add_bits(bits[1], board.mask[p])


@kernel
def first_fit(board: Board, pool: Pool, rng: Rng, placements: Int32s) -> bool:
    """Put every ship on the first candidate that is free, from the top left on.

    Packs more tightly than a search does. Ships are taken longest first; each prefers
    to lie across or down at random.
    """
    taken = np.zeros(WORDS, dtype=np.uint64)
    across = below(rng, 5)
    for ship in range(board.ships):
        count = pool.counts[ship]
        half = 0
        if below(rng, 4) >= across:
            while half < count and board.cover[pool.candidates[ship, half], 1] == (
                board.cover[pool.candidates[ship, half], 0] + 1
            ):
                half += 1
        chosen = -1
        for index in range(count):
            p = np.int64(pool.candidates[ship, (index + half) % count])
            if not clashes(board, p, taken):
                chosen = p
                break
        if chosen < 0:
            return False
        placements[ship] = chosen
        add_bits(taken, board.halo[chosen])
    return True


@kernel
def find_layout(board: Board, pool: Pool, steps: int, rng: Rng, placements: Int32s) -> int:
    """Search for one layout: 1 if found, 0 if there is none, -1 if `steps` ran out.

    Backtracking; the hit that the fewest placements can cover comes first, and when all
    are covered the ship with the fewest placements left. Choices are tried from a
    random one on. The layout found is not uniformly random.
    """
    ships = board.ships
    depth_ship = np.zeros(ships, dtype=np.int64)
    # Through one cell go at most 2 × LONGEST placements of a ship.
    most = max(pool.candidates.shape[1], ships * 2 * LONGEST)
    options = np.empty((ships, most, 2), dtype=np.int32)
    left = np.zeros(ships, dtype=np.int64)
    used = np.zeros(ships, dtype=np.bool_)
    bits = np.zeros((2, WORDS), dtype=np.uint64)
    depth = 0
    fresh = True
    while True:
        if fresh:
            if depth == ships:
                _mark_cells(board, placements, depth_ship, depth, bits)
                for word in range(WORDS):
                    if pool.hit_bits[word] & ~bits[1, word] != 0:
                        fresh = False
                if fresh:
                    return 1
                depth -= 1
                used[depth_ship[depth]] = False
                continue
            if steps == 0:
                return -1
            steps -= 1
            _mark_cells(board, placements, depth_ship, depth, bits)
            left[depth] = _list_options(board, pool, used, bits, rng, options[depth])
            fresh = False
        if left[depth] == 0:
            if depth == 0:
                return 0
            depth -= 1
            used[depth_ship[depth]] = False
            continue
        left[depth] -= 1
        ship = np.int64(options[depth, left[depth], 0])
        depth_ship[depth] = ship
        placements[ship] = options[depth, left[depth], 1]
        used[ship] = True
        depth += 1
        fresh = True


@kernel
def _list_options(
    board: Board,
    pool: Pool,
    used: npt.NDArray[np.bool_],
    bits: Bits,
    rng: Rng,
    options: Int32s,
) -> int:
    """The (ship, placement) pairs to try next, in random order; none at a dead end."""
    cover = np.zeros(board.cells, dtype=np.int64)
    scarce, fewest = -1, 1 << 60
    for ship in range(board.ships):
        if used[ship]:
            continue
        free = 0
        for index in range(pool.counts[ship]):
            p = np.int64(pool.candidates[ship, index])
            if not clashes(board, p, bits[0]):
                free += 1
                for k in range(board.length[p]):
                    cover[board.cover[p, k]] += 1
        if free == 0:
            return 0
        if free < fewest:
            scarce, fewest = ship, free
    needed = -1
    for cell in range(board.cells):
        if has_bit(pool.hit_bits, cell) and not has_bit(bits[1], cell):
            if cover[cell] == 0:
                return 0
            if needed < 0 or cover[cell] < cover[needed]:
                needed = cell
    count = 0
    for ship in range(board.ships):
        if used[ship] or (needed < 0 and ship != scarce):
            continue
        for index in range(pool.counts[ship]):
            p = np.int64(pool.candidates[ship, index])
            if needed >= 0 and not has_bit(board.mask[p], needed):
                continue
            if not clashes(board, p, bits[0]):
                options[count, 0], options[count, 1] = ship, p
                count += 1
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        for part in range(2):
            kept = options[last, part]
            options[last, part] = options[other, part]
            options[other, part] = kept
    return count


@kernel
def run_chain(
    board: Board,
    pool: Pool,
    prior: Floats,
    between: int,
    rng: Rng,
    current: Int32s,
    placements: Int32s,
) -> None:
    """Rows of `placements` from a Markov chain that starts at the layout `current`.

    A step moves one, two or three ships, each to one of its candidates or, half of the
    time, to one of those that cover a hit; steps are accepted so that the chain converges
    to the wanted distribution (Metropolis-Hastings). There are `between` steps before each
    row. `prior` (ships, placements) are the weights, or empty.
    """
    ships, most = board.ships, pool.candidates.shape[1]
    covering = np.empty((ships, most), dtype=np.int32)
    covers = np.zeros(ships, dtype=np.int64)
    for ship in range(ships):
        for index in range(pool.counts[ship]):
            p = np.int64(pool.candidates[ship, index])
            if clashes(board, p, pool.hit_bits):
                covering[ship, covers[ship]] = p
                covers[ship] += 1
    moved = np.zeros(3, dtype=np.int64)
    proposed = np.zeros(3, dtype=np.int64)
    for row in range(placements.shape[0]):
        for _ in range(between):
            count = min(1 + below(rng, 3), ships)
            ratio = 1.0
            for index in range(count):
                ship = below(rng, ships)
                while (index > 0 and ship == moved[0]) or (index > 1 and ship == moved[1]):
                    ship = below(rng, ships)
                moved[index] = ship
                if covers[ship] > 0 and below(rng, 2) == 1:
                    p = np.int64(covering[ship, below(rng, covers[ship])])
                else:
                    p = np.int64(pool.candidates[ship, below(rng, pool.counts[ship])])
                proposed[index] = p
                old = np.int64(current[ship])
                ratio *= _proposal_probability(board, pool, covers, ship, old)
                ratio /= _proposal_probability(board, pool, covers, ship, p)
                if prior.size > 0:
                    ratio *= prior[ship, p] / prior[ship, old]
            if ratio < 1.0 and fraction(rng) >= ratio:
                continue
            if _legal(board, pool, current, moved, proposed, count):
                for index in range(count):
                    current[moved[index]] = proposed[index]
        placements[row] = current


@kernel
def _proposal_probability(
    board: Board, pool: Pool, covers: Ints, ship: int, placement: int
) -> float:
    """The probability that a step proposes this placement."""
    if covers[ship] == 0:
        return 1.0 / pool.counts[ship]
    probability = 0.5 / pool.counts[ship]
    if clashes(board, placement, pool.hit_bits):
        probability += 0.5 / covers[ship]
    return probability


@kernel
def _legal(
    board: Board, pool: Pool, current: Int32s, moved: Ints, proposed: Ints, count: int
) -> bool:
    """Whether the layout stays legal, with every hit covered, when some ships move."""
    for one in range(count):
        for other in range(one):
            if clashes(board, proposed[one], board.halo[proposed[other]]):
                return False
    covered = no_cells()
    for ship in range(board.ships):
        p = np.int64(current[ship])
        stays = True
        for index in range(count):
            if moved[index] == ship:
                stays = False
                p = proposed[index]
        if stays:
            for index in range(count):
                if clashes(board, proposed[index], board.halo[p]):
                    return False
        covered = union(covered, board.mask, p)
    hit = pool.hit_bits
    uncovered = (hit[0] & ~covered.w0) | (hit[1] & ~covered.w1)
    return uncovered | (hit[2] & ~covered.w2) | (hit[3] & ~covered.w3) == 0
