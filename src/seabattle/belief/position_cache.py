"""The most likely cells of positions, computed by enumeration and cached.

There is one cache per set of rules and process. The time limit is turned into a number of
steps, so the same observation gives the same cells on any machine, whatever was cached
before.
"""

from __future__ import annotations

import threading
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Cells, Ints
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of, symmetries_of
from ..observation import Observation
from ..rules import Rules
from .enumeration import STEPS_PER_SECOND, unweighted
from .enumeration_kernels import new_enumeration_scratch, new_evidence
from .infer import infer
from .position_cache_kernels import (
    CONTRADICTORY,
    likeliest_cached_cell,
    new_position_cache,
    play_likeliest,
)

ENTRIES = 2**18
"""Positions cached for each set of rules: 15 MB when full."""


TURN = 8
"""Games played before another thread may use the same memory."""


class CachedPosterior:
    """The most likely cells of positions under one set of rules.

    With `isolated`, of equally likely cells only those whose neighbours are least likely.
    """

    def __init__(self, rules: Rules, isolated: bool = False) -> None:
        self.rules, self.isolated = rules, isolated
        board, symmetries = board_of(rules), symmetries_of(rules)
        self.cache = new_position_cache(board, ENTRIES)
        scratch = new_enumeration_scratch(board, symmetries, weighted=False)
        self._memory = (board, symmetries, new_evidence(), scratch, self.cache, *unweighted(rules))
        self._lock = threading.Lock()

    def best(
        self, cells: Cells, answers: Ints, seconds: float, at_random: bool, state: Rng
    ) -> int | None:
        """The most likely cell after these shots; None if it was not computed in time."""
        with self._lock:
            budget = int(seconds * STEPS_PER_SECOND)
            cell = likeliest_cached_cell(
                *self._memory, cells, answers, budget, self.isolated, at_random, state
            )
        if cell == CONTRADICTORY:
            # `infer` says why no layout agrees.
            infer(Observation.from_arrays(self.rules, cells, answers))
        return None if cell < 0 else cell

    def play(
        self,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
        seconds: float,
        at_random: bool,
        shots: npt.NDArray[np.int32],
        fired: npt.NDArray[np.int16],
    ) -> None:
        """Play one game per layout at the most likely cells: its shots, or -1 if a position was
        not computed in time, and the cells fired at."""
        budget = int(seconds * STEPS_PER_SECOND)
        settings = budget, self.isolated, at_random
        for begin in range(0, len(placements), TURN):
            turn = slice(begin, begin + TURN)
            with self._lock:
                play_likeliest(
                    *self._memory, *settings,
                    placements[turn], seeds[turn], shots[turn], fired[turn],
                )  # fmt: skip


@lru_cache(maxsize=8)
def cached_posterior(rules: Rules, isolated: bool = False) -> CachedPosterior:
    """The cache of these rules, one per process."""
    return CachedPosterior(rules, isolated)
