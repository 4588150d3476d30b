"""`density` (L): placements per cell, ship by ship (the Berry analysis).

For each ship not known to be sunk, every placement that avoids misses and sunk ships adds
to the cells it covers: 1, multiplied by `weight` for each open hit it covers. Ships are
counted independently, so overlaps are not excluded. The player shoots at the highest
unknown cell.

In L sinkings are not announced, so all ships stay afloat and all hits stay open. With
announcements and `ties=first`, which makes the hunt follow a regular pattern, this is the
strongest of the heuristics.
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
from ..observation import Observation
from .base import CellMap
from .cell_maps import maps_by_ship
from .compiled_player import CompiledPlayer
from .heuristics_kernels import highest_unknown, reweigh, weigh
from .registry import register

HEAVIEST = 1000


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    return highest_unknown(board, knowledge, knowledge.own_counts, settings[1] != 0, rng)


@register("density", source="L", summary="counts placements, weighted by the hits covered")
@dataclass(frozen=True)
class Density(CompiledPlayer):
    weight: Annotated[int, "factor for each open hit that a placement covers"] = 100
    ties: Annotated[Literal["random", "first"], "which of several highest cells to take"] = "random"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("density", choose, weigh, reweigh)

    def __post_init__(self) -> None:
        if not 1 <= self.weight <= HEAVIEST:
            raise PlayerError(f"weight of 'density' must be 1 to {HEAVIEST}, not {self.weight}.")

    def settings(self, rules: object) -> tuple[int, ...]:
        return (self.weight, int(self.ties == "random"))

    def maps(self, observation: Observation) -> list[CellMap]:
        return maps_by_ship(observation, self.weight)
