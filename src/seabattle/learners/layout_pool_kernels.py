"""A pool of layouts drawn from a prior, kept in agreement with the shots of a game.

The pool is drawn ship by ship in proportion to the weights, and a layout with a clash is
drawn again as a whole, so the pool is an exact sample of the prior. Layouts that disagree
with an answer drop out. When few are left, copies of them are moved: a ship is put down
anew, in proportion to its weights, among the placements that agree with all shots while the
other ships stay. Such a move leaves the posterior as it is (Gibbs sampling). If the prior also
has weights for the distances between ships, the layouts of the pool count by these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Bits, Board, Floats, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, answer_code
from ..compiled.random_streams import Rng, below, fraction

Distances = npt.NDArray[np.uint8]
"""(placements, placements) how far apart two ships are"""


@kernel
def draw_ship(board: Board, ship: int, upto: Floats, rng: Rng) -> int:
    """A placement of a ship in proportion to its weight; `upto` (ships, placements) adds up
    the weights of each ship."""
    low: int = board.first[ship]
    high: int = board.last[ship] - 1
    wanted = fraction(rng) * upto[ship, high]
    while low < high:
        middle = (low + high) // 2
        if upto[ship, middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_pool(board: Board, upto: Floats, tries: int, rng: Rng, pool: Int32s) -> int:
    """Fill the rows of `pool` (layouts, ships) with layouts drawn from the prior, in at most
    `tries` tries altogether. Returns how many were drawn."""
    closed = np.zeros(board.mask.shape[1], dtype=np.uint64)
    drawn = 0
    while drawn < pool.shape[0] and tries > 0:
        tries -= 1
        closed[:] = 0
        legal = True
        for ship in range(board.ships):
            placement = draw_ship(board, ship, upto, rng)
            for word in range(closed.size):
                if closed[word] & board.mask[placement, word]:
                    legal = False
            if not legal:
                break
            for word in range(closed.size):
                closed[word] |= board.halo[placement, word]
            pool[drawn, ship] = placement
        if legal:
            drawn += 1
    return drawn


@kernel
def covers(board: Board, placement: int, cell: int) -> bool:
    return bool((board.mask[placement, cell >> 6] >> np.uint64(cell & 63)) & np.uint64(1))


@kernel
def answer_of(board: Board, row: npt.NDArray[np.int32], cell: int, fired: Bits) -> int:
    """The answer of a layout to a shot after those in `fired`: the compiled `Game.fire`."""
    for ship in range(board.ships):
        if not covers(board, row[ship], cell):
            continue
        afloat = False
        for k in range(board.fleet[ship]):
            other = board.cover[row[ship], k]
            if other != cell and not ((fired[other >> 6] >> np.uint64(other & 63)) & np.uint64(1)):
                afloat = True
        return answer_code(board.answers, ship, not afloat)
    return MISS


@kernel
def keep_agreeing_in_pool(
    board: Board, pool: Int32s, weight: Floats, size: int, cell: int, answer: int, fired: Bits
) -> int:
    """Move the layouts that give this answer to the front; returns how many there are."""
    kept = 0
    for row in range(size):
        if answer_of(board, pool[row], cell, fired) == answer:
            for ship in range(board.ships):
                pool[kept, ship] = pool[row, ship]
            weight[kept] = weight[row]
            kept += 1
    return kept


class ShipPlaces(NamedTuple):
    """Where each ship can lie if no other ship is in the way, side by side in memory."""

    left: Ints
    """(ships,) how many placements each ship has left"""
    number: Int32s
    """(ships, placements) their numbers"""
    weight: Floats
    """(ships, placements)"""
    mask: npt.NDArray[np.uint64]
    """(ships, placements, words)"""


@kernel
def places_left(board: Board, weights: Floats, misses: Bits) -> ShipPlaces:
    """The placements that no shot has ruled out by missing."""
    ships, words = board.ships, misses.size
    most = 0
    for ship in range(ships):
        most = max(most, board.last[ship] - board.first[ship])
    left = np.zeros(ships, dtype=np.int64)
    number = np.empty((ships, most), dtype=np.int32)
    weight = np.empty((ships, most), dtype=np.float64)
    mask = np.empty((ships, most, words), dtype=np.uint64)
    for ship in range(ships):
        for placement in range(board.first[ship], board.last[ship]):
            open_water = True
            for word in range(words):
                if board.mask[placement, word] & misses[word]:
                    open_water = False
            if open_water:
                k = left[ship]
                number[ship, k] = placement
                weight[ship, k] = weights[ship, placement]
                for word in range(words):
                    mask[ship, k, word] = board.mask[placement, word]
                left[ship] += 1
    return ShipPlaces(left, number, weight, mask)


class PoolWeights(NamedTuple):
    """How likely the prior thinks placements and distances are."""

    placements: Floats
    """(ships, placements)"""
    apart: Distances
    pairs: Floats
    """the weight of each distance; empty if distances do not count"""


@kernel
def multiply(
    board: Board,
    pool: Int32s,
    size: int,
    wanted: int,
    weights: PoolWeights,
    fired: Bits,
    hits: Bits,
    sweeps: int,
    rng: Rng,
) -> int:
    """Copy the layouts at the front until there are `wanted`, and move the ships of all."""
    apart, pairs = weights.apart, weights.pairs
    for row in range(size, wanted):
        origin = below(rng, size)
        for ship in range(board.ships):
            pool[row, ship] = pool[origin, ship]
    words = fired.size
    closed, needed = np.empty(words, dtype=np.uint64), np.empty(words, dtype=np.uint64)
    places = places_left(board, weights.placements, fired & ~hits)
    fitting = np.empty(places.number.shape[1], dtype=np.int64)
    upto = np.empty(places.number.shape[1], dtype=np.float64)
    for row in range(wanted):
        for _ in range(sweeps):
            for ship in range(board.ships):
                own = pool[row, ship]
                sunk = True
                for word in range(words):
                    needed[word] = hits[word] & board.mask[own, word]
                    if needed[word] != board.mask[own, word]:
                        sunk = False
                    closed[word] = hits[word] & ~needed[word]
                if sunk:
                    continue
                for other in range(board.ships):
                    if other != ship:
                        for word in range(words):
                            closed[word] |= board.halo[pool[row, other], word]
                total, fits = 0.0, 0
                for k in range(places.left[ship]):
                    wrong = np.uint64(0)
                    for word in range(words):
                        mask = places.mask[ship, k, word]
                        wrong |= (mask & closed[word]) | (needed[word] & ~mask)
                    if wrong == 0:
                        likely = places.weight[ship, k]
                        if pairs.size:
                            for other in range(board.ships):
                                if other != ship:
                                    between = apart[places.number[ship, k], pool[row, other]]
                                    likely *= pairs[between]
                        total += likely
                        fitting[fits], upto[fits] = k, total
                        fits += 1
                place = fraction(rng) * total
                for k in range(fits):
                    if upto[k] > place:
                        pool[row, ship] = places.number[ship, fitting[k]]
                        break
    return wanted


@kernel
def cell_weights(board: Board, pool: Int32s, weight: Floats, size: int) -> Floats:
    """(cells,) the weight of the layouts that have a ship on each cell."""
    counts = np.zeros(board.cells, dtype=np.float64)
    for row in range(size):
        for ship in range(board.ships):
            for k in range(board.fleet[ship]):
                counts[board.cover[pool[row, ship], k]] += weight[row]
    return counts
