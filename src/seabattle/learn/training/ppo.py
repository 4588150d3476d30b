"""Training `policy-gradient-deep`: an actor and a critic on one residual network, by PPO.

L ends with the wish for a learnt estimate in the place of a designed reward. Here the
critic says of each position what the rewards to come are worth, and a shot is credited
with how much better it went than that (generalised advantage estimation, Schulman et al.
2016). The same games are learnt from a few times over, as long as the probability of a
shot stays near what it was when it was fired (PPO, Schulman et al. 2017): a sample is
worth more here than the arithmetic.

The reward of a shot is L's: 1 for a hit and -1 for a miss, less what a random shot would
earn. Later rewards are discounted, more at the beginning, when they are mostly noise,
than at the end, when the length of the whole game is what is left to improve.

The network is the tower of `cnn-deep`, smaller, which sees all parts of the board alike;
it is taught by these rewards alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ...envs.vector import BattleshipVectorEnv
from ...errors import TrainingError
from ..onnx_model import FORMS
from .episodes import Episodes, Numbers, Planes, play_episodes
from .gradient_trainer import GradientTrainer, weights_of
from .networks import residual_tower
from .reinforce import Practice, log_chances, sample
from .trainer import Setup, State, register_trainer

NEAR = 0.2
"""how far the probability of a shot may move, as a ratio, before it no longer counts"""
TRACE = 0.95
"""lambda of generalised advantage estimation"""
CRITIC_SHARE = 0.1
"""of the critic's error in the loss"""


