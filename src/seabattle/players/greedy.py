"""`greedy` (E 3.1.5): superposed heat-maps of the ships afloat, with a boost near hits.

For each ship not known to be sunk, every way to place it on unknown cells adds one
to the cells it covers. Each open hit then adds `boost` to its four neighbours: the
target mode. The highest cell is shot at, a random one of equals.

Where sinking is not announced, all ships stay afloat and all hits open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ..errors import PlayerError
from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import highest_unknown, reweigh, weigh
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import OPEN, Sight
from .compiled import CompiledPlayer
from .registry import register


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    heat = sight.own_counts.copy()
    if sight.open_hits > 0:
        for shot in range(sight.shots):
            hit = sight.fired[shot]
            if sight.status[hit] == OPEN:
                for direction in range(4):
                    neighbour = board.neighbours[hit, direction]
                    if neighbour >= 0:
                        heat[neighbour] += settings[1]
    return highest_unknown(board, sight, heat, True, rng)


@register("greedy", source="E", summary="summed heat-maps of the ships afloat, boosted near hits")
@dataclass(frozen=True)
class Greedy(CompiledPlayer):
    boost: Annotated[int, "added to each neighbour of an open hit"] = 1000
    brain: ClassVar[Brain] = brain("greedy", choose, weigh, reweigh)

    def __post_init__(self) -> None:
        if not 0 <= self.boost <= 10**9:
            raise PlayerError(f"boost of 'greedy' is 0 to 10^9, not {self.boost}.")

    def settings(self, rules: object) -> tuple[int, ...]:
        return (0, self.boost)
