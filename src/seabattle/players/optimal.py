"""`optimal`: provably optimal play, on boards small enough to solve.

It shoots at the cell with the lowest expected number of shots (see `seabattle.solver`). The
first move under some rules solves the board, and the solution is kept until the process
ends; positions off the solved path (reached by somebody else's shots) are solved when
they occur. It is deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from ..errors import FleetDoesNotFit, SolveError
from ..observation import Observation
from ..rules import Rules
from .registry import register

AT_ONCE, AT_ONCE_WITH_NEWS = 700, 300
"""Layouts up to which a board is solved in about a second: if answers are hit or miss, and if they
say more."""

SMALL_BOARD = 36
"""Cells up to which it is worth listing the layouts."""

if TYPE_CHECKING:
    import numpy as np

    from ..solver import Solver


@register(
    "optimal",
    source="seabattle",
    summary="proven optimal play on small boards",
    needs="a board small enough to solve, such as mini",
    slow=True,
)
@dataclass(frozen=True)
class Optimal:
    """Plays the solution of a small board."""

    seconds: Annotated[float, "time limit for solving a board"] = 60.0

    def check_rules(self, rules: Rules) -> None:
        """Raise an error if the board is too large to solve."""
        from ..solver.problem import make_problem

        make_problem(rules)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        solver = _solver(observation.rules)
        if not solver.proven:
            solution = solver.run(self.seconds)
            if not solution.proven:
                raise SolveError(
                    f"The rules {observation.rules.to_text()!r} were not solved in "
                    f"{self.seconds:g} seconds (the optimum lies between "
                    f"{solution.lower_bound:.3f} and {solution.upper_bound:.3f} shots); allow more "
                    "time with optimal:seconds=."
                )
        rows, hits = solver.rows_of(observation)
        return solver.best_cell(rows, hits, self.seconds)


@lru_cache(maxsize=4)
def _solver(rules: Rules) -> Solver:
    from ..solver import Solver

    return Solver(rules)


@lru_cache(maxsize=256)
def is_solved_at_once(rules: Rules) -> bool:
    """Whether a board has few enough layouts to be solved while somebody waits. They are listed
    and not counted, since counting would have to be compiled first."""
    from ..solver.problem import enumerate_placements

    if rules.cells > SMALL_BOARD or rules.salvo != 1:
        return False
    most = AT_ONCE if rules.answers == "hit-miss" else AT_ONCE_WITH_NEWS
    try:
        return len(enumerate_placements(rules, most)) > 0
    except (SolveError, FleetDoesNotFit):
        return False
