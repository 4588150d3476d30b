"""`density` (L): placements per cell, ships taken one by one (the Berry analysis).

For each ship not known to be sunk, every way to place it that avoids misses and
sunk ships adds to the cells it covers: 1, times `weight` for each open hit it passes
through. Ships are counted independently, without a check that they overlap. The
highest unknown cell is shot at.

L plays where sinking is not announced; all ships then stay afloat and all hits open,
as in the document. With sinking announced and `ties=first`, so that the hunt follows
one regular pattern, this is the strongest of the heuristics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..errors import PlayerError
from .compiled_player import CompiledPlayer
from .heuristics_kernels import highest_unknown, reweigh, weigh
from .registry import register

HEAVIEST = 1000


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    return highest_unknown(board, knowledge, knowledge.own_counts, settings[1] != 0, rng)


@register("density", source="L", summary="placements per cell, weighted by the hits they explain")
@dataclass(frozen=True)
class Density(CompiledPlayer):
    weight: Annotated[int, "factor for each open hit that a placement covers"] = 100
    ties: Annotated[Literal["random", "first"], "which of several highest cells"] = "random"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("density", choose, weigh, reweigh)

    def __post_init__(self) -> None:
        if not 1 <= self.weight <= HEAVIEST:
            raise PlayerError(f"weight of 'density' is 1 to {HEAVIEST}, not {self.weight}.")

    def settings(self, rules: object) -> tuple[int, ...]:
        return (self.weight, int(self.ties == "random"))
