"""The statistics of a comparison: means and their confidence intervals."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]
"""lower and upper end; both nan for a single game, which has no spread"""


def mean_interval(values: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    """Student's t interval for the mean of the population that these values come from.

    mean ± t · s / √n, with t the quantile for n - 1 degrees of freedom.

    >>> low, high = mean_interval([1.0, 2.0, 3.0, 4.0])
    >>> round(low, 2), round(high, 2)
    (0.45, 4.55)
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size < 2:
        return math.nan, math.nan
    reach = t_quantile((1 + confidence) / 2, sample.size - 1) * standard_deviation(sample)
    reach /= math.sqrt(sample.size)
    mean = float(sample.mean())
    return mean - reach, mean + reach


class Moments:
    """The mean and the spread of whole numbers that come in parts: exact sums, flat memory.

    >>> moments = Moments()
    >>> moments.add(np.array([1, 2]))
    >>> moments.add(np.array([3, 4]))
    >>> moments.mean, round(moments.standard_deviation, 3)
    (2.5, 1.291)
    """

    def __init__(self) -> None:
        self._count = self._sum = self._squares = 0

    def add(
        self, values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64] | None = None
    ) -> None:
        """Add values, each once or as often as `counts` says."""
        times = np.ones_like(values) if counts is None else counts
        self._count += int(times.sum())
        self._sum += int((values * times).sum())
        self._squares += int((values * values * times).sum())

    @property
    def mean(self) -> float:
        return self._sum / self._count

    @property
    def standard_deviation(self) -> float:
        """As the function of this name."""
        count = self._count
        if count < 2:
            return math.nan
        return math.sqrt((count * self._squares - self._sum**2) / (count * (count - 1)))

    def mean_interval(self, confidence: float = 0.95) -> Interval:
        """As the function of this name."""
        if self._count < 2:
            return math.nan, math.nan
        reach = t_quantile((1 + confidence) / 2, self._count - 1) * self.standard_deviation
        reach /= math.sqrt(self._count)
        return self.mean - reach, self.mean + reach


def half_width(interval: Interval) -> float:
    """Half the width of an interval: the number after ±."""
    return (interval[1] - interval[0]) / 2


def standard_deviation(values: npt.ArrayLike) -> float:
    """The sample standard deviation (n - 1 in the denominator); nan for a single value."""
    sample = np.asarray(values, dtype=np.float64)
    return float(sample.std(ddof=1)) if sample.size > 1 else math.nan


def t_quantile(p: float, freedom: int) -> float:
    """The quantile of Student's t distribution, for p ≥ 0.5.

    Exact for 1 and 2 degrees of freedom. Beyond, the expansion in 1/freedom of
    Abramowitz & Stegun 26.7.5: its error at p = 0.975 is 0.13% for 3 degrees of freedom,
    0.03% for 4, and falls fast, so a dependency is not worth it.
    """
    if freedom == 1:
        return math.tan(math.pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom ** (k + 1) for k, term in enumerate(terms))
