"""`ismcts` (E 3.2.2): tree search over information sets, one determinization a walk.

Each walk takes place in one layout that agrees with everything observed (a
determinization). The nodes are information sets: what the shooter has seen, so all
layouts that answer alike share them. A walk goes down by UCT,

    mean reward + exploration × sqrt(ln n / n_j),

adds one node and ends at random. The reward is 1 for a game without further misses, 0
for one that takes every cell; the mean of all random endings is known in closed form
(k ship cells among n take k (n + 1) / (k + 1) shots), so it stands in for a single one. The
most visited cell is shot at.

Differences from the document. Its program puts ships down at random until they fit what is
known and stalls where they hardly ever do. Here determinizations are drawn uniformly from
the layouts that agree, which cannot fail: in any position, under any rules. By default each
walk has its own; `determinizations` draws that many and takes them in turn. The document
does not give its exploration constant. With rewards this close to each other the usual
0.7 visits all cells alike and learns little; the default was chosen by games on `classic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..compiled.knowledge import unknown_cells
from ..errors import PlayerError
from ..players.registry import register
from .information_sets_kernels import HISTORIES, RANDOM, values_by_cell
from .layout_search import SLOTS_PER_NODE, LayoutSearchPlayer, worlds_at
from .search_player import CHUNK, Position, SearchTask, State, check_budget
from .tree_kernels import FEW


@register(
    "ismcts", source="E", summary="tree search over what may be seen, in sampled layouts", slow=True
)
@dataclass(frozen=True)
class Ismcts(LayoutSearchPlayer):
    iterations: Annotated[int, "walks per move"] = 10_000
    determinizations: Annotated[int, "layouts drawn per move; 0 for one per walk"] = 0
    exploration: Annotated[float, "constant of UCT"] = 0.05
    seconds: Annotated[float, "time per move instead of iterations"] = 0.0
    parallel: Annotated[Literal["leaf", "root", "tree"], "how threads share the work"] = "root"
    threads: Annotated[int, "how many work at a move"] = 1

    def __post_init__(self) -> None:
        check_budget("ismcts", self.iterations, self.seconds, self.threads)
        if self.determinizations < 0:
            raise PlayerError(
                "determinizations of 'ismcts' is 1 or more, or 0 for one per walk; not "
                f"{self.determinizations}."
            )
        if not 0.0 <= self.exploration < float("inf"):
            raise PlayerError(f"exploration of 'ismcts' is 0 or more, not {self.exploration}.")

    def search(self, position: Position, rng: State) -> SearchTask:
        cells = int(unknown_cells(position.knowledge))
        # Answers to a new cell, and the first few cells of a node; the rest follow the ninth visit.
        each = SLOTS_PER_NODE + FEW + cells // FEW
        layouts = self.determinizations or (20 * CHUNK if self.seconds > 0 else self.iterations)
        return SearchTask(
            kit=HISTORIES,
            values_by_cell=values_by_cell,
            task=np.array([self.exploration, RANDOM, 0.0, 0.0]),
            simulations=self.iterations,
            slots=self.iterations * each + 2 * position.rules.cells,
            layouts=layouts,
            draw_worlds=lambda rngs: worlds_at(position, layouts, rngs),
            unit="shots to the end, negated",
            by_visits=True,
        )
