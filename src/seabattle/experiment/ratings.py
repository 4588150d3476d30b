"""Ratings from games of two: Bradley and Terry's model with the advantage of moving first.

The chance that i beats j is

    p = 1 / (1 + exp(-(r_i - r_j ± a)))

with + where i moves first; a draw counts as half a win and half a loss. The strengths r
and the advantage a maximise the likelihood (Newton's method); Elo points are r times
400 / ln 10, around a mean of 1500. Every pair gets one drawn game more than it played,
which keeps the strength of somebody who wins or loses everything finite and moves
others by next to nothing. Intervals come from the information at the maximum. Draws
make the truth more certain than the model thinks, so with many draws they are wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .statistics import Interval

POINTS = 400 / math.log(10)
"""Elo points for a unit of strength"""
MEAN = 1500.0
VIRTUAL_GAMES = 1.0
"""drawn games that each pair is given beyond those it played"""


@dataclass(frozen=True)
class Meeting:
    """The games of two players in which the same one moved first."""

    first: int
    second: int
    games: int
    score: float
    """of the first one: its wins and half of the draws"""


@dataclass(frozen=True)
class Ratings:
    """Strengths in Elo points with 95% intervals."""

    elo: tuple[float, ...]
    ci95: tuple[Interval, ...]
    first_move: float
    """points that moving first is worth"""
    first_move_ci95: Interval


def rate(players: int, meetings: Iterable[Meeting], confidence: float = 0.95) -> Ratings:
    """The ratings that explain these meetings best."""
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
        chance = 1 / (1 + np.exp(-design @ strength))
        slope = design.T @ (s - n * chance)
        information = design.T @ (design * (n * chance * (1 - chance))[:, None])
        # Only differences count: the pseudo-inverse keeps the mean strength at zero.
        step = np.linalg.pinv(information, hermitian=True) @ slope
        # A step of many units would leave the region where the curve resembles a parabola.
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
    """Wilson's interval for a share."""
    if trials == 0:
        return math.nan, math.nan
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))
    half /= 1 + z * z / trials
    return max(0.0, middle - half), min(1.0, middle + half)
