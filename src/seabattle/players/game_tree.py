"""`game-tree` (R): the n-parity cell where a miss rules out the most placements.

A game tree of one level. For each unknown cell of the n-parity pattern, it counts the
placements through it, over unknown cells, of the longest ship afloat, which the document
searches for: those that a miss would rule out. It takes the cell with the most, the first
one if several are equal. `count=all` adds up the placements of every ship afloat. `pattern`
and `ship` define the n-parity cells, and hits are followed up, as in `n-parity-hunt`; the
notes there on other rules apply here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import UNKNOWN, Knowledge
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..observation import Observation
from .base import CellMap
from .cell_maps import knowledge_of, maps_by_ship
from .heuristics_kernels import count_placements, first_unknown
from .n_parity import ParityPlayer, Pattern, Ship, hunt, in_pattern, spacing
from .registry import register

ONLY_LARGEST, ALL = range(2)
COUNT = 2
"""Index of the setting after those of the pattern."""


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = hunt(board, knowledge)
    if cell >= 0:
        return cell
    counts = knowledge.own_counts
    counts[: board.cells] = 0
    for ship in range(board.ships):
        if knowledge.afloat[ship]:
            count_placements(board, knowledge, ship, counts)
            if settings[COUNT] == ONLY_LARGEST:
                break
    n = spacing(board, knowledge, settings)
    best = -1
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN and in_pattern(board, settings, cell, n):
            if best < 0 or counts[cell] > counts[best]:
                best = cell
    return best if best >= 0 else first_unknown(board, knowledge)


@register("game-tree", source="R", summary="n-parity cell whose miss rules out the most")
@dataclass(frozen=True)
class GameTree(ParityPlayer):
    count: Annotated[Literal["largest", "all"], "ships whose placements are counted"] = "largest"
    pattern: Pattern = "diagonals"
    ship: Ship = "smallest"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("game_tree", choose)

    def settings(self, rules: object) -> tuple[int, ...]:
        return (*super().settings(rules), ONLY_LARGEST if self.count == "largest" else ALL)

    def maps(self, observation: Observation) -> list[CellMap]:
        """The placements of each ship afloat over unknown cells, and what the seek compares: those
        of the ships that count, on the n-parity cells. (A hunt comes first.)"""
        *ships, total = maps_by_ship(observation, 0)
        _, knowledge = knowledge_of(observation)
        board, settings = board_of(observation.rules), self._settings(observation.rules)
        if self.count == "largest" and ships:
            total = ships[0]
        n = spacing(board, knowledge, settings)
        kept = [in_pattern(board, settings, cell, n) for cell in range(observation.rules.cells)]
        return [*ships, CellMap("n-parity cells", np.where(kept, total.values, np.nan))]
