"""`heat-map` (T, section 2.5): the highest probability, ties at random.

The chance that a ship lies on a cell is the share of the layouts left that cover it.
T lists all layouts and strikes out those that disagree, which ends at 8×8; here they
are counted without being listed, so any board and any rules will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .posterior_player import PosteriorPlayer, Seconds
from .registry import register


@register("heat-map", source="T", summary="the cell most likely to hold a ship, ties at random")
@dataclass(frozen=True)
class HeatMap(PosteriorPlayer):
    seconds: Seconds = 1.0
    at_random: ClassVar[bool] = True
