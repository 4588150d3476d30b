"""Training `cnn-deep`: a residual network trained on exact probabilities.

First a set of positions is generated, each labelled with the exact probability of a ship on
every cell (`labelled_positions`): games of near-exact play with some random shots mixed in.
Then the network is trained on positions drawn from it, each rotated or mirrored at random;
the target is each unknown cell's share of the hits left. A layout as the label would be one
random sample of these probabilities; the probabilities themselves have no such noise, so one
position teaches as much as many games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import torch
from torch import nn

from ...compiled.knowledge import CLOSED, MISSED, UNKNOWN
from ..encoding import plane_count
from .gradient_trainer import BatchSize, Clip, Every, Rate, WatchedGames
from .labelled_positions import make_labelled_positions
from .networks import channels_last, residual_tower
from .practice_games import LAYOUTS, seed_for
from .supervised_trainer import Batches, SupervisedTrainer
from .trainer import register_trainer

MILLION = 10**6


@register_trainer("cnn-deep", steps=270, rules="blind")
@dataclass(kw_only=True, eq=False)
class CnnDeepTrainer(SupervisedTrainer):
    channels: Annotated[int, "filters of each convolution"] = 32
    blocks: Annotated[int, "residual blocks"] = 4
    games: Annotated[int, "games that the positions come from"] = 20_000
    budget: Annotated[int, "millions of steps to count a position's layouts"] = 5
    batch: BatchSize = 256
    batches: Batches = 32
    rate: Rate = 0.003
    clip: Clip = 1.0
    watched: WatchedGames = 300
    every: Every = 20

    player: ClassVar[str] = "cnn-deep"
    form: ClassVar[str] = "planes"

    def __post_init__(self) -> None:
        super().__post_init__()
        seed = seed_for(self.setup.seed, LAYOUTS)
        self._labelled = make_labelled_positions(
            self.setup, seed, self.games, self.budget * MILLION
        )

    def make_network(self) -> nn.Sequential:
        return channels_last(residual_tower(plane_count(self.rules), self.channels, self.blocks))

    @property
    def architecture(self) -> str:
        return (
            f"{self.blocks} residual blocks of two 3x3 convolutions with {self.channels} channels, "
            "every other one with global mean pooling"
        )

    def games_seen(self) -> int:
        return self.games

    def minibatch(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        drawn = self._labelled[self.rng.integers(len(self._labelled), size=self.batch)]
        turn = self.random_symmetries()
        status = torch.from_numpy(drawn["status"]).gather(1, turn)
        probability = torch.from_numpy(drawn["probability"].astype(np.float32)).gather(1, turn)
        afloat = torch.from_numpy(drawn["afloat"])
        cells = [status == MISSED, status > MISSED, status == CLOSED]
        ships = afloat[:, :, None].expand(-1, -1, self.rules.cells)
        planes = torch.cat([torch.stack(cells, dim=1).float(), ships.float()], dim=1)
        return planes, status == UNKNOWN, probability
