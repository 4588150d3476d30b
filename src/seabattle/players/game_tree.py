"""`game-tree` (R): the n-parity cell whose miss rules out the most placements.

A one-level game tree. For each unknown cell of the n-parity pattern, count the
placements through it, over unknown cells, of the longest ship afloat, the one the
document searches for: what a miss would rule out. Take the highest, the first of
equals. `count=all` adds up the placements of every ship afloat. Hits are followed up
as in `n-parity-hunt`, and what is said there about other rules holds here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import count_placements, first_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import UNKNOWN, Sight, smallest_afloat
from .compiled import CompiledPlayer
from .n_parity import hunt, on_diagonals
from .registry import register

LARGEST, ALL = range(2)


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    cell = hunt(board, sight)
    if cell >= 0:
        return cell
    counts = sight.own_counts
    counts[: board.cells] = 0
    for ship in range(board.ships):
        if sight.afloat[ship]:
            count_placements(board, sight, ship, counts)
            if settings[0] == LARGEST:
                break
    n = smallest_afloat(board, sight)
    best = -1
    for cell in range(board.cells):
        if sight.status[cell] == UNKNOWN and on_diagonals(board, cell, n):
            if best < 0 or counts[cell] > counts[best]:
                best = cell
    return best if best >= 0 else first_unknown(board, sight)


@register("game-tree", source="R", summary="the n-parity cell whose miss tells most, with hunt")
@dataclass(frozen=True)
class GameTree(CompiledPlayer):
    count: Annotated[Literal["largest", "all"], "the ships whose placements count"] = "largest"
    brain: ClassVar[Brain] = brain("game_tree", choose)

    def settings(self, rules: object) -> tuple[int, ...]:
        return (LARGEST if self.count == "largest" else ALL,)
