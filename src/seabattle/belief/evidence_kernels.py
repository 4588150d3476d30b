"""What an observation leaves possible: a list of placements for each ship.

All four kinds of answers reduce to the same form. A layout agrees with the
observation if and only if

- every ship lies on one of its candidates,
- no two ships clash (`Board.halo`), and
- every hit is covered.

The order of the shots enters here and nowhere else. A placement all of whose cells
are hit was completed by the last of those hits; it is a candidate only if that very
shot was answered "sunk" (of this ship, where sinking is named), and a placement that
covers a shot answered "sunk" must have been completed by it.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import (
    HIT_MISS,
    MOST_CELLS,
    NAMED,
    SUNK_NAMED,
    WORDS,
    Bits,
    Board,
    Cells,
    Ints,
)
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, SANK


class Evidence:
    """An observation by cell; filled by `read_shots`."""

    shots: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    hit_bits: Annotated[Bits, "u8", (WORDS,)]
    miss_bits: Annotated[Bits, "u8", (WORDS,)]
    when: Annotated[Ints, "i8", (MOST_CELLS,)]
    """the number of the shot at each cell, or -1"""
    told: Annotated[Ints, "i8", (MOST_CELLS,)]
    """the answer to it, as in `compiled.knowledge`"""
    sunk_by: Annotated[Ints, "i8", (MOST_CELLS,)]
    """the cell whose shot sank each ship, where named, else -1"""
    named_hits: Annotated[Ints, "i8", (MOST_CELLS,)]
    """hits that named each ship, under `named`"""


@kernel
def read_shots(board: Board, cells: Cells, answers: Ints, evidence: Evidence) -> None:
    """Fill `evidence` from shots and answers."""
    evidence.shots = cells.size
    evidence.hits = 0
    evidence.hit_bits[:] = np.uint64(0)
    evidence.miss_bits[:] = np.uint64(0)
    evidence.when[: board.cells] = -1
    evidence.sunk_by[: board.ships] = -1
    evidence.named_hits[: board.ships] = 0
    for shot in range(cells.size):
        cell, answer = np.int64(cells[shot]), answers[shot]
        evidence.when[cell] = shot
        evidence.told[cell] = answer
        bit = np.uint64(1) << np.uint64(cell & 63)
        if answer & 3 == MISS:
            evidence.miss_bits[cell >> 6] |= bit
            continue
        evidence.hits += 1
        evidence.hit_bits[cell >> 6] |= bit
        ship = (answer >> 2) - 1
        if ship >= 0:
            evidence.named_hits[ship] += 1
            if answer & 3 == SANK:
                evidence.sunk_by[ship] = cell


@kernel
def is_candidate(board: Board, evidence: Evidence, ship: int, placement: int) -> bool:
    """Whether the observation allows this ship on this placement, other ships aside."""
    for word in range(WORDS):
        if board.mask[placement, word] & evidence.miss_bits[word] != 0:
            return False
    if board.answers == HIT_MISS:
        return True
    length = board.length[placement]
    struck, last, announced = 0, -1, 0
    for k in range(length):
        cell = np.int64(board.cover[placement, k])
        shot = evidence.when[cell]
        if shot < 0:
            continue
        struck += 1
        told = evidence.told[cell]
        if board.answers == NAMED and (told >> 2) - 1 != ship:
            return False
        if told & 3 == SANK:
            announced += 1
            if board.answers == SUNK_NAMED and (told >> 2) - 1 != ship:
                return False
        if last < 0 or shot > evidence.when[last]:
            last = cell
    if board.answers == NAMED:
        return struck == evidence.named_hits[ship]
    if board.answers == SUNK_NAMED and evidence.sunk_by[ship] >= 0:
        return struck == length and last == evidence.sunk_by[ship]
    if struck < length:
        return announced == 0
    return announced == 1 and evidence.told[last] & 3 == SANK


@kernel
def narrow_candidates(
    board: Board,
    cells: Cells,
    answers: Ints,
    evidence: Evidence,
    candidates: npt.NDArray[np.int32],
    counts: Ints,
) -> None:
    """`gather_candidates` after further shots of the game that `candidates` were listed in:
    only those listed can still be candidates."""
    read_shots(board, cells, answers, evidence)
    for ship in range(board.ships):
        count = 0
        for index in range(counts[ship]):
            placement = np.int64(candidates[ship, index])
            if is_candidate(board, evidence, ship, placement):
                candidates[ship, count] = placement
                count += 1
        counts[ship] = count


@kernel
def gather_candidates(
    board: Board,
    cells: Cells,
    answers: Ints,
    evidence: Evidence,
    candidates: npt.NDArray[np.int32],
    counts: Ints,
) -> None:
    """Read the shots and list each ship's candidates in its row of `candidates`."""
    for ship in range(board.ships):
        counts[ship] = board.last[ship] - board.first[ship]
        for index in range(counts[ship]):
            candidates[ship, index] = board.first[ship] + index
    narrow_candidates(board, cells, answers, evidence, candidates, counts)
