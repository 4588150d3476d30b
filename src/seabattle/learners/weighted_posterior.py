"""The posterior under a prior that changes from game to game.

Each position is enumerated with the weights of the prior if that takes at most `seconds`
(turned into a number of steps, so that the result is the same on every machine); then it is
exact. On 10x10 that is so towards the end of a game only: an empty board with five ships
takes minutes to enumerate with weights. Where it is not, a pool of layouts drawn from the
prior stands for the posterior (see `layout_pool_kernels`). Small boards are exact throughout.

Everything is a function of the prior, the seed and the shots, so a game that is followed
shot by shot and one that is shown as a whole give the same cells.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from ..observation import Observation
from ..rules import Rules
from .layout_pool_kernels import cell_counts, draw_pool, keep_agreeing, multiply

POOL = 4000
"""layouts drawn for a game"""
FEW = 250
"""with fewer layouts left, copies of them are moved"""
SWEEPS = 1
TRIES = 400
"""per layout of the pool, before sampling from the posterior is left to `belief.sampling`"""
POOL_STREAM = 8
MOST_WORDS = 6
"""words of 64 candidates with which a small budget is never enough; preparing takes longer"""
WORTH_TRYING = int(0.01 * STEPS_PER_SECOND)

Weights = npt.NDArray[np.float64]
"""(ships, placements) see `belief.priors`"""


class WeightedPosterior:
    """A prior, and what is worked out from it once for all positions of its games."""

    def __init__(self, rules: Rules, weights: Weights, seconds: float, seed: int) -> None:
        self.rules, self.weights, self.seed = rules, weights, seed
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
            pool = np.empty((POOL, len(self.rules.fleet)), dtype=np.int32)
            rng = np.array([stream(np.uint64(self.seed), 0, POOL_STREAM)], dtype=np.uint64)
            upto = np.cumsum(self.weights, axis=1)
            for ship in range(len(self.rules.fleet)):
                upto[ship] -= (
                    upto[ship, self.board.first[ship]]
                    - (self.weights[ship, self.board.first[ship]])
                )
            drawn = draw_pool(self.board, upto, TRIES * POOL, rng, pool)
            self._pool = pool[:drawn]
        return self._pool

    def exact(self, cells: Cells, answers: Ints) -> npt.NDArray[np.float64] | None:
        """(cells,) the weight of the layouts with a ship on each, or None if that takes longer
        than allowed."""
        if self.budget == 0:
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
            chances = cell_counts(self.prior.board, self._pool, self._size).astype(np.float64)
        chances[cells] = -1.0
        chances[list(pending)] = -1.0
        # Sums of floats that are equal on paper may differ in the last bits.
        return int(np.argmax(chances >= chances.max() * (1 - 1e-9)))

    def layouts(self, count: int) -> npt.NDArray[np.int32]:
        """About `count` layouts that agree with the shots, drawn from the posterior."""
        self._follow()
        assert self._pool is not None
        return self._pool[: min(count, self._size)].copy()

    def _follow(self) -> None:
        """Bring the pool into agreement with the shots."""
        prior, board = self.prior, self.prior.board
        if self._pool is None:
            self._pool = prior.pool.copy()
            self._size = len(self._pool)
        while self._known < self.shots:
            cell, answer = int(self.cells[self._known]), int(self.answers[self._known])
            self._size = keep_agreeing(board, self._pool, self._size, cell, answer, self.fired)
            bit = np.uint64(1) << np.uint64(cell & 63)
            self.fired[cell >> 6] |= bit
            if answer & 3:
                self.hits[cell >> 6] |= bit
            self._known += 1
            if self._size < FEW:
                self._refill()

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
        self._size = multiply(
            prior.board, pool, self._size, 2 * FEW, prior.weights, self.fired, self.hits, SWEEPS,
            np.array([seed], dtype=np.uint64),
        )  # fmt: skip
