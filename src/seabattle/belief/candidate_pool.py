"""Making the pool of candidates that random layouts are drawn from."""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import Bits, Board, Floats, Int32s, Ints
from .sampling_kernels import Pool, drop_impossible, list_through_hits


def make_pool(
    board: Board, candidates: Int32s, counts: Ints, hit_bits: Bits, prior: Floats | None
) -> Pool:
    """A pool of candidates as `gather_candidates` lists them.

    Candidates of weight 0 are left out, and those that clash with a ship that has only one
    candidate.
    """
    counts = counts.copy()
    chosen = candidates.copy()
    weights = np.empty((0, 0)) if prior is None else prior
    drop_impossible(board, chosen, counts, weights)
    chosen = np.ascontiguousarray(chosen[:, : max(1, int(counts.max()))])
    reached = np.empty((0, 0))
    if prior is not None:
        reached = np.zeros(chosen.shape)
        for ship in range(board.ships):
            reached[ship, : counts[ship]] = np.cumsum(prior[ship, chosen[ship, : counts[ship]]])
    order = np.argsort(counts, kind="stable")
    hits = hit_bits.copy()
    return Pool(
        order,
        counts,
        chosen,
        reached,
        hits,
        *list_through_hits(board, chosen, counts, weights, hits),
    )


def all_candidates(board: Board) -> tuple[Int32s, Ints]:
    """Every placement of each ship: the candidates before the first shot."""
    counts = (board.last - board.first)[: board.ships].copy()
    candidates = np.zeros((board.ships, max(1, int(counts.max()))), dtype=np.int32)
    for ship in range(board.ships):
        candidates[ship, : counts[ship]] = np.arange(board.first[ship], board.last[ship])
    return candidates, counts
