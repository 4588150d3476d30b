"""Where an opponent's ships have been, and the prior that follows from it.

The weight of a placement is a product of three factors, each of which says how much more
often than at random ships have been there:

    ring       how far the ship lies from the edge, the same for ships of all lengths
    orbit      the placements of one length that the symmetries of the board turn into each other
    placement  this very placement of this length

A factor f of a group is estimated from the number n of ships seen there and the number e
expected, given the factors above it: n is Poisson with mean e·f, f is Gamma with mean 1 and
shape a, so the estimate is (n + a) / (e + a). The larger a, the stronger the shrinkage towards
1. The a of each of the three levels is the one of `SHAPES` with the highest marginal
likelihood of all counts of that level (negative binomial). Infinity, which leaves a level out,
is among them, and another must beat it by `EVIDENCE` in the logarithm. So a player that
places at random is played as by `exact`, until chance alone looks like a habit.

Expected numbers are shares among uniform layouts: `SAMPLE` of them are dealt once per rules
and averaged over the symmetries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of, symmetries_of
from ..dealing.uniform import deal_games
from ..rules import Rules

SHAPES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
EVIDENCE = 3.0
SAMPLE = 20_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Groups:
    """How placements are grouped under one set of rules."""

    expected: Floats
    """(placements,) how often a uniform layout has a ship there"""
    ring: npt.NDArray[np.int64]
    """(placements,) the cells between the ship and the nearest edge along its side"""
    orbit: npt.NDArray[np.int64]
    covered: Floats
    """(cells,) how often a uniform layout has a ship there"""


@lru_cache(maxsize=16)
def groups_of(rules: Rules) -> Groups:
    board, symmetries = board_of(rules), symmetries_of(rules)
    count = int(board.placements)
    dealt = deal_games(rules, 0, range(SAMPLE))
    seen = np.bincount(dealt.ravel(), minlength=count) / SAMPLE
    orbit = symmetries.placements.min(axis=0).astype(np.int64)
    expected = seen[symmetries.placements].mean(axis=0)
    ring, covered = np.empty(count, dtype=np.int64), np.zeros(rules.cells)
    for placement in range(count):
        cells = board.cover[placement, : board.length[placement]].astype(np.int64)
        covered[cells] += expected[placement]
        rows, columns = cells // rules.columns, cells % rules.columns
        across = bool((rows == rows[0]).all())
        line, size = (rows[0], rules.rows) if across else (columns[0], rules.columns)
        ring[placement] = min(line, size - 1 - line)
    return Groups(expected, ring, orbit, covered)


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """What is known of one opponent's layouts."""

    rules: Rules
    seen: Floats
    """(placements,) how many ships were seen there, or are thought to have been"""
    games: int = 0

    @classmethod
    def empty(cls, rules: Rules) -> PlacementModel:
        return cls(rules, np.zeros(int(board_of(rules).placements)))

    def and_layouts(self, placements: npt.NDArray[np.int32]) -> PlacementModel:
        """The model after one more game, whose layout was one of these, equally likely."""
        counts = np.bincount(placements.ravel(), minlength=len(self.seen)) / len(placements)
        return replace(self, seen=self.seen + counts, games=self.games + 1)

    @cached_property
    def factors(self) -> tuple[Floats, tuple[float, float, float]]:
        """(placements,) the weight of each, and the shape chosen for each level."""
        groups = groups_of(self.rules)
        expected = groups.expected * self.games
        factors, shapes = np.ones(len(self.seen)), list[float]()
        for group in (groups.ring, groups.orbit, np.arange(len(self.seen))):
            n = np.bincount(group, self.seen)
            e = np.bincount(group, expected * factors)
            shape = best_shape(np.asarray(n, dtype=np.float64), np.asarray(e, dtype=np.float64))
            shapes.append(shape)
            if math.isfinite(shape):
                factors = factors * ((n + shape) / (e + shape))[group]
        return factors, (shapes[0], shapes[1], shapes[2])

    @property
    def uniform(self) -> bool:
        """Whether nothing was learned that differs from chance."""
        return self.games == 0 or not any(map(math.isfinite, self.factors[1]))

    @cached_property
    def weights(self) -> Floats:
        """(ships, placements) the prior; ships of one length share theirs."""
        board, (factors, _) = board_of(self.rules), self.factors
        weights = np.zeros((len(self.rules.fleet), len(factors)))
        for ship in range(len(self.rules.fleet)):
            own = slice(int(board.first[ship]), int(board.last[ship]))
            weights[ship, own] = factors[own]
        return weights


def best_shape(n: Floats, e: Floats) -> float:
    """The shape of the Gamma distribution with the highest marginal likelihood of these counts."""
    there = e > 0
    n, e = n[there], e[there]
    poisson = float((n * np.log(e) - e).sum())
    best, highest = math.inf, poisson + EVIDENCE
    for a in SHAPES:
        likelihood = float(
            (
                _lgamma(n + a) - math.lgamma(a) + a * np.log(a / (a + e)) + n * np.log(e / (a + e))
            ).sum()
        )
        if likelihood > highest:
            best, highest = a, likelihood
    return best


_lgamma = np.vectorize(math.lgamma, otypes=[np.float64])
