"""What every training by gradients shares: a network, its optimizer, its schedule, and looks
at how it plays."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ..onnx_model import FORMS, Model
from .networks import rate_at
from .onnx_export import export_module
from .practice_games import WEIGHTS, as_player, mean_shots, seed_for
from .torch_state import first_weights, load_module, load_optimizer, save_module, save_optimizer
from .trainer import Setup, State


def weights_of(setup: Setup) -> first_weights:
    """`with` this, layers take their first weights from the training's seed."""
    return first_weights(seed_for(setup.seed, WEIGHTS))


class GradientTrainer:
    """A network under training, as the player that it will be."""

    def __init__(
        self,
        player: str,
        form: str,
        setup: Setup,
        net: nn.Module,
        *,
        rate: float,
        watched: int,
        every: int,
        played: nn.Module | None = None,
        clip: float | None = None,
    ) -> None:
        """`played` is the part of `net` that plays, if not all of it does; `clip` the longest
        step of the gradient. Every so many steps `watched` games are looked at."""
        self._player, self._form, self._setup = player, FORMS[form], setup
        self._net, self._played = net, net if played is None else played
        self._rate, self._watched, self._every, self._clip = rate, watched, every, clip
        self._optimizer = torch.optim.Adam(net.parameters(), lr=rate)
        self.step = 0
        """steps done"""

    def begin_step(self) -> float:
        """Set the learning rate of this step, and return it."""
        rate = rate_at(self.step, self._setup.steps, self._rate)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        return rate

    def end_step(self) -> float:
        """Count the step; the mean shots if it is time to look, else nan."""
        self.step += 1
        if self.step % self._every and self.step != self._setup.steps:
            return np.nan
        return mean_shots(self.as_player(), self._setup.seed, self._watched)

    def forget_gradient(self) -> None:
        self._optimizer.zero_grad()

    def follow_gradient(self) -> None:
        """Change the weights by the gradients that were added up."""
        if self._clip is not None:
            nn.utils.clip_grad_norm_(self._net.parameters(), self._clip)
        self._optimizer.step()

    def descend(self, loss: torch.Tensor) -> None:
        """One minibatch: change the weights by the gradient of its loss."""
        self.forget_gradient()
        loss.backward()  # type: ignore[no-untyped-call]
        self.follow_gradient()

    def as_player(self) -> Model:
        return as_player(self.export(), self._player, self._setup.rules, self._form)

    def export(self) -> bytes:
        rules = self._setup.rules
        return export_module(self._played, self._form.shape(rules), rules.cells)

    def save(self, state: State) -> None:
        state.values["step"] = self.step
        save_module(state, "net", self._net)
        save_optimizer(state, "optimizer", self._optimizer)

    def load(self, state: State) -> None:
        self.step = state.values["step"]
        load_module(state, "net", self._net)
        load_optimizer(state, "optimizer", self._optimizer)
