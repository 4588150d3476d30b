"""Hiding against finding: equilibria of small boards, proven, and of large ones, approximate.

>>> solution = equilibrium("3x3 fleet=2 answers=hit-miss")
>>> round(solution.value, 4), solution.exploitability < 1e-6
(4.5, True)
"""

from __future__ import annotations

from ..rules import Rules
from .double_oracle import GAP, DoubleOracle, Equilibrium

__all__ = ["DoubleOracle", "Equilibrium", "equilibrium"]


def equilibrium(rules: Rules | str, gap: float = GAP, seconds: float | None = None) -> Equilibrium:
    """The equilibrium of a small board to within `gap` shots, or what is found in `seconds`."""
    return DoubleOracle(Rules.of(rules)).run(gap, seconds)
