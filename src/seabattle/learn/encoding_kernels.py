"""What a shooter knows as planes: the one encoding that environments and networks share.

An int8 array (3 + ships, cells) of zeros and ones:

    0          cells that were missed
    1          cells that were hit, on whatever ship
    2          cells of ships known to be sunk (`CLOSED` in `Knowledge.status`)
    3 + ship   all cells: 1 while that ship of the fleet is afloat as far as was told

Under answers that never tell a sinking, plane 2 stays zero and the fleet afloat.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Cells, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import CLOSED, MISS, MISSED, SANK, UNKNOWN, Knowledge, clear, tell

MISSED_PLANE, HIT_PLANE, SUNK_PLANE, FIRST_SHIP = range(4)

Planes = npt.NDArray[np.int8]


@kernel
def start_planes(board: Board, planes: Planes) -> None:
    """The planes of a shooter who knows nothing yet."""
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
    """Bring `planes` up to date after `tell`, touching only what one shot can change."""
    kind = answer & 3
    if kind == MISS:
        planes[MISSED_PLANE, cell] = 1
        return
    planes[HIT_PLANE, cell] = 1
    if kind != SANK:
        return
    # A sinking closes cells of a straight run through the shot, and takes one ship away.
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
    """The planes after these shots and answers; `knowledge` is written over."""
    clear(board, knowledge)
    for shot in range(cells.size):
        tell(board, knowledge, cells[shot], answers[shot])
    fill_planes(board, knowledge, planes)
