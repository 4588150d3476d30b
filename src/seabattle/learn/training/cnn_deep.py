"""Training `cnn-deep`: a residual network that imitates exact counting.

First a set of positions is made, with the exact chance of each cell (`lessons`): games
of near-exact play with some random shots mixed in. Then the network is trained on
positions drawn from it, each turned or mirrored at random, to give every open cell its
share of the hits that are left. Nothing of this is random noise that has to average
out, as it is when a layout is the answer: each position teaches what many games would.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import torch

from ...compiled.knowledge import CLOSED, MISSED, UNKNOWN
from ...compiled.rules_tables import symmetries_of
from ...errors import TrainingError
from .gradient_trainer import GradientTrainer, weights_of
from .labelled_positions import make_labelled_positions
from .networks import density_loss, residual_tower
from .practice_games import CHANCE, LAYOUTS, seed_for
from .trainer import Arithmetic, Setup, State, register_trainer

MILLION = 10**6


@register_trainer("cnn-deep", steps=270, rules="blind")
class CnnDeepTrainer:
    form = "planes"

    def __init__(
        self,
        setup: Setup,
        *,
        channels: Annotated[int, "filters of each convolution"] = 32,
        blocks: Annotated[int, "residual blocks"] = 4,
        games: Annotated[int, "games that positions are taken from"] = 20_000,
        budget: Annotated[int, "millions of steps to count a position's layouts"] = 5,
        batch: Annotated[int, "positions in a minibatch"] = 256,
        batches: Annotated[int, "minibatches a step"] = 32,
        rate: Annotated[float, "highest learning rate"] = 0.003,
        clip: Annotated[float, "longest step of the gradient"] = 1.0,
        arithmetic: Arithmetic = "float32",
        watched: Annotated[int, "games of a look at the mean shots"] = 300,
        every: Annotated[int, "steps between looks"] = 20,
    ) -> None:
        if min(channels, blocks, games, budget, batch, batches, watched, every) < 1:
            raise TrainingError("Every count among the parameters of cnn-deep is 1 or more.")
        self._setup, self._rules = setup, setup.rules
        self._games, self._batch, self._batches = games, batch, batches
        self._half = arithmetic == "bfloat16"
        torch.set_num_threads(setup.threads)
        seed = seed_for(setup.seed, LAYOUTS)
        self._lessons = make_labelled_positions(setup, seed, games, budget * MILLION)
        with weights_of(setup):
            self._net = residual_tower(3 + len(setup.rules.fleet), channels, blocks)
        self._net = self._net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._learner = GradientTrainer(
            "cnn-deep",
            self.form,
            setup,
            self._net,
            rate=rate,
            watched=watched,
            every=every,
            clip=clip,
        )
        self._rng = np.random.default_rng(seed_for(setup.seed, CHANCE))
        self._symmetries = torch.from_numpy(symmetries_of(setup.rules).cells.astype(np.int64))
        self.architecture = (
            f"{blocks} residual blocks of two 3x3 convolutions with {channels} channels, every "
            "other one with global mean pooling"
        )

    def step(self) -> Mapping[str, float]:
        rate = self._learner.begin_step()
        loss = sum(self._learn() for _ in range(self._batches)) / self._batches
        shots = self._learner.end_step()
        return {
            "loss": loss,
            "shots": shots,
            "rate": rate,
            "games": self._games,
            "states": self._learner.step * self._batches * self._batch,
        }

    def _learn(self) -> float:
        """One minibatch."""
        drawn = self._lessons[self._rng.integers(len(self._lessons), size=self._batch)]
        turn = self._symmetries[self._rng.integers(len(self._symmetries), size=self._batch)]
        status = torch.from_numpy(drawn["status"]).gather(1, turn)
        chances = torch.from_numpy(drawn["chances"].astype(np.float32)).gather(1, turn)
        afloat = torch.from_numpy(drawn["afloat"])
        cells = [status == MISSED, status > MISSED, status == CLOSED]
        ships = afloat[:, :, None].expand(-1, -1, self._rules.cells)
        planes = torch.cat([torch.stack(cells, dim=1).float(), ships.float()], dim=1)
        position = planes.view(self._batch, -1, self._rules.rows, self._rules.columns)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            values = self._net(position.to(memory_format=torch.channels_last))
        wanted = chances / chances.sum(dim=1, keepdim=True)
        loss = density_loss(values.float(), status == UNKNOWN, wanted)
        self._learner.descend(loss)
        return float(loss.detach())

    def export(self) -> bytes:
        return self._learner.export()

    def state(self) -> State:
        state = State({}, {"rng": self._rng.bit_generator.state})
        self._learner.save(state)
        return state

    def restore(self, state: State) -> None:
        self._rng.bit_generator.state = state.values["rng"]
        self._learner.load(state)
