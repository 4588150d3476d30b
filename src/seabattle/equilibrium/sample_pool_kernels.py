"""Filtering a large sample of layouts as the answers come in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Cells, Int8s, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, answer_code


class SamplePool(NamedTuple):
    """Layouts of one set of rules."""

    answers: int
    """HIT_MISS, SUNK, SUNK_NAMED or NAMED"""
    ship_at: Int8s
    """(layouts, cells) the ship on each cell, or -1"""
    cover: Cells
    """(layouts, ship cells) the covered cells, ship by ship"""
    starts: Ints
    """(ships + 1,) where the cells of each ship begin in `cover`"""


@kernel
def most_covered_cell(
    pool: SamplePool, left: Int32s, count: int, fired: npt.NDArray[np.bool_], totals: Ints
) -> int:
    """The cell not shot at that most of the layouts in `left` cover, the first of several."""
    totals[:] = 0
    for index in range(count):
        layout = left[index]
        for place in range(pool.cover.shape[1]):
            totals[pool.cover[layout, place]] += 1
    best, most = -1, -1
    for cell in range(totals.size):
        if not fired[cell] and totals[cell] > most:
            best, most = cell, totals[cell]
    return best


@kernel
def keep_agreeing_in_sample(
    pool: SamplePool,
    left: Int32s,
    count: int,
    fired: npt.NDArray[np.bool_],
    cell: int,
    answer: int,
) -> int:
    """Keep the layouts that give this answer at a cell, after the shots in `fired`; returns
    how many there are."""
    kept = 0
    for index in range(count):
        layout = left[index]
        ship = np.int64(pool.ship_at[layout, cell])
        code = MISS
        if ship >= 0:
            sunk = True
            for place in range(pool.starts[ship], pool.starts[ship + 1]):
                other = pool.cover[layout, place]
                if other != cell and not fired[other]:
                    sunk = False
            code = answer_code(pool.answers, ship, sunk)
        if code == answer:
            left[kept] = layout
            kept += 1
    return kept
