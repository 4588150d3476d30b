"""`cnn` (L): a network of three convolutions, trained on the true layouts.

The input is the board as one image: 0 for an unknown cell, -1 for a miss, 1 for a hit.
Convolutions of 32, 64 and 5 filters, then a linear layer with an output per cell; the
player shoots at the unknown cell with the highest output. It is trained on positions from
games on random layouts, with the layout as the target. Sinkings are ignored.

The document does not give the size of the filters, the loss, or the games that the
positions come from; `seabattle.learn.training.cnn` documents the choices made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("cnn", source="L", summary="convolutional network trained on true layouts")
@dataclass(frozen=True)
class Cnn(NetworkPlayer):
    kind: ClassVar[str] = "cnn"
