"""Behaviour cloning: learn from an exported data set to shoot as its player does.

    seabattle dataset export seabattle/mini-exact-v0 --rules mini --games 500 --set train
    python examples/behaviour_cloning.py seabattle/mini-exact-v0

A small network learns to predict the player's next cell from the planes of the position, by
maximum likelihood. It then plays in the environment that the data set came from.
"""

from __future__ import annotations

import sys

import gymnasium
import minari
import numpy as np
import torch
from torch import nn

from seabattle import Rules

EPOCHS = 30
BATCH = 256


def positions(dataset: minari.MinariDataset) -> tuple[torch.Tensor, torch.Tensor]:
    """(shots, planes * cells) what was known before each shot, and (shots,) the cell."""
    planes, cells = [], []
    for episode in dataset:
        planes.append(episode.observations[:-1].reshape(len(episode), -1))
        cells.append(episode.actions)
    return (
        torch.from_numpy(np.concatenate(planes)).float(),
        torch.from_numpy(np.concatenate(cells)).long(),
    )


def train(dataset: minari.MinariDataset, seed: int = 0, epochs: int = EPOCHS) -> nn.Module:
    """A network that gives each cell a score."""
    torch.manual_seed(seed)
    known, cells = positions(dataset)
    network = nn.Sequential(
        nn.Linear(known.shape[1], 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
        nn.Linear(256, int(dataset.action_space.n)),
    )  # fmt: skip
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(cells)).split(BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(known[rows]), cells[rows]).backward()
            optimizer.step()
    return network


@torch.no_grad()
def mean_shots(network: nn.Module, env: gymnasium.Env, games: int, seed: int) -> float:
    """How many shots the network needs, choosing its best cell among the legal ones."""
    total = 0
    for game in range(games):
        planes, info = env.reset(seed=seed if game == 0 else None)
        over = False
        while not over:
            scores = network(torch.from_numpy(planes.reshape(1, -1)).float())[0].numpy()
            cell = int(np.where(info["action_mask"], scores, -np.inf).argmax())
            planes, _, over, _, info = env.step(cell)
        total += info["shots"]
    return total / games


def main(name: str) -> None:
    torch.set_num_threads(1)  # the network is too small for more
    dataset = minari.load_dataset(name)
    about = dataset.storage.metadata["seabattle"]
    rules = Rules.from_text(about["rules"])
    lengths = [len(episode) for episode in dataset]
    chance = rules.ship_cells * (rules.cells + 1) / (rules.ship_cells + 1)
    network = train(dataset)
    shots = mean_shots(network, dataset.recover_environment(), games=1000, seed=1)
    print(f"{about['source']}, from whom it learned: {np.mean(lengths):.2f} shots")
    print(f"the network: {shots:.2f} shots over 1,000 games")
    print(f"random shots: {chance:.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
