"""A person's rating, on the scale of Elo.

An opponent's rating follows from its strength. If two players need m and m' shots on
average, with standard deviations s and s', and both are about normal, the first finds the
fleet sooner with probability

    w = Phi((m' - m) / sqrt(s^2 + s'^2))

and the Elo points between them are 400 log10(w / (1 - w)). Under every rules the level
Medium has 1500 points, so ratings compare across rules.

After a game that scored S (1 for a win, 1/2 for a draw) against an opponent rated b, a
person rated a has

    a + K (S - 1 / (1 + 10^((b - a) / 400)))

with K = 40 in the first 20 rated games, 20 from then on. Everybody starts at 1500.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from .strength import Strength

START = 1500.0
LEARNING_GAMES = 20
K_AT_FIRST, K_LATER = 40.0, 20.0
MOST_POINTS = 800.0
"""the largest distance of an opponent from Medium"""


def opponent_rating(strength: Strength, medium: Strength) -> float:
    """The rating of a player that is this strong where Medium is as strong as `medium`."""
    spread = math.hypot(strength.sd, medium.sd)
    if not spread > 0:
        return START
    wins = NormalDist().cdf((medium.mean - strength.mean) / spread)
    least = 1 / (1 + 10 ** (MOST_POINTS / 400))
    wins = min(max(wins, least), 1 - least)
    return START + 400 * math.log10(wins / (1 - wins))


def expected_score(rating: float, opponent: float) -> float:
    """The score that somebody with this rating can expect."""
    return 1 / (1 + 10 ** ((opponent - rating) / 400))


def after_game(rating: float, opponent: float, score: float, games: int) -> float:
    """The rating after a game that scored 1, 1/2 or 0; `games` were rated before it."""
    k = K_AT_FIRST if games < LEARNING_GAMES else K_LATER
    return rating + k * (score - expected_score(rating, opponent))
