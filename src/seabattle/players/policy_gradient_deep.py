"""`policy-gradient-deep`: a residual network trained on the rewards of its own games.

L's future work: an actor and a critic on one network, so that the baseline is learnt and
not designed by hand. The input is planes of misses, hits, sunk cells and ships afloat;
convolutional residual blocks follow, trained by PPO (`seabattle.learn.training.ppo`). The
player shoots at the unknown cell with the highest output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register(
    "policy-gradient-deep",
    source="seabattle",
    summary="residual network trained on rewards by PPO",
)
@dataclass(frozen=True)
class PolicyGradientDeep(NetworkPlayer):
    kind: ClassVar[str] = "policy-gradient-deep"
