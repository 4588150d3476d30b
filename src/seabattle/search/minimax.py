"""`minimax`: the fewest shots against a hider who never commits to a layout.

P names minimax and alpha-beta as future work. In a game of one there is no second mover, but
there is one if the hider may choose every answer, as long as some layout agrees with all of
them: then the shooter minimises and the hider maximises the number of shots. The value is the
number of shots that always suffices, which `solve --worst-case` proves too, with a far
stronger search (it remembers positions, uses symmetry and better bounds).

`pruning=none` visits the whole game tree, `alpha-beta` cuts off what cannot change the
result. Threads share the cells of the root; with alpha-beta they also share the best value
found so far. Both finish on tiny boards only, so larger ones are refused; `nodes` limits a move
on those that are left. Answers are hit or miss.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from ..errors import PlayerError
from ..observation import Observation
from ..players.base import SearchReport
from ..players.registry import register
from ..rules import Rules
from ..solver.problem import make_problem
from .minimax_kernels import BEST, MOST, NODES, cells_by_ships, try_cells
from .search_player import Threads, check_budget, note_on

if TYPE_CHECKING:
    from ..compiled.board_tables import Bits

# The first move stays below 50,000,000 positions on these with any fleet.
MOST_CELLS_BY_PRUNING = {"alpha-beta": 12, "none": 9}


@register(
    "minimax",
    source="P",
    summary="fewest shots in the worst case, on tiny boards",
    needs="a tiny board with hit-miss answers, such as 3x3 with a ship of 2",
    slow=True,
)
@dataclass(frozen=True)
class Minimax:
    """Plays the minimax value of a tiny board."""

    pruning: Annotated[Literal["alpha-beta", "none"], "what is cut off"] = "alpha-beta"
    nodes: Annotated[int, "most positions that one move may visit"] = 50_000_000
    threads: Threads = 1

    def __post_init__(self) -> None:
        check_budget("minimax", self.nodes, 0.0, self.threads)

    def check_rules(self, rules: Rules) -> None:
        """Raise an error if answers say more than hit or miss, or the board is too large."""
        if rules.answers != "hit-miss":
            raise PlayerError(
                f"The player 'minimax' needs hit-miss answers, not {rules.answers}; 'optimal' "
                "and 'solve --worst-case' know the others."
            )
        most = MOST_CELLS_BY_PRUNING[self.pruning]
        if rules.cells > most:
            raise PlayerError(
                f"The player 'minimax' with pruning={self.pruning} plays boards of at most {most} "
                f"cells, not {rules.cells}; 'seabattle solve --worst-case' proves larger ones."
            )
        _layouts(rules)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.report(observation, rng).suggestion

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        """The value of every cell that could be best; with alpha-beta, others are bounds."""
        began = time.perf_counter()
        rules = observation.rules
        self.check_rules(rules)
        masks = _layouts(rules)
        shot = np.uint64(0)
        for each in observation.shots:
            bit = np.uint64(1 << each.cell)
            shot |= bit
            masks = masks[(masks & bit != 0) == each.answer.hit]
        masks = np.ascontiguousarray(masks)
        order = np.empty(rules.cells, dtype=np.int64)
        order = order[: cells_by_ships(masks, shot, rules.cells, order)]
        values = np.full(len(order), MOST, dtype=np.int64)
        shared = np.array([0, MOST, 0], dtype=np.int64)

        def work(_: int) -> None:
            try_cells(
                masks, shot, rules.cells, order, self.pruning == "alpha-beta", self.nodes, shared,
                values,
            )  # fmt: skip

        if self.threads == 1:
            work(0)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(work, range(self.threads)))
        if shared[NODES] > self.nodes:
            raise PlayerError(
                f"A move of 'minimax' under the rules {rules.to_text()!r} visits more than "
                f"{self.nodes:,} positions; 'seabattle solve --worst-case' proves larger boards."
            )
        shown = np.full(rules.cells, np.nan)
        shown[order] = -values
        visits = np.zeros(rules.cells)
        visits[order] = 1.0
        # With several threads an equal cell may be found first: take the first in order.
        best = int(order[np.flatnonzero(values == shared[BEST])[0]])
        return SearchReport(
            suggestion=best,
            visits=visits,
            values=shown,
            unit="shots to the end in the worst case, negated",
            simulations=int(shared[NODES]),
            seconds=time.perf_counter() - began,
            note=note_on(self.threads),
        )


@lru_cache(maxsize=8)
def _layouts(rules: Rules) -> Bits:
    """(layouts,) the cells of the fleet in every layout."""
    return make_problem(rules).mask
