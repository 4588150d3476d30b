"""`game-tree` (R): the n-parity cell where a miss rules out the most placements.

A game tree of one level. For each unknown cell of the n-parity pattern, it counts the
placements through it, over unknown cells, of the longest ship afloat, which the document
searches for: those that a miss would rule out. It takes the cell with the most, the first
one if several are equal. `count=all` adds up the placements of every ship afloat. Hits are
followed up as in `n-parity-hunt`; the notes there on other rules apply here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import UNKNOWN, Knowledge, smallest_afloat
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import count_placements, first_unknown
from .n_parity import hunt, on_diagonals
from .registry import register

LARGEST, ALL = range(2)


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
            if settings[0] == LARGEST:
                break
    n = smallest_afloat(board, knowledge)
    best = -1
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN and on_diagonals(board, cell, n):
            if best < 0 or counts[cell] > counts[best]:
                best = cell
    return best if best >= 0 else first_unknown(board, knowledge)


@register("game-tree", source="R", summary="n-parity cell whose miss rules out the most")
@dataclass(frozen=True)
class GameTree(CompiledPlayer):
    count: Annotated[Literal["largest", "all"], "ships whose placements are counted"] = "largest"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("game_tree", choose)

    def settings(self, rules: object) -> tuple[int, ...]:
        return (LARGEST if self.count == "largest" else ALL,)
