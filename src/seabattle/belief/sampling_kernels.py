"""Random layouts without counting them: rejection, search, and a Markov chain.

All three read a `Pool`: the placements that each ship may lie on, and the cells that
have to be covered.

Rejection takes the hits first. A *lead* is a hit that is not covered yet when its turn
comes; one of all candidates through it is drawn, of any ship, in proportion to its
weight among the candidates of its ship, and the ships still missing at the end are drawn
from all their candidates. A layout with weight w comes up with probability proportional
to w / (product of z over its leads), where z is what the weights through a hit sum to;
throwing some away in proportion to that product puts it right. Hits that share no
candidate with an earlier one are leads in every layout and cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import LONGEST, WORDS, Bits, Board, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, fraction

Int32s = npt.NDArray[np.int32]


class Pool(NamedTuple):
    """What a layout may be made of."""

    order: Ints
    """(ships,) ships with few candidates first"""
    counts: Ints
    """(ships,) how many candidates each ship has"""
    candidates: Int32s
    """(ships, most) their numbers"""
    reached: Floats
    """(ships, most) sums of the candidates' weights up to each; (0, 0) if all weigh 1"""
    hit_bits: Bits
    """(WORDS,) cells to be covered"""
    lead_first: Ints
    """(hits + 1,) where the candidates through each hit begin below"""
    lead_cell: Ints
    """(hits,) the hits in the order they are taken"""
    lead_ship: Int32s
    lead_placement: Int32s
    lead_reached: Floats
    """ship, number and weights so far of the candidates through each hit"""
    keep_lead: Floats
    """(hits,) chance to go on when this hit is a lead"""
    keep_other: Floats
    """(hits,) chance to go on when it is covered already"""


def make_pool(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits, prior: Floats | None
) -> Pool:
    """A pool of candidates as `evidence.gather` lists them.

    Left out are candidates of weight 0 and those that clash with a ship that has only
    one place to lie.
    """
    counts = counts.copy()
    chosen = candidates.copy()
    weights = np.empty((0, 0)) if prior is None else prior
    settle(board, chosen, counts, weights)
    chosen = np.ascontiguousarray(chosen[:, : max(1, int(counts.max()))])
    reached = np.empty((0, 0))
    if prior is not None:
        reached = np.zeros(chosen.shape)
        for ship in range(board.ships):
            reached[ship, : counts[ship]] = np.cumsum(prior[ship, chosen[ship, : counts[ship]]])
    order = np.argsort(counts, kind="stable")
    hits = hit_bits.copy()
    return Pool(
        order, counts, chosen, reached, hits, *list_leads(board, chosen, counts, weights, hits)
    )


@kernel
def settle(board: Board, candidates: Int32s, counts: Ints, weights: Floats) -> None:
    """Drop candidates of weight 0 and those that clash with a ship that cannot move."""
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
                    if not _clashes(board, p, halo):
                        candidates[ship, kept] = p
                        kept += 1
                counts[ship] = kept


