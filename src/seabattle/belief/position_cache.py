"""The most likely cells of positions, worked out by enumeration and cached.

There is one table per set of rules and process. The time limit is turned into a number of
steps, so the same observation gives the same cells on any machine, whatever was cached
before.
"""

from __future__ import annotations

import threading
from functools import lru_cache

from ..compiled.board_tables import Cells, Ints
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of, symmetries_of
from ..observation import Observation
from ..rules import Rules
from .enumeration import STEPS_PER_SECOND, unweighted
from .enumeration_kernels import DONE, count_layouts, new_desk, new_evidence
from .infer import infer
from .position_cache_kernels import UNKNOWN_POSITION, learn, look_up, new_position_cache

ENTRIES = 2**18
"""Positions cached for each set of rules: 15 MB when full."""


class CachedPosterior:
    """The most likely cells of positions under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._board, self._symmetries = board_of(rules), symmetries_of(rules)
        self._weights, self._kin = unweighted(rules)
        self._evidence = new_evidence()
        self._desk = new_desk(self._board, self._symmetries, weighted=False)
        self.memory = new_position_cache(self._board, ENTRIES)
        self._lock = threading.Lock()

    def best(
        self, cells: Cells, answers: Ints, seconds: float, at_random: bool, state: Rng
    ) -> int | None:
        """The most likely cell after these shots; None if that is not found in time."""
        common = (self._board, self._symmetries, self._evidence)
        desk, memory = self._desk, self.memory
        with self._lock:
            cell = look_up(
                *common, desk, memory, self._weights, self._kin, cells, answers, at_random, state
            )
            if cell != UNKNOWN_POSITION:
                return cell
            words = int(memory.form[0])
            budget = int(seconds * STEPS_PER_SECOND)
            if words < 0 or count_layouts(*common, words, 0, budget, desk) != DONE:
                return None
            if desk.sums_at[0] == 0:
                infer(Observation.from_arrays(self.rules, cells, answers))
            return learn(*common, desk, memory, at_random, state)


@lru_cache(maxsize=8)
def cached_posterior(rules: Rules) -> CachedPosterior:
    """The cache of these rules, one per process."""
    return CachedPosterior(rules)
