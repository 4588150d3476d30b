"""`cnn-deep`: a residual network trained on exact probabilities.

The input is planes of misses, hits, sunk cells and ships afloat. Residual blocks of
convolutions follow, some of which also see the mean of the whole board, so that hits can
be counted. The target of a position is not where the ships happened to be, but the exact
probability of a ship on each cell (`seabattle.learn.training.cnn_deep`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("cnn-deep", source="seabattle", summary="residual network trained on exact probabilities")
@dataclass(frozen=True)
class CnnDeep(NetworkPlayer):
    kind: ClassVar[str] = "cnn-deep"
