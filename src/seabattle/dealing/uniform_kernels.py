"""Uniform random layouts by rejection.

Every ship is placed independently and uniformly; as soon as two collide the whole
layout is rejected. The layouts that remain are uniform over all legal ones.
(Placing a colliding ship again until it fits would be faster, but biased.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.bitboards import meets, no_cells, union
from ..compiled.board_tables import Board
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, stream
from ..compiled.seeds import LAYOUT_STREAM


@kernel
def deal(board: Board, rng: Rng, tries: int, placements: npt.NDArray[np.int32]) -> bool:
    """Draw one layout into `placements` (one per ship); False if no try succeeded."""
    for _ in range(tries):
        taken = no_cells()
        legal = True
        for ship in range(board.ships):
            p = board.first[ship] + below(rng, board.last[ship] - board.first[ship])
            if meets(taken, board.mask, p):
                legal = False
                break
            taken = union(taken, board.halo, p)
            placements[ship] = p
        if legal:
            return True
    return False


@kernel
def deal_many(
    boards: npt.NDArray[np.void],
    seed: np.uint64,
    start: int,
    tries: int,
    placements: npt.NDArray[np.int32],
) -> int:
    """Draw the layouts of games `start`, `start` + 1, ... into the rows of `placements`.

    Returns how many rows were filled before a game ran out of tries. The board comes as an
    array of one record (see `compiled.rules_tables.board_array_of`).
    """
    board = boards[0]
    rng = np.empty(1, dtype=np.uint64)
    for row in range(placements.shape[0]):
        rng[0] = stream(seed, start + row, LAYOUT_STREAM)
        if not deal(board, rng, tries, placements[row]):
            return row
    return placements.shape[0]
