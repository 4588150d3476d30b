"""`cnn` (L): a network of three convolutions, taught where the ships were.

The input is the board as one picture: 0 for an unknown cell, -1 for a miss, 1 for a
hit. Convolutions of 32, 64 and 5 filters, then one layer with an output per cell; the
highest unshot cell is shot at. Trained on positions of games against random layouts,
the answer being the layout. Sinkings are not told to it, where the rules tell them.

The document leaves open the size of the filters, the loss and which games the positions
come from; `seabattle.learn.training.cnn` says what was chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .network_player import NetworkPlayer
from .registry import register


@register("cnn", source="L", summary="a convolutional network taught where the ships were")
@dataclass(frozen=True)
class Cnn(NetworkPlayer):
    kind: ClassVar[str] = "cnn"
