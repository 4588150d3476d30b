"""REINFORCE on the vector environment: from random shooting to a good player in a minute.

    python examples/reinforce.py [--rules mini] [--rounds 200] [--seed 1]

Every round plays 256 games at once to their ends with the policy as it is. Each shot is
then made likelier or less likely by how well its game went from there on, compared with
the other games at the same shot:

    sum over t of  log p(a_t | s_t) × (G_t - mean G_t),   G_t = r_t + 0.9 G_(t + 1)

with r = 1 for a hit and -1 for a miss. A random shooter needs 21.67 shots on `mini`; the
best player here about 11.2.
"""

from __future__ import annotations

import argparse

import torch
from torch import nn
from torch.distributions import Categorical

from seabattle.envs import BattleshipVectorEnv

GAMES, DISCOUNT, CURIOSITY = 256, 0.9, 0.01


class Policy(nn.Module):
    """Planes in, a score for every cell out; the same weights look at every cell."""

    def __init__(self, planes: int, width: int = 32) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(planes, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 1, 3, padding=1),
            nn.Flatten(),
        )

    def forward(self, planes: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """The chances of the cells that may be shot at."""
        scores = self.layers(planes.float()).masked_fill(~mask, -1e9)
        return Categorical(logits=scores, validate_args=False)


def play(env: BattleshipVectorEnv, policy: Policy) -> tuple[torch.Tensor, ...]:
    """Games from start to end: log p, entropy and reward of each shot, and whether it was
    fired, all (steps, games); a game that ends before the others fires no more."""
    planes, info = env.reset()
    playing = torch.ones(env.num_envs, dtype=torch.bool)
    steps = []
    while playing.any():
        choice = policy(torch.from_numpy(planes), torch.from_numpy(info["action_mask"]))
        cells = choice.sample()
        planes, rewards, ended, _, info = env.step(cells.numpy())
        earned = torch.from_numpy(rewards).float() * playing
        steps.append((choice.log_prob(cells), choice.entropy(), earned, playing))
        playing = playing & ~torch.from_numpy(ended)
    return tuple(torch.stack(each) for each in zip(*steps, strict=True))


def train(rules: str, rounds: int, seed: int) -> list[float]:
    """The mean number of shots of each round."""
    torch.manual_seed(seed)
    env = BattleshipVectorEnv(GAMES, rules, reward="hits")
    env.reset(seed=seed)
    policy = Policy(len(env.rules.fleet) + 3)
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    history: list[float] = []
    for number in range(1, rounds + 1):
        chances, entropies, rewards, fired = play(env, policy)
        worth = rewards.clone()
        for t in reversed(range(len(worth) - 1)):
            worth[t] += DISCOUNT * worth[t + 1]
        usual = worth.sum(1, keepdim=True) / fired.sum(1, keepdim=True)
        better = (worth - usual) * fired
        gain = chances * better / better.std() + CURIOSITY * entropies * fired
        optimizer.zero_grad()
        (-gain.sum() / fired.sum()).backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        history.append(float(fired.sum(0).float().mean()))
        if number % 10 == 0:
            print(f"round {number:4}: {sum(history[-10:]) / 10:6.2f} shots a game", flush=True)
    return history


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="mini")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    train(**vars(parser.parse_args()))
