"""`policy-gradient` (L): a network trained on the rewards of its own games.

The input is the board as one image: 0 for an unknown cell, -1 for a miss, 1 for a hit.
One convolution of 32 filters, then a linear layer with an output per cell. In training
the outputs are the logits of a random policy (`seabattle.learn.training.reinforce`); the
player shoots at the unknown cell with the highest output. Sinkings are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("policy-gradient", source="L", summary="network trained on rewards by REINFORCE")
@dataclass(frozen=True)
class PolicyGradient(NetworkPlayer):
    kind: ClassVar[str] = "policy-gradient"
