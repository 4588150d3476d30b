"""T's reward for a whole game (T 1.1): the sooner the fleet is found, the more."""

from __future__ import annotations

from .board_tables import Board
from .jit import kernel


@kernel
def finish_reward(board: Board, shots: int) -> float:
    """1 for a game of `shots` without a miss, down to 0 when all spare shots are used up.

    The spare shots are all cells less twice the ship cells; on a board so full that there
    are none, all cells less the ship cells.
    """
    spare = board.cells - 2 * board.ship_cells
    if spare <= 0:
        spare = max(board.cells - board.ship_cells, 1)
    return max(0.0, 1.0 - (shots - board.ship_cells) / spare)
