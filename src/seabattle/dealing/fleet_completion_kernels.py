"""Whether the rest of a fleet still finds room, for those who place ship by ship.

A plain depth-first search over the ships to come, each at the first placement that is
free. On boards with some room the first attempt succeeds; where a fleet fills the board
it may not end in time, so it gives up after a number of placements tried, the same on
every machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import WORDS, Board
from ..compiled.jit import kernel

NO_ROOM, ROOM, GAVE_UP = range(3)

PATIENCE = 20_000
"""Placements looked at before giving up."""

Int32s = npt.NDArray[np.int32]


@kernel
def complete(board: Board, placements: Int32s, placed: int, patience: int) -> int:
    """Find places for the ships from `placed` on, beside the ones before, in `placements`.

    The entries before `placed` are given and legal; the others are written. NO_ROOM is
    proven; GAVE_UP is not known.
    """
    taken = np.zeros((board.ships + 1, WORDS), dtype=np.uint64)
    for ship in range(placed):
        for word in range(WORDS):
            taken[placed, word] |= board.halo[placements[ship], word]
    ship = placed
    if ship < board.ships:
        placements[ship] = board.first[ship]
    while placed <= ship < board.ships:
        p = placements[ship]
        last = board.last[ship]
        while p < last and _clash(board, p, taken[ship]):
            p += 1
            patience -= 1
        if patience <= 0:
            return GAVE_UP
        if p == last:
            ship -= 1
            if ship >= placed:
                placements[ship] += 1
            continue
        placements[ship] = p
        for word in range(WORDS):
            taken[ship + 1, word] = taken[ship, word] | board.halo[p, word]
        ship += 1
        if ship < board.ships:
            # Ships of one length are alike: the later one lies further on.
            alike = ship > placed and board.fleet[ship] == board.fleet[ship - 1]
            placements[ship] = p + 1 if alike else board.first[ship]
        patience -= 1
    return ROOM if ship == board.ships else NO_ROOM


@kernel
def _clash(board: Board, placement: int, taken: npt.NDArray[np.uint64]) -> bool:
    for word in range(WORDS):
        if board.mask[placement, word] & taken[word] != 0:
            return True
    return False


@kernel
def room_for_next(
    board: Board, known: Int32s, placed: int, patience: int, allowed: npt.NDArray[np.int8]
) -> None:
    """Mark where the next ship may lie: `allowed[p - first]` is 1 for a placement that
    leaves room for all ships after it.

    `known` is a whole legal layout of which the first `placed` ships lie already; the next
    ship's place in it is always allowed, so there is never nothing to choose from.
    """
    trial = known.copy()
    taken = np.zeros(WORDS, dtype=np.uint64)
    for ship in range(placed):
        for word in range(WORDS):
            taken[word] |= board.halo[known[ship], word]
    for p in range(board.first[placed], board.last[placed]):
        possible = p == known[placed]
        if not possible and not _clash(board, p, taken):
            trial[placed] = p
            possible = complete(board, trial, placed + 1, patience) == ROOM
        allowed[p - board.first[placed]] = possible
