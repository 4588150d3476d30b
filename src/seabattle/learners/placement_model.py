"""Where an opponent's ships have been, and the prior that follows from it.

The weight of a placement is a product of four factors, each of which says how much more
often than at random ships have been there:

    ring       how far the ship lies from the edge, the same for ships of all lengths
    across     whether it lies across or down, the same for ships of all lengths
    orbit      the placements of one length that the symmetries of the board turn into each other
    placement  this very placement of this length

The weight of a layout is the product of the weights of its placements and of a fifth factor
for each pair of ships: how far they are apart.

A factor f of a group is estimated from the number n of ships seen there and the number e
expected, given the factors above it: n is Poisson with mean e·f, f is Gamma with mean 1 and
shape a, so the estimate is (n + a) / (e + a). The larger a, the stronger the shrinkage towards
1. The a of each of the five levels is the one of `SHAPES` with the highest marginal
likelihood of all counts of that level (negative binomial). Infinity, which leaves a level out,
is among them, and another must beat it by `EVIDENCE` in the logarithm. So a player that
places at random is played as by `exact`, until chance alone looks like a habit.

Expected numbers are shares among uniform layouts: `SAMPLE` of them are dealt once per rules
and averaged over the symmetries. For the distances of pairs, each of these layouts counts by
the weights of its placements; where that leaves the sample worth fewer than `LEAST_SAMPLE`
layouts, distances are not learned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..compiled.rules_tables import board_of, symmetries_of
from ..dealing.uniform import deal_games
from ..rules import Rules
from .layout_pool_kernels import Distances

SHAPES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
EVIDENCE = 3.0
SAMPLE = 20_000
LEAST_SAMPLE = 300


@dataclass(frozen=True, eq=False)
class Groups:
    """How placements are grouped under one set of rules."""

    expected: Floats
    """(placements,) how often a uniform layout has a ship there"""
    ring: npt.NDArray[np.int64]
    """(placements,) the cells between the ship and the nearest edge along its side"""
    across: npt.NDArray[np.int64]
    """(placements,) 1 for a ship that lies across, 0 for one that lies down"""
    orbit: npt.NDArray[np.int64]
    covered: Floats
    """(cells,) how often a uniform layout has a ship there"""
    apart: Distances
    """(placements, placements) how far apart two ships are, in moves of a chess king"""
    sample: npt.NDArray[np.int32]
    """(layouts, ships) uniform layouts"""
    sample_apart: Distances
    """(layouts, pairs) how far apart their ships are"""


@lru_cache(maxsize=16)
def groups_of(rules: Rules) -> Groups:
    board, symmetries = board_of(rules), symmetries_of(rules)
    count = int(board.placements)
    dealt = deal_games(rules, 0, range(SAMPLE))
    seen = np.bincount(dealt.ravel(), minlength=count) / SAMPLE
    orbit = symmetries.placements.min(axis=0).astype(np.int64)
    expected = seen[symmetries.placements].mean(axis=0)
    ring, across = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    covered, ends = np.zeros(rules.cells), np.empty((4, count), dtype=np.int64)
    for placement in range(count):
        cells = board.cover[placement, : board.length[placement]].astype(np.int64)
        covered[cells] += expected[placement]
        rows, columns = cells // rules.columns, cells % rules.columns
        ends[:, placement] = rows.min(), rows.max(), columns.min(), columns.max()
        across[placement] = bool((rows == rows[0]).all())
        line, size = (rows[0], rules.rows) if across[placement] else (columns[0], rules.columns)
        ring[placement] = min(line, size - 1 - line)
    top, bottom, left, right = ends
    apart = np.maximum(
        np.maximum(top[:, None] - bottom, top - bottom[:, None]),
        np.maximum(left[:, None] - right, left - right[:, None]),
    )
    distances = np.maximum(apart, 0).astype(np.uint8)
    return Groups(
        expected, ring, across, orbit, covered, distances, dealt, _pairs(distances, dealt)
    )


def pair_distances(rules: Rules, placements: npt.NDArray[np.int32]) -> Distances:
    """(layouts, pairs) how far apart the ships of each pair are."""
    return _pairs(groups_of(rules).apart, placements)


def _pairs(apart: Distances, placements: npt.NDArray[np.int32]) -> Distances:
    one, other = np.triu_indices(placements.shape[1], 1)
    return apart[placements[:, one], placements[:, other]]


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """What is known of one opponent's layouts."""

    rules: Rules
    seen: Floats
    """(placements,) how many ships were seen there, or are thought to have been"""
    pairs: Floats
    """(distances,) how many pairs of ships were seen that far apart"""
    games: int = 0

    @classmethod
    def empty(cls, rules: Rules) -> PlacementModel:
        return cls(
            rules,
            np.zeros(int(board_of(rules).placements)),
            np.zeros(max(rules.rows, rules.columns)),
        )

    def and_layouts(self, placements: npt.NDArray[np.int32]) -> PlacementModel:
        """The model after one more game, whose layout was one of these, equally likely."""
        counts = np.bincount(placements.ravel(), minlength=len(self.seen)) / len(placements)
        apart = pair_distances(self.rules, placements)
        pairs = np.bincount(apart.ravel(), minlength=len(self.pairs)) / len(placements)
        return replace(
            self, seen=self.seen + counts, pairs=self.pairs + pairs, games=self.games + 1
        )

    @cached_property
    def factors(self) -> tuple[Floats, tuple[float, ...]]:
        """(placements,) the weight of each, and the shape chosen for each level."""
        groups = groups_of(self.rules)
        expected = groups.expected * self.games
        factors, shapes = np.ones(len(self.seen)), list[float]()
        for group in (groups.ring, groups.across, groups.orbit, np.arange(len(self.seen))):
            n = np.bincount(group, self.seen)
            e = np.bincount(group, expected * factors)
            shape = best_shape(np.asarray(n, dtype=np.float64), np.asarray(e, dtype=np.float64))
            shapes.append(shape)
            if math.isfinite(shape):
                factors = factors * ((n + shape) / (e + shape))[group]
        return factors, tuple(shapes)

    @cached_property
    def pair_factors(self) -> Floats | None:
        """(distances,) the weight of a pair of ships by how far apart they are; None if these
        distances are as they would be by chance."""
        sample = groups_of(self.rules).sample
        weights = self.factors[0][sample].prod(axis=1)
        if sample.shape[1] < 2 or weights.sum() ** 2 < LEAST_SAMPLE * (weights**2).sum():
            return None
        apart = groups_of(self.rules).sample_apart
        each = np.repeat(weights * self.games / weights.sum(), apart.shape[1])
        expected: Floats = np.bincount(apart.ravel(), each, len(self.pairs)).astype(np.float64)
        shape = best_shape(self.pairs, expected)
        if math.isinf(shape):
            return None
        return np.asarray((self.pairs + shape) / (expected + shape))

    @property
    def uniform(self) -> bool:
        """Whether nothing was learned that differs from chance."""
        if self.games == 0:
            return True
        return self.pair_factors is None and not any(map(math.isfinite, self.factors[1]))

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
