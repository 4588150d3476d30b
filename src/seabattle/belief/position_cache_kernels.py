"""The most likely cells of positions, computed once and cached.

Two positions are the same if every ship has the same candidates and the same cells are
hit, up to a symmetry of the board and the names of ships of one length. Nothing else
affects a posterior: not the order of the shots beyond what it leaves possible, not a
miss where no ship could be. The key of a position is a 128-bit sum of random words
over candidates and hits, so it does not depend on any order; of the keys under all
symmetries the smallest is taken, and the best cells are stored as that symmetry turns
them. A choice that is made in this turned form depends on the observation alone, not
on what happens to be cached. So does the first of them on the board, which is the choice if ties
go to isolated cells. Whole games are played in one call.

The cache is bounded: a position goes to one of eight places and replaces the one that
took the least work. So the openings, which are expensive and shared by all games, stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bitboards import has_bit, set_bit
from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import WORDS, Bits, Board, Cells, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import fire, hidden_fleet, lay
from ..compiled.random_streams import Rng, below, mix
from ..compiled.symmetries import Symmetries
from .enumeration_kernels import DONE, EnumerationScratch, Numbers, assign_slots, count_layouts
from .evidence_kernels import Evidence, read_shots

PLACES = 8
"""Places that a key may go to."""

TOO_LARGE, CONTRADICTORY = -1, -2
"""Returned instead of a cell."""


class PositionCache(NamedTuple):
    """A table of positions, made by `new_position_cache`."""

    key_words: Bits
    """(placements + cells, 2) random words"""
    keys: Bits
    """(entries, 2)"""
    best: Bits
    """(entries, board words) the best cells as turned bits"""
    work: Ints
    """(entries,) steps it took; 0 for a free entry"""
    key: Bits
    """(2,) the key of the position looked up last"""


def new_position_cache(board: Board, entries: int) -> PositionCache:
    """An empty cache; `entries` is a power of two."""
    key_words = np.random.default_rng(board.cells).integers(
        1, 2**64, size=(board.placements + board.cells, 2), dtype=np.uint64
    )
    return PositionCache(
        key_words=key_words,
        keys=np.zeros((entries, 2), dtype=np.uint64),
        best=np.zeros((entries, WORDS), dtype=np.uint64),
        work=np.zeros(entries, dtype=np.int64),
        key=np.zeros(2, dtype=np.uint64),
    )


@kernel
def position_key(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    key_words: Bits,
    key: Bits,
) -> int:
    """Compute the key of the position whose slots are assigned; returns the symmetry that
    turns it."""
    images, classes = symmetries.placements, scratch.classes
    best = -1
    for g in range(images.shape[0]):
        first = second = np.uint64(0)
        for c in range(board.ships):
            if classes.ships[c] == 0:
                continue
            one = two = np.uint64(classes.ships[c])
            for slot in range(64 * classes.begin[c], 64 * classes.end[c]):
                if classes.placement[slot] < 0:
                    break
                image = images[g, classes.placement[slot]]
                one += key_words[image, 0]
                two += key_words[image, 1]
            first += mix(one)
            second += mix(two)
        for word in range(WORDS):
            hits = evidence.hit_bits[word]
            while hits != 0:
                cell = 64 * word + lowest(hits)
                hits &= hits - ONE
                image = board.placements + np.int64(symmetries.cells[g, cell])
                first += key_words[image, 0]
                second += key_words[image, 1]
        if best < 0 or first < key[0] or (first == key[0] and second < key[1]):
            best = g
            key[0], key[1] = first, second
    return best


@kernel
def find_entry(cache: PositionCache, key: Bits) -> int:
    """The entry with this key, or -1."""
    start = np.int64(key[0] & np.uint64(cache.work.size - 1))
    for k in range(PLACES):
        entry = start ^ k
        if cache.work[entry] and cache.keys[entry, 0] == key[0] and cache.keys[entry, 1] == key[1]:
            return entry
    return -1


@kernel
def store_entry(cache: PositionCache, key: Bits, best: Bits, work: int) -> None:
    """Put a position in the place of the one that took the least work."""
    start = np.int64(key[0] & np.uint64(cache.work.size - 1))
    entry = start
    for k in range(1, PLACES):
        if cache.work[start ^ k] < cache.work[entry]:
            entry = start ^ k
    cache.keys[entry, 0], cache.keys[entry, 1] = key[0], key[1]
    for word in range(WORDS):
        cache.best[entry, word] = best[word]
    cache.work[entry] = max(1, work)


@kernel
def choose_from(
    board: Board,
    symmetries: Symmetries,
    turn: int,
    best: Bits,
    isolated: bool,
    at_random: bool,
    rng: Rng,
) -> int:
    """One of the best cells: the first of the turned position, or any; of isolated ones, the first
    on the board, as in the trees of `admiral`."""
    if isolated:
        for cell in range(board.cells):
            if has_bit(best, np.int64(symmetries.cells[turn, cell])):
                return cell
    chosen = 0
    if at_random:
        count = 0
        for word in range(WORDS):
            count += popcount(best[word])
        chosen = below(rng, count)
    for image in range(board.cells):
        if has_bit(best, image):
            if chosen == 0:
                for cell in range(board.cells):
                    if symmetries.cells[turn, cell] == image:
                        return cell
            chosen -= 1
    return -1


@kernel
def most_likely_cells(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    turn: int,
    isolated: bool,
) -> Bits:
    """The most likely cells of a position that has been counted, as turned bits."""
    best = np.zeros(WORDS, dtype=np.uint64)
    highest, least_beside = np.int64(-1), np.int64(0)
    totals = np.zeros(board.cells, dtype=np.int64)
    for cell in range(board.cells):
        if evidence.when[cell] < 0:
            for c in range(board.ships):
                totals[cell] += scratch.totals[c, cell]
    for cell in range(board.cells):
        if evidence.when[cell] >= 0 or totals[cell] < highest:
            continue
        beside = np.int64(0)
        if isolated:
            for direction in range(4):
                neighbour = board.neighbours[cell, direction]
                if neighbour >= 0:
                    beside += totals[neighbour]
        if totals[cell] > highest or beside < least_beside:
            highest, least_beside = totals[cell], beside
            for word in range(WORDS):
                best[word] = np.uint64(0)
        if beside == least_beside:
            set_bit(best, np.int64(symmetries.cells[turn, cell]))
    return best


@kernel
def likeliest_cached_cell(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    cache: PositionCache,
    weights: Numbers,
    kin: Ints,
    cells: Cells,
    answers: Ints,
    budget: int,
    isolated: bool,
    at_random: bool,
    rng: Rng,
) -> int:
    """The most likely cell after these shots: looked up, or else counted and cached. Of several,
    the first on the board whose neighbours are least likely if `isolated`.

    TOO_LARGE if counting takes more than `budget` steps or too many slots; CONTRADICTORY
    if no layout agrees. One function does all of it, because handing these arguments over
    from Python takes as long as the work on a small position.
    """
    read_shots(board, cells, answers, evidence)
    words = assign_slots(board, evidence, weights, kin, scratch)
    if words < 0:
        return TOO_LARGE
    turn = position_key(board, symmetries, evidence, scratch, cache.key_words, cache.key)
    entry = find_entry(cache, cache.key)
    if entry >= 0:
        return choose_from(board, symmetries, turn, cache.best[entry], isolated, at_random, rng)
    if count_layouts(board, symmetries, evidence, words, 0, budget, scratch) != DONE:
        return TOO_LARGE
    if scratch.found[0] == 0:
        return CONTRADICTORY
    best = most_likely_cells(board, symmetries, evidence, scratch, turn, isolated)
    store_entry(cache, cache.key, best, scratch.steps[0])
    return choose_from(board, symmetries, turn, best, isolated, at_random, rng)


@kernel
def play_likeliest(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    cache: PositionCache,
    weights: Numbers,
    kin: Ints,
    budget: int,
    isolated: bool,
    at_random: bool,
    placements: npt.NDArray[np.int32],
    seeds: Bits,
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> None:
    """Play one game per row of `placements`, always at the most likely cell; -1 in `shots` for a
    game with a position that is TOO_LARGE."""
    ship_at, left = hidden_fleet(board)
    answers = np.empty(board.cells, dtype=np.int64)
    rng = np.empty(1, dtype=np.uint64)
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at, left)
        rng[0] = seeds[game]
        shot, hits = 0, 0
        while hits < board.ship_cells:
            cell = likeliest_cached_cell(
                board, symmetries, evidence, scratch, cache, weights, kin, fired[game, :shot],
                answers[:shot], budget, isolated, at_random, rng,
            )  # fmt: skip
            if cell < 0:
                shot = -1
                break
            answer = fire(board, ship_at, left, cell)
            fired[game, shot], answers[shot] = cell, answer
            hits += answer != 0
            shot += 1
        shots[game] = shot
