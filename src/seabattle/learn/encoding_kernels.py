"""What a shooter knows as planes: the encoding that environments and networks share.

An int8 array (3 + ships, cells) of zeros and ones:

    0          cells that were missed
    1          cells that were hit
    2          cells of ships known to be sunk (`CLOSED` in `Knowledge.status`)
    3 + ship   all cells 1 until that ship of the fleet is known to be sunk

Where sinkings are not announced, plane 2 stays 0 and the planes of the ships stay 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Cells, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import CLOSED, MISS, MISSED, SANK, UNKNOWN, Knowledge, clear, tell

MISSED_PLANE, HIT_PLANE, SUNK_PLANE, FIRST_SHIP = range(4)
"""The first planes; those of the ships follow from `FIRST_SHIP` on."""

Planes = npt.NDArray[np.int8]


@kernel
def start_planes(board: Board, planes: Planes) -> None:
    """The planes before the first shot."""
    planes[:FIRST_SHIP] = 0
    planes[FIRST_SHIP:] = 1


@kernel
def fill_planes(board: Board, knowledge: Knowledge, planes: Planes) -> None:
    """Write everything that is known into `planes`."""
    planes[:FIRST_SHIP] = 0
    for cell in range(board.cells):
        status = knowledge.status[cell]
        if status == MISSED:
            planes[MISSED_PLANE, cell] = 1
        elif status != UNKNOWN:
            planes[HIT_PLANE, cell] = 1
            if status == CLOSED:
                planes[SUNK_PLANE, cell] = 1
    for ship in range(board.ships):
        planes[FIRST_SHIP + ship] = knowledge.afloat[ship]


@kernel
def update_planes(
    board: Board, knowledge: Knowledge, planes: Planes, cell: int, answer: int
) -> None:
    """Update `planes` after `tell`: only what one shot can change."""
    kind = answer & 3
    if kind == MISS:
        planes[MISSED_PLANE, cell] = 1
        return
    planes[HIT_PLANE, cell] = 1
    if kind != SANK:
        return
    # A sinking closes cells in the row or column of the shot, and removes one ship.
    row = cell // board.columns * board.columns
    for other in range(row, row + board.columns):
        if knowledge.status[other] == CLOSED:
            planes[SUNK_PLANE, other] = 1
    for other in range(cell % board.columns, board.cells, board.columns):
        if knowledge.status[other] == CLOSED:
            planes[SUNK_PLANE, other] = 1
    for ship in range(board.ships):
        if planes[FIRST_SHIP + ship, 0] != knowledge.afloat[ship]:
            planes[FIRST_SHIP + ship] = knowledge.afloat[ship]


@kernel
def planes_after(
    board: Board, knowledge: Knowledge, cells: Cells, answers: Ints, planes: Planes
) -> None:
    """Fill `planes` from these shots and answers; `knowledge` is overwritten."""
    clear(board, knowledge)
    for shot in range(cells.size):
        tell(board, knowledge, cells[shot], answers[shot])
    fill_planes(board, knowledge, planes)
