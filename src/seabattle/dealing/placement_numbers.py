"""Layouts as placement numbers: the form that compiled code deals and plays.

A placement number counts the ways in which a ship can lie (see `compiled.board_tables`);
a layout is one number per ship.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..layout import Layout, Placement
from ..rules import Rules


def layout_of(rules: Rules, placements: npt.NDArray[np.int32]) -> Layout:
    """The layout with these placement numbers (of `board_of`), one per ship."""
    return layout_of_numbers(rules, placements.tolist())


def layout_of_numbers(rules: Rules, numbers: Iterable[int]) -> Layout:
    """The same from a list."""
    known = _placements(rules)
    ships, cells = zip(*(known[number] for number in numbers), strict=True)
    return Layout.legal(rules, ships, cells)


@lru_cache(maxsize=16)
def _placements(rules: Rules) -> list[tuple[Placement, tuple[int, ...]]]:
    """The placement with each number (of `board_of`), and its cells."""
    board = board_of(rules)
    count = int(board.placements)
    covers = zip(board.cover[:count].tolist(), board.length[:count].tolist(), strict=True)
    return [
        (
            Placement(cover[0], "down" if cover[1] > cover[0] + 1 else "across"),
            tuple(cover[:length]),
        )
        for cover, length in covers
    ]


@lru_cache(maxsize=16)
def placement_texts(rules: Rules) -> list[str]:
    """`A1 across` for each placement number (of `board_of`), as in the text form of a layout."""
    return [f"{rules.cell_name(ship.cell)} {ship.direction}" for ship, _ in _placements(rules)]


def placements_of(layout: Layout) -> npt.NDArray[np.int32]:
    """The placement numbers of a layout: the inverse of `layout_of`."""
    numbers = _numbers(layout.rules)
    return np.array([numbers[cells] for cells in layout.ship_cells], dtype=np.int32)


@lru_cache(maxsize=16)
def _numbers(rules: Rules) -> dict[tuple[int, ...], int]:
    """The number of the placement that covers these cells."""
    return {cells: number for number, (_, cells) in enumerate(_placements(rules))}
