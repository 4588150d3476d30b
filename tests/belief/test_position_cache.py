"""The cache of positions keeps what was expensive to work out."""

from __future__ import annotations

import numpy as np

from seabattle import Rules
from seabattle.belief.position_cache_kernels import find_entry, new_position_cache, store_entry
from seabattle.compiled.rules_tables import board_of


def test_a_full_cache_keeps_what_took_most_work() -> None:
    cache = new_position_cache(board_of(Rules.from_text("mini")), 8)
    best = np.zeros(4, dtype=np.uint64)
    expensive = np.array([3, 3], dtype=np.uint64)
    store_entry(cache, expensive, best, 1_000_000)
    for number in range(100):
        store_entry(cache, np.array([number, 7], dtype=np.uint64), best, number + 1)
    assert find_entry(cache, expensive) >= 0
    assert find_entry(cache, np.array([99, 7], dtype=np.uint64)) >= 0
    assert find_entry(cache, np.array([5, 7], dtype=np.uint64)) < 0
