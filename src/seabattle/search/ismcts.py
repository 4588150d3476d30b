"""`ismcts` (E 3.2.2): tree search over information sets, one determinization per simulation.

Each simulation takes place in one layout that agrees with everything observed (a
determinization). The nodes are information sets: what the shooter has seen, so all layouts
that give the same answers share them. A simulation selects cells by UCT,

    mean reward + exploration × sqrt(ln n / n_j),

expands one node, and ends with random shots. The reward is 1 for a game without further
misses and 0 for one that takes every cell. The mean over all random endings is known in
closed form (k ship cells among n take k (n + 1) / (k + 1) shots), so it replaces the
rollout. The player shoots at the most visited cell.

Differences from the document. Its program places ships at random until they agree with the
observation, and stalls where they hardly ever do. Here determinizations are sampled
uniformly from the layouts that agree, in any position and under any rules. By default each
simulation has its own; `determinizations` samples that many and uses them in turn. The
document's third setting, the longest time to create a determinization, is
`determinization_seconds`: where creating them takes longer, the ones created so far are
used again. Here one takes microseconds, so it hardly ever matters. The document does not
give its exploration constant. Because the rewards are close to each other, the usual 0.7
visits all cells about equally and learns little; the default was chosen by playing games on
`classic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..compiled.knowledge import unknown_cells
from ..compiled.random_streams import Rng
from ..errors import PlayerError
from ..players.registry import register
from .information_sets_kernels import INFORMATION_SETS, RANDOM, values_by_cell
from .layout_search import SLOTS_PER_NODE, LayoutSearchPlayer, layouts_at
from .search_player import (
    CHUNK,
    Parallel,
    SearchPosition,
    SearchSeconds,
    SearchTask,
    Threads,
    check_budget,
)
from .tree_kernels import FEW


@register("ismcts", source="E", summary="tree search over information sets", slow=True)
@dataclass(frozen=True)
class Ismcts(LayoutSearchPlayer):
    iterations: Annotated[int, "simulations per move"] = 10_000
    determinizations: Annotated[int, "layouts sampled per move; 0 for one per simulation"] = 0
    determinization_seconds: Annotated[float, "longest time to sample one layout; 0: any"] = 0.0
    exploration: Annotated[float, "exploration constant of UCT"] = 0.05
    seconds: SearchSeconds = 0.0
    parallel: Parallel = "root"
    threads: Threads = 1

    def __post_init__(self) -> None:
        check_budget("ismcts", self.iterations, self.seconds, self.threads)
        if self.determinizations < 0:
            raise PlayerError(
                "determinizations of 'ismcts' must be 1 or more, or 0 for one per simulation; not "
                f"{self.determinizations}."
            )
        if not 0.0 <= self.determinization_seconds < float("inf"):
            raise PlayerError(
                "determinization_seconds of 'ismcts' must be 0 or more, not "
                f"{self.determinization_seconds}."
            )
        if not 0.0 <= self.exploration < float("inf"):
            raise PlayerError(f"exploration of 'ismcts' must be 0 or more, not {self.exploration}.")

    @property
    def sampling_limit(self) -> float:
        return self.determinization_seconds

    def search(self, position: SearchPosition, rng: Rng) -> SearchTask:
        cells = int(unknown_cells(position.knowledge))
        # The answers to a new cell, and a node's first cells; the rest come with the ninth visit.
        each = SLOTS_PER_NODE + FEW + cells // FEW
        layouts = self.determinizations or (20 * CHUNK if self.seconds > 0 else self.iterations)
        return SearchTask(
            kernels=INFORMATION_SETS,
            values_by_cell=values_by_cell,
            parameters=np.array([self.exploration, RANDOM, 0.0, 0.0]),
            simulation_count=self.iterations,
            slots=self.iterations * each + 2 * position.rules.cells,
            layout_count=layouts,
            sample_layouts=lambda rngs: layouts_at(
                position, layouts, rngs, self.determinization_seconds
            ),
            unit="shots to the end, negated",
            by_visits=True,
        )
