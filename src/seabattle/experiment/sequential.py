"""Sequential tests: after each pair, stop as soon as the evidence suffices.

A test decides between two hypotheses about two players: H0, that the first is better by no
more than one amount, and H1, that it is better by at least another. With the error rates
alpha and beta it accepts H1 under H0 with probability alpha at most, and H0 under H1 with
probability beta at most (Wald's approximation). It does so with about half as many games
as a test whose number of games is fixed in advance.

After n pairs, LLR is the logarithm of the likelihood of the results under H1 over that
under H0. The test goes on while log(beta / (1 - alpha)) < LLR < log((1 - beta) / alpha).
What the hypotheses leave open is estimated from the results so far, separately under each
hypothesis (a generalized sequential probability ratio test):

- `EloTest`, as chess engines use it. A pair is two games on the same two layouts with
  sides swapped, and the first player scores 0, 1/4, 1/2, 3/4 or 1 of its points. Counting
  pairs rather than games takes into account that the two games of a pair are dependent.
  Under a hypothesis with expected score s, the most likely distribution over the five
  scores a_i is p_i = f_i / (1 + t (a_i - s)), where f_i are the shares observed and t is
  such that the expected score is s.
- `ShotsTest`. A pair is one layout that both players shot at, and its result is the
  difference of the shots. Under a hypothesis with mean m, the most likely variance of a
  normal distribution is the mean square distance from m, so LLR = n/2 log(v0 / v1).

Players that hardly ever differ look exactly equal for a long time. So each test begins as
if it had seen one more pair: half of it the largest possible result, half the smallest.
Two players that always play alike are then found equal after about 2.4 R / d pairs, where
R is the largest possible difference and d the one that is tested for.

The benchmark `sequential` measures the error rates and numbers of pairs by simulation.

>>> rates = ErrorRates(0.05, 0.05)
>>> [round(bound, 3) for bound in rates.bounds]
[-2.944, 2.944]
>>> stop, accepted = decide(np.array([0.5, 1.7, 3.1, 2.0]), rates)
>>> stop, accepted
(3, 'H1')
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..errors import ExperimentError
from .statistics import Interval, mean_interval

Accepted = Literal["H0", "H1"]

SCORES = np.arange(5) / 4
"""what a player can score in a pair of games, as a share"""
NEWTON_STEPS = 50
TILT_ERROR = 1e-12


@dataclass(frozen=True)
class ErrorRates:
    """How often a test may be wrong."""

    alpha: float = 0.05
    """the probability of accepting H1 under H0"""
    beta: float = 0.05
    """the probability of accepting H0 under H1"""

    def __post_init__(self) -> None:
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ExperimentError(
                    f"The error rate {name} must be above 0 and below 0.5, such as 0.05, not "
                    f"{rate:g}."
                )

    @property
    def bounds(self) -> Interval:
        """The LLR at which H0 is accepted, and the one at which H1 is."""
        low = math.log(self.beta / (1 - self.alpha))
        return low, math.log((1 - self.beta) / self.alpha)

    @property
    def spreads(self) -> float:
        """How many standard errors apart a test of fixed size has its hypotheses."""
        normal = NormalDist()
        return normal.inv_cdf(1 - self.alpha) + normal.inv_cdf(1 - self.beta)


def decide(ratios: Floats, errors: ErrorRates) -> tuple[int | None, Accepted | None]:
    """After how many pairs the first bound is reached, and which; `ratios` is the LLR after
    each pair."""
    low, high = errors.bounds
    reached = np.flatnonzero((ratios <= low) | (ratios >= high))
    if not reached.size:
        return None, None
    first = int(reached[0])
    return first + 1, "H1" if ratios[first] >= high else "H0"


@dataclass(frozen=True)
class EloTest:
    """Whether the first player is stronger by `elo1` rather than by `elo0`."""

    elo0: float = 0.0
    elo1: float = 5.0
    errors: ErrorRates = ErrorRates()

    kind: ClassVar[str] = "elo"
    games_per_pair: ClassVar[int] = 2

    def __post_init__(self) -> None:
        # Beyond 1,200 points one side scores 99.9%, and no number of games would tell.
        if not -1200 <= self.elo0 < self.elo1 <= 1200:
            raise ExperimentError(
                "The Elo of H0 must be below that of H1, both from -1200 to 1200, such as "
                f"0 and 5, not {self.elo0:g} and {self.elo1:g}."
            )

    @property
    def hypotheses(self) -> tuple[str, str]:
        return f"{self.elo0:g} Elo", f"{self.elo1:g} Elo"

    def ratios(self, results: npt.NDArray[np.int64]) -> Floats:
        """(pairs,) the LLR after each pair; `results` are indices of `SCORES`."""
        counts = np.cumsum(results[:, None] == np.arange(5), axis=0).astype(np.float64)
        counts[:, [0, 4]] += 0.5
        return log_likelihood(counts, score_of(self.elo1)) - log_likelihood(
            counts, score_of(self.elo0)
        )

    def fixed_size(self, results: npt.NDArray[np.int64]) -> int | None:
        """The pairs that a test of fixed size would need, judging by these results."""
        distance = score_of(self.elo1) - score_of(self.elo0)
        return _fixed_size(SCORES[results], distance, self.errors)

    def estimate(self, results: npt.NDArray[np.int64]) -> tuple[float | None, list[float | None]]:
        """The difference in Elo and its 95% interval; None where it is infinite."""
        scores = SCORES[results]
        low, high = mean_interval(scores)
        mean = elo_of(float(scores.mean()))
        return mean, [elo_of(low), elo_of(high)]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "elo0": self.elo0, "elo1": self.elo1, **vars(self.errors)}


@dataclass(frozen=True)
class ShotsTest:
    """Whether the first player needs `better_by` shots fewer rather than as many."""

    better_by: float
    errors: ErrorRates = ErrorRates()

    kind: ClassVar[str] = "shots"
    games_per_pair: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 < self.better_by <= 256:
            raise ExperimentError(
                "The difference to test for must be a number of shots above 0 and at most 256, "
                f"such as 0.1, not {self.better_by:g}."
            )

    @property
    def hypotheses(self) -> tuple[str, str]:
        return "0 shots", f"{self.better_by:g} shots"

    def ratios(self, differences: npt.NDArray[np.int64], largest: int) -> Floats:
        """(pairs,) the LLR after each pair. `differences` are the shots of the second player
        minus those of the first; none can be beyond ±`largest`."""
        pairs = np.arange(1, differences.size + 1) + 1.0
        squares = (np.cumsum(differences.astype(np.float64) ** 2) + largest**2) / pairs
        means = np.cumsum(differences) / pairs
        under_h1 = squares - 2 * self.better_by * means + self.better_by**2
        return pairs / 2 * np.log(squares / under_h1)

    def fixed_size(self, differences: npt.NDArray[np.int64]) -> int | None:
        """The pairs that a test of fixed size would need, judging by these results."""
        return _fixed_size(differences, self.better_by, self.errors)

    def estimate(
        self, differences: npt.NDArray[np.int64]
    ) -> tuple[float | None, list[float | None]]:
        """The mean difference in shots and its 95% interval."""
        low, high = mean_interval(differences)
        return float(differences.mean()), [_or_none(low), _or_none(high)]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "better_by": self.better_by, **vars(self.errors)}


Test = EloTest | ShotsTest


def score_of(elo: float) -> float:
    """The expected score of a player that is stronger by this much."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float | None:
    """The inverse of `score_of`; None for scores that no difference explains."""
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None


