"""`greedy` (E 3.1.5): summed heat-maps of the ships afloat, boosted next to hits.

For each ship not known to be sunk, every placement on unknown cells adds one to the cells
it covers. Each open hit then adds `boost` to its four neighbours (target mode). The player
shoots at the highest cell, ties broken at random.

Where sinkings are not announced, all ships stay afloat and all hits stay open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import OPEN, Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..errors import PlayerError
from ..observation import Observation
from .base import CellMap
from .cell_maps import knowledge_of, maps_by_ship, only_unknown
from .compiled_player import CompiledPlayer
from .heuristics_kernels import highest_unknown, reweigh, weigh
from .registry import register


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    heat = knowledge.own_counts.copy()
    if knowledge.open_hits > 0:
        for shot in range(knowledge.shots):
            hit = knowledge.fired[shot]
            if knowledge.status[hit] == OPEN:
                for direction in range(4):
                    neighbour = board.neighbours[hit, direction]
                    if neighbour >= 0:
                        heat[neighbour] += settings[1]
    return highest_unknown(board, knowledge, heat, True, rng)


@register("greedy", source="E", summary="summed heat-maps, boosted next to hits")
@dataclass(frozen=True)
class Greedy(CompiledPlayer):
    boost: Annotated[int, "added to each neighbour of an open hit"] = 1000
    strategy: ClassVar[CompiledStrategy] = compile_strategy("greedy", choose, weigh, reweigh)

    def __post_init__(self) -> None:
        if not 0 <= self.boost <= 10**9:
            raise PlayerError(f"boost of 'greedy' must be 0 to 10^9, not {self.boost}.")

    def settings(self, rules: object) -> tuple[int, ...]:
        return (0, self.boost)

    def maps(self, observation: Observation) -> list[CellMap]:
        """The heat-map of each ship afloat, the boost next to open hits, and their sum."""
        board, knowledge = knowledge_of(observation)
        boost = np.zeros(observation.rules.cells)
        for hit in np.flatnonzero(knowledge.status[: observation.rules.cells] == OPEN):
            for neighbour in board.neighbours[hit]:
                if neighbour >= 0:
                    boost[neighbour] += self.boost
        extra = CellMap("next to hits", only_unknown(knowledge, boost))
        return maps_by_ship(observation, 0, extra if boost.any() else None)
