"""Ratings from two-sided games: the Bradley–Terry model with an advantage for moving first.

The probability that i beats j is

    p = 1 / (1 + exp(-(r_i - r_j ± a)))

with + if i moves first; a draw counts as half a win and half a loss. The strengths r and
the advantage a maximise the likelihood (Newton's method). Elo points are r times
400 / ln 10, centred on 1500. Every pair gets one extra drawn game, so that an entrant who
wins or loses every game has a finite rating; the effect on the others is negligible.
Intervals come from the Fisher information at the maximum. The model overestimates the
variance of games with draws, so with many draws the intervals are too wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .statistics import Interval

POINTS = 400 / math.log(10)
"""Elo points per unit of strength"""
MEAN = 1500.0
VIRTUAL_GAMES = 1.0
"""extra drawn games per pair"""


@dataclass(frozen=True)
class Meeting:
    """The games of a pair in which the same player moved first."""

    first: int
    second: int
    games: int
    score: float
    """of the first player: its wins plus half of the draws"""


@dataclass(frozen=True)
class Ratings:
    """Strengths in Elo points with 95% intervals."""

    elo: tuple[float, ...]
    ci95: tuple[Interval, ...]
    first_move: float
    """Elo points that moving first is worth"""
    first_move_ci95: Interval


def rate(players: int, meetings: Iterable[Meeting], confidence: float = 0.95) -> Ratings:
    """The maximum-likelihood ratings for these meetings."""
    rows, games, scores = [], [], []
    for each in meetings:
        row = np.zeros(players + 1)
        row[each.first], row[each.second], row[players] = 1.0, -1.0, 1.0
        rows.append(row)
        games.append(each.games + VIRTUAL_GAMES / 2)
        scores.append(each.score + VIRTUAL_GAMES / 4)
    design, n, s = np.array(rows), np.array(games), np.array(scores)
    strength = np.zeros(players + 1)
    for _ in range(100):
        expected = 1 / (1 + np.exp(-design @ strength))
        slope = design.T @ (s - n * expected)
        information = design.T @ (design * (n * expected * (1 - expected))[:, None])
        # Only differences count: the pseudo-inverse keeps the mean strength at zero.
        step = np.linalg.pinv(information, hermitian=True) @ slope
        # A long step would leave the region where the likelihood is close to a parabola.
        strength += step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-10:
            break
    spread = np.sqrt(np.diag(np.linalg.pinv(information, hermitian=True)))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * spread * POINTS
    points = strength * POINTS
    elo = [MEAN + float(value) for value in points[:players]]
    intervals = [
        (value - float(half), value + float(half))
        for value, half in zip(elo, reach[:players], strict=True)
    ]
    move, half = float(points[players]), float(reach[players])
    return Ratings(tuple(elo), tuple(intervals), move, (move - half, move + half))


def share_interval(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Wilson's interval for a proportion."""
    if trials == 0:
        return math.nan, math.nan
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    half /= 1 + z * z / trials
    return max(0.0, middle - half), min(1.0, middle + half)
