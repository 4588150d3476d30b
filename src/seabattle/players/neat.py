"""`neat` (T 2.2): an evolved network.

It sees one number per cell (1 hit, -1 miss, 0.01 unknown) and whether the last shot
hit, and gives every cell a value; the highest unshot cell is shot at. Nobody designed
it: weights and connections are what was left after many generations of a hundred
networks (`seabattle.learn.training.neat`). Sinkings are not told to it, where the rules tell them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("neat", source="T", summary="a network that was evolved, wiring and weights")
@dataclass(frozen=True)
class Neat(NetworkPlayer):
    kind: ClassVar[str] = "neat"
