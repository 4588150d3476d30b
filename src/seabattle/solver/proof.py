"""Proving the value of a board step by step, with an interval at any time.

The lower bound rises as the limit of the search is raised; the upper bound is the exact
value of a policy that uses whatever has been solved. They meet at the optimum. Values
are integers, misses summed over all layouts, so that nothing is lost to rounding;
`Solution` gives them as shots.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Int32s
from ..compiled.sealed_arrays import array_of, read_sealed, write_sealed
from ..errors import ImpossibleObservation, SolveError, reason
from ..observation import Observation
from ..rules import Rules
from .branch_and_bound import BranchAndBound, Stopped
from .branch_and_bound_kernels import GREEDY, INFORMED
from .problem import Problem, make_problem
from .ranking_kernels import PROBE

FORMAT = 2
SLICE_SECONDS = 0.3
SAVE_SECONDS = 50.0
"""Between writes of the state, so that a crash loses less than a minute."""

STEPS = 8
"""The limit rises by one STEPS-th of the remaining interval."""

MEMORY = 4.0
"""Gigabytes for the proof table by default."""


@dataclass(frozen=True)
class Solution:
    """What is proven about a board."""

    rules: Rules
    layouts: int
    """distinct layouts, ships of equal length being interchangeable"""
    lower_bound: float
    """no strategy needs fewer shots: on average, or in the worst case if `worst`"""
    upper_bound: float
    """a known strategy needs this many"""
    first_shot: int
    """the first cell of that strategy"""
    seconds: float
    """time spent, including earlier runs"""
    positions: int
    """positions searched in this run"""
    worst: bool = False

    @property
    def proven(self) -> bool:
        return self.lower_bound == self.upper_bound

    @property
    def expected_shots(self) -> float:
        """The optimum if proven, else the value of the best known strategy."""
        return self.upper_bound


class Solver:
    """Solves one set of rules; can be stopped and continued at any time."""

    def __init__(
        self,
        rules: Rules,
        *,
        worst: bool = False,
        memory: float = MEMORY,
        problem: Problem | None = None,
    ) -> None:
        self.problem = problem or make_problem(rules)
        self.rules, self.worst = rules, worst
        self.search = BranchAndBound(self.problem, worst=worst, memory=memory)
        rows = self.search.all_rows
        self.lower = self.search.value(rows, 0, PROBE, 10)
        self.upper, self.first = self._policy(GREEDY)
        self.seconds = 0.0
        self._limit: int | None = None
        self._nodes = 20_000
        self._look = 0.5
        self._improve()

    @property
    def proven(self) -> bool:
        return self.lower >= self.upper

    def solution(self) -> Solution:
        """What is proven so far."""
        return Solution(
            self.rules,
            self.problem.layouts,
            self.shots(min(self.lower, self.upper)),
            self.shots(self.upper),
            self.first,
            self.seconds,
            self.search.nodes,
            self.worst,
        )

    def shots(self, misses: int) -> float:
        """Shots from a total of misses, or from the most misses in the worst case."""
        return self.rules.ship_cells + (misses if self.worst else misses / self.problem.total)

    def step(self) -> bool:
        """Work for a fraction of a second; returns whether the optimum is proven."""
        if self.proven:
            return True
        began = time.perf_counter()
        if self._limit is None:
            gap = self.upper - self.lower
            self._limit = min(self.upper - 1, self.lower + max(1, gap // STEPS))
        try:
            value = self.search.value(self.search.all_rows, 0, self._limit, self._nodes)
        except Stopped:
            took = time.perf_counter() - began
            if took < SLICE_SECONDS / 2:
                self._nodes *= 2
            elif took > SLICE_SECONDS * 2 and self._nodes > 5_000:
                self._nodes //= 2
        else:
            if value <= self._limit:
                self.lower = value
                self._improve()
            else:
                self.lower = max(self.lower, value)
            self._limit = None
        self.seconds += time.perf_counter() - began
        if self.seconds > self._look:
            self._look = 2 * self.seconds
            self._improve()
        return self.proven

    def _policy(self, policy: int) -> tuple[int, int]:
        cost = self.search.policy(self.search.all_rows, 0, policy)
        return (cost.most if self.worst else cost.misses), cost.first

    def _improve(self) -> None:
        upper, first = self._policy(INFORMED)
        if upper < self.upper or (upper == self.upper and self.lower == upper):
            self.upper, self.first = upper, first
            self._limit = None

    def run(
        self,
        seconds: float | None = None,
        progress: Callable[[Solution], None] | None = None,
        state: Path | None = None,
    ) -> Solution:
        """Work until proven, or for `seconds`; the state is written to a file meanwhile."""
        until = None if seconds is None else time.perf_counter() + seconds
        saved = time.perf_counter()
        try:
            while not self.step():
                if progress is not None:
                    progress(self.solution())
                if until is not None and time.perf_counter() >= until:
                    break
                if state is not None and time.perf_counter() - saved > SAVE_SECONDS:
                    self.save(state)
                    saved = time.perf_counter()
        finally:
            if state is not None:
                self.save(state)
        return self.solution()

    def best_cell(self, rows: Int32s, hits: int, seconds: float | None = None) -> int:
        """The cell that optimal play shoots at in a position."""
        cost = self.search.policy(rows, hits, INFORMED)
        limit = cost.most if self.worst else cost.misses
        until = None if seconds is None else time.perf_counter() + seconds
        while True:
            try:
                self.search.value(rows, hits, limit, 200_000)
                break
            except Stopped:
                if until is not None and time.perf_counter() > until:
                    raise SolveError(
                        f"This position was not solved in {seconds:g} seconds; allow more with "
                        "optimal:seconds=."
                    ) from None
        return self.search.policy(rows, hits, INFORMED).first

    def rows_of(self, observation: Observation) -> tuple[Int32s, int]:
        """The rows of the problem that an observation leaves, and the cells hit as bits."""
        problem = self.problem
        left = np.ones(len(problem.ships), dtype=bool)
        hits = 0
        for shot in observation.shots:
            ship = problem.ship_at[:, shot.cell]
            if not shot.answer.hit:
                left &= ship < 0
            else:
                own = np.take_along_axis(problem.ships, ship.clip(0)[:, None].astype(int), 1)[:, 0]
                sinks = (own & ~np.uint64(hits)) == np.uint64(1 << shot.cell)
                left &= ship >= 0
                if self.rules.answers != "hit-miss":
                    left &= sinks == shot.answer.sunk
                if shot.answer.ship is not None:
                    left &= ship == shot.answer.ship
                hits |= 1 << shot.cell
        if not left.any():
            raise ImpossibleObservation(
                f"No layout agrees with the shots {observation.to_text()!r}."
            )
        return np.flatnonzero(left).astype(np.int32), hits

    def save(self, path: Path) -> None:
        """Write everything proven to a file, atomically."""
        table = self.search.proven
        used = table.keys[:, 1] != 0
        part = path.with_name(path.name + ".part")
        try:
            with open(part, "w+b") as file:
                write_sealed(
                    file,
                    {
                        "format": np.array(FORMAT),
                        "rules": np.array(self._name()),
                        "words": self._words(),
                        "worst": np.array(self.worst),
                        "bounds": np.array([self.lower, self.upper, self.first], dtype=np.int64),
                        "seconds": np.array(self.seconds),
                        "keys": table.keys[used],
                        "proofs": table.proofs[used],
                        "moves": table.moves[used],
                    },
                )
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            raise SolveError(f"The state cannot be written to {path}: {reason(error)}.") from None

    def load(self, path: Path) -> None:
        """Continue from a file that `save` wrote for the same rules."""
        try:
            arrays = read_sealed(path)
            rules, worst = str(arrays["rules"]), bool(arrays["worst"])
            if rules != self._name() or worst != self.worst:
                raise SolveError(
                    f"{path} belongs to the rules {rules!r}{' (worst case)' if worst else ''}; "
                    "name another file."
                )
            words = self._words()
            if int(arrays["format"]) != FORMAT or not np.array_equal(arrays["words"], words):
                raise SolveError(
                    f"{path} was written by another version of this program; delete it or "
                    "name another file."
                )
            self._add(arrays)
        except SolveError:
            raise
        except OSError as error:
            raise SolveError(f"The state {path} cannot be read: {reason(error)}.") from None
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise SolveError(
                f"{path} is not a state that 'seabattle solve' wrote, or is damaged ({error}); "
                "delete it or name another file."
            ) from None

    def _add(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Add what a file says, after a check that compiled code can rely on it."""
        keys = array_of(arrays, "keys", np.uint64, (None, 2))
        proofs = array_of(arrays, "proofs", np.int64, (len(keys),))
        moves = array_of(arrays, "moves", np.int8, (len(keys),))
        lower, upper, first = array_of(arrays, "bounds", np.int64, (3,)).tolist()
        seconds = float(array_of(arrays, "seconds", np.float64, ()))
        if len(keys) and (moves.min() < -1 or moves.max() >= self.rules.cells):
            raise ValueError("a move is not a cell of the board")
        if not (0 <= lower <= upper and 0 <= first < self.rules.cells):
            raise ValueError("its bounds contradict each other")
        if not (math.isfinite(seconds) and seconds >= 0):
            raise ValueError("its time is not a number of seconds")
        self.search.add(keys, proofs, moves)
        self.seconds = seconds
        self.lower = max(self.lower, lower)
        if upper <= self.upper:
            self.upper, self.first = upper, first
        self._look = max(self._look, self.seconds)

    def _name(self) -> str:
        parts = self.rules.to_json()
        return " ".join(
            f"{part}={parts[part]}" for part in ("rows", "columns", "fleet", "contact", "answers")
        )

    def _words(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        """A checksum of the random words that keys are made of."""
        return np.asarray(self.search.tables.layout_words.sum(axis=0, dtype=np.uint64))


def greedy_shots(problem: Problem) -> tuple[float, int]:
    """Mean and most shots of always shooting at the likeliest cell, the first of several."""
    search = BranchAndBound(problem, memory=0.01)
    cost = search.policy(search.all_rows, 0, GREEDY)
    hits = problem.rules.ship_cells
    return hits + cost.misses / problem.total, hits + cost.most
