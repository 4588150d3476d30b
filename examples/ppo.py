"""MaskablePPO of sb3-contrib on the registered environment.

    python examples/ppo.py [--rules mini] [--steps 100000] [--seed 1]

The environment has `action_masks()`, which is all that MaskablePPO needs to choose only
cells that were not yet shot at.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO

ID = "seabattle.envs:seabattle/Battleship-v0"


def train(rules: str, steps: int, seed: int) -> MaskablePPO:
    env = gymnasium.make(ID, rules=rules, reward="hits")
    model = MaskablePPO("MlpPolicy", env, gamma=0.9, n_steps=1024, batch_size=256, seed=seed)
    return model.learn(steps)


def mean_shots(model: MaskablePPO, rules: str, games: int, seed: int) -> float:
    """The mean shots of the policy if it always takes its best cell."""
    env = gymnasium.make(ID, rules=rules)
    shots = []
    planes, info = env.reset(seed=seed)
    while len(shots) < games:
        cell, _ = model.predict(planes, action_masks=info["action_mask"], deterministic=True)
        planes, _, over, _, info = env.step(cell)
        if over:
            shots.append(info["shots"])
            planes, info = env.reset()
    return float(np.mean(shots))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="mini")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    trained = train(**vars(asked))
    print(f"{mean_shots(trained, asked.rules, 500, asked.seed):.2f} shots per game")
