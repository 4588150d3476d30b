"""`exact`: the highest probability, ties always broken alike.

The same exact posterior as `heat-map`, but the choice is a function of the position
alone, and symmetric positions get symmetric choices. So positions repeat from game to
game and are worked out once. Of equally likely cells it takes the first one in the
form in which the position is remembered (`belief.position_cache_kernels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .posterior_player import PosteriorPlayer, Seconds
from .registry import register


@register(
    "exact", source="seabattle", summary="the cell most likely to hold a ship, by exact counting"
)
@dataclass(frozen=True)
class Exact(PosteriorPlayer):
    seconds: Seconds = 1.0
    at_random: ClassVar[bool] = False
