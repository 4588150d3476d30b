"""Training `policy-gradient-deep`: an actor and a critic on one residual network, by PPO.

L ends with the wish for a learnt estimate instead of a designed reward. Here the critic
estimates the value of each position, and a shot is credited with how much better it went
than that (generalised advantage estimation, Schulman et al. 2016). The same games are
learnt from several times, as long as the probability of a shot stays close to what it was
when it was fired (PPO, Schulman et al. 2017): here games are more costly than gradients.

The reward of a shot is L's: 1 for a hit and -1 for a miss, minus the expected reward of a
random shot. Later rewards are discounted, more at the beginning of the training, when they
are mostly noise, than at the end, when only the length of the whole game is left to improve.

The network is the tower of `cnn-deep` with fewer blocks, trained on these rewards alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from ...compiled.board_tables import Floats
from ...errors import TrainingError
from ..encoding import plane_count
from ..encoding_kernels import Planes
from .gradient_trainer import BatchSize, Clip, Every, Rate, WatchedGames
from .networks import channels_last, residual_tower
from .policy_episodes import Episodes
from .policy_trainer import GamesPerStep, PolicyTrainer, log_probabilities, sample
from .trainer import register_trainer

NEAR = 0.2
"""how far the probability of a shot may move, as a ratio, before it is clipped"""
TRACE = 0.95
"""lambda of generalised advantage estimation"""
CRITIC_SHARE = 0.1
"""weight of the critic's error in the loss"""


class ActorCritic(nn.Module):
    """A tower with two outputs: a value per cell, and the value of the position."""

    def __init__(self, planes: int, channels: int, blocks: int) -> None:
        super().__init__()
        tower = residual_tower(planes, channels, blocks)
        self.trunk, self.actor = tower[:-2], tower[-2:]
        self.critic = nn.Linear(channels, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.trunk(planes)
        return self.actor(seen), self.critic(seen.mean(dim=(2, 3)))[:, 0]


def advantages(
    rewards: Floats, values: Floats, going: npt.NDArray[np.bool_], discount: float, trace: float
) -> Floats:
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
@dataclass(kw_only=True, eq=False)
class PpoTrainer(PolicyTrainer[ActorCritic]):
    channels: Annotated[int, "filters of each convolution"] = 32
    blocks: Annotated[int, "residual blocks"] = 2
    games: GamesPerStep = 128
    epochs: Annotated[int, "times that the games of a step are learnt from"] = 3
    batch: BatchSize = 512
    rate: Rate = 0.001
    discount: Annotated[float, "of later rewards, at the beginning"] = 0.5
    last_discount: Annotated[float, "of later rewards, at the end"] = 0.7
    entropy: Annotated[float, "weight of the entropy bonus"] = 0.01
    clip: Clip = 1.0
    watched: WatchedGames = 300
    every: Every = 10

    player: ClassVar[str] = "policy-gradient-deep"
    form: ClassVar[str] = "planes"
    may_be_zero: ClassVar[tuple[str, ...]] = ("blocks",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._values: list[npt.NDArray[np.float32]] = []
        self._logs: list[torch.Tensor] = []

    def check(self) -> None:
        super().check()
        for name, discount in (("discount", self.discount), ("last_discount", self.last_discount)):
            if not 0 <= discount <= 1:
                raise TrainingError(f"{name} must be 0 to 1, not {discount}.")

    def make_network(self) -> ActorCritic:
        return channels_last(ActorCritic(plane_count(self.rules), self.channels, self.blocks))

    @property
    def played_network(self) -> nn.Module:
        """The actor; the critic is for training alone."""
        return nn.Sequential(self.net.trunk, self.net.actor)

    @property
    def architecture(self) -> str:
        return (
            f"{plane_count(self.rules)} planes, a tower of {self.blocks} residual blocks of "
            f"{self.channels} channels, every other one with the mean of the board; a value per "
            "cell"
        )

    def _see(self, planes: Planes) -> torch.Tensor:
        seen = torch.from_numpy(planes).to(torch.float32)
        return seen.contiguous(memory_format=torch.channels_last)

    def choose(self, planes: Planes, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            outputs, values = self.net(self._see(planes))
            cells = sample(outputs, torch.from_numpy(allowed), self.generator)
            logs = log_probabilities(outputs, torch.from_numpy(allowed))
            self._logs.append(logs.gather(1, torch.from_numpy(cells)[:, None])[:, 0])
            self._values.append(values.numpy())
            return cells

    def learn(self, games: Episodes) -> dict[str, float]:
        """Means over all minibatches: the loss, the critic's squared error, the entropy."""
        change = self.last_discount - self.discount
        discount = self.discount + change * self.steps_done / max(1, self.setup.steps - 1)
        going = games.going
        values = np.zeros(going.shape)
        # Chosen shot by shot, for the games that went on: in the order of `going`.
        values[going] = np.concatenate(self._values)
        before = torch.cat(self._logs)
        self._values, self._logs = [], []
        better = advantages(games.rewards, values, going, discount, TRACE)
        returns = torch.from_numpy((better + values)[going]).float()
        credit = torch.from_numpy(better[going]).float()
        credit = (credit - credit.mean()) / (credit.std() + 1e-6)
        planes, cells = games.planes[going], torch.from_numpy(games.cells[going])[:, None]
        allowed = torch.from_numpy(games.allowed[going])
        totals, minibatches = np.zeros(3), 0
        for _ in range(self.epochs):
            order = torch.randperm(len(cells), generator=self.generator)
            for rows in torch.split(order, self.batch):
                outputs, estimates = self.net(self._see(planes[rows.numpy()]))
                logs = log_probabilities(outputs, allowed[rows])
                ratio = (logs.gather(1, cells[rows])[:, 0] - before[rows]).exp()
                clipped = ratio.clamp(1 - NEAR, 1 + NEAR)
                actor = -torch.minimum(ratio * credit[rows], clipped * credit[rows]).mean()
                critic = (estimates - returns[rows]).square().mean()
                # 0 log 0 is 0 where a cell may not be shot at.
                finite = logs.masked_fill(~allowed[rows], 0.0)
                entropy = -(logs.exp() * finite).sum(dim=1).mean()
                loss = actor + CRITIC_SHARE * critic - self.entropy * entropy
                self.descend(loss)
                totals += [float(each.detach()) for each in (loss, critic, entropy)]
                minibatches += 1
        names = ("loss", "critic", "entropy")
        return dict(zip(names, (totals / minibatches).tolist(), strict=True))
