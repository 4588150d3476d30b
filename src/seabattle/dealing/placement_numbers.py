"""Layouts as placement numbers: the form that compiled code deals and plays.

A placement number counts the ways in which a ship can lie (see `compiled.board_tables`);
a layout is one number per ship.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..layout import Layout, Placement
from ..rules import Rules


def layout_of(rules: Rules, placements: npt.NDArray[np.int32]) -> Layout:
    """The layout with these placement numbers (of `board_of`), one per ship."""
    board = board_of(rules)
    ships = []
    for placement in placements:
        start, second = int(board.cover[placement, 0]), int(board.cover[placement, 1])
        ships.append(Placement(start, "down" if second > start + 1 else "across"))
    return Layout(rules, tuple(ships))


@lru_cache(maxsize=16)
def placement_texts(rules: Rules) -> list[str]:
    """`A1 across` for each placement number (of `board_of`), as in the text form of a layout."""
    board = board_of(rules)
    texts = []
    for placement in range(int(board.placements)):
        start, second = int(board.cover[placement, 0]), int(board.cover[placement, 1])
        texts.append(f"{rules.cell_name(start)} {'down' if second > start + 1 else 'across'}")
    return texts


def placements_of(layout: Layout) -> npt.NDArray[np.int32]:
    """The placement numbers of a layout: the inverse of `layout_of`."""
    board = board_of(layout.rules)
    numbers = []
    for ship, cells in enumerate(layout.ship_cells):
        span = range(int(board.first[ship]), int(board.last[ship]))
        covers = board.cover[span.start : span.stop, : len(cells)]
        numbers.append(span[int(np.flatnonzero((covers == cells).all(axis=1))[0])])
    return np.array(numbers, dtype=np.int32)
