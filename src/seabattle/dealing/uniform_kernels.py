"""Uniform random layouts by rejection.

Every ship is put down independently and uniformly; as soon as two collide the
whole layout is thrown away. What survives is uniform over all legal layouts.
(Putting a colliding ship down again until it fits is faster and biased.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, stream
from ..compiled.seeds import LAYOUT_STREAM


@kernel
def deal(board: Board, rng: Rng, tries: int, placements: npt.NDArray[np.int32]) -> bool:
    """Draw one layout into `placements` (one per ship); False if no try succeeded."""
    mask, halo = board.mask, board.halo
    for _ in range(tries):
        w0 = w1 = w2 = w3 = np.uint64(0)
        legal = True
        for ship in range(board.ships):
            p = board.first[ship] + below(rng, board.last[ship] - board.first[ship])
            clash = (mask[p, 0] & w0) | (mask[p, 1] & w1) | (mask[p, 2] & w2) | (mask[p, 3] & w3)
            if clash != 0:
                legal = False
                break
            w0 |= halo[p, 0]
            w1 |= halo[p, 1]
            w2 |= halo[p, 2]
            w3 |= halo[p, 3]
            placements[ship] = p
        if legal:
            return True
    return False


@kernel
def deal_many(
    board: Board, seed: np.uint64, start: int, tries: int, placements: npt.NDArray[np.int32]
) -> int:
    """Draw the layouts of games `start`, `start` + 1, ... into the rows of `placements`.

    Returns how many rows were filled before a game ran out of tries.
    """
    rng = np.empty(1, dtype=np.uint64)
    for row in range(placements.shape[0]):
        rng[0] = stream(seed, start + row, LAYOUT_STREAM)
        if not deal(board, rng, tries, placements[row]):
            return row
    return placements.shape[0]
