"""How many games a wanted precision takes.

Looking at a result again and again, and stopping when it pleases, makes intervals lie.
The rule here is fixed in advance and looks at the spread alone, never at a mean or at a
difference (Chow and Robbins' fixed-width rule, in few looks):

1. Play a pilot of `PILOT` games.
2. From the standard deviation s so far, work out the smallest n with t · s / √n within
   the wanted half-width, for every player; play on to the largest of them.
3. If the spread has grown so that the width is not there yet, repeat.

For shots, whose mean and spread hardly depend on each other, the interval then covers
the true mean as often as one from a number of games fixed in advance;
`tests/test_precision.py` shows it by simulation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .statistics import t_quantile

PILOT = 400
"""games before the first look: enough for the spread to be known to a few percent"""
LEAST_GROWTH = 0.02
"""a look is worth at least this share of games more"""
MOST_GAMES = 100_000
"""games after which it ends in any case, unless told otherwise"""


@dataclass(frozen=True)
class StoppingRule:
    """What was wanted, how it was looked for, and whether it was reached."""

    wanted: float
    """half the width of the 95% interval of every mean"""
    most: int
    """games of each player that were allowed"""
    looks: tuple[int, ...]
    """after how many games the spread was looked at"""
    reached: bool

    @property
    def rule(self) -> str:
        """The rule in words, to be printed with the result."""
        looks = ", ".join(f"{games:,}" for games in self.looks)
        end = (
            f"Reached ±{self.wanted:g} for every player."
            if self.reached
            else f"±{self.wanted:g} was not reached within the {self.most:,} games allowed."
        )
        return (
            f"Stopping rule, fixed in advance: a pilot of {PILOT} games, then as many as the "
            f"spread of the shots (never the means) says ±{self.wanted:g} takes. Looked after "
            f"{looks} games. {end}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "wanted": self.wanted,
            "most": self.most,
            "looks": list(self.looks),
            "reached": self.reached,
            "rule": self.rule,
        }


def games_for(spread: float, wanted: float, confidence: float = 0.95) -> int:
    """The smallest number of games whose interval of the mean reaches ±`wanted`.

    >>> games_for(10.0, 1.0)
    387
    """
    if spread == 0:
        return 2
    p = (1 + confidence) / 2
    games = max(2, math.floor((t_quantile(p, 10**9) * spread / wanted) ** 2))
    while t_quantile(p, games - 1) * spread / math.sqrt(games) > wanted:
        games += 1
    return games


def next_look(games: int, spreads: Sequence[float], wanted: float, most: int) -> int | None:
    """After how many games to look again; None when there is nothing more to play."""
    needed = max(games_for(spread, wanted) for spread in spreads)
    if needed <= games or games >= most:
        return None
    return min(most, max(needed, math.ceil(games * (1 + LEAST_GROWTH))))
