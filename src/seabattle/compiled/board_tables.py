"""The constant tables of one set of rules, for compiled code."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from .structs import new_struct

MOST_CELLS = 256
MOST_PLACEMENTS = 4096
MOST_THROUGH = 25856
"""What a 16×16 board with ships of every length needs."""

LONGEST = 16
WORDS = 4
"""64-bit words in a bitboard: enough for 16×16."""

CONTACT_ANY, CONTACT_CORNERS, CONTACT_NONE = range(3)
HIT_MISS, SUNK, SUNK_NAMED, NAMED = range(4)

UP, DOWN, LEFT, RIGHT = range(4)
"""Directions; `direction ^ 1` is the opposite one."""

Cells = npt.NDArray[np.int16]
Bits = npt.NDArray[np.uint64]
Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Board:
    """Cells are numbered row by row; ships in fleet order, longest first.

    Ships of one length share their placements. Placements are numbered length by
    length, those of `fleet[ship]` being `first[ship]` up to `last[ship]`; for each
    length the horizontal ones come first (ships of one cell have only those).
    Arrays are as long as the largest board needs; only the part in use is set.
    """

    rows: Annotated[int, "i8"]
    columns: Annotated[int, "i8"]
    cells: Annotated[int, "i8"]
    """rows × columns"""
    ships: Annotated[int, "i8"]
    ship_cells: Annotated[int, "i8"]
    placements: Annotated[int, "i8"]
    contact: Annotated[int, "i8"]
    answers: Annotated[int, "i8"]
    fleet: Annotated[Ints, "i8", (MOST_CELLS,)]
    """lengths of the ships, descending"""
    first: Annotated[Ints, "i8", (MOST_CELLS,)]
    """first placement of each ship"""
    last: Annotated[Ints, "i8", (MOST_CELLS,)]
    """one past the last placement of each ship"""
    length: Annotated[Ints, "i8", (MOST_PLACEMENTS,)]
    """length of each placement"""
    cover: Annotated[Cells, "i2", (MOST_PLACEMENTS, LONGEST)]
    """the cells of each placement in order, then -1"""
    mask: Annotated[Bits, "u8", (MOST_PLACEMENTS, WORDS)]
    """the same as bits"""
    halo: Annotated[Bits, "u8", (MOST_PLACEMENTS, WORDS)]
    """every cell that is then closed to other ships"""
    through_start: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """where the placements through each cell begin in `through`"""
    through: Annotated[npt.NDArray[np.int32], "i4", (MOST_THROUGH,)]
    """the placements through cell 0, then those through cell 1, ..."""
    neighbours: Annotated[Cells, "i2", (MOST_CELLS, 4)]
    """the cell up, down, left and right of each, or -1"""


def make_board(
    rows: int, columns: int, fleet: tuple[int, ...], contact: int, answers: int
) -> Board:
    """The tables of a board; ships that fit nowhere have no placements."""
    board = new_struct(Board)
    board.rows, board.columns, board.cells = rows, columns, rows * columns
    board.ships, board.ship_cells = len(fleet), sum(fleet)
    board.contact, board.answers = contact, answers

    runs: list[list[int]] = []
    span: dict[int, tuple[int, int]] = {}
    for length in sorted(set(fleet), reverse=True):
        begin = len(runs)
        runs += _runs(rows, columns, length)
        span[length] = (begin, len(runs))
    board.placements = len(runs)
    for ship, length in enumerate(fleet):
        board.fleet[ship] = length
        board.first[ship], board.last[ship] = span[length]

    board.cover[:] = -1
    through: list[list[int]] = [[] for _ in range(board.cells)]
    for index, run in enumerate(runs):
        board.length[index] = len(run)
        board.cover[index, : len(run)] = run
        _set_bits(board.mask[index], run)
        _set_bits(board.halo[index], _kept_clear(run, rows, columns, contact))
        for cell in run:
            through[cell].append(index)
    board.through_start[1 : board.cells + 1] = np.cumsum([len(each) for each in through])
    flat = [placement for each in through for placement in each]
    board.through[: len(flat)] = flat

    board.neighbours[:] = -1
    for cell in range(board.cells):
        row, column = divmod(cell, columns)
        for direction, (down, right) in enumerate(((-1, 0), (1, 0), (0, -1), (0, 1))):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                board.neighbours[cell, direction] = cell + down * columns + right
    return board


def _runs(rows: int, columns: int, length: int) -> list[list[int]]:
    """The cells of every placement of this length: horizontal ones, then vertical ones."""
    across = [
        [row * columns + column + k for k in range(length)]
        for row in range(rows)
        for column in range(columns - length + 1)
    ]
    down = [
        [(row + k) * columns + column for k in range(length)]
        for row in range(rows - length + 1)
        for column in range(columns)
    ]
    return across if length == 1 else across + down


def _set_bits(words: Bits, cells: list[int]) -> None:
    for cell in cells:
        words[cell // 64] |= np.uint64(1 << (cell % 64))


def _kept_clear(run: list[int], rows: int, columns: int, contact: int) -> list[int]:
    """The cells of a ship and those around it that `contact` closes to other ships."""
    if contact == CONTACT_ANY:
        return run
    clear = set(run)
    for cell in run:
        row, column = divmod(cell, columns)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                diagonal = down != 0 and right != 0
                if diagonal and contact == CONTACT_CORNERS:
                    continue
                if 0 <= row + down < rows and 0 <= column + right < columns:
                    clear.add((row + down) * columns + column + right)
    return sorted(clear)
