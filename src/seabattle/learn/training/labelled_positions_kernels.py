"""Games played to be learnt from: every position with the chance of each cell.

The chances are counted exactly, within a budget of steps; where that does not do (the
first shots of a game on a large board), the layout itself is the lesson, whose mean over
many games is the same. The games are played by those chances, or by the density of
placements where they were not counted, with some random shots mixed in.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...belief.enumeration_kernels import (
    DONE,
    EnumerationScratch,
    Numbers,
    assign_slots,
    count_layouts,
)
from ...belief.evidence_kernels import Evidence, read_shots
from ...compiled.board_tables import Board, Ints
from ...compiled.jit import kernel
from ...compiled.knowledge import UNKNOWN, Knowledge, clear, fire, lay, tell
from ...compiled.random_streams import fraction
from ...compiled.symmetries import Symmetries
from ...players.heuristics_kernels import (
    ANY_COLOUR,
    highest_unknown,
    random_unknown,
    reweigh,
    weigh,
)

CERTAIN = 65535
"""Chances are kept as fractions of this."""


@kernel
def _count(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    prior: Numbers,
    kin: Ints,
    knowledge: Knowledge,
    answers: Ints,
    budget: int,
    totals: Ints,
) -> int:
    """Layouts that agree with what is known, those with a ship on each cell in `totals`; 0 if that
    takes more than the budget."""
    read_shots(board, knowledge.fired[: knowledge.shots], answers[: knowledge.shots], evidence)
    words = assign_slots(board, evidence, prior, kin, scratch)
    if words < 0 or count_layouts(board, symmetries, evidence, words, 0, budget, scratch) != DONE:
        return 0
    for cell in range(board.cells):
        totals[cell] = 0
        for c in range(board.ships):
            totals[cell] += scratch.totals[c, cell]
    return scratch.found[0]


@kernel
def play_labelled_positions(
    board: Board,
    symmetries: Symmetries,
    evidence: Evidence,
    scratch: EnumerationScratch,
    prior: Numbers,
    kin: Ints,
    knowledge: Knowledge,
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
        clear(board, knowledge)
        weigh(board, knowledge, weight)
        while knowledge.hits < board.ship_cells:
            layouts = _count(
                board, symmetries, evidence, scratch, prior, kin, knowledge, answers, budget, totals
            )
            for cell in range(board.cells):
                status[position, cell] = knowledge.status[cell]
                chance = 0.0
                if knowledge.status[cell] == UNKNOWN:
                    if layouts > 0:
                        chance = totals[cell] / layouts
                    elif ship_at[cell] >= 0:
                        chance = 1.0
                chances[position, cell] = np.uint16(CERTAIN * chance + 0.5)
            for ship in range(board.ships):
                afloat[position, ship] = knowledge.afloat[ship]
            exact[position] = layouts > 0
            position += 1

            if fraction(rng) < astray[game]:
                cell = random_unknown(board, knowledge, ANY_COLOUR, rng)
            elif layouts > 0:
                cell = highest_unknown(board, knowledge, totals, True, rng)
            else:
                cell = highest_unknown(board, knowledge, knowledge.own_counts, True, rng)
            answer = fire(board, ship_at, left, cell)
            answers[knowledge.shots] = answer
            tell(board, knowledge, cell, answer)
            reweigh(board, knowledge, weight, cell, answer)
    return position
