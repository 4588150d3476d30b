"""`policy-gradient-deep`: a residual network that learnt from the rewards of its own games.

What L names as future work: an actor and a critic on one network, so that no reward has
to be designed by hand. Planes of misses, hits, sunk cells and ships afloat; residual
blocks that see every part of the board alike (`seabattle.learn.training.ppo`, trained by
PPO). The highest unshot cell is shot at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register(
    "policy-gradient-deep",
    source="seabattle",
    summary="a residual network that learnt from rewards (PPO)",
)
@dataclass(frozen=True)
class PolicyGradientDeep(NetworkPlayer):
    kind: ClassVar[str] = "policy-gradient-deep"
