"""What the placer `equilibrium` is sure of: shots of shooters who know it.

`python -m benchmarks.informed --rules classic --games 500` makes the figures of
docs/equilibrium.md: the shipped styles times each scale, of which 1 is what ships and 0 is
uniform. Without arguments, this is a short run.
"""

from __future__ import annotations

import argparse

import numpy as np

from seabattle import Rules
from seabattle.equilibrium.large_boards import (
    POOL,
    PosteriorShooter,
    WeightsShooter,
    better_style,
    difference,
    figure,
)
from seabattle.equilibrium.shipped import shipped_mixture
from seabattle.equilibrium.weighted_placing import draw_mixture

SCALES = (1.0, 0.0)


def main(board: str = "classic", games: int = 20, scales: tuple[float, ...] = SCALES) -> None:
    rules = Rules.of(board)
    shipped, shares = shipped_mixture(board, rules)
    for scale in scales:
        rng, styles = np.random.default_rng([9, 2]), scale * shipped
        hidden = draw_mixture(rules, styles, shares, rng, games)

        def show(who: str, mean: float, half: float, scale: float = scale) -> None:
            print(f"   {board}, scale {scale:<5g}{who:<26}{mean:7.2f} ± {half:.2f}", flush=True)

        show("knows the weights", *figure(WeightsShooter.of(rules, styles, shares).play(hidden)))
        sampler = PosteriorShooter(rules, draw_mixture(rules, styles, shares, rng, POOL))
        shots = sampler.play(hidden)
        show("knows a sample", *figure(shots))
        response = better_style(rules, shares @ styles, [(hidden, shots)])
        layouts = draw_mixture(rules, response[None], np.ones(1), rng, games)
        show("and a new hider gains", *difference(sampler.play(layouts), shots))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="classic")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--scale", type=float, action="append", default=[])
    given = parser.parse_args()
    main(given.rules, given.games, tuple(given.scale) or SCALES)
