"""The error rates and lengths of sequential tests, by simulation.

Pairs are drawn from the results of two real players, moved to a known difference: for Elo by
tilting the distribution of the five scores, for shots by shifting the differences. A hard
case has players that differ on few layouts, but then by a lot.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seabattle import Rules, compare
from seabattle.experiment.sequential import (
    SCORES,
    EloTest,
    ErrorRates,
    ShotsTest,
    decide,
    score_of,
    tilts,
)
from seabattle.experiment.sequential_test import pair_scores

RULES = Rules()
LARGEST = RULES.cells - RULES.ship_cells
RARE_DIFFERENCE = 20
"""shots, in the hard case"""

Draw = Callable[[np.random.Generator, int], npt.NDArray[Any]]
"""results of so many pairs"""
Ratios = Callable[[npt.NDArray[Any]], npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Measured:
    """What happened in many tests with the same true difference."""

    accepted_h1: float
    """the share of tests that accepted H1"""
    mean_pairs: float


def simulate(
    ratios: Ratios, errors: ErrorRates, draw: Draw, portion: int, tests: int, seed: int
) -> Measured:
    """Run tests on drawn results, looking after every pair until each is decided."""
    rng = np.random.default_rng(seed)
    accepted, pairs = 0, 0
    for _ in range(tests):
        results = draw(rng, portion)
        while True:
            stop, verdict = decide(ratios(results), errors)
            if stop is not None:
                break
            results = np.concatenate([results, draw(rng, results.size)])
        accepted += verdict == "H1"
        pairs += stop
    return Measured(accepted / tests, pairs / tests)


def real_shots(games: int = 20_000) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The shots of two players of similar strength on the same layouts."""
    result = compare(["density", "greedy"], RULES, games=games, seed=1, layout_set="train")
    one, other = (np.array(player.shots, dtype=np.int32) for player in result.players)
    return one, other


def drawn_scores(elo: float, scores: npt.NDArray[np.int64]) -> tuple[Draw, float]:
    """Draw pairs whose expected score is that of `elo`; also returns the variance of a pair."""
    shares = np.bincount(scores, minlength=5) / scores.size
    distance = SCORES - score_of(elo)
    moved = shares / (1 + tilts(shares[None], distance) * distance)
    moved /= moved.sum()
    assert abs(moved @ SCORES - score_of(elo)) < 1e-9
    return (
        lambda rng, pairs: rng.choice(5, size=pairs, p=moved),
        float(moved @ distance**2),
    )


def drawn_differences(mean: float, differences: npt.NDArray[np.int64]) -> Draw:
    """Draw differences with this mean and the spread and shape of real ones."""
    centred = differences - differences.mean() + mean
    return lambda rng, pairs: rng.choice(centred, size=pairs)


def rare_differences(mean: float, better_by: float) -> Draw:
    """Draw differences that are 0 on most layouts and `RARE_DIFFERENCE` on a few; with the mean
    0, half of these favour the other player."""
    chance = better_by / RARE_DIFFERENCE
    favourable = (1 + mean / better_by) / 2

    def draw(rng: np.random.Generator, pairs: int) -> npt.NDArray[Any]:
        differs, signs = rng.random(pairs) < chance, rng.random(pairs) < favourable
        return np.where(differs, np.where(signs, RARE_DIFFERENCE, -RARE_DIFFERENCE), 0)

    return draw


def fixed_size(errors: ErrorRates, distance: float, variance: float) -> float:
    """The pairs of a test of fixed size with the same error rates."""
    return (errors.spreads / distance) ** 2 * variance


def main() -> None:
    tests = int(sys.argv[1]) if sys.argv[1:2] and sys.argv[1].isdigit() else 500
    errors = ErrorRates(0.05, 0.05)
    one, other = real_shots()
    scores = pair_scores(one, other, RULES)
    elo = EloTest(0, 5, errors)
    distance = score_of(elo.elo1) - score_of(elo.elo0)
    print(f"{tests:,} tests per row, alpha = beta = 0.05; pairs from density and greedy on classic")
    print(
        f"{'test':<22} {'true difference':>16} {'H1 accepted':>12} {'pairs':>9} {'fixed size':>11}"
    )
    for truth in (-5.0, 0.0, 2.5, 5.0, 10.0):
        draw, variance = drawn_scores(truth, scores)
        fixed = fixed_size(errors, distance, variance)
        found = simulate(elo.ratios, errors, draw, int(fixed / 2), tests, seed=1)
        _row("0 against 5 Elo", f"{truth:g} Elo", found, fixed)
    differences = other.astype(np.int64) - one
    for better_by in (0.5, 0.1):
        shots = ShotsTest(better_by, errors)
        fixed = fixed_size(errors, better_by, float(differences.var()))
        for share in (-1.0, 0.0, 0.5, 1.0, 2.0) if better_by == 0.5 else (0.0, 1.0):
            draw = drawn_differences(share * better_by, differences)
            found = simulate(
                lambda values, test=shots: test.ratios(values, LARGEST),
                *(errors, draw, int(fixed / 2), tests, 1),
            )
            _row(f"0 against {better_by:g} shots", f"{share * better_by:g} shots", found, fixed)
    shots = ShotsTest(0.1, errors)
    for mean in (0.0, 0.1):
        draw = rare_differences(mean, 0.1)
        fixed = fixed_size(errors, 0.1, 0.1 * RARE_DIFFERENCE - mean**2)
        found = simulate(
            lambda values: shots.ratios(values, LARGEST), errors, draw, int(fixed / 2), tests, 1
        )
        _row("the same, hard case", f"{mean:g} shots", found, fixed)


def _row(test: str, truth: str, found: Measured, fixed: float) -> None:
    print(
        f"{test:<22} {truth:>16} {found.accepted_h1:>12.3f} {found.mean_pairs:>9,.0f} "
        f"{fixed:>11,.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