@kernel
def list_leads(
    board: Board, candidates: Int32s, counts: Ints, weights: Floats, hit_bits: Bits
) -> tuple[Ints, Ints, Int32s, Int32s, Floats, Floats, Floats]:
    """The last seven fields of a `Pool`."""
    hits = 0
    place = np.full(board.cells, -1, dtype=np.int64)
    cells = np.zeros(board.cells, dtype=np.int64)
    for cell in range(board.cells):
        if hit_bits[cell >> 6] & (np.uint64(1) << np.uint64(cell & 63)) != 0:
            place[cell] = hits
            cells[hits] = cell
            hits += 1
    through = np.zeros(hits, dtype=np.int64)
    shared = np.zeros((hits, hits), dtype=np.bool_)
    total = np.zeros(board.ships, dtype=np.float64)
    for ship in range(board.ships):
        for index in range(counts[ship]):
            p = np.int64(candidates[ship, index])
            total[ship] += weights[ship, p] if weights.size > 0 else 1.0
            for k in range(board.length[p]):
                one = place[board.cover[p, k]]
                if one >= 0:
                    through[one] += 1
                    for m in range(k):
                        other = place[board.cover[p, m]]
                        if other >= 0:
                            shared[one, other] = shared[other, one] = True

    order = np.zeros(hits, dtype=np.int64)
    alone = np.zeros(hits, dtype=np.bool_)
    taken = 0
    for hit in range(hits):
        alone[hit] = True
        for index in range(taken):
            if shared[hit, order[index]]:
                alone[hit] = False
        if alone[hit]:
            order[taken] = hit
            taken += 1
    for hit in range(hits):
        if not alone[hit]:
            order[taken] = hit
            taken += 1

    first = np.zeros(hits + 1, dtype=np.int64)
    cell_of = np.zeros(hits, dtype=np.int64)
    size = np.sum(through)
    ship_of, number = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    reached = np.zeros(size, dtype=np.float64)
    keep_lead, keep_other = np.ones(hits), np.ones(hits)
    for index in range(hits):
        cell = cells[order[index]]
        cell_of[index] = cell
        bit = np.uint64(1) << np.uint64(cell & 63)
        entry = first[index]
        sum_ = 0.0
        for ship in range(board.ships):
            for at in range(counts[ship]):
                p = np.int64(candidates[ship, at])
                if board.mask[p, cell >> 6] & bit != 0:
                    sum_ += (weights[ship, p] if weights.size > 0 else 1.0) / total[ship]
                    ship_of[entry], number[entry], reached[entry] = ship, p, sum_
                    entry += 1
        first[index + 1] = entry
        if not alone[order[index]]:
            keep_lead[index] = min(1.0, sum_)
            keep_other[index] = min(1.0, 1.0 / sum_) if sum_ > 0.0 else 1.0
    return first, cell_of, ship_of, number, reached, keep_lead, keep_other


def all_candidates(board: Board) -> tuple[Int32s, Ints]:
    """Every placement of each ship: what there is before the first shot."""
    counts = (board.last - board.first)[: board.ships].copy()
    candidates = np.zeros((board.ships, max(1, int(counts.max()))), dtype=np.int32)
    for ship in range(board.ships):
        candidates[ship, : counts[ship]] = np.arange(board.first[ship], board.last[ship])
    return candidates, counts


@kernel
def _below_level(reached: Floats, begin: int, end: int, level: float) -> int:
    """The first place from `begin` on whose sum is above `level`."""
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
    return np.int64(pool.candidates[ship, _below_level(pool.reached[ship], 0, count, level)])


@kernel
def reject_many(
    board: Board, pool: Pool, tries: int, rng: Rng, placements: Int32s
) -> tuple[int, int]:
    """Independent draws of layouts, kept with the right chance (see above).

    Fills rows of `placements` until none is left or the tries are used up; returns how
    many were filled and how many tries it took.
    """
    mask, halo = board.mask, board.halo
    hits = pool.lead_cell.size
    for hit in range(hits):
        if pool.lead_first[hit] == pool.lead_first[hit + 1]:
            return 0, tries
    if np.min(pool.counts) == 0:
        return 0, tries
    placed = np.full(board.ships, -1, dtype=np.int64)
    taken = np.zeros(WORDS, dtype=np.uint64)
    covered = np.zeros(WORDS, dtype=np.uint64)
    filled = 0
    for attempt in range(tries):
        taken[:] = np.uint64(0)
        covered[:] = np.uint64(0)
        legal = True
        for hit in range(hits):
            cell = pool.lead_cell[hit]
            if covered[cell >> 6] & (np.uint64(1) << np.uint64(cell & 63)) != 0:
                keep = pool.keep_other[hit]
                if keep < 1.0 and fraction(rng) >= keep:
                    legal = False
                    break
                continue
            keep = pool.keep_lead[hit]
            if keep < 1.0 and fraction(rng) >= keep:
                legal = False
                break
            begin, end = pool.lead_first[hit], pool.lead_first[hit + 1]
            level = fraction(rng) * pool.lead_reached[end - 1]
            entry = _below_level(pool.lead_reached, begin, end, level)
            ship, p = np.int64(pool.lead_ship[entry]), np.int64(pool.lead_placement[entry])
            if placed[ship] == attempt or _clashes(board, p, taken):
                legal = False
                break
            placed[ship] = attempt
            placements[filled, ship] = p
            for word in range(WORDS):
                taken[word] |= halo[p, word]
                covered[word] |= mask[p, word]
        if not legal:
            continue
        w0, w1, w2, w3 = taken[0], taken[1], taken[2], taken[3]
        for index in range(board.ships):
            ship = pool.order[index]
            if placed[ship] == attempt:
                continue
            p = pick(pool, rng, ship)
            clash = (mask[p, 0] & w0) | (mask[p, 1] & w1) | (mask[p, 2] & w2) | (mask[p, 3] & w3)
            if clash != 0:
                legal = False
                break
            w0 |= halo[p, 0]
            w1 |= halo[p, 1]
            w2 |= halo[p, 2]
            w3 |= halo[p, 3]
            placements[filled, ship] = p
        if legal:
            filled += 1
            if filled == placements.shape[0]:
                return filled, attempt + 1
    return filled, tries


