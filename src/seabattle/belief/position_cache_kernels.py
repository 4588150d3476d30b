"""The best cells of positions, worked out once and remembered.

Two positions are the same if every ship has the same candidates and the same cells are
hit, up to a symmetry of the board and the names of ships of one length. Nothing else
enters a posterior: not the order of the shots beyond what it leaves possible, not a
miss where no ship could be. The key of a position is a 128-bit sum of random marks
over candidates and hits, so it does not depend on any order; of the keys under all
symmetries the smallest is taken, and the best cells are kept as that symmetry turns
them. A choice that is made in this turned form depends on the observation alone, not
on what happens to be remembered.

The table is bounded: a position goes to one of eight places, and pushes out the one
that took the least work. So the openings, which are dear and shared by all games, stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import WORDS, Bits, Board, Cells, Ints
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, mix
from ..compiled.symmetries import Symmetries
from .enumeration_kernels import Desk, Numbers, lay_out
from .evidence_kernels import Evidence, read_shots

PLACES = 8
"""Places that a key may go to."""

UNKNOWN_POSITION = -1
"""Instead of a cell: nothing is remembered."""


class PositionCache(NamedTuple):
    """A table of positions, made by `new_position_cache`."""

    marks: Bits
    """(placements + cells, 2) random words"""
    keys: Bits
    """(entries, 2)"""
    best: Bits
    """(entries, board words) the best cells as turned bits"""
    work: Ints
    """(entries,) steps it took; 0 for a free entry"""
    key: Bits
    """(2,) the key of the position looked up last"""
    form: Ints
    """(2,) words it takes on the desk, -1 for too many, and the symmetry that turns it"""


def new_position_cache(board: Board, entries: int) -> PositionCache:
    """An empty table; `entries` is a power of two."""
    marks = np.random.default_rng(board.cells).integers(
        1, 2**64, size=(board.placements + board.cells, 2), dtype=np.uint64
    )
    return PositionCache(
        marks=marks,
        keys=np.zeros((entries, 2), dtype=np.uint64),
        best=np.zeros((entries, WORDS), dtype=np.uint64),
        work=np.zeros(entries, dtype=np.int64),
        key=np.zeros(2, dtype=np.uint64),
        form=np.zeros(2, dtype=np.int64),
    )


@kernel
def position_key(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    desk: Desk,
    marks: Bits,
    key: Bits,
) -> int:
    """The key of the position on the desk, and the symmetry that turns it into its form."""
    images, slots = symmetries.placements, desk.slots
    best = -1
    for g in range(images.shape[0]):
        first = second = np.uint64(0)
        for c in range(board.ships):
            if desk.ships[c] == 0:
                continue
            one = two = np.uint64(desk.ships[c])
            for slot in range(64 * desk.begin[c], 64 * desk.end[c]):
                if slots[slot] < 0:
                    break
                image = images[g, slots[slot]]
                one += marks[image, 0]
                two += marks[image, 1]
            first += mix(one)
            second += mix(two)
        for word in range(WORDS):
            hits = evidence.hit_bits[word]
            while hits != 0:
                cell = 64 * word + lowest(hits)
                hits &= hits - ONE
                image = board.placements + np.int64(symmetries.cells[g, cell])
                first += marks[image, 0]
                second += marks[image, 1]
        if best < 0 or first < key[0] or (first == key[0] and second < key[1]):
            best = g
            key[0], key[1] = first, second
    return best


@kernel
def recall(memory: PositionCache, key: Bits) -> int:
    """The entry with this key, or -1."""
    start = np.int64(key[0] & np.uint64(memory.work.size - 1))
    for k in range(PLACES):
        entry = start ^ k
        if (
            memory.work[entry]
            and memory.keys[entry, 0] == key[0]
            and memory.keys[entry, 1] == key[1]
        ):
            return entry
    return -1


@kernel
def remember(memory: PositionCache, key: Bits, best: Bits, work: int) -> None:
    start = np.int64(key[0] & np.uint64(memory.work.size - 1))
    entry = start
    for k in range(1, PLACES):
        if memory.work[start ^ k] < memory.work[entry]:
            entry = start ^ k
    memory.keys[entry, 0], memory.keys[entry, 1] = key[0], key[1]
    for word in range(WORDS):
        memory.best[entry, word] = best[word]
    memory.work[entry] = max(1, work)


@kernel
def choose_from(
    board: Board, symmetries: Symmetries, turn: int, best: Bits, at_random: bool, rng: Rng
) -> int:
    """One of the best cells: the first of the turned position, or any."""
    chosen = 0
    if at_random:
        count = 0
        for word in range(WORDS):
            count += popcount(best[word])
        chosen = below(rng, count)
    for image in range(board.cells):
        if (best[image >> 6] >> np.uint64(image & 63)) & ONE != 0:
            if chosen == 0:
                for cell in range(board.cells):
                    if symmetries.cells[turn, cell] == image:
                        return cell
            chosen -= 1
    return -1


@kernel
def look_up(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    desk: Desk,
    memory: PositionCache,
    weights: Numbers,
    kin: Ints,
    cells: Cells,
    answers: Ints,
    at_random: bool,
    rng: Rng,
) -> int:
    """The cell remembered for these shots, or UNKNOWN_POSITION.

    The position is laid out on the desk, its key is in `memory.key`, its words and the
    symmetry that turns it in `memory.form`.
    """
    read_shots(board, cells, answers, evidence)
    memory.form[0] = lay_out(board, evidence, weights, kin, desk)
    if memory.form[0] < 0:
        return UNKNOWN_POSITION
    turn = position_key(board, symmetries, evidence, desk, memory.marks, memory.key)
    memory.form[1] = turn
    entry = recall(memory, memory.key)
    if entry < 0:
        return UNKNOWN_POSITION
    return choose_from(board, symmetries, turn, memory.best[entry], at_random, rng)


@kernel
def learn(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    desk: Desk,
    memory: PositionCache,
    at_random: bool,
    rng: Rng,
) -> int:
    """Remember the position that was looked up and has been counted since; its cell."""
    turn = memory.form[1]
    best = np.zeros(WORDS, dtype=np.uint64)
    highest = np.int64(-1)
    for cell in range(board.cells):
        if evidence.when[cell] >= 0:
            continue
        total = np.int64(0)
        for c in range(board.ships):
            total += desk.totals[c, cell]
        if total > highest:
            highest = total
            for word in range(WORDS):
                best[word] = np.uint64(0)
        if total == highest:
            image = np.int64(symmetries.cells[turn, cell])
            best[image >> 6] |= ONE << np.uint64(image & 63)
    remember(memory, memory.key, best, desk.steps[0])
    return choose_from(board, symmetries, turn, best, at_random, rng)
