"""Games to learn from: every position labelled with the probability of a ship on each cell.

The probabilities are counted exactly, within a budget of steps. Where that is not enough
(the first shots of a game on a large board), the label is the true layout, whose mean over
many games is the same. The games shoot at the most likely cell, or at the highest cell of
`density` where the probabilities were not counted, with some random shots mixed in.
"""

from __future__ import annotations

from typing import NamedTuple

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
from ...compiled.knowledge import UNKNOWN, Knowledge, clear, fire, hidden_fleet, lay, tell
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
"""Probabilities are stored as fractions of this."""


class Counting(NamedTuple):
    """What counting the layouts of a position takes (see `belief.enumeration_kernels`)."""

    symmetries: Symmetries
    evidence: Evidence
    scratch: EnumerationScratch
    prior: Numbers
    kin: Ints
    budget: int
    """steps per position"""


class LabelColumns(NamedTuple):
    """Labelled positions, with room for every shot of every game."""

    status: npt.NDArray[np.uint8]
    """(positions, cells) as in `Knowledge`"""
    afloat: npt.NDArray[np.uint8]
    """(positions, ships) as in `Knowledge`"""
    probability: npt.NDArray[np.uint16]
    """(positions, cells) of a ship on each unknown cell, as a fraction of `CERTAIN`"""
    exact: npt.NDArray[np.uint8]
    """(positions,) 1 if the probability was counted, 0 if it is the layout"""


@kernel
def _count(
    board: Board, counting: Counting, knowledge: Knowledge, answers: Ints, totals: Ints
) -> int:
    """Count the layouts that agree with what is known, and in `totals` those with a ship on each
    cell; 0 if that exceeds the budget."""
    evidence, scratch = counting.evidence, counting.scratch
    read_shots(board, knowledge.fired[: knowledge.shots], answers[: knowledge.shots], evidence)
    words = assign_slots(board, evidence, counting.prior, counting.kin, scratch)
    if words < 0:
        return 0
    symmetries, budget = counting.symmetries, counting.budget
    if count_layouts(board, symmetries, evidence, words, 0, budget, scratch) != DONE:
        return 0
    for cell in range(board.cells):
        totals[cell] = 0
        for c in range(board.ships):
            totals[cell] += scratch.totals[c, cell]
    return scratch.found[0]


@kernel
def play_labelled_positions(
    board: Board,
    counting: Counting,
    knowledge: Knowledge,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    random_share: npt.NDArray[np.float64],
    weight: Ints,
    labelled: LabelColumns,
) -> int:
    """Play a game per row of `placements` and store every position; the number of positions.

    `random_share` (games,) of the shots are random. `weight` is the setting of
    `heuristics_kernels.weigh`.
    """
    ship_at, left = hidden_fleet(board)
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
            layouts = _count(board, counting, knowledge, answers, totals)
            for cell in range(board.cells):
                labelled.status[position, cell] = knowledge.status[cell]
                probability = 0.0
                if knowledge.status[cell] == UNKNOWN:
                    if layouts > 0:
                        probability = totals[cell] / layouts
                    elif ship_at[cell] >= 0:
                        probability = 1.0
                labelled.probability[position, cell] = np.uint16(CERTAIN * probability + 0.5)
            for ship in range(board.ships):
                labelled.afloat[position, ship] = knowledge.afloat[ship]
            labelled.exact[position] = layouts > 0
            position += 1

            if fraction(rng) < random_share[game]:
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
