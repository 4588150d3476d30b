"""Games played to be learnt from: every position with the chance of each cell.

The chances are counted exactly, within a budget of steps; where that does not do (the
first shots of a game on a large board), the layout itself is the lesson, whose mean over
many games is the same. The games are played by those chances, or by the density of
placements where they were not counted, with some random shots mixed in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import kernel
from .board import Board, Ints
from .enumerate import DONE, Desk, Numbers, count_layouts, lay_out
from .evidence import Evidence, read_shots
from .hunt import ANY_COLOUR, highest_unknown, random_unknown, reweigh, weigh
from .rng import fraction
from .sight import UNKNOWN, Sight, clear, fire, lay, tell
from .symmetry import Symmetries

CERTAIN = 65535
"""Chances are kept as fractions of this."""


@kernel
def _count(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    desk: Desk,
    prior: Numbers,
    kin: Ints,
    sight: Sight,
    answers: Ints,
    budget: int,
    totals: Ints,
) -> int:
    """Layouts that agree with a sight, those with a ship on each cell in `totals`; 0 if that
    takes more than the budget."""
    read_shots(board, sight.fired[: sight.shots], answers[: sight.shots], evidence)
    words = lay_out(board, evidence, prior, kin, desk)
    if words < 0 or count_layouts(board, symmetries, evidence, words, 0, budget, desk) != DONE:
        return 0
    for cell in range(board.cells):
        totals[cell] = 0
        for c in range(board.ships):
            totals[cell] += desk.totals[c, cell]
    return desk.sums_at[0]


@kernel
def play_lessons(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    desk: Desk,
    prior: Numbers,
    kin: Ints,
    sight: Sight,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    astray: npt.NDArray[np.float64],
    weight: Ints,
    budget: int,
    status: npt.NDArray[np.uint8],
    afloat: npt.NDArray[np.uint8],
    chances: npt.NDArray[np.uint16],
    exact: npt.NDArray[np.uint8],
) -> int:
    """Play a game per row of `placements` and write down every position; how many.

    `status`, `chances` (positions, cells), `afloat` (positions, ships) and `exact`
    (positions,) have room for a position per cell of each game. `weight` is the setting
    of `hunt.weigh`.
    """
    ship_at = np.empty(board.cells, dtype=np.int16)
    left = np.empty(board.ships, dtype=np.int64)
    answers = np.empty(board.cells, dtype=np.int64)
    totals = np.empty(board.cells, dtype=np.int64)
    rng = np.empty(1, dtype=np.uint64)
    position = 0
    for game in range(seeds.size):
        rng[0] = seeds[game]
        lay(board, placements[game], ship_at, left)
        clear(board, sight)
        weigh(board, sight, weight)
        while sight.hits < board.ship_cells:
            layouts = _count(
                board, symmetries, evidence, desk, prior, kin, sight, answers, budget, totals
            )
            for cell in range(board.cells):
                status[position, cell] = sight.status[cell]
                chance = 0.0
                if sight.status[cell] == UNKNOWN:
                    if layouts > 0:
                        chance = totals[cell] / layouts
                    elif ship_at[cell] >= 0:
                        chance = 1.0
                chances[position, cell] = np.uint16(CERTAIN * chance + 0.5)
            for ship in range(board.ships):
                afloat[position, ship] = sight.afloat[ship]
            exact[position] = layouts > 0
            position += 1

            if fraction(rng) < astray[game]:
                cell = random_unknown(board, sight, ANY_COLOUR, rng)
            elif layouts > 0:
                cell = highest_unknown(board, sight, totals, True, rng)
            else:
                cell = highest_unknown(board, sight, sight.own_counts, True, rng)
            answer = fire(board, ship_at, left, cell)
            answers[sight.shots] = answer
            tell(board, sight, cell, answer)
            reweigh(board, sight, weight, cell, answer)
    return position
