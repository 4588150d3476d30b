"""The cache of positions keeps what was expensive to work out."""

from __future__ import annotations

import numpy as np

from seabattle import Rules
from seabattle.belief.position_cache_kernels import new_position_cache, recall, remember
from seabattle.compiled.rules_tables import board_of


def test_a_full_cache_keeps_what_took_most_work() -> None:
    cache = new_position_cache(board_of(Rules.from_text("mini")), 8)
    best = np.zeros(4, dtype=np.uint64)
    expensive = np.array([3, 3], dtype=np.uint64)
    remember(cache, expensive, best, 1_000_000)
    for number in range(100):
        remember(cache, np.array([number, 7], dtype=np.uint64), best, number + 1)
    assert recall(cache, expensive) >= 0
    assert recall(cache, np.array([99, 7], dtype=np.uint64)) >= 0
    assert recall(cache, np.array([5, 7], dtype=np.uint64)) < 0
