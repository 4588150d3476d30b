"""Base class of trainings that learn from the rewards of their own games.

Each step plays some games, drawing every shot from the distribution that the network gives,
and then learns from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Generic

import numpy as np
import numpy.typing as npt
import torch

from ...envs.vector import BattleshipVectorEnv
from ..encoding_kernels import Planes
from .gradient_trainer import Clip, GradientTrainer, Net
from .policy_episodes import Episodes, play_episodes
from .practice_games import LAYOUTS, RANDOMNESS, seed_for
from .torch_state import load_generator, save_generator, seeded
from .trainer import TrainerState

GamesPerStep = Annotated[int, "games per step"]


def log_probabilities(values: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """The log-probability of every cell; -inf where it may not be shot at."""
    return torch.log_softmax(values.masked_fill(~allowed, -torch.inf), dim=1)


def sample(
    values: torch.Tensor, allowed: torch.Tensor, generator: torch.Generator
) -> npt.NDArray[np.int64]:
    """A cell for each row, drawn from the softmax over the allowed ones.

    Of exponential waiting times with rates p, the one of a cell is the smallest with
    probability p.
    """
    probability = log_probabilities(values, allowed).exp()
    waiting = torch.empty_like(probability).exponential_(generator=generator)
    rates = (probability / waiting).masked_fill(~allowed, -1.0)
    cells: npt.NDArray[np.int64] = rates.argmax(1).numpy()
    return cells


@dataclass(kw_only=True, eq=False)
class PolicyTrainer(GradientTrainer[Net], Generic[Net]):
    """Plays games with the current policy and learns from their rewards."""

    games: GamesPerStep
    clip: Clip = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.generator = seeded(seed_for(self.setup.seed, RANDOMNESS))
        self.games_seen = self.states_seen = 0
        self._layouts = seed_for(self.setup.seed, LAYOUTS)
        self._env = BattleshipVectorEnv(
            self.games, self.rules, reward=self.env_reward, threads=1, copy=False
        )

    @property
    def env_reward(self) -> str:
        """The reward of a shot, one of `seabattle.envs.rewards`."""
        return "advantage"

    def choose(self, planes: Planes, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """A cell for each position."""
        raise NotImplementedError

    def learn(self, games: Episodes) -> dict[str, float]:
        """Update the weights; the `loss`, and whatever else is measured."""
        raise NotImplementedError

    def step(self) -> Mapping[str, float]:
        games = play_episodes(self._env, (self._layouts + self.steps_done) % 2**63, self.choose)
        rate = self.begin_step()
        measured = self.learn(games)
        self.games_seen += len(games.shots)
        self.states_seen += int(games.shots.sum())
        shots = self.end_step()
        return {
            "loss": measured.pop("loss"),
            "shots": shots,
            "sampled": float(games.shots.mean()),
            **measured,
            "rate": rate,
            "games": self.games_seen,
            "states": self.states_seen,
        }

    def state(self) -> TrainerState:
        state = super().state()
        state.values |= {"games": self.games_seen, "states": self.states_seen}
        save_generator(state, "generator", self.generator)
        return state

    def restore(self, state: TrainerState) -> None:
        super().restore(state)
        self.games_seen, self.states_seen = state.values["games"], state.values["states"]
        load_generator(state, "generator", self.generator)
