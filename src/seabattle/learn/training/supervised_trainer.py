"""Base class of trainings on labelled positions, each rotated or mirrored at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import torch
from torch import nn

from ...compiled.rules_tables import symmetries_of
from .gradient_trainer import BatchSize, GradientTrainer
from .networks import density_loss
from .practice_games import RANDOMNESS, seed_for
from .trainer import TrainerState

Batches = Annotated[int, "minibatches per step"]
Arithmetic = Annotated[
    Literal["float32", "bfloat16"], "of the convolutions; bfloat16 is fast on some processors"
]


@dataclass(kw_only=True, eq=False)
class SupervisedTrainer(GradientTrainer[nn.Sequential]):
    """Minimises the cross-entropy between the network's output and the labels."""

    batch: BatchSize
    batches: Batches
    arithmetic: Arithmetic = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rng = np.random.default_rng(seed_for(self.setup.seed, RANDOMNESS))
        self._symmetries = torch.from_numpy(symmetries_of(self.rules).cells.astype(np.int64))

    def play(self) -> None:
        """Play games to learn from, if the training does."""

    def games_seen(self) -> int:
        """How many games the positions come from."""
        raise NotImplementedError

    def minibatch(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """A minibatch: inputs (batch, planes, cells), unknown cells (batch, cells), and the labels
        of those (batch, cells), up to a factor."""
        raise NotImplementedError

    def random_symmetries(self) -> torch.Tensor:
        """(batch, cells) the cell that each cell of a position is taken from."""
        return self._symmetries[self.rng.integers(len(self._symmetries), size=self.batch)]

    def step(self) -> Mapping[str, float]:
        self.play()
        rate = self.begin_step()
        loss = sum(self._learn() for _ in range(self.batches)) / self.batches
        shots = self.end_step()
        return {
            "loss": loss,
            "shots": shots,
            "rate": rate,
            "games": self.games_seen(),
            "states": self.steps_done * self.batches * self.batch,
        }

    def _learn(self) -> float:
        """One minibatch; its loss."""
        inputs, unknown, labels = self.minibatch()
        position = inputs.view(self.batch, -1, self.rules.rows, self.rules.columns)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.arithmetic == "bfloat16"):
            values = self.net(position.to(memory_format=torch.channels_last))
        target = labels / labels.sum(dim=1, keepdim=True)
        loss = density_loss(values.float(), unknown, target)
        self.descend(loss)
        return float(loss.detach())

    def state(self) -> TrainerState:
        state = super().state()
        state.values["rng"] = self.rng.bit_generator.state
        return state

    def restore(self, state: TrainerState) -> None:
        super().restore(state)
        self.rng.bit_generator.state = state.values["rng"]
