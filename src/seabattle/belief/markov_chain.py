"""Layouts from a Markov chain, where neither rejection nor the diagram will do."""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import Board, Floats, Int32s
from ..compiled.random_streams import Rng
from .sampling_kernels import Pool, find_layout, first_fit, run_chain

FITS, SEARCHES, SEARCH_STEPS = 200, 20, 5_000
"""First fits and searches for the first layout of a chain, and the steps of each search."""

CHAIN_START, CHAIN_BETWEEN = 5_000, 50
"""Steps per ship of the fleet before the first and between two layouts of a chain."""


class NotFound(Exception):
    """No layout was found; `proven` if there is none."""

    def __init__(self, proven: bool) -> None:
        self.proven = proven


def chain_layouts(board: Board, pool: Pool, prior: Floats | None, count: int, rng: Rng) -> Int32s:
    """(count, ships) layouts from a chain that starts at one found by search."""
    current = np.zeros(board.ships, dtype=np.int32)
    found = -1
    if not pool.hit_bits.any() and pool.counts.min() > 0:
        if any(first_fit(board, pool, rng, current) for _ in range(FITS)):
            found = 1
    for _ in range(SEARCHES):
        if found >= 0:
            break
        found = find_layout(board, pool, SEARCH_STEPS, rng, current)
    if found != 1:
        raise NotFound(proven=found == 0)
    weights = np.empty((0, 0)) if prior is None else prior
    placements = np.empty((count, board.ships), dtype=np.int32)
    run_chain(board, pool, weights, CHAIN_START * board.ships, rng, current, placements[:1])
    run_chain(board, pool, weights, CHAIN_BETWEEN * board.ships, rng, current, placements[1:])
    return placements
