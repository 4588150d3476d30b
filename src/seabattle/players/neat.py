"""`neat` (T 2.2): an evolved network.

The input is one number per cell (1 hit, -1 miss, 0.01 unknown) and whether the last shot
hit; the output is a value per cell, and the player shoots at the unknown cell with the
highest value. Weights and connections evolved over many generations of a hundred networks
(`seabattle.learn.training.neat`). Sinkings are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("neat", source="T", summary="network evolved by NEAT")
@dataclass(frozen=True)
class Neat(NetworkPlayer):
    kind: ClassVar[str] = "neat"
