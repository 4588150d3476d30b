"""Filtering a large sample of layouts as the answers come in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, Cells, Ints
from ..compiled.jit import kernel

Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]


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
def keep_agreeing(
    pool: SamplePool,
    left: Int32s,
    count: int,
    fired: npt.NDArray[np.bool_],
    cell: int,
    answer: int,
) -> int:
    """Keep the layouts that give this answer (as `compiled.knowledge.fire` encodes it) at a
    cell, after the shots in `fired`; how many those are."""
    kept = 0
    for index in range(count):
        layout = left[index]
        ship = np.int64(pool.ship_at[layout, cell])
        code = 0
        if ship >= 0:
            sunk = pool.answers != HIT_MISS
            for place in range(pool.starts[ship], pool.starts[ship + 1]):
                other = pool.cover[layout, place]
                if other != cell and not fired[other]:
                    sunk = False
            code = 2 if sunk else 1
            if pool.answers == NAMED or (sunk and pool.answers != SUNK):
                code += 4 * (ship + 1)
        if code == answer:
            left[kept] = layout
            kept += 1
    return kept
