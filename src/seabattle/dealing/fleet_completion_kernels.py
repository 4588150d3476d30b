"""Whether the rest of a fleet still fits, for placing ship by ship.

A plain depth-first search over the ships to come, each at the first placement that is
free. On boards with space to spare the first attempt succeeds; where a fleet fills the
board the search could take forever, so it gives up after a fixed number of placements.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.bitboards import add_bits, clashes
from ..compiled.board_tables import WORDS, Board, Int32s
from ..compiled.jit import kernel

NO_ROOM, ROOM, GAVE_UP = range(3)

PATIENCE = 20_000
"""Placements tried before giving up."""


@kernel
def complete(board: Board, placements: Int32s, placed: int, patience: int) -> int:
    """Place the ships from `placed` on, given the ones before, in `placements`.

    The entries before `placed` are given and legal; the others are written. NO_ROOM is
    proven; GAVE_UP means that it is not known.
    """
    taken = np.zeros((board.ships + 1, WORDS), dtype=np.uint64)
    for ship in range(placed):
        add_bits(taken[placed], board.halo[placements[ship]])
    ship = placed
    if ship < board.ships:
        placements[ship] = board.first[ship]
    while placed <= ship < board.ships:
        p = placements[ship]
        last = board.last[ship]
        while p < last and clashes(board, p, taken[ship]):
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
def room_for_next(
    board: Board, known: Int32s, placed: int, patience: int, allowed: npt.NDArray[np.int8]
) -> None:
    """Mark where the next ship may lie: `allowed[p - first]` is 1 for a placement that
    leaves room for all ships after it.

    `known` is a whole legal layout of which the first `placed` ships lie already; the next
    ship's placement in it is always allowed, so at least one always is.
    """
    trial = known.copy()
    taken = np.zeros(WORDS, dtype=np.uint64)
    for ship in range(placed):
        add_bits(taken, board.halo[known[ship]])
    for p in range(board.first[placed], board.last[placed]):
        possible = p == known[placed]
        if not possible and not clashes(board, p, taken):
            trial[placed] = p
            possible = complete(board, trial, placed + 1, patience) == ROOM
        allowed[p - board.first[placed]] = possible
