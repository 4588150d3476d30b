"""Training `policy-gradient` (L): REINFORCE, with a choice of L's rewards.

Each step plays some games, drawing every shot from the network's own distribution, and
then takes one step along the gradient

    sum over games i and shots t of   grad log p(a_it | s_it) · R_it

R is the credit of a shot. With r = 1 for a hit and -1 for a miss, T the last shot, g the
discount, and E(r) = 2 (ship cells not hit) / (cells not shot at) - 1 the expected reward of
a random shot in that position, L tried

    raw          sum of all r
    to-go        sum of r from t on
    baseline     sum of all r, minus the expected sum of a random shooter
    baseline-2   the same, minus that of the probabilistic player (`density`)
    advantage    sum from t' = t on of g^(t' - t) (r_t' - E(r_t')), with g = 1 or 0.99
    policy-advantage   the same, with E(r) of the current policy instead of a random shot,
                 estimated by Monte Carlo: the mean reward of `draws` shots that the policy
                 draws in the same position of the same game

None of these worked, but `advantage` with g = 0.5 did.

The network is L's: one convolution of 32 filters and a linear layer with an output per
cell, on a board of 0, -1 and 1. Cells already shot at have probability 0 by construction,
so no shot that is fired ever has the probability 0 that broke L's training. As in L, the
gradient is clipped. L does not specify the size of the filters, the optimizer, the learning
rate or the number of games per step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ...compiled.board_tables import Floats
from ...errors import TrainingError
from ...experiment.play import play_batch
from ...players import make_player
from ...rules import Rules
from ..encoding_kernels import Planes
from .gradient_trainer import Clip, Every, Rate, WatchedGames, Width, check_width
from .policy_episodes import Episodes, signs, sums_to_go
from .policy_trainer import GamesPerStep, PolicyTrainer, log_probabilities, sample
from .practice_games import EVALUATION, seed_for
from .trainer import register_trainer

Reward = Literal["raw", "to-go", "baseline", "baseline-2", "advantage", "policy-advantage"]

BASELINE_GAMES = 2000
"""Games of `density` to measure its expected sum."""

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
    """The expected sum of r of a player with this mean number of shots."""
    return 2 * rules.ship_cells - shots


def random_shots(rules: Rules) -> float:
    """The mean shots of a random shooter."""
    hits = rules.ship_cells
    return hits * (rules.cells + 1) / (hits + 1)


def credits(games: Episodes, reward: Reward, discount: float, expected: float) -> Floats:
    """(longest, games) the credit R of each shot, as defined at the top of this module.

    The rewards of `games` are r, or r - E(r) for `advantage` and `policy-advantage`.
    """
    if reward in ("advantage", "policy-advantage"):
        return sums_to_go(games.rewards, discount)
    if reward == "to-go":
        return sums_to_go(games.rewards, 1.0)
    whole = games.rewards.sum(axis=0) - (0.0 if reward == "raw" else expected)
    return np.broadcast_to(whole, games.rewards.shape)


def ship_cells(games: Episodes) -> npt.NDArray[np.bool_]:
    """(games, cells) where the ships lay: a finished game has hit all of their cells. The rewards
    of `games` are r."""
    lying = np.zeros(games.allowed.shape[1:], dtype=np.bool_)
    hit = games.going & (games.rewards > 0)
    _, places = np.nonzero(hit)
    lying[places, games.cells[hit]] = True
    return lying


@register_trainer("policy-gradient", steps=3000, rules="blind")
@dataclass(kw_only=True, eq=False)
class ReinforceTrainer(PolicyTrainer[nn.Sequential]):
    reward: Annotated[Reward, "the credit of a shot"] = "advantage"
    discount: Annotated[float, "of later rewards, for advantages"] = 0.5
    draws: Annotated[int, "shots per position that estimate the policy's reward"] = 10
    width: Width = 3
    games: GamesPerStep = 16
    rate: Rate = 0.004
    clip: Clip = 1.0
    watched: WatchedGames = 500
    every: Every = 50

    player: ClassVar[str] = "policy-gradient"
    form: ClassVar[str] = "signs"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expected = self._expected_sum()

    def check(self) -> None:
        super().check()
        check_width(self.width)
        if not 0 <= self.discount <= 1:
            raise TrainingError(f"discount must be 0 to 1, not {self.discount}.")

    def make_network(self) -> nn.Sequential:
        return one_convolution(self.rules, self.width)

    @property
    def architecture(self) -> str:
        return (
            f"a convolution of 32 filters of {self.width}x{self.width}, ReLU, then a linear layer "
            f"from {32 * self.rules.cells} to {self.rules.cells}"
        )

    @property
    def env_reward(self) -> str:
        return "advantage" if self.reward == "advantage" else "hits"

    def _expected_sum(self) -> float:
        if self.reward == "baseline":
            return expected_sum(self.rules, random_shots(self.rules))
        if self.reward == "baseline-2":
            seed = seed_for(self.setup.seed, EVALUATION)
            played = play_batch(make_player("density"), self.rules, seed, range(BASELINE_GAMES))
            return expected_sum(self.rules, float(played.shots.mean()))
        return 0.0

    def choose(self, planes: Planes, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            values = self.net(torch.from_numpy(signs(planes)))
            return sample(values, torch.from_numpy(allowed), self.generator)

    def _expected_by_policy(self, games: Episodes) -> Floats:
        """(longest, games) E(r) of the current policy in each position, by Monte Carlo."""
        going, lying = games.going, ship_cells(games)
        seen, allowed = games.planes[going], games.allowed[going]
        rewards = 2.0 * lying[np.nonzero(going)[1]] - 1.0
        drawn = np.zeros(len(seen))
        with torch.no_grad():
            for start in range(0, len(seen), LARGEST_MINIBATCH):
                part = slice(start, start + LARGEST_MINIBATCH)
                values = self.net(torch.from_numpy(signs(seen[part])))
                chance = log_probabilities(values, torch.from_numpy(allowed[part])).exp()
                shots = torch.multinomial(
                    chance, self.draws, replacement=True, generator=self.generator
                )
                drawn[part] = np.take_along_axis(rewards[part], shots.numpy(), axis=1).mean(axis=1)
        expected = np.zeros(going.shape)
        expected[going] = drawn
        return expected

    def learn(self, games: Episodes) -> dict[str, float]:
        going = games.going
        if self.reward == "policy-advantage":
            games = replace(games, rewards=games.rewards - self._expected_by_policy(games))
        given = credits(games, self.reward, self.discount, self._expected)[going]
        seen, allowed, cells = games.planes[going], games.allowed[going], games.cells[going]
        self.clear_gradient()
        loss = 0.0
        for start in range(0, len(cells), LARGEST_MINIBATCH):
            part = slice(start, start + LARGEST_MINIBATCH)
            values = self.net(torch.from_numpy(signs(seen[part])))
            logs = log_probabilities(values, torch.from_numpy(allowed[part]))
            chosen = logs.gather(1, torch.from_numpy(cells[part])[:, None])[:, 0]
            credit = torch.from_numpy(given[part]).to(torch.float32)
            share = -(chosen * credit).sum() / len(cells)
            share.backward()  # type: ignore[no-untyped-call]
            loss += float(share.detach())
        self.follow_gradient()
        return {"loss": loss}
