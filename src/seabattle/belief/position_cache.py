"""The most likely cells of positions, computed by enumeration and cached.

There is one cache per set of rules and process. The time limit is turned into a number of
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
from .enumeration_kernels import DONE, count_layouts, new_enumeration_scratch, new_evidence
from .infer import infer
from .position_cache_kernels import NOT_CACHED, look_up, new_position_cache, store_counted

ENTRIES = 2**18
"""Positions cached for each set of rules: 15 MB when full."""


class CachedPosterior:
    """The most likely cells of positions under one set of rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._board, self._symmetries = board_of(rules), symmetries_of(rules)
        self._weights, self._kin = unweighted(rules)
        self._evidence = new_evidence()
        self._scratch = new_enumeration_scratch(self._board, self._symmetries, weighted=False)
        self.cache = new_position_cache(self._board, ENTRIES)
        self._lock = threading.Lock()

    def best(
        self, cells: Cells, answers: Ints, seconds: float, at_random: bool, state: Rng
    ) -> int | None:
        """The most likely cell after these shots; None if it was not computed in time."""
        common = (self._board, self._symmetries, self._evidence)
        scratch, cache = self._scratch, self.cache
        with self._lock:
            cell = look_up(
                *common, scratch, cache, self._weights, self._kin, cells, answers, at_random, state
            )
            if cell != NOT_CACHED:
                return cell
            words = int(cache.words[0])
            budget = int(seconds * STEPS_PER_SECOND)
            if words < 0 or count_layouts(*common, words, 0, budget, scratch) != DONE:
                return None
            if scratch.found[0] == 0:
                # No layout agrees: `infer` says why.
                infer(Observation.from_arrays(self.rules, cells, answers))
            return store_counted(*common, scratch, cache, at_random, state)


@lru_cache(maxsize=8)
def cached_posterior(rules: Rules) -> CachedPosterior:
    """The cache of these rules, one per process."""
    return CachedPosterior(rules)
