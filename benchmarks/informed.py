"""What the placer `equilibrium` is sure of: shots of a shooter who knows its weights.

`python -m benchmarks.informed --rules classic --games 500` makes the figures of
docs/equilibrium.md: the shipped styles times each scale, of which 0 is uniform. Without arguments,
this is a short run.
"""

from __future__ import annotations

import argparse

import numpy as np

from seabattle import Rules
from seabattle.equilibrium.large_boards import WeightsShooter
from seabattle.equilibrium.shipped import shipped_mixture
from seabattle.equilibrium.weighted_placing import draw_mixture
from seabattle.experiment.statistics import half_width, mean_interval

SCALES = (0.0, 0.5, 1.0)


def main(board: str = "classic", games: int = 20, scales: tuple[float, ...] = SCALES) -> None:
    rules = Rules.of(board)
    styles, shares = shipped_mixture(board, rules)
    for scale in scales:
        rng = np.random.default_rng([9, 2])
        hidden = draw_mixture(rules, scale * styles, shares, rng, games)
        shots = WeightsShooter.of(rules, scale * styles, shares).play(hidden)
        half = half_width(mean_interval(shots))
        print(f"   {board}, scale {scale:<5g}{shots.mean():7.2f} ± {half:.2f} shots", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="classic")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--scale", type=float, action="append", default=[])
    given = parser.parse_args()
    main(given.rules, given.games, tuple(given.scale) or SCALES)