def log_likelihood(counts: Floats, score: float) -> Floats:
    """(rows,) how likely each row of `counts` (rows, scores) is at best, if the expected score
    is `score`; up to a term that does not depend on `score`."""
    distance = SCORES - score
    tilt = tilts(counts / counts.sum(axis=1, keepdims=True), distance)
    terms: Floats = counts * np.log1p(tilt[:, None] * distance)
    total: Floats = terms.sum(axis=1)
    return -total


def tilts(shares: Floats, distance: Floats) -> Floats:
    """The t of each row for which shares / (1 + t distance) has the mean distance 0.

    The mean falls as t grows, from infinity to minus infinity between the ends of its range,
    so Newton's method is kept inside a bracket.
    """
    low = np.full(len(shares), -1 / distance.max())
    high = np.full(len(shares), -1 / distance.min())
    tilt = np.zeros(len(shares))
    for _ in range(NEWTON_STEPS):
        terms = distance / (1 + tilt[:, None] * distance)
        mean = np.sum(shares * terms, axis=1)
        slope = np.sum(shares * terms**2, axis=1)
        low, high = np.where(mean > 0, tilt, low), np.where(mean > 0, high, tilt)
        step = tilt + mean / slope
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        change = float(np.abs(step - tilt).max(initial=0.0))
        tilt = step
        if change < TILT_ERROR:
            break
    return tilt


def _fixed_size(values: npt.NDArray[Any], distance: float, errors: ErrorRates) -> int | None:
    if values.size < 2:
        return None
    return math.ceil((errors.spreads / distance) ** 2 * float(values.var(ddof=1)))


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
