"""Optimal play on small boards, proven; and bounds on it for all.

>>> solution = solve("4x4 fleet=3,2 contact=none answers=hit-miss")
>>> solution.layouts, round(solution.expected_shots, 6), solution.proven
(104, 8.442308, True)
"""

from __future__ import annotations

from ..rules import Rules
from .bounds import Bound, bounds
from .problem import Problem, make_problem
from .proof import Solution, Solver, greedy_shots
from .value import PlayerValue, player_value

__all__ = [
    "Bound",
    "PlayerValue",
    "Problem",
    "Solution",
    "Solver",
    "bounds",
    "greedy_shots",
    "make_problem",
    "player_value",
    "solve",
]


def solve(rules: Rules | str, seconds: float | None = None, *, worst: bool = False) -> Solution:
    """The least expected number of shots (or the fewest that always suffice, if `worst`),
    or the interval proven within `seconds`."""
    return Solver(Rules.of(rules), worst=worst).run(seconds)
