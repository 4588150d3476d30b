"""Random layouts without counting them: rejection, search, and a Markov chain.

All three read a `Pool`: the placements that each ship may lie on, and the cells that
have to be covered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import kernel
from .board import LONGEST, WORDS, Bits, Board, Floats, Ints
from .rng import Rng, below, fraction

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


def make_pool(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits, prior: Floats | None
) -> Pool:
    """A pool of candidates as `evidence.gather` lists them; those of weight 0 are left out."""
    most = max(1, int(counts.max()))
    chosen = np.ascontiguousarray(candidates[:, :most])
    counts = counts.copy()
    reached = np.empty((0, 0))
    if prior is not None:
        reached = np.zeros(chosen.shape)
        for ship in range(board.ships):
            kept = chosen[ship, : counts[ship]]
            kept = kept[prior[ship, kept] > 0]
            counts[ship] = len(kept)
            chosen[ship, : len(kept)] = kept
            reached[ship, : len(kept)] = np.cumsum(prior[ship, kept])
    return Pool(np.argsort(counts, kind="stable"), counts, chosen, reached, hit_bits.copy())


def all_candidates(board: Board) -> tuple[Int32s, Ints]:
    """Every placement of each ship: what there is before the first shot."""
    counts = (board.last - board.first)[: board.ships].copy()
    candidates = np.zeros((board.ships, max(1, int(counts.max()))), dtype=np.int32)
    for ship in range(board.ships):
        candidates[ship, : counts[ship]] = np.arange(board.first[ship], board.last[ship])
    return candidates, counts


@kernel
def pick(pool: Pool, rng: Rng, ship: int) -> int:
    """One of a ship's candidates, in proportion to weight."""
    count = pool.counts[ship]
    if pool.reached.size == 0:
        return np.int64(pool.candidates[ship, below(rng, count)])
    level = fraction(rng) * pool.reached[ship, count - 1]
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        if pool.reached[ship, middle] > level:
            high = middle
        else:
            low = middle + 1
    return np.int64(pool.candidates[ship, low])


@kernel
def reject_many(
    board: Board, pool: Pool, tries: int, rng: Rng, placements: Int32s
) -> tuple[int, int]:
    """Independent draws for every ship, kept if they make a layout that covers the hits.

    Fills rows of `placements` until none is left or the tries are used up; returns how
    many were filled and how many tries it took.
    """
    mask, halo, hit = board.mask, board.halo, pool.hit_bits
    filled = 0
    if np.min(pool.counts) == 0:
        return 0, tries
    for attempt in range(tries):
        w0 = w1 = w2 = w3 = np.uint64(0)
        c0 = c1 = c2 = c3 = np.uint64(0)
        legal = True
        for index in range(board.ships):
            ship = pool.order[index]
            p = pick(pool, rng, ship)
            clash = (mask[p, 0] & w0) | (mask[p, 1] & w1) | (mask[p, 2] & w2) | (mask[p, 3] & w3)
            if clash != 0:
                legal = False
                break
            w0 |= halo[p, 0]
            w1 |= halo[p, 1]
            w2 |= halo[p, 2]
            w3 |= halo[p, 3]
            c0 |= mask[p, 0]
            c1 |= mask[p, 1]
            c2 |= mask[p, 2]
            c3 |= mask[p, 3]
            placements[filled, ship] = p
        if legal:
            missed = (hit[0] & ~c0) | (hit[1] & ~c1) | (hit[2] & ~c2) | (hit[3] & ~c3)
            if missed == 0:
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
