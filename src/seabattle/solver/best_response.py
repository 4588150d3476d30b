"""The best strategy of a shooter who knows how likely each layout is.

A strategy is a decision tree, kept as the cells that it shoots at in the order in which
`weighted_kernels.play_proofs` visits positions. Replaying it against all layouts gives
its cost, so a stored strategy needs no trust.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Int32s
from ..compiled.structs import new_struct
from ..errors import SolveError
from .branch_and_bound import SMALLEST_TABLE, BranchAndBound, most_entries, new_table
from .branch_and_bound_kernels import search
from .positions_kernels import Position, SearchTables, copy_proofs
from .problem import Problem
from .weighted_kernels import UNFINISHED, ReplayStack, play_proofs

Moves = npt.NDArray[np.int8]
Shots = npt.NDArray[np.int16]
LayoutWeights = npt.NDArray[np.int64]

MOST_WEIGHT = 1 << 48
"""Of all layouts together: twice the misses of all of them must fit a 64-bit number."""

SLICE = 100_000
"""Positions searched before Python looks for an interrupt."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A deterministic way to shoot, and its cost on every layout."""

    moves: Moves
    """the cells of its positions, in the order of `play_proofs`"""
    shots: Shots
    """(rows,) shots until each row of the problem is found"""

    @property
    def first_cell(self) -> int | None:
        """Where it shoots first; None if every shot hits anyway."""
        return int(self.moves[0]) if len(self.moves) else None


class Response(NamedTuple):
    """What a search for the best strategy found."""

    least: int
    """the least total of weight × misses of any strategy"""
    strategy: Strategy


class BestResponse:
    """Finds the best strategy against weights of the rows of one problem."""

    def __init__(self, problem: Problem, memory: float = 1.0, *, symmetric: bool = False) -> None:
        """`memory` limits the proof table, in gigabytes. With `symmetric`, all weights will be
        equal for rows that a symmetry of the board exchanges, which is searched faster."""
        self.problem = problem
        base = BranchAndBound(problem, memory=0.001)
        rows = len(problem.ships)
        self.tables = base.tables._replace(
            weighted=True, heaviest=np.zeros(rows + 1, dtype=np.int64)
        )
        if not symmetric:
            self.tables = self.tables._replace(
                layout_words=np.ascontiguousarray(self.tables.layout_words[:, :2]),
                cell_words=np.ascontiguousarray(self.tables.cell_words[:, :2]),
                cell_image=np.ascontiguousarray(self.tables.cell_image[:1]),
            )
        self._scratch = base.scratch
        self._items = base.items
        self._stack = new_struct(ReplayStack)
        self._most_entries = most_entries(memory)
        self._proven = new_table(SMALLEST_TABLE)

    @property
    def positions(self) -> int:
        """Positions searched so far, in all calls."""
        return int(self._scratch.nodes)

    def find(
        self,
        weights: LayoutWeights,
        *,
        at_most: float | None = None,
        tell: Callable[[], None] | None = None,
    ) -> Response:
        """The best strategy against these weights, proven.

        `weights` are whole numbers of 0 or more. `at_most` is a total of weight × misses that
        some strategy is known to reach. `tell` is called now and then.
        """
        total = int(weights.sum())
        if (weights < 0).any() or not 0 < total <= MOST_WEIGHT:
            raise SolveError(f"Weights must be 0 or more and add up to at most {MOST_WEIGHT:,}.")
        tables = self.tables._replace(weight=np.asarray(weights, dtype=np.int64))
        order = np.argsort(-weights, kind="stable").astype(np.int32)
        likely = int((weights > 0).sum())
        self._proven.keys[:] = 0
        self._proven.entries[0] = 0
        highest = total * self.problem.rules.cells
        limit = highest if at_most is None else int(at_most) + 1
        scratch = self._scratch
        least = None
        while least is None:
            scratch.node_limit = scratch.nodes + SLICE
            scratch.stopped = 0
            self._items[: len(order)] = order
            value = search(
                tables,
                self._proven,
                scratch,
                self._items,
                0,
                Position(0, likely, np.uint64(0)),
                likely,
                limit,
            )
            if not scratch.stopped and value <= limit:
                least = int(value)
            elif not scratch.stopped:
                limit = highest  # `at_most` was too low
            self._grow()
            if tell is not None:
                tell()
        return Response(least, self._play(tables, order))

    def replay(self, moves: Moves) -> Strategy:
        """The strategy with these moves; an error if they are not one."""
        order = np.arange(len(self.problem.ships), dtype=np.int32)
        return self._play(self.tables, order, moves)

    def _play(self, tables: SearchTables, order: Int32s, moves: Moves | None = None) -> Strategy:
        """Play what is proven, or given moves, against the rows in this order."""
        rows, cells = len(self.problem.ships), self.problem.rules.cells
        self._items[:rows] = order
        given = moves if moves is not None else np.empty(rows * cells + 1, dtype=np.int8)
        misses = np.full(rows, UNFINISHED, dtype=np.int16)
        length = play_proofs(
            tables,
            self._proven,
            self._scratch,
            self._stack,
            self._items,
            rows,
            moves is not None,
            given,
            misses,
        )
        if length < 0 or (moves is not None and length != len(given)):
            raise SolveError("These moves are not a strategy for this board.")
        shots = (misses + self.problem.rules.ship_cells).astype(np.int16)
        return Strategy(np.ascontiguousarray(given[:length]), shots)

    def _grow(self) -> None:
        """Double the table if it is half full and memory allows."""
        capacity = len(self._proven.keys)
        if self._proven.entries[0] > capacity // 2 and capacity < self._most_entries:
            old, self._proven = self._proven, new_table(2 * capacity)
            copy_proofs(self._proven, old)