class ActorCritic(nn.Module):
    """A tower with a value per cell, and one value of the position on top of it."""

    def __init__(self, planes: int, channels: int, blocks: int) -> None:
        super().__init__()
        tower = residual_tower(planes, channels, blocks)
        self.trunk, self.actor = tower[:-2], tower[-2:]
        self.critic = nn.Linear(channels, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.trunk(planes)
        return self.actor(seen), self.critic(seen.mean(dim=(2, 3)))[:, 0]


def advantages(
    rewards: Numbers, values: Numbers, going: npt.NDArray[np.bool_], discount: float, trace: float
) -> Numbers:
    """(longest, games) how much better each shot went than the critic expected: the sum from
    t' = t on of (discount · trace)^(t' - t) (r_t' + discount · V_(t'+1) - V_t')."""
    better = np.zeros_like(rewards)
    later = np.zeros(rewards.shape[1])
    following = np.zeros(rewards.shape[1])
    for shot in range(len(rewards) - 1, -1, -1):
        surprise = rewards[shot] + discount * following - values[shot]
        later = np.where(going[shot], surprise + discount * trace * later, 0.0)
        following = np.where(going[shot], values[shot], 0.0)
        better[shot] = later
    return better


@register_trainer("policy-gradient-deep", steps=160, rules="blind")
class PpoTrainer:
    form = "planes"

    def __init__(
        self,
        setup: Setup,
        *,
        channels: Annotated[int, "of the network"] = 32,
        blocks: Annotated[int, "residual blocks of the network"] = 2,
        games: Annotated[int, "games a step"] = 128,
        epochs: Annotated[int, "times that the games of a step are learnt from"] = 3,
        batch: Annotated[int, "positions in a minibatch"] = 512,
        rate: Annotated[float, "highest learning rate"] = 0.001,
        discount: Annotated[float, "of later rewards, at the beginning"] = 0.5,
        last_discount: Annotated[float, "of later rewards, at the end"] = 0.7,
        entropy: Annotated[float, "worth of being undecided"] = 0.01,
        clip: Annotated[float, "largest norm of a gradient"] = 1.0,
        watched: Annotated[int, "games of a look at the mean shots"] = 300,
        every: Annotated[int, "steps between looks"] = 10,
    ) -> None:
        if min(channels, games, epochs, batch, watched, every) < 1 or blocks < 0:
            raise TrainingError("channels, games, epochs, batch, watched and every are 1 or more.")
        if not 0 <= min(discount, last_discount) <= max(discount, last_discount) <= 1:
            raise TrainingError("A discount is 0 to 1.")
        self._setup, self._rules = setup, setup.rules
        self._epochs, self._batch = epochs, batch
        self._discounts, self._entropy = (discount, last_discount), entropy
        torch.set_num_threads(setup.threads)
        planes, *_ = FORMS[self.form].shape(setup.rules)
        with weights_of(setup):
            net = ActorCritic(planes, channels, blocks)
        self._net: ActorCritic = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self._learner = GradientTrainer(
            "policy-gradient-deep",
            self.form,
            setup,
            self._net,
            rate=rate,
            watched=watched,
            every=every,
            clip=clip,
            played=nn.Sequential(self._net.trunk, self._net.actor),
        )
        self._practice = Practice(setup)
        self._env = BattleshipVectorEnv(
            games, setup.rules, reward="advantage", threads=1, copy=False
        )
        self._worths: list[npt.NDArray[np.float32]] = []
        self._chances: list[torch.Tensor] = []
        self.architecture = (
            f"{planes} planes, a tower of {blocks} residual blocks of {channels} channels, every "
            "other one with the mean of the board; a value per cell"
        )

    def step(self) -> Mapping[str, float]:
        self._worths, self._chances = [], []
        layouts = self._practice.layouts(self._learner.step)
        games = play_episodes(self._env, layouts, self._choose)
        rate = self._learner.begin_step()
        loss, critic, entropy = self._learn(games)
        self._practice.count(games)
        shots = self._learner.end_step()
        return {
            "loss": loss,
            "shots": shots,
            "sampled": float(games.shots.mean()),
            "critic": critic,
            "entropy": entropy,
            "rate": rate,
            "games": self._practice.games,
            "states": self._practice.states,
        }

    def _see(self, planes: Planes) -> torch.Tensor:
        seen = torch.from_numpy(planes).to(torch.float32)
        return seen.contiguous(memory_format=torch.channels_last)

    def _choose(self, planes: Planes, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            values, worth = self._net(self._see(planes))
            cells = sample(values, torch.from_numpy(allowed), self._practice.generator)
            chances = log_chances(values, torch.from_numpy(allowed))
            self._chances.append(chances.gather(1, torch.from_numpy(cells)[:, None])[:, 0])
            self._worths.append(worth.numpy())
            return cells

    def _learn(self, games: Episodes) -> tuple[float, float, float]:
        """Means over all minibatches: the loss, the critic's squared error, the entropy."""
        first, last = self._discounts
        discount = first + (last - first) * self._learner.step / max(1, self._setup.steps - 1)
        going = games.going
        worths = np.zeros(going.shape)
        worths[going] = np.concatenate(self._worths)
        better = advantages(games.rewards, worths, going, discount, TRACE)
        returns = torch.from_numpy((better + worths)[going]).float()
        credit = torch.from_numpy(better[going]).float()
        credit = (credit - credit.mean()) / (credit.std() + 1e-6)
        planes, cells = games.planes[going], torch.from_numpy(games.cells[going])[:, None]
        allowed = torch.from_numpy(games.allowed[going])
        # Chosen shot by shot, for the games that went on: in the order of `going`.
        before = torch.cat(self._chances)
        totals, rounds = np.zeros(3), 0
        for _ in range(self._epochs):
            order = torch.randperm(len(cells), generator=self._practice.generator)
            for rows in torch.split(order, self._batch):
                values, worth = self._net(self._see(planes[rows.numpy()]))
                chances = log_chances(values, allowed[rows])
                ratio = (chances.gather(1, cells[rows])[:, 0] - before[rows]).exp()
                kept = ratio.clamp(1 - NEAR, 1 + NEAR)
                actor = -torch.minimum(ratio * credit[rows], kept * credit[rows]).mean()
                critic = (worth - returns[rows]).square().mean()
                # 0 log 0 is 0 where a cell may not be shot at.
                finite = chances.masked_fill(~allowed[rows], 0.0)
                entropy = -(chances.exp() * finite).sum(dim=1).mean()
                loss = actor + CRITIC_SHARE * critic - self._entropy * entropy
                self._learner.descend(loss)
                totals += [float(each.detach()) for each in (loss, critic, entropy)]
                rounds += 1
        loss_mean, critic_mean, entropy_mean = (totals / rounds).tolist()
        return loss_mean, critic_mean, entropy_mean

    def export(self) -> bytes:
        """The actor; the critic is for training alone."""
        return self._learner.export()

    def state(self) -> State:
        state = State()
        self._learner.save(state)
        self._practice.save(state)
        return state

    def restore(self, state: State) -> None:
        self._learner.load(state)
        self._practice.load(state)