@kernel
def _clashes(board: Board, placement: int, taken: Bits) -> bool:
    for word in range(WORDS):
        if board.mask[placement, word] & taken[word] != 0:
            return True
    return False


@kernel
def _take(board: Board, placements: Int32s, ships: Ints, count: int, bits: Bits) -> None:
    """The cells closed by the first `count` of `ships`: halo in row 0, cells in row 1."""
    bits[:] = np.uint64(0)
    for index in range(count):
        p = placements[ships[index]]
        for word in range(WORDS):
            bits[0, word] |= board.halo[p, word]
            bits[1, word] |= board.mask[p, word]


@kernel
def first_fit(board: Board, pool: Pool, rng: Rng, placements: Int32s) -> bool:
    """Put every ship on the first candidate that is free, from the top left on.

    Packs more tightly than a search does. Ships are taken longest first; each prefers
    to lie across or down by chance.
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
            if not _clashes(board, p, taken):
                chosen = p
                break
        if chosen < 0:
            return False
        placements[ship] = chosen
        for word in range(WORDS):
            taken[word] |= board.halo[chosen, word]
    return True


@kernel
def find_layout(board: Board, pool: Pool, steps: int, rng: Rng, placements: Int32s) -> int:
    """Search for one layout: 1 if found, 0 if there is none, -1 if `steps` ran out.

    Backtracking; the hit that the fewest placements can cover comes first, and when all
    are covered the ship with the fewest placements left. Choices are tried from a
    random one on. The layout is any, not a uniform one.
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
                _take(board, placements, depth_ship, depth, bits)
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
            _take(board, placements, depth_ship, depth, bits)
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
            if not _clashes(board, p, bits[0]):
                free += 1
                for k in range(board.length[p]):
                    cover[board.cover[p, k]] += 1
        if free == 0:
            return 0
        if free < fewest:
            scarce, fewest = ship, free
    needed = -1
    for cell in range(board.cells):
        bit = np.uint64(1) << np.uint64(cell & 63)
        if pool.hit_bits[cell >> 6] & bit != 0 and bits[1, cell >> 6] & bit == 0:
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
            if needed >= 0:
                bit = np.uint64(1) << np.uint64(needed & 63)
                if board.mask[p, needed >> 6] & bit == 0:
                    continue
            if not _clashes(board, p, bits[0]):
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
def wander(
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
    time, to one of those that cover a hit; steps are accepted so that the chain tends to
    the wanted distribution (Metropolis and Hastings). `between` steps lie before each
    row. `prior` (ships, placements) are the weights, or (0, 0).
    """
    ships, most = board.ships, pool.candidates.shape[1]
    covering = np.empty((ships, most), dtype=np.int32)
    covers = np.zeros(ships, dtype=np.int64)
    for ship in range(ships):
        for index in range(pool.counts[ship]):
            p = np.int64(pool.candidates[ship, index])
            if _clashes(board, p, pool.hit_bits):
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
                if covers[ship] > 0 and draw_half(rng):
                    p = np.int64(covering[ship, below(rng, covers[ship])])
                else:
                    p = np.int64(pool.candidates[ship, below(rng, pool.counts[ship])])
                proposed[index] = p
                old = np.int64(current[ship])
                ratio *= _chance(board, pool, covers, ship, old)
                ratio /= _chance(board, pool, covers, ship, p)
                if prior.size > 0:
                    ratio *= prior[ship, p] / prior[ship, old]
            if ratio < 1.0 and fraction(rng) >= ratio:
                continue
            if _legal(board, pool, current, moved, proposed, count):
                for index in range(count):
                    current[moved[index]] = proposed[index]
        placements[row] = current


@kernel
def draw_half(rng: Rng) -> bool:
    return below(rng, 2) == 1


@kernel
def _chance(board: Board, pool: Pool, covers: Ints, ship: int, placement: int) -> float:
    """How likely a step is to propose this placement."""
    if covers[ship] == 0:
        return 1.0 / pool.counts[ship]
    chance = 0.5 / pool.counts[ship]
    if _clashes(board, placement, pool.hit_bits):
        chance += 0.5 / covers[ship]
    return chance


@kernel
def _legal(
    board: Board, pool: Pool, current: Int32s, moved: Ints, proposed: Ints, count: int
) -> bool:
    """Whether the layout stays one, with every hit covered, when some ships move."""
    for one in range(count):
        for other in range(one):
            if _clashes(board, proposed[one], board.halo[proposed[other]]):
                return False
    c0 = c1 = c2 = c3 = np.uint64(0)
    for ship in range(board.ships):
        p = np.int64(current[ship])
        stays = True
        for index in range(count):
            if moved[index] == ship:
                stays = False
                p = proposed[index]
        if stays:
            for index in range(count):
                if _clashes(board, proposed[index], board.halo[p]):
                    return False
        c0 |= board.mask[p, 0]
        c1 |= board.mask[p, 1]
        c2 |= board.mask[p, 2]
        c3 |= board.mask[p, 3]
    hit = pool.hit_bits
    return (hit[0] & ~c0) | (hit[1] & ~c1) | (hit[2] & ~c2) | (hit[3] & ~c3) == 0


FITS, SEARCHES, SEARCH_STEPS = 200, 20, 5_000
"""Quick attempts and searches for the first layout of a chain, and the steps of each."""

CHAIN_START, CHAIN_BETWEEN = 5_000, 50
"""Steps per ship of the fleet before the first and between two layouts of a chain."""


class NotFound(Exception):
    """No layout was found; `proven` if there is none."""

    def __init__(self, proven: bool) -> None:
        self.proven = proven


def chain(board: Board, pool: Pool, prior: Floats | None, count: int, rng: Rng) -> Int32s:
    """(count, ships) layouts of a chain that starts from one found by search."""
    current = np.zeros(board.ships, dtype=np.int32)
    found = -1
    if not pool.hit_bits.any() and pool.counts.min() > 0:
        if any(first_fit(board, pool, rng, current) for _ in range(FITS)):
            found = 1
    for _ in range(SEARCHES):
        if found >= 0:
            break
        found = find_layout(board, pool, SEARCH_STEPS, rng, current)
    if found != 1:
        raise NotFound(proven=found == 0)
    weights = np.empty((0, 0)) if prior is None else prior
    placements = np.empty((count, board.ships), dtype=np.int32)
    wander(board, pool, weights, CHAIN_START * board.ships, rng, current, placements[:1])
    wander(board, pool, weights, CHAIN_BETWEEN * board.ships, rng, current, placements[1:])
    return placements
