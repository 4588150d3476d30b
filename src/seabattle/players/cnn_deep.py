"""`cnn-deep`: a residual network taught the exact chances.

Planes of misses, hits, sunk cells and ships afloat; residual blocks of convolutions,
some of which also see the mean of the whole board, so that hits can be counted. The
lesson of a position is not where the ships happened to be but how likely each cell is
to hold one, by exact counting (`seabattle.learn.training.cnn_deep`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register(
    "cnn-deep", source="seabattle", summary="a residual network taught the exact probabilities"
)
@dataclass(frozen=True)
class CnnDeep(NetworkPlayer):
    kind: ClassVar[str] = "cnn-deep"
