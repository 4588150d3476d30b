"""The symmetries of a board: four of a rectangle, eight of a square."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .board_tables import Board


class Symmetries(NamedTuple):
    """Each symmetry as a renumbering; the first is the identity."""

    cells: npt.NDArray[np.int16]
    """(symmetries, cells) where each cell goes"""
    placements: npt.NDArray[np.int32]
    """(symmetries, placements) where each placement goes"""


def make_symmetries(board: Board) -> Symmetries:
    """The symmetries of a board's cells and placements."""
    rows, columns = int(board.rows), int(board.columns)
    numbers = np.arange(rows * columns).reshape(rows, columns)
    turned = [numbers, numbers.T] if rows == columns else [numbers]
    pictures = [
        picture[::down, ::right] for picture in turned for down in (1, -1) for right in (1, -1)
    ]
    cells = np.empty((len(pictures), board.cells), dtype=np.int16)
    for symmetry, picture in enumerate(pictures):
        cells[symmetry, picture.ravel()] = numbers.ravel()
    placements = np.empty((len(pictures), board.placements), dtype=np.int32)
    covers = [tuple(map(int, board.cover[p, : board.length[p]])) for p in range(board.placements)]
    number = {cover: p for p, cover in enumerate(covers)}
    for symmetry in range(len(pictures)):
        for p, cover in enumerate(covers):
            moved = tuple(sorted(int(cells[symmetry, cell]) for cell in cover))
            placements[symmetry, p] = number[moved]
    return Symmetries(cells, placements)
