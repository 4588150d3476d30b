"""Train `policy-gradient` with each of the rewards of document L, and plot their curves.

    python examples/policy_rewards.py [--steps 750] [--out out/policy-rewards] [--only raw]

Each training is `seabattle train policy-gradient:reward=...` in its own folder. A training
that was stopped is resumed, and one that is finished is not repeated; the plot shows all
that are there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from seabattle.learn.training.curves import read_metrics
from seabattle.learn.training.pictures import learning_curves, write_picture
from seabattle.learn.training.reinforce import random_shots
from seabattle.learn.training.training_run import train
from seabattle.rules import Rules

DESIGNS = {
    "raw": "reward=raw",
    "to-go": "reward=to-go",
    "baseline": "reward=baseline",
    "baseline-2": "reward=baseline-2",
    "advantage-1": "reward=advantage,discount=1",
    "advantage-0.99": "reward=advantage,discount=0.99",
    "policy-advantage-0.99": "reward=policy-advantage,discount=0.99",
    "advantage-0.5": "reward=advantage,discount=0.5",
}
GAMES = 16
"""per step"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="blind")
    parser.add_argument("--steps", type=int, default=750, help=f"steps of {GAMES} games")
    parser.add_argument("--out", type=Path, default=Path("out/policy-rewards"))
    parser.add_argument("--only", choices=DESIGNS, help="train only this one")
    chosen = parser.parse_args()
    rules = Rules.from_text(chosen.rules)
    for name in [chosen.only] if chosen.only else DESIGNS:
        folder = chosen.out / name
        ended = train(
            f"policy-gradient:{DESIGNS[name]},games={GAMES}",
            rules,
            seed=0,
            folder=folder,
            steps=chosen.steps,
            resume=(folder / "checkpoint.npz").exists(),
        )
        print(f"{name}: {ended.last['sampled']:.1f} shots per game in its last step", flush=True)
    curves = {
        name: read_metrics(chosen.out / name / "metrics.csv")
        for name in DESIGNS
        if (chosen.out / name / "metrics.csv").exists()
    }
    title = f"REINFORCE on {rules.to_text()}, by what a shot is credited with"
    figure = learning_curves(curves, random_shots(rules), title)
    print(write_picture(figure, chosen.out / "rewards.svg"))


if __name__ == "__main__":
    main()
