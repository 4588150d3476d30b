"""Boards as arrays of pixels, for videos of learning players."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .colours import BLACK, WHITE, cell_colour, ink
from .picture import HIT, MISS, SUNK, Picture


def to_pixels(picture: Picture, side: int = 24) -> npt.NDArray[np.uint8]:
    """(rows × side, columns × side, 3) of 0 to 255.

    Colours are those of the other drawings. A miss is a dot, a hit a cross and a sunk cell a
    block, so that marks differ without colours too; the latest shot has a frame.
    """
    rules = picture.rules
    pixels = np.empty((rules.rows * side, rules.columns * side, 3), dtype=np.uint8)
    pixels[:] = WHITE
    down, right = np.indices((side, side)) - (side - 1) / 2
    apart = np.maximum(np.abs(down), np.abs(right)) / side
    diagonal = np.minimum(np.abs(down - right), np.abs(down + right)) / side
    shapes = {
        MISS: apart < 0.12,
        HIT: (apart < 0.3) & (diagonal < 0.08),
        SUNK: apart < 0.25,
    }
    for cell in range(rules.cells):
        row, column = divmod(cell, rules.columns)
        square = pixels[row * side : (row + 1) * side, column * side : (column + 1) * side]
        paper = cell_colour(picture, cell)
        square[apart < 0.47] = paper
        if picture.marks[cell] in shapes:
            square[shapes[picture.marks[cell]]] = ink(paper)
        if cell == picture.last:
            square[apart >= 0.44] = BLACK
    return pixels
