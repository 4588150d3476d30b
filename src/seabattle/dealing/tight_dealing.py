"""Dealing fleets that random placements almost never fit."""

from __future__ import annotations

import numpy as np

from ..belief.candidate_pool import all_candidates, make_pool
from ..belief.frontier_kernels import guess_seconds, make_frontier_task, room_left, room_needed
from ..belief.frontier_sweeps import DiagramTooLarge, Paths, make_plan
from ..belief.markov_chain import NotFound, chain_layouts
from ..belief.sampling import SamplingMethod
from ..belief.sampling_kernels import reject_many
from ..compiled.board_tables import Board, Int32s
from ..compiled.random_streams import Rng

PILOT = 2_000_000
"""Tries that measure whether rejection still works; always from the same seed."""

ENOUGH = 4
"""Successes among them for rejection to be used."""

LITTLE_MEMORY, MUCH_MEMORY = 1 << 30, 1 << 32
"""Bytes for the diagram: the size of a tight one cannot be estimated, so it gets little; one
that is estimated to take a few seconds gets more."""


class Dealer:
    """Deals layouts of one board, each from its own random generator.

    By rejection if that succeeds now and then; else as random paths through the diagram
    of all layouts, which also shows whether there are any. Both are exactly uniform. Only
    if the diagram is too large, on large boards with many ships of many lengths, a layout
    is found by search and shuffled by a Markov chain, which is uniform only in the limit.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        candidates, counts = all_candidates(board)
        no_hits = np.zeros(board.mask.shape[1], dtype=np.uint64)
        self._pool = make_pool(board, candidates, counts, no_hits, None)
        self._paths: Paths | None = None
        self.method: SamplingMethod | None = None
        """None if there is no layout"""
        need = sum(room_needed(board.contact, board.fleet[ship]) for ship in range(board.ships))
        room = room_left(board.rows, board.columns, board.contact, 0)
        if counts.min() == 0 or need > room:
            return
        found, _ = reject_many(
            board,
            self._pool,
            PILOT,
            np.zeros(1, dtype=np.uint64),
            np.empty((ENOUGH, board.ships), dtype=np.int32),
        )
        if found == ENOUGH:
            self.method = "rejection"
            return
        task = make_frontier_task(board, candidates, counts, no_hits, None)
        try:
            plan = make_plan(task, MUCH_MEMORY if guess_seconds(task) < 20 else LITTLE_MEMORY)
        except DiagramTooLarge:
            self.method = "chain"
            return
        if plan.paths > 0:
            self.method = "paths"
            self._paths = Paths(plan, np.ones(task.start.shape))

    def deal(self, rng: Rng) -> Int32s:
        """(len(rng), ships) a layout from each generator.

        Raises `NotFound` if there is no layout, or none was found.
        """
        if self.method is None:
            raise NotFound(proven=True)
        if self._paths is not None:
            return self._paths.draw(rng)
        placements = np.empty((len(rng), self.board.ships), dtype=np.int32)
        for row in range(len(rng)):
            own = rng[row : row + 1].copy()
            if self.method == "chain":
                placements[row] = chain_layouts(self.board, self._pool, None, 1, own)[0]
                continue
            while (
                reject_many(self.board, self._pool, PILOT, own, placements[row : row + 1])[0] == 0
            ):
                pass
        return placements
