"""Training `policy-gradient` (L): REINFORCE, with L's rewards to choose from.

Each step plays some games, drawing every shot from the network's own distribution, and
then takes one step up the gradient

    sum over games i and shots t of   grad log p(a_it | s_it) · R_it

R is what a shot is credited with. With r = 1 for a hit and -1 for a miss, T the last
shot, g the discount, and E(r) = 2 (ship cells not hit) / (cells not shot at) - 1 what a
random shot would earn in that position, L tried

    raw          sum of all r
    to-go        sum of r from t on
    baseline     sum of all r, less the expected sum of a random shooter
    baseline-2   the same, less that of the probabilistic player (`density`)
    advantage    sum from t' = t on of g^(t' - t) (r_t' - E(r_t')), with g = 1 or 0.99

of which none worked, and `advantage` with g = 0.5, which did.

The network is L's: one convolution of 32 filters and one layer with an output per cell,
on a board of 0, -1 and 1. Cells shot at get no probability, so no shot ever has the
probability 0 that broke L's training. As in L the gradient is clipped. What L leaves
open: the size of the filters, Adam, the rate and how many games a step has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ...envs.vector import BattleshipVectorEnv
from ...errors import TrainingError
from ...experiment.play import play_batch
from ...players import make_player
from ...rules import Rules
from .episodes import Episodes, Numbers, Planes, play_episodes, signs, sums_to_go
from .gradient_trainer import GradientTrainer, weights_of
from .practice_games import CHANCE, LAYOUTS, WATCH, seed_for
from .torch_state import load_generator, save_generator, seeded
from .trainer import Setup, State, register_trainer

Reward = Literal["raw", "to-go", "baseline", "baseline-2", "advantage"]

BASELINE_GAMES = 2000
"""of `density`, for what it earns on average"""

LARGEST_MINIBATCH = 4096
"""Positions that go through the network at once; more would only take more memory."""


def one_convolution(rules: Rules, width: int) -> nn.Sequential:
    """L's network: 32 filters of `width` × `width` cells, then an output per cell."""
    return nn.Sequential(
        nn.Conv2d(1, 32, width, padding=width // 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * rules.cells, rules.cells),
    )


def expected_sum(rules: Rules, shots: float) -> float:
    """The sum of r of a player that takes so many shots on average."""
    return 2 * rules.ship_cells - shots


def random_shots(rules: Rules) -> float:
    """The mean shots of a random shooter."""
    hits = rules.ship_cells
    return hits * (rules.cells + 1) / (hits + 1)


def credits(games: Episodes, reward: Reward, discount: float, expected: float) -> Numbers:
    """(longest, games) what each shot is credited with, as the head of this module says.

    The rewards of `games` are r, or r - E(r) for `advantage`.
    """
    if reward == "advantage":
        return sums_to_go(games.rewards, discount)
    if reward == "to-go":
        return sums_to_go(games.rewards, 1.0)
    whole = games.rewards.sum(axis=0) - (0.0 if reward == "raw" else expected)
    return np.broadcast_to(whole, games.rewards.shape)


def log_chances(values: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    """The logarithm of the probability of every cell; -inf where it may not be shot at."""
    return torch.log_softmax(values.masked_fill(~allowed, -torch.inf), dim=1)


def sample(
    values: torch.Tensor, allowed: torch.Tensor, generator: torch.Generator
) -> npt.NDArray[np.int64]:
    """A cell for each row, drawn from the softmax over the allowed ones.

    The smallest of exponential waiting times with rates p falls on a cell with chance p.
    """
    chances = log_chances(values, allowed).exp()
    waiting = torch.empty_like(chances).exponential_(generator=generator)
    cells: npt.NDArray[np.int64] = (chances / waiting).masked_fill(~allowed, -1.0).argmax(1).numpy()
    return cells


class Practice:
    """The games that a policy under training plays: their layouts, its chance, their number."""

    def __init__(self, setup: Setup) -> None:
        self._seed = seed_for(setup.seed, LAYOUTS)
        self.generator = seeded(seed_for(setup.seed, CHANCE))
        self.games = self.states = 0

    def layouts(self, step: int) -> int:
        """The seed of a step's layouts."""
        return (self._seed + step) % 2**63

    def count(self, games: Episodes) -> None:
        self.games += len(games.shots)
        self.states += int(games.shots.sum())

    def save(self, state: State) -> None:
        state.values["games"], state.values["states"] = self.games, self.states
        save_generator(state, "generator", self.generator)

    def load(self, state: State) -> None:
        self.games, self.states = state.values["games"], state.values["states"]
        load_generator(state, "generator", self.generator)


@register_trainer("policy-gradient", steps=3000, rules="blind")
class ReinforceTrainer:
    form = "signs"

    def __init__(
        self,
        setup: Setup,
        *,
        reward: Annotated[Reward, "what a shot is credited with"] = "advantage",
        discount: Annotated[float, "of later rewards, for advantage"] = 0.5,
        width: Annotated[int, "cells across a filter"] = 3,
        games: Annotated[int, "games a step"] = 16,
        rate: Annotated[float, "highest learning rate"] = 0.004,
        clip: Annotated[float, "largest norm of a gradient"] = 1.0,
        watched: Annotated[int, "games of a look at the mean shots"] = 500,
        every: Annotated[int, "steps between looks"] = 50,
    ) -> None:
        if width < 1 or width % 2 == 0:
            raise TrainingError(f"width is an odd number of cells, not {width}.")
        if min(games, watched, every) < 1:
            raise TrainingError("games, watched and every are 1 or more.")
        if not 0 <= discount <= 1:
            raise TrainingError(f"discount is 0 to 1, not {discount}.")
        self._setup, self._rules = setup, setup.rules
        self._reward: Reward = reward
        self._discount = discount
        torch.set_num_threads(setup.threads)
        with weights_of(setup):
            self._net = one_convolution(setup.rules, width)
        self._learner = GradientTrainer(
            "policy-gradient",
            self.form,
            setup,
            self._net,
            rate=rate,
            watched=watched,
            every=every,
            clip=clip,
        )
        self._practice = Practice(setup)
        self._env = BattleshipVectorEnv(
            games,
            setup.rules,
            reward="advantage" if reward == "advantage" else "hits",
            threads=1,
            copy=False,
        )
        self._expected = self._expected_sum()
        self.architecture = (
            f"a convolution of 32 filters of {width}x{width}, ReLU, then a linear layer from "
            f"{32 * setup.rules.cells} to {setup.rules.cells}"
        )

    def _expected_sum(self) -> float:
        if self._reward == "baseline":
            return expected_sum(self._rules, random_shots(self._rules))
        if self._reward == "baseline-2":
            seed = seed_for(self._setup.seed, WATCH)
            player = make_player("density")
            played = play_batch(player, self._rules, seed, range(BASELINE_GAMES))
            return expected_sum(self._rules, float(played.shots.mean()))
        return 0.0

    def step(self) -> Mapping[str, float]:
        layouts = self._practice.layouts(self._learner.step)
        games = play_episodes(self._env, layouts, self._choose)
        rate = self._learner.begin_step()
        loss = self._learn(games)
        self._practice.count(games)
        shots = self._learner.end_step()
        return {
            "loss": loss,
            "shots": shots,
            "sampled": float(games.shots.mean()),
            "rate": rate,
            "games": self._practice.games,
            "states": self._practice.states,
        }

    def _choose(self, planes: Planes, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            values = self._net(torch.from_numpy(signs(planes)))
            return sample(values, torch.from_numpy(allowed), self._practice.generator)

    def _learn(self, games: Episodes) -> float:
        going = games.going
        given = credits(games, self._reward, self._discount, self._expected)[going]
        seen, allowed, cells = games.planes[going], games.allowed[going], games.cells[going]
        self._learner.forget_gradient()
        loss = 0.0
        for start in range(0, len(cells), LARGEST_MINIBATCH):
            part = slice(start, start + LARGEST_MINIBATCH)
            values = self._net(torch.from_numpy(signs(seen[part])))
            chances = log_chances(values, torch.from_numpy(allowed[part]))
            chosen = chances.gather(1, torch.from_numpy(cells[part])[:, None])[:, 0]
            credit = torch.from_numpy(given[part]).to(torch.float32)
            share = -(chosen * credit).sum() / len(cells)
            share.backward()  # type: ignore[no-untyped-call]
            loss += float(share.detach())
        self._learner.follow_gradient()
        return loss

    def export(self) -> bytes:
        return self._learner.export()

    def state(self) -> State:
        state = State()
        self._learner.save(state)
        self._practice.save(state)
        return state

    def restore(self, state: State) -> None:
        self._learner.load(state)
        self._practice.load(state)
