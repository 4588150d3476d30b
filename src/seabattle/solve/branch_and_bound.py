"""Running the compiled search: slices of work, a table that grows, policies."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from . import branch_and_bound_kernels as kernels
from .branch_and_bound_kernels import ENTRIES, NODE_LIMIT, NODES, STOPPED
from .problem import Problem
from .stages import count_stages, most_agreeing, stage_after, stage_codes

Rows = npt.NDArray[np.int32]

WIDEST = 20_000_000
"""Entries of the table of bounds by stage and number of layouts."""

SMALLEST_TABLE = 1 << 16
ENTRY_BYTES = 21
"""Of the table: a key of 16, a proof of 4, a move of 1."""

SEED = 20240229
"""Of the random words that make keys; a saved table is only good with the same ones."""


class Stopped(Exception):
    """A slice of work ended before an answer."""


class BranchAndBound:
    """Everything proven so far about the positions of one problem."""

    def __init__(self, problem: Problem, *, worst: bool = False, memory: float = 4.0) -> None:
        """`memory` bounds the table, in gigabytes."""
        self.problem, self.worst = problem, worst
        rules, ships = problem.rules, problem.ships.shape[1]
        images = problem.images
        kinds = ships + 2
        self.most_entries = SMALLEST_TABLE
        # While it doubles, the old table and one of twice its size are there together.
        while 3 * self.most_entries * ENTRY_BYTES <= memory * 1e9:
            self.most_entries *= 2
        self.tally = np.zeros(8, dtype=np.int64)
        settings = np.array(
            [
                board_of(rules).answers,
                problem.ordered,
                worst,
                rules.cells,
                len(images),
                ships,
                rules.ship_cells,
            ],
            dtype=np.int64,
        )
        random = np.random.default_rng(SEED)
        words = random.integers(0, 2**64, size=(len(problem.ships), 2), dtype=np.uint64)
        cell_words = random.integers(0, 2**64, size=(rules.cells, 2), dtype=np.uint64)
        self.layout_words = np.concatenate([words[rows] for _, rows in images], axis=1)
        share, step = stage_codes(rules)
        number, after_hit, size_bound = self._stage_tables(share)
        self.tables = (
            problem.mask,
            problem.weight,
            problem.ship_at,
            problem.ships,
            self.layout_words,
            np.concatenate([cell_words[cells] for cells, _ in images], axis=1),
            np.array([np.argsort(cells) for cells, _ in images], dtype=np.int8),
            problem.layer,
            share,
            step,
            number,
            after_hit,
            size_bound,
        )
        self.settings = settings
        self._new_table(SMALLEST_TABLE)
        depth = rules.cells + rules.ship_cells + 4
        self.items = np.empty(len(problem.ships) * depth, dtype=np.int32)
        self.room = np.zeros((depth, 9, rules.cells * kinds), dtype=np.int64)
        self.room_words = np.zeros((depth, max(rules.cells, 2 * len(images))), dtype=np.uint64)
        self.stack = np.zeros((depth * kinds, 4), dtype=np.int64)

    def _stage_tables(
        self, share: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The number of each stage code, what can finish after a hit, and the least cost by
        stage and number of layouts."""
        problem, rules = self.problem, self.problem.rules
        rows = len(problem.ships)
        stages = count_stages(rules, most_agreeing(problem), rows, rules.cells)
        number = np.zeros(int(share.max(axis=1).sum()) + 1, dtype=np.int64)
        for struck in product(*(range(length + 1) for length in rules.fleet)):
            code = sum(int(share[ship, count]) for ship, count in enumerate(struck))
            number[code] = stages.numbers[stage_after(rules, struck, stages.coarse)]
        after_hit = np.minimum(stages.after_hit, rows).astype(np.int64)
        profile = np.minimum(stages.profile, rows).astype(np.int64)
        sizes = np.arange(min(rows, WIDEST // len(profile)) + 1)
        bound = np.zeros((len(profile), len(sizes)), dtype=np.int32)
        for misses in range(rules.cells):
            short = np.maximum(sizes[None, :] - profile[:, misses, None], 0)
            bound += ((short > 0) if self.worst else short).astype(np.int32)
        return number, after_hit, bound

    @property
    def all_rows(self) -> Rows:
        """The position before the first shot."""
        return np.arange(len(self.problem.ships), dtype=np.int32)

    @property
    def nodes(self) -> int:
        """Positions looked at so far."""
        return int(self.tally[NODES])

    @property
    def entries(self) -> int:
        """Positions in the table."""
        return int(self.tally[ENTRIES])

    def _new_table(self, capacity: int) -> None:
        self.tally[kernels.CAPACITY] = capacity
        self.tally[kernels.ENTRIES] = 0
        self.keys = np.zeros((capacity, 2), dtype=np.uint64)
        self.proofs = np.zeros(capacity, dtype=np.int32)
        self.moves = np.full(capacity, -1, dtype=np.int8)

    def make_room(self, entries: int) -> None:
        """Grow the table, if memory allows, until it is at most half full with so many."""
        capacity = len(self.keys)
        while entries > capacity // 2 and capacity < self.most_entries:
            capacity *= 2
        if capacity > len(self.keys):
            old = self.keys, self.proofs, self.moves
            self._new_table(capacity)
            kernels.rehash(self.tally, self.keys, self.proofs, self.moves, *old)

    def add(
        self,
        keys: npt.NDArray[np.uint64],
        proofs: npt.NDArray[np.int32],
        moves: npt.NDArray[np.int8],
    ) -> None:
        """Take over what another search of the same problem has proven."""
        self.make_room(self.entries + len(keys))
        kernels.rehash(self.tally, self.keys, self.proofs, self.moves, keys, proofs, moves)

    def value(self, rows: Rows, hits: int, limit: int, nodes: int) -> int:
        """The cost of a position if it is at most `limit`, else a lower bound above it.

        Raises `Stopped` after so many nodes; what was proven until then is kept.
        """
        self.make_room(self.entries + nodes // 4)
        self.items[: len(rows)] = rows
        self.tally[NODE_LIMIT] = self.tally[NODES] + nodes
        self.tally[STOPPED] = 0
        found = kernels.search(
            self.settings,
            self.tally,
            *self.tables,
            self.keys,
            self.proofs,
            self.moves,
            self.items,
            self.room,
            self.room_words,
            0,
            0,
            len(rows),
            len(rows),
            np.uint64(hits),
            limit,
        )
        if self.tally[STOPPED]:
            raise Stopped
        return int(found)

    def policy(self, rows: Rows, hits: int, policy: int) -> tuple[int, int, int]:
        """Total of misses, most misses and first cell of a policy (see `compiled.jit.play_all`)."""
        self.items[: len(rows)] = rows
        found = np.zeros(3, dtype=np.int64)
        kernels.play_all(
            self.settings,
            self.tally,
            *self.tables,
            self.keys,
            self.proofs,
            self.moves,
            self.items,
            self.room,
            self.room_words,
            policy,
            len(rows),
            np.uint64(hits),
            self.stack,
            found,
        )
        return int(found[0]), int(found[1]), int(found[2])
