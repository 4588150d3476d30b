"""Layouts sampled uniformly from those that agree with an observation, by rejection.

Ships that cover hits are placed first. The hits are taken in a fixed order; for each one
not yet covered, a ship and a placement through it are drawn from the n that fit. The
other ships are drawn independently, each from its C placements that touch no hit; if any
two clash, the whole layout is rejected. A layout is drawn with probability
1 / (n n ... C C ...), and accepting it with probability proportional to the inverse makes
all layouts equally likely.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence, is_candidate, read_shots
from ..compiled.bitboards import add_bits, clashes, has_bit
from ..compiled.bits import popcount
from ..compiled.board_tables import (
    MOST_CELLS,
    MOST_PLACEMENTS,
    MOST_THROUGH,
    WORDS,
    Board,
    Cells,
    Ints,
)
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, fraction
from ..compiled.structs import new_struct

MOST_SHIPS = 64
"""Fleets with more ships are left to `belief.sampling`."""


class Sampler:
    """Tables for one observation; filled by `prepare`."""

    hits: Annotated[int, "i8"]
    to_find: Annotated[int, "i8"]
    """ship cells not yet hit"""
    highest: Annotated[float, "f8"]
    """an upper bound of n n ... C C ... over all layouts"""
    hit: Annotated[Cells, "i2", (MOST_CELLS,)]
    """the hits, those with the fewest placements through them first"""
    whole: Annotated[Ints, "i8", (MOST_PLACEMENTS,)]
    """cells of each placement that are not hit"""
    free: Annotated[npt.NDArray[np.int32], "i4", (MOST_SHIPS, MOST_PLACEMENTS)]
    """the placements of each ship that touch no hit"""
    frees: Annotated[Ints, "i8", (MOST_SHIPS,)]
    cover_start: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """where the ways to cover each hit start in the next two arrays"""
    cover_ship: Annotated[npt.NDArray[np.int16], "i2", (4 * MOST_THROUGH,)]
    cover_placement: Annotated[npt.NDArray[np.int32], "i4", (4 * MOST_THROUGH,)]
    fitting: Annotated[Ints, "i8", (4 * MOST_THROUGH,)]
    """the ways to cover the current hit that fit"""


def new_sampler() -> Sampler:
    return new_struct(Sampler)


@kernel
def prepare(
    board: Board, evidence: Evidence, cells: Cells, answers: Ints, sampler: Sampler
) -> bool:
    """Fill the tables for an observation; False if they are too small for it."""
    if board.ships > MOST_SHIPS:
        return False
    read_shots(board, cells, answers, evidence)
    to_find = sampler.to_find = board.ship_cells - evidence.hits
    ways = np.zeros(board.cells, dtype=np.int64)
    candidate = np.zeros((board.ships, board.placements), dtype=np.uint8)
    for ship in range(board.ships):
        sampler.frees[ship] = 0
        for p in range(board.first[ship], board.last[ship]):
            if not is_candidate(board, evidence, ship, p):
                continue
            struck, spoilt = 0, 0
            for word in range(WORDS):
                struck += popcount(board.mask[p, word] & evidence.hit_bits[word])
                spoilt += popcount(board.halo[p, word] & evidence.hit_bits[word])
            sampler.whole[p] = board.length[p] - struck
            # A hit beside the ship that no other ship may cover, or too many cells not yet hit.
            if spoilt > struck or sampler.whole[p] > to_find:
                continue
            if struck == 0:
                sampler.free[ship, sampler.frees[ship]] = p
                sampler.frees[ship] += 1
                continue
            candidate[ship, p] = 1
            for k in range(board.length[p]):
                cell = board.cover[p, k]
                if has_bit(evidence.hit_bits, cell):
                    ways[cell] += 1
    sampler.hits = 0
    for shot in range(cells.size):
        cell = np.int64(cells[shot])
        if has_bit(evidence.hit_bits, cell):
            place = sampler.hits
            while place > 0 and ways[sampler.hit[place - 1]] > ways[cell]:
                sampler.hit[place] = sampler.hit[place - 1]
                place -= 1
            sampler.hit[place] = cell
            sampler.hits += 1
    total = 0
    for number in range(sampler.hits):
        cell = np.int64(sampler.hit[number])
        sampler.cover_start[number] = total
        if total + ways[cell] > sampler.cover_ship.size:
            return False
        for ship in range(board.ships):
            for index in range(board.through_start[cell], board.through_start[cell + 1]):
                p = board.through[index]
                if candidate[ship, p]:
                    sampler.cover_ship[total] = ship
                    sampler.cover_placement[total] = p
                    total += 1
        sampler.cover_start[number + 1] = total
    sampler.highest = bound(board, sampler)
    return True


@kernel
def bound(board: Board, sampler: Sampler) -> float:
    """An upper bound of n n ... C C ... over all layouts.

    Hits of which no placement covers two need a ship each; other hits may or may not. All
    other ships are free.
    """
    needed = 0
    apart = np.empty(max(sampler.hits, 1), dtype=np.int64)
    ways = np.empty(max(sampler.hits, 1), dtype=np.float64)
    for number in range(sampler.hits):
        begin, end = sampler.cover_start[number], sampler.cover_start[number + 1]
        ways[number] = end - begin
        alone = True
        for k in range(needed):
            other = sampler.hit[apart[k]]
            for index in range(begin, end):
                p = sampler.cover_placement[index]
                if has_bit(board.mask[p], other):
                    alone = False
                    break
            if not alone:
                break
        if alone and needed < board.ships:
            apart[needed] = number
            needed += 1
    frees = np.sort(sampler.frees[: board.ships].astype(np.float64))[::-1]
    most = np.sort(ways[: sampler.hits])[::-1]
    highest = 0.0
    for used in range(needed, min(sampler.hits, board.ships) + 1):
        product = 1.0
        for k in range(used):
            product *= most[k]
        for k in range(board.ships - used):
            product *= frees[k]
        highest = max(highest, product)
    return highest


@kernel
def draw_layout(
    board: Board, sampler: Sampler, tries: int, placements: npt.NDArray[np.int32], rng: Rng
) -> int:
    """Draw one layout into `placements`; the tries left, or -1 if none succeeded."""
    taken = np.zeros(WORDS, dtype=np.uint64)
    covered = np.zeros(WORDS, dtype=np.uint64)
    while tries > 0:
        tries -= 1
        taken[:] = np.uint64(0)
        covered[:] = np.uint64(0)
        placements[: board.ships] = -1
        weight = 1.0
        left = sampler.to_find
        for number in range(sampler.hits):
            if has_bit(covered, sampler.hit[number]):
                continue
            found = 0
            for index in range(sampler.cover_start[number], sampler.cover_start[number + 1]):
                p = sampler.cover_placement[index]
                if placements[sampler.cover_ship[index]] < 0 and sampler.whole[p] <= left:
                    if not clashes(board, p, taken):
                        sampler.fitting[found] = index
                        found += 1
            weight *= found
            if found == 0:
                break
            index = sampler.fitting[below(rng, found)]
            p = sampler.cover_placement[index]
            placements[sampler.cover_ship[index]] = p
            left -= sampler.whole[p]
            add_bits(taken, board.halo[p])
            add_bits(covered, board.mask[p])
        for ship in range(board.ships):
            if placements[ship] < 0:
                weight *= sampler.frees[ship]
                left -= board.fleet[ship]
        # If every hit is covered exactly once, no cell is left to find.
        if left != 0 or weight == 0.0:
            continue
        if fraction(rng) * sampler.highest >= weight:
            continue
        legal = True
        for ship in range(board.ships):
            if placements[ship] >= 0:
                continue
            p = sampler.free[ship, below(rng, sampler.frees[ship])]
            if clashes(board, p, taken):
                legal = False
                break
            placements[ship] = p
            add_bits(taken, board.halo[p])
        if legal:
            return tries
    return -1


@kernel
def fill_layouts(
    board: Board, sampler: Sampler, tries: int, layouts: npt.NDArray[np.int32], rng: Rng
) -> int:
    """Fill the rows of `layouts` within a number of tries; the number of rows filled."""
    for row in range(layouts.shape[0]):
        tries = draw_layout(board, sampler, tries, layouts[row], rng)
        if tries < 0:
            return row
    return layouts.shape[0]
