"""Running the compiled search in slices: budgets, growing tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from ..board import board_of
from ..kernels import solve as kernels
from .problem import Problem
from .stages import count_stages, most_agreeing, stage_after, stage_codes

WIDEST = 20_000_000
"""Entries of the table of bounds by stage and number of layouts."""

SMALLEST_TABLE = 1 << 16
ENTRY_BYTES = 21
SLICE_NODES = 400_000


class Stopped(Exception):
    """The slice of work ended before an answer."""


class Search:
    """Everything proven about the positions of one problem."""

    def __init__(self, problem: Problem, *, worst: bool = False) -> None:
        self.problem = problem
        rules = problem.rules
        images = problem.images
        ships = problem.ships.shape[1]
        kinds = ships + 2
        self.settings = np.array(
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
        self.tally = np.zeros(8, dtype=np.int64)
        random = np.random.default_rng(20240229)
        words = random.integers(0, 2**64, size=(len(problem.ships), 2), dtype=np.uint64)
        cell_words = random.integers(0, 2**64, size=(rules.cells, 2), dtype=np.uint64)
        self.layout_words = np.concatenate([words[rows] for _, rows in images], axis=1)
        self.cell_words = np.concatenate([cell_words[cells] for cells, _ in images], axis=1)
        self.cell_image = np.array([np.argsort(cells) for cells, _ in images], dtype=np.int8)
        stages = count_stages(rules, most_agreeing(problem), len(problem.ships), rules.cells)
        share, step = stage_codes(rules)
        self.stage_share, self.stage_step = share, step
        self.stage_number = np.zeros(int(share.max(axis=1).sum()) + 1, dtype=np.int64)
        for struck in product(*(range(length + 1) for length in rules.fleet)):
            code = sum(int(share[ship, count]) for ship, count in enumerate(struck))
            self.stage_number[code] = stages.numbers[stage_after(rules, struck)]
        self.after_hit = np.minimum(stages.after_hit, len(problem.ships)).astype(np.int64)
        profile = np.minimum(stages.profile, len(problem.ships)).astype(np.int64)
        sizes = np.arange(min(len(problem.ships), WIDEST // len(profile)) + 1)
        self.size_bound = np.zeros((len(profile), len(sizes)), dtype=np.int32)
        for misses in range(rules.cells):
            short = np.maximum(sizes[None, :] - profile[:, misses, None], 0)
            self.size_bound += ((short > 0) if worst else short).astype(np.int32)
        self._new_table(SMALLEST_TABLE)
        depth = 2 * rules.cells + 4
        self.items = np.empty(len(problem.ships) * (rules.cells + rules.ship_cells + 4), dtype=np.int32)
        self.room = np.zeros((depth, 9, rules.cells * kinds), dtype=np.int64)
        self.room_words = np.zeros((depth, max(rules.cells, 2 * len(images))), dtype=np.uint64)

    def _new_table(self, capacity: int) -> None:
        self.tally[kernels.CAPACITY] = capacity
        self.tally[kernels.ENTRIES] = 0
        self.tally[kernels.FULL] = 0
        self.keys = np.zeros((capacity, 2), dtype=np.uint64)
        self.proofs = np.zeros(capacity, dtype=np.int32)
        self.moves = np.full(capacity, -1, dtype=np.int8)

    def grow(self) -> None:
        """Double the table."""
        old = self.keys, self.proofs, self.moves
        self._new_table(2 * len(self.keys))
        kernels.rehash(self.tally, self.keys, self.proofs, self.moves, *old)

    def value(
        self,
        rows: npt.NDArray[np.int32],
        hits: int,
        limit: int,
        nodes: int = SLICE_NODES,
    ) -> int:
        """One slice of `kernels.search`."""
        p = self.problem
        self.items[: len(rows)] = rows
        self.tally[kernels.NODE_LIMIT] = self.tally[kernels.NODES] + nodes
        self.tally[kernels.STOPPED] = 0
        found = kernels.search(
            self.settings,
            self.tally,
            p.mask,
            p.weight,
            p.ship_at,
            p.ships,
            self.layout_words,
            self.cell_words,
            self.cell_image,
            p.layer,
            self.stage_share,
            self.stage_step,
            self.stage_number,
            self.after_hit,
            self.size_bound,
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
        if self.tally[kernels.STOPPED]:
            raise Stopped
        return int(found)
