"""The posterior under a prior that changes from game to game.

Each position is enumerated with the weights of the prior if that takes at most `seconds`
(turned into a number of steps, so that the result is the same on every machine); then it is
exact. On 10x10 that is so towards the end of a game only: an empty board with five ships
takes minutes to enumerate with weights. Where it is not, a pool of layouts drawn from the
prior stands for the posterior (see `layout_pool_kernels`). Small boards are exact throughout:
with weights for the distances between ships, which the enumeration does not know, all layouts
are listed if they are at most `MOST_LISTED`.

Everything is a function of the prior, the seed and the shots, so a game that is followed
shot by shot and one that is shown as a whole give the same cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from ..belief.enumeration import STEPS_PER_SECOND, interchangeable
from ..belief.enumeration_kernels import (
    DONE,
    assign_slots,
    new_enumeration_scratch,
    new_evidence,
    weigh_layouts,
)
from ..belief.evidence_kernels import read_shots
from ..belief.sampling import draw_layouts
from ..compiled.board_tables import Cells, Ints
from ..compiled.random_streams import stream
from ..compiled.rules_tables import board_of, symmetries_of
from ..compiled.seeds import POOL_STREAM
from ..errors import SolveError
from ..observation import Observation
from ..rules import Rules
from ..solver.problem import enumerate_placements
from .layout_pool_kernels import (
    PoolWeights,
    cell_weights,
    draw_pool,
    keep_agreeing_in_pool,
    multiply,
)
from .placement_model import groups_of, pair_distances

POOL = 4000
"""layouts drawn for a game; twice as many if they count by the distances between ships"""
FEW = 250
"""with fewer layouts left, copies of them are moved"""
SWEEPS = 1
MOST_LISTED = 20_000
MOST_LISTED_SHIPS = 6
TRIES = 400
"""per layout of the pool, before sampling from the posterior is left to `belief.sampling`"""
MOST_WORDS = 6
"""words of 64 candidates with which a small budget is never enough; preparing takes longer"""
WORTH_TRYING = int(0.01 * STEPS_PER_SECOND)

PlacementWeights = npt.NDArray[np.float64]
"""(ships, placements) see `belief.priors`"""


class WeightedPosterior:
    """A prior, and what is worked out from it once for all positions of its games."""

    def __init__(
        self,
        rules: Rules,
        weights: PlacementWeights,
        seconds: float,
        seed: int,
        pairs: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """`pairs` (distances,) are the weights of the distances between ships."""
        self.rules, self.weights, self.seed = rules, weights, seed
        self.pairs = np.zeros(0) if pairs is None else pairs
        self.listed = None if pairs is None else all_layouts(rules)
        """(layouts, ships) every layout, if these are few and needed"""
        self.board, self.symmetries = board_of(rules), symmetries_of(rules)
        self.budget = int(seconds * STEPS_PER_SECOND)
        self.kin = interchangeable(rules, weights)
        self.scratch = new_enumeration_scratch(self.board, self.symmetries, weighted=True)
        self.evidence = new_evidence()
        self._pool: npt.NDArray[np.int32] | None = None

    @property
    def pool(self) -> npt.NDArray[np.int32]:
        """Layouts drawn from the prior."""
        if self._pool is None:
            self._pool = self._drawn() if self.listed is None else self.listed
        return self._pool

    @property
    def pool_weights(self) -> npt.NDArray[np.float64]:
        """(layouts,) how much each layout of the pool counts."""
        if not self.pairs.size:
            return np.ones(len(self.pool))
        weights = self.pairs[pair_distances(self.rules, self.pool)].prod(axis=1)
        if self.listed is not None:
            ships = np.arange(len(self.rules.fleet))
            weights *= self.weights[ships, self.listed].prod(axis=1)
        return np.asarray(weights)

    def _drawn(self) -> npt.NDArray[np.int32]:
        size = 2 * POOL if self.pairs.size else POOL
        pool = np.empty((size, len(self.rules.fleet)), dtype=np.int32)
        rng = np.array([stream(np.uint64(self.seed), 0, POOL_STREAM)], dtype=np.uint64)
        upto = np.cumsum(self.weights, axis=1)
        for ship in range(len(self.rules.fleet)):
            upto[ship] -= (
                upto[ship, self.board.first[ship]] - self.weights[ship, self.board.first[ship]]
            )
        return pool[: draw_pool(self.board, upto, TRIES * size, rng, pool)]

    def exact(self, cells: Cells, answers: Ints) -> npt.NDArray[np.float64] | None:
        """(cells,) the weight of the layouts with a ship on each, or None if that takes longer
        than allowed."""
        if self.budget == 0 or self.pairs.size:
            return None
        read_shots(self.board, cells, answers, self.evidence)
        words = assign_slots(self.board, self.evidence, self.weights, self.kin, self.scratch)
        if words < 0 or (words > MOST_WORDS and self.budget < WORTH_TRYING):
            return None
        ended = weigh_layouts(
            self.board, self.symmetries, self.evidence, words, 0, self.budget, self.scratch
        )
        if ended != DONE or not self.scratch.found[0] > 0:
            return None
        classes = int(self.scratch.classes.of_ship[: len(self.rules.fleet)].max()) + 1
        totals = self.scratch.totals[:classes, : self.rules.cells].sum(axis=0)
        return np.asarray(totals, dtype=np.float64)


class PosteriorInGame:
    """The posterior in the course of one game."""

    def __init__(self, prior: WeightedPosterior) -> None:
        self.prior = prior
        rules = prior.rules
        self.cells = np.empty(rules.cells, dtype=np.int16)
        self.answers = np.empty(rules.cells, dtype=np.int64)
        self.shots = 0
        words = prior.board.mask.shape[1]
        self.fired, self.hits = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
        self._known = 0
        """shots that the pool agrees with"""
        self._pool: npt.NDArray[np.int32] | None = None
        self._weight = np.zeros(0)
        self._size = 0

    def told(self, cell: int, answer: int) -> None:
        self.cells[self.shots], self.answers[self.shots] = cell, answer
        self.shots += 1

    def best(self, pending: Sequence[int] = ()) -> int:
        """The unknown cell that most likely holds a ship, the first of several; not a pending
        one of a salvo."""
        cells, answers = self.cells[: self.shots], self.answers[: self.shots]
        chances = self.prior.exact(cells, answers)
        if chances is None:
            self._follow()
            assert self._pool is not None
            chances = cell_weights(self.prior.board, self._pool, self._weight, self._size)
        chances[cells] = -1.0
        chances[list(pending)] = -1.0
        # Sums of floats that are equal on paper may differ in the last bits.
        return int(np.argmax(chances >= chances.max() * (1 - 1e-9)))

    def layouts(self, count: int) -> npt.NDArray[np.int32]:
        """About `count` layouts that agree with the shots, drawn from the posterior."""
        self._follow()
        assert self._pool is not None
        if self.prior.pairs.size:
            return self._pool[self._in_proportion(count)]
        return self._pool[: min(count, self._size)].copy()

    def _follow(self) -> None:
        """Bring the pool into agreement with the shots."""
        prior, board = self.prior, self.prior.board
        if self._pool is None:
            self._pool, self._weight = prior.pool.copy(), prior.pool_weights
            self._size = len(self._pool)
        while self._known < self.shots:
            cell, answer = int(self.cells[self._known]), int(self.answers[self._known])
            self._size = keep_agreeing_in_pool(
                board, self._pool, self._weight, self._size, cell, answer, self.fired
            )
            bit = np.uint64(1) << np.uint64(cell & 63)
            self.fired[cell >> 6] |= bit
            if answer & 3:
                self.hits[cell >> 6] |= bit
            self._known += 1
            if prior.listed is None and self._few_left():
                self._refill()
                self._weight = np.ones(len(self._pool))

    def _few_left(self) -> bool:
        """Whether the layouts left count for fewer than `FEW`."""
        if self._size < FEW or not self.prior.pairs.size:
            return self._size < FEW
        weight = self._weight[: self._size]
        return bool(weight.sum() ** 2 < FEW * (weight**2).sum())

    def _in_proportion(self, count: int) -> npt.NDArray[np.int64]:
        """Numbers of layouts of the pool, drawn in proportion to their weights."""
        seed = int(stream(np.uint64(self.prior.seed), self._known, POOL_STREAM))
        upto = np.cumsum(self._weight[: self._size])
        at = np.random.default_rng(seed).random(count) * upto[-1]
        return np.asarray(np.searchsorted(upto, at, side="right").clip(max=self._size - 1))

    def _refill(self) -> None:
        prior, pool = self.prior, self._pool
        assert pool is not None
        seed = stream(np.uint64(prior.seed), self._known, POOL_STREAM)
        if self._size == 0:
            observation = Observation.from_arrays(
                prior.rules, self.cells[: self._known], self.answers[: self._known]
            )
            rng = np.random.default_rng(int(seed))
            drawn = draw_layouts(observation, FEW, rng, prior.weights).placements
            if len(pool) < FEW:
                self._pool = pool = np.empty((POOL, len(prior.rules.fleet)), dtype=np.int32)
            pool[: len(drawn)] = drawn
            self._size = len(drawn)
            return
        if len(pool) < 2 * FEW:
            larger = np.empty((2 * FEW, pool.shape[1]), dtype=np.int32)
            larger[: self._size] = pool[: self._size]
            self._pool = pool = larger
        if prior.pairs.size:
            pool[: 2 * FEW] = pool[self._in_proportion(2 * FEW)]
            self._size = 2 * FEW
        weights = PoolWeights(prior.weights, groups_of(prior.rules).apart, prior.pairs)
        self._size = multiply(
            prior.board, pool, self._size, 2 * FEW, weights, self.fired, self.hits, SWEEPS,
            np.array([seed], dtype=np.uint64),
        )  # fmt: skip


@lru_cache(maxsize=8)
def all_layouts(rules: Rules) -> npt.NDArray[np.int32] | None:
    """(layouts, ships) every layout, with ships of equal length in every order; None if they
    are more than `MOST_LISTED`."""
    if rules.cells > 64 or len(rules.fleet) > MOST_LISTED_SHIPS:
        return None
    orders = [
        list(order)
        for order in permutations(range(len(rules.fleet)))
        if all(rules.fleet[a] == rules.fleet[b] for a, b in enumerate(order))
    ]
    try:
        once = enumerate_placements(rules, MOST_LISTED // len(orders))
    except SolveError:
        return None
    return np.concatenate([once[:, order] for order in orders]).astype(np.int32)
