"""`optimal`: the solved game, on boards small enough for it.

Shoots the cell that leads to the least expected number of shots, proven (see
`seabattle.solve`). The first choice under some rules solves the board, which is
then kept for as long as the process lives; positions off the solved path (reached
by somebody else's shots) are solved when they come up. Plays no chances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from ..errors import SolveError
from ..observation import Observation
from ..rules import Rules
from .registry import register

if TYPE_CHECKING:
    import numpy as np

    from ..solve import Solver


@register(
    "optimal",
    source="seabattle",
    summary="the proven optimum, on small boards",
    needs="a board small enough to solve, such as mini",
    slow=True,
)
@dataclass(frozen=True)
class Optimal:
    """Plays the solution of a small board."""

    seconds: Annotated[float, "time to solve a board before giving up"] = 60.0

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        solver = _solver(observation.rules)
        if not solver.proven:
            solution = solver.run(self.seconds)
            if not solution.proven:
                raise SolveError(
                    f"The rules {observation.rules.to_text()!r} were not solved in "
                    f"{self.seconds:g} seconds (the optimum lies between "
                    f"{solution.lower_bound:.3f} and {solution.upper_bound:.3f} shots); give more "
                    "with optimal:seconds=."
                )
        rows, hits = solver.rows_of(observation)
        return solver.best_cell(rows, hits, self.seconds)


@lru_cache(maxsize=4)
def _solver(rules: Rules) -> Solver:
    from ..solve import Solver

    return Solver(rules)
