"""Analysing a position: what is known of a fleet after some shots.

>>> belief = analyze("mini", "C3 hit, C4 miss")
>>> belief.layouts, belief.observation.rules.cell_name(belief.suggestion)
(71, 'B3')
"""

from __future__ import annotations

from ..observation import Observation
from ..rules import Rules
from . import Belief, infer


def analyze(
    rules: Rules | str = "classic", shots: str = "", seconds: float | None = None
) -> Belief:
    """What to think of a board after `shots` (`E5 miss, E6 hit`) under some rules.

    The answer is exact, unless that would take longer than `seconds`.
    """
    played = Rules.from_text(rules) if isinstance(rules, str) else rules
    return infer(Observation.from_text(shots, played), seconds=seconds)
