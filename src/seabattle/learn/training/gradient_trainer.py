"""Base class of trainings by gradient descent: the network, its optimizer, its learning rate,
and evaluations of how well it plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import nn

from ...errors import TrainingError
from ...rules import Rules
from ..onnx_model import FORMS, Model
from .networks import rate_at
from .onnx_export import export_module
from .practice_games import WEIGHTS, as_player, mean_shots_of_network, seed_for
from .torch_state import first_weights, load_module, load_optimizer, save_module, save_optimizer
from .trainer import TrainerState, TrainingSetup

Width = Annotated[int, "cells across a filter"]
Rate = Annotated[float, "highest learning rate"]
Clip = Annotated[float, "largest norm of a gradient"]
BatchSize = Annotated[int, "positions per minibatch"]
WatchedGames = Annotated[int, "games per evaluation of the mean shots"]
Every = Annotated[int, "steps between evaluations"]

Net = TypeVar("Net", bound=nn.Module)


def check_width(width: int) -> None:
    """Raise an error unless a filter of this width has a cell in its centre."""
    if width % 2 == 0:
        raise TrainingError(f"width must be an odd number of cells, not {width}.")


@dataclass(kw_only=True, eq=False)
class GradientTrainer(Generic[Net]):
    """A network in training. Subclasses define the network and a `step`."""

    setup: TrainingSetup = field(kw_only=False)
    rate: Rate
    watched: WatchedGames
    every: Every
    clip: float | None = field(default=None, init=False)
    """largest norm of a gradient; no limit if None"""

    player: ClassVar[str]
    form: ClassVar[str]
    may_be_zero: ClassVar[tuple[str, ...]] = ()
    """counts among the parameters that need not be 1 or more"""

    def __post_init__(self) -> None:
        self.check()
        torch.set_num_threads(self.setup.threads)
        with first_weights(seed_for(self.setup.seed, WEIGHTS)):
            self.net: Net = self.make_network()
        self._optimizer = torch.optim.Adam(self.net.parameters(), lr=self.rate)
        self.steps_done = 0

    def check(self) -> None:
        """Raise an error for parameters that are not valid."""
        for parameter in fields(self):
            value, least = (
                getattr(self, parameter.name),
                int(parameter.name not in self.may_be_zero),
            )
            if isinstance(value, int) and value < least:
                raise TrainingError(
                    f"{parameter.name} of {self.player!r} must be {least} or more, not {value}."
                )

    def make_network(self) -> Net:
        """The network with its first weights, drawn from torch's global generator."""
        raise NotImplementedError

    @property
    def played_network(self) -> nn.Module:
        """The part of the network that plays."""
        return self.net

    @property
    def rules(self) -> Rules:
        return self.setup.rules

    def begin_step(self) -> float:
        """Set the learning rate of this step, and return it."""
        rate = rate_at(self.steps_done, self.setup.steps, self.rate)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        return rate

    def end_step(self) -> float:
        """Count the step; the mean shots if an evaluation is due, else nan."""
        self.steps_done += 1
        if self.steps_done % self.every and self.steps_done != self.setup.steps:
            return np.nan
        return mean_shots_of_network(self.as_player(), self.setup.seed, self.watched)

    def clear_gradient(self) -> None:
        self._optimizer.zero_grad()

    def follow_gradient(self) -> None:
        """Update the weights by the accumulated gradient."""
        if self.clip is not None:
            nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)
        self._optimizer.step()

    def descend(self, loss: torch.Tensor) -> None:
        """Update the weights by the gradient of one minibatch's loss."""
        self.clear_gradient()
        loss.backward()  # type: ignore[no-untyped-call]
        self.follow_gradient()

    def as_player(self) -> Model:
        return as_player(self.export(), self.player, self.rules, FORMS[self.form])

    def export(self) -> bytes:
        shape = FORMS[self.form].shape(self.rules)
        return export_module(self.played_network, shape, self.rules.cells)

    def step(self) -> Mapping[str, float]:
        raise NotImplementedError

    def state(self) -> TrainerState:
        state = TrainerState(values={"step": self.steps_done})
        save_module(state, "net", self.net)
        save_optimizer(state, "optimizer", self._optimizer)
        return state

    def restore(self, state: TrainerState) -> None:
        self.steps_done = state.values["step"]
        load_module(state, "net", self.net)
        load_optimizer(state, "optimizer", self._optimizer)
