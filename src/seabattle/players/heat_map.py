"""`heat-map` (T 2.5): the cell with the highest exact probability, ties broken at random.

The probability of a ship on a cell is the fraction of the remaining layouts that cover it.
T lists all layouts and removes those that disagree, which is possible up to 8×8; here
they are counted without being listed, so any board and any rules will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .posterior_player import EnumerationSeconds, PosteriorPlayer
from .registry import register


@register("heat-map", source="T", summary="most likely cell, ties broken at random")
@dataclass(frozen=True)
class HeatMap(PosteriorPlayer):
    seconds: EnumerationSeconds = 1.0
    at_random: ClassVar[bool] = True
