"""Running the compiled search: slices of work, a table that grows, policies."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Int32s
from ..compiled.rules_tables import board_of
from ..compiled.structs import new_struct
from .branch_and_bound_kernels import PolicyCost, play_policy, search
from .positions_kernels import Position, ProofTable, SearchScratch, SearchTables, copy_proofs
from .problem import Problem
from .stages import count_stages, most_agreeing, stage_after, stage_codes

WIDEST = 20_000_000
"""Entries of the table of bounds by stage and number of layouts, at most."""

SMALLEST_TABLE = 1 << 16
ENTRY_BYTES = 25
"""An entry of the proof table: 16 for the key, 8 for the proof, 1 for the move."""

SEED = 20240229
"""Seed of the random words in keys; a saved table can only be read with the same ones."""


def most_entries(memory: float) -> int:
    """The largest table for `memory` gigabytes: while one doubles, the old one exists too."""
    entries = SMALLEST_TABLE
    while 3 * entries * ENTRY_BYTES <= memory * 1e9:
        entries *= 2
    return entries


def new_table(capacity: int) -> ProofTable:
    return ProofTable(
        entries=np.zeros(1, dtype=np.int64),
        keys=np.zeros((capacity, 2), dtype=np.uint64),
        proofs=np.zeros(capacity, dtype=np.int64),
        moves=np.full(capacity, -1, dtype=np.int8),
    )


class Stopped(Exception):
    """A slice of work ended before an answer."""


class BranchAndBound:
    """Everything proven so far about the positions of one problem."""

    def __init__(self, problem: Problem, *, worst: bool = False, memory: float = 4.0) -> None:
        """`memory` limits the proof table, in gigabytes."""
        self.problem, self.worst = problem, worst
        self.most_entries = most_entries(memory)
        self.tables = self._search_tables()
        self.scratch = new_struct(SearchScratch)
        depth = problem.rules.cells + problem.rules.ship_cells + 4
        self.items = np.empty(len(problem.ships) * depth, dtype=np.int32)
        self.proven = new_table(SMALLEST_TABLE)

    def _search_tables(self) -> SearchTables:
        problem, rules = self.problem, self.problem.rules
        random = np.random.default_rng(SEED)
        words = random.integers(0, 2**64, size=(len(problem.ships), 2), dtype=np.uint64)
        cell_words = random.integers(0, 2**64, size=(rules.cells, 2), dtype=np.uint64)
        share, step = stage_codes(rules)
        number, after_hit, size_bound, profile = self._stage_tables(share)
        return SearchTables(
            answers=int(board_of(rules).answers),
            ordered=problem.ordered,
            worst=self.worst,
            weighted=False,
            cells=rules.cells,
            ships=len(rules.fleet),
            ship_cells=rules.ship_cells,
            mask=problem.mask,
            weight=problem.weight,
            ship_at=problem.ship_at,
            ship_mask=problem.ships,
            layout_words=np.concatenate([words[rows] for _, rows in problem.images], axis=1),
            cell_words=np.concatenate([cell_words[cells] for cells, _ in problem.images], axis=1),
            cell_image=np.array([np.argsort(cells) for cells, _ in problem.images], dtype=np.int8),
            layer=problem.layer,
            stage_share=share,
            stage_step=step,
            stage_number=number,
            after_hit=after_hit,
            size_bound=size_bound,
            profile=profile,
            heaviest=np.zeros(1, dtype=np.int64),
        )

    def _stage_tables(
        self, share: npt.NDArray[np.int64]
    ) -> tuple[
        npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]
    ]:
        """The number of each stage code, how many layouts can finish after a hit, the least
        cost by stage and number of layouts, and how many layouts can finish."""
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
        return number, after_hit, bound, profile

    @property
    def all_rows(self) -> Int32s:
        """The position before the first shot."""
        return np.arange(len(self.problem.ships), dtype=np.int32)

    @property
    def nodes(self) -> int:
        """Positions searched so far."""
        return int(self.scratch.nodes)

    @property
    def entries(self) -> int:
        """Positions in the proof table."""
        return int(self.proven.entries[0])

    def grow_table(self, entries: int) -> None:
        """Double the table until `entries` would fill at most half of it, if memory allows."""
        old = self.proven
        capacity = len(old.keys)
        while entries > capacity // 2 and capacity < self.most_entries:
            capacity *= 2
        if capacity > len(old.keys):
            self.proven = new_table(capacity)
            copy_proofs(self.proven, old)

    def add(
        self,
        keys: npt.NDArray[np.uint64],
        proofs: npt.NDArray[np.int64],
        moves: npt.NDArray[np.int8],
    ) -> None:
        """Add what another search of the same problem has proven."""
        self.grow_table(self.entries + len(keys))
        used = np.array([len(keys)])
        copy_proofs(self.proven, ProofTable(used, keys, proofs, moves))

    def value(self, rows: Int32s, hits: int, limit: int, nodes: int) -> int:
        """The cost of a position if it is at most `limit`, else a lower bound above it.

        Raises `Stopped` after `nodes` nodes; what was proven until then is kept.
        """
        self.grow_table(self.entries + nodes // 4)
        self.scratch.node_limit = self.scratch.nodes + nodes
        self.scratch.stopped = 0
        position = self._root(rows, hits)
        found = search(
            self.tables, self.proven, self.scratch, self.items, 0, position, len(rows), limit
        )
        if self.scratch.stopped:
            raise Stopped
        return int(found)

    def policy(self, rows: Int32s, hits: int, policy: int) -> PolicyCost:
        """What a policy costs in a position (see `branch_and_bound_kernels.play_policy`)."""
        root = self._root(rows, hits)
        return play_policy(self.tables, self.proven, self.scratch, self.items, policy, root)

    def _root(self, rows: Int32s, hits: int) -> Position:
        self.items[: len(rows)] = rows
        return Position(0, len(rows), np.uint64(hits))
