"""`policy-gradient` (L): a network that learnt from the rewards of its own games.

The input is the board as one picture: 0 for an unknown cell, -1 for a miss, 1 for a
hit. One convolution of 32 filters, then one layer with an output per cell. In training
the outputs are the logarithms of the chances that each cell is shot at
(`seabattle.learn.training.reinforce`); here the highest unshot cell is shot at. Sinkings are not
told to it, where the rules tell them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("policy-gradient", source="L", summary="a network that learnt from rewards (REINFORCE)")
@dataclass(frozen=True)
class PolicyGradient(NetworkPlayer):
    kind: ClassVar[str] = "policy-gradient"
