"""How many games a given precision takes.

If you look at a result again and again and stop when you like it, its interval is wrong.
So the rule is fixed in advance and looks only at the spread, never at a mean or a
difference (Chow and Robbins' fixed-width rule, with few looks):

1. Play a pilot of `PILOT` games.
2. From the standard deviation s so far, find the smallest n for which t · s / √n is
   within the half-width wanted, for every player. Play on to the largest n.
3. If the spread has grown and the interval is still too wide, repeat.

The mean and the spread of the shots hardly depend on each other, so the interval covers
the true mean as often as one from a fixed number of games does;
`tests/experiment/test_stopping_rule.py` checks this by simulation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .statistics import t_quantile

PILOT = 400
"""games before the first look: enough to know the spread to a few percent"""
LEAST_GROWTH = 0.02
"""play at least this fraction more games before looking again"""
MOST_ROOT = 1e6
"""no more than the square of this many games is ever asked for"""
MOST_GAMES = 100_000
"""the default limit on the games per player"""


@dataclass(frozen=True)
class StoppingRule:
    """The precision wanted, when the spread was looked at, and whether it was reached."""

    wanted: float
    """half the width of the 95% interval of every mean"""
    most: int
    """the limit on the games per player"""
    looks: tuple[int, ...]
    """the numbers of games after which the spread was looked at"""
    reached: bool

    @property
    def rule(self) -> str:
        """The rule in words, printed with the result."""
        looks = ", ".join(f"{games:,}" for games in self.looks)
        end = (
            f"Every player reached ±{self.wanted:g}."
            if self.reached
            else f"±{self.wanted:g} was not reached within the limit of {self.most:,} games."
        )
        return (
            f"Stopping rule, fixed in advance: a pilot of {PILOT} games, then as many games as "
            f"the spread of the shots (never the means) requires for ±{self.wanted:g}. The spread "
            f"was checked after {looks} games. {end}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "wanted": self.wanted,
            "most": self.most,
            "looks": list(self.looks),
            "reached": self.reached,
            "rule": self.rule,
        }

    @classmethod
    def from_json(cls, value: Any) -> StoppingRule:
        """Read what `to_json` wrote."""
        looks = tuple(int(games) for games in value["looks"])
        return cls(float(value["wanted"]), int(value["most"]), looks, bool(value["reached"]))


def games_for(spread: float, wanted: float, confidence: float = 0.95) -> int:
    """The smallest number of games for which the interval of the mean is within ±`wanted`.

    >>> games_for(10.0, 1.0)
    387
    """
    if spread == 0:
        return 2
    p = (1 + confidence) / 2
    root = t_quantile(p, 10**9) * spread / wanted
    if root > MOST_ROOT:
        return math.floor(MOST_ROOT) ** 2
    games = max(2, math.floor(root**2))
    while t_quantile(p, games - 1) * spread / math.sqrt(games) > wanted:
        games += 1
    return games


def next_look(games: int, spreads: Sequence[float], wanted: float, most: int) -> int | None:
    """After how many games to look again; None if no more are to be played."""
    needed = max(games_for(spread, wanted) for spread in spreads)
    if needed <= games or games >= most:
        return None
    return min(most, max(needed, math.ceil(games * (1 + LEAST_GROWTH))))
