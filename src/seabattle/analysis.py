"""Analysing a position: what is known of a fleet after some shots.

>>> belief = analyze("mini", "C3 hit, C4 miss")
>>> belief.layouts, belief.observation.rules.cell_name(belief.suggestion)
(71, 'B3')
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .belief import Belief, infer
from .observation import Observation
from .rules import Rules

PRIOR_SECONDS = 2.0
"""What counting the empty board may take, to say how much the shots have told."""


def analyze(
    rules: Rules | str = "classic", shots: str = "", seconds: float | None = None
) -> Belief:
    """What to think of a board after `shots` (`E5 miss, E6 hit`) under some rules.

    The answer is exact, unless that would take longer than `seconds`.
    """
    played = Rules.from_text(rules) if isinstance(rules, str) else rules
    return infer(Observation.from_text(shots, played), seconds=seconds)


@dataclass(frozen=True)
class Information:
    """How much the shots have told, in bits."""

    before: int
    """layouts before the first shot"""
    left: int
    """layouts that agree with every answer"""

    @property
    def bits(self) -> float:
        """What was there to learn in all."""
        return math.log2(self.before)

    @property
    def gained(self) -> float:
        return math.log2(self.before) - math.log2(self.left)


def information(belief: Belief, seconds: float = PRIOR_SECONDS) -> Information | None:
    """How much an exact belief has learned; None where there was no time to count."""
    if belief.layouts is None:
        return None
    if not belief.observation.shots:
        return Information(belief.layouts, belief.layouts)
    before = infer(Observation(belief.observation.rules), seconds=seconds).layouts
    return None if before is None else Information(before, belief.layouts)
