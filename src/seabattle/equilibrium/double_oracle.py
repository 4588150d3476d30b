"""The equilibrium of hiding and finding on a small board, by double oracle.

The hider chooses a layout and wants a long game, the shooter chooses a decision tree and
wants a short one. Each round solves the game between all layouts and all that the shooter's
trees so far can do (`position_graph`) with a linear program, then asks for the shooter's best
response to the hider's mixture: a weighted optimal search (`solver.best_response`). Its
positions and shots join the program until none gains. The hider needs no search: the program
has every layout.

The shooter's mixture costs at most `upper` shots whatever the hider does, and the hider's
mixture at least `lower` whatever the shooter does; the value of the game lies between, and
`upper - lower` is what both sides together could still gain: the exploitability. Nothing of
this depends on the accuracy of the linear program, because both mixtures are evaluated
afterwards, the hider's with whole-number weights.

Layouts that a symmetry of the board exchanges get the same probability, which loses
nothing. The search is asked not about the program's mixture itself, which jumps about, but
about a point between it and the best mixture so far, until the program knows enough.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..belief import layouts_before
from ..compiled.board_tables import Floats
from ..compiled.sealed_arrays import array_of, read_sealed, write_sealed
from ..errors import SolveError, TooLarge, reason
from ..experiment.data_folder import write_whole
from ..layout import Layout
from ..rules import Rules
from ..solver.best_response import BestResponse, LayoutWeights, Strategy
from ..solver.problem import Problem, make_problem
from ..solver.value import layouts_of_rows
from .linear_program import require_scipy
from .position_graph import PositionGraph

FORMAT = 1
SAVE_SECONDS = 50.0
"""Between writes of the state, so that a crash loses less than a minute."""

MEMORY = 4.0
"""Gigabytes that may be used, by default."""

GAP = 1e-6
"""The exploitability to reach, in shots, by default."""

LEAST_GAP = 1e-7
"""Rounding does not allow for less."""

TOTAL_WEIGHT = 1 << 32
"""About the sum of the hider's weights: rounding moves no layout by more than 1e-9."""

SMOOTHING = 0.5
"""The share of the best mixture so far in the one that the shooter responds to."""

FEW_SHOTS = 0.02
"""Once a response brings fewer shots than this share of those known, the program's mixture is
nearly right and is used as it is."""

BYTES_PER_LAYOUT = 10_000
"""Memory of the positions and of the linear program, about"""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """What is proven about the game, and the mixtures that prove it."""

    problem: Problem
    lower: float
    """shots that the hider's mixture is sure of on average"""
    upper: float
    """shots that the shooter's mixture never exceeds on average"""
    hider: Floats
    """(rows,) the probability of each row of the problem"""
    first_shot: Floats
    """(cells,) the probability of each first shot of the shooter's mixture"""
    positions: int
    """positions that the shooter's mixture reaches"""
    mixed: int
    """positions at which it shoots at random"""
    trees: int
    """best responses found"""
    seconds: float
    """time spent, including earlier runs"""

    @property
    def rules(self) -> Rules:
        return self.problem.rules

    @property
    def value(self) -> float:
        """The middle of the interval that is proven."""
        return (self.lower + self.upper) / 2

    @property
    def exploitability(self) -> float:
        """What both sides together could still gain by deviating, at most."""
        return self.upper - self.lower

    def hidden_at(self) -> Floats:
        """(rows, columns) the probability that the hider has a ship on each cell."""
        covered = self.hider @ (self.problem.ship_at >= 0)
        return np.asarray(covered).reshape(self.rules.rows, self.rules.columns)

    def first_shots(self) -> Floats:
        """(rows, columns) the probability that the shooter shoots at each cell first."""
        return self.first_shot.reshape(self.rules.rows, self.rules.columns)

    def likely_layouts(self, most: int) -> list[tuple[Layout, float, int]]:
        """The likeliest layouts, up to symmetry: one of each kind, the probability of all
        layouts of the kind together, and how many they are."""
        kinds = kinds_of(self.problem)
        chance = np.bincount(kinds, weights=self.hider)
        size = np.bincount(kinds)
        best = [int(kind) for kind in np.argsort(-chance, kind="stable")[:most] if chance[kind] > 0]
        first = [int(np.flatnonzero(kinds == kind)[0]) for kind in best]
        layouts = layouts_of_rows(self.problem, first)
        return [
            (layout, float(chance[kind]), int(size[kind]))
            for layout, kind in zip(layouts, best, strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        """The object that `equilibrium --json` prints."""
        return {
            "rules": self.rules.to_json(),
            "layouts": self.problem.layouts,
            "value": self.value,
            "exploitability": self.exploitability,
            "lower_bound": self.lower,
            "upper_bound": self.upper,
            "seconds": self.seconds,
            "hider": {
                "probability": self.hidden_at().tolist(),
                "layouts": [
                    {"layout": layout.to_text(), "probability": chance, "symmetric_copies": size}
                    for layout, chance, size in self.likely_layouts(len(self.hider))
                ],
            },
            "shooter": {
                "positions": self.positions,
                "mixed_positions": self.mixed,
                "trees_found": self.trees,
                "first_shot": self.first_shots().tolist(),
            },
        }


class DoubleOracle:
    """Works towards the equilibrium of one board; can be stopped and continued."""

    def __init__(self, rules: Rules, memory: float = MEMORY) -> None:
        """`memory` is the limit in gigabytes."""
        require_scipy()
        check_oracle_memory(rules, memory)
        self.rules = rules
        self.problem = make_problem(rules)
        self._response = BestResponse(self.problem, memory / 2, symmetric=True)
        self._kind = kinds_of(self.problem)
        self._size = np.bincount(self._kind)
        self._graph = PositionGraph(self.problem, self._response.tables, self._kind)
        self._new_shots = 0
        """that the last response brought"""
        self.strategies: list[Strategy] = []
        self.lower, self.upper = 0.0, float(rules.cells)
        self._hider: Floats = self._size / self._size.sum()
        self._best_hider = self._hider
        self._flow: Floats = np.zeros(0)
        """the shooter's best mixture, through the shots of the graph"""
        self.seconds = 0.0
        self._saved: tuple[int, int, int] | None = None
        """the state file as this process last saw it"""

    @property
    def exploitability(self) -> float:
        return max(self.upper - self.lower, 0.0)

    def solution(self) -> Equilibrium:
        """What is proven so far."""
        flow = np.append(self._flow, np.zeros(self._graph.shots - len(self._flow)))
        positions, mixed = self._graph.reached(flow)
        return Equilibrium(
            self.problem,
            min(self.lower, self.upper),
            self.upper,
            (self._best_hider / self._size)[self._kind],
            self._graph.first_shots(flow),
            positions,
            mixed,
            len(self.strategies),
            self.seconds,
        )

    def step(self, tell: Callable[[], None] | None = None) -> None:
        """One round: the linear program, then the shooter's best response."""
        began = time.perf_counter()
        try:
            self._round(tell)
        finally:
            self.seconds += time.perf_counter() - began

    def _round(self, tell: Callable[[], None] | None) -> None:
        if not self.strategies:
            self._respond(self._best_hider, tell)
            return
        self._solve_program()
        settled = self._new_shots < FEW_SHOTS * self._graph.shots
        share = 0.0 if settled else SMOOTHING
        self._respond(share * self._best_hider + (1 - share) * self._hider, tell)

    def _solve_program(self) -> None:
        """Solve the game between all layouts and what the graph holds."""
        flow, self._hider, misses = self._graph.solve()
        most = self.rules.ship_cells + float(misses.max())
        if most < self.upper:
            self.upper, self._flow = most, flow

    def _respond(self, hider: Floats, tell: Callable[[], None] | None) -> None:
        """Add the shooter's best response to a mixture."""
        weights = self._weights(hider)
        total, hits = int(weights.sum()), self.rules.ship_cells
        mixture = np.bincount(self._kind, weights=weights) / total
        known = self._graph.least_misses(mixture) * total * (1 + 1e-9) if self.strategies else None
        response = self._response.find(weights, at_most=known, tell=tell)
        self._add(response.strategy)
        lower = hits + response.least / total
        if lower > self.lower:
            self.lower, self._best_hider = lower, mixture

    def _weights(self, hider: Floats) -> LayoutWeights:
        """A mixture over kinds as whole-number weights of rows."""
        each = np.rint(hider * TOTAL_WEIGHT / self._size).astype(np.int64)
        return np.asarray(each[self._kind])

    def _add(self, strategy: Strategy) -> None:
        """Keep a tree if it does something that those before do not."""
        self._new_shots = self._graph.add(strategy.moves)
        if self._new_shots:
            self.strategies.append(strategy)

    def run(
        self,
        gap: float = GAP,
        seconds: float | None = None,
        progress: Callable[[DoubleOracle], None] | None = None,
        state: Path | None = None,
    ) -> Equilibrium:
        """Work until the exploitability is at most `gap`, or for `seconds`; the state is
        written to a file meanwhile."""
        until = None if seconds is None else time.perf_counter() + seconds
        saved = time.perf_counter()

        def tell() -> None:
            if progress is not None:
                progress(self)
            if until is not None and time.perf_counter() >= until and self.strategies:
                raise _TimeOver

        try:
            while not self.strategies or self.exploitability > gap:
                self.step(tell)
                tell()
                if state is not None and time.perf_counter() - saved > SAVE_SECONDS:
                    self.save(state)
                    saved = time.perf_counter()
        except _TimeOver:
            if not len(self._flow):
                self._solve_program()
        finally:
            if state is not None:
                self.save(state)
        return self.solution()

    def save(self, path: Path) -> None:
        """Write the trees and the best mixture to a file, atomically.

        Trees that another process has saved there meanwhile are taken over.
        """
        if path.exists() and _stamp(path) != self._saved:
            self._take_over(path)
        content = io.BytesIO()
        moves = [strategy.moves for strategy in self.strategies]
        write_sealed(
            content,
            {
                "format": np.array(FORMAT),
                "rules": np.array(rules_key(self.rules)),
                "moves": np.concatenate([np.zeros(0, dtype=np.int8), *moves]),
                "lengths": np.array([len(each) for each in moves], dtype=np.int64),
                "hider": self._best_hider,
                "seconds": np.array(self.seconds),
            },
        )
        try:
            write_whole(path, content.getvalue())
            self._saved = _stamp(path)
        except OSError as error:
            raise SolveError(f"The state cannot be written to {path}: {reason(error)}.") from None

    def load(self, path: Path) -> None:
        """Continue from a file that `save` wrote for the same rules.

        Trees are replayed and the mixture is evaluated again, so a file cannot claim
        anything that is not so.
        """
        hider, seconds = self._take_over(path)
        self.seconds += seconds
        if self.strategies:
            self._solve_program()
            self._respond(hider, None)

    def _take_over(self, path: Path) -> tuple[Floats, float]:
        """Add the trees in a file that are not known yet; its mixture and its time."""
        try:
            stamp, arrays = _stamp(path), read_sealed(path)
            name = str(arrays["rules"])
            if name != rules_key(self.rules):
                raise SolveError(f"{path} belongs to the rules {name!r}; name another file.")
            if int(arrays["format"]) != FORMAT:
                raise SolveError(
                    f"{path} was written by another version of this program; delete it or name "
                    "another file."
                )
            trees, hider, seconds = self._trees_in(arrays)
        except OSError as error:
            raise SolveError(f"The state {path} cannot be read: {reason(error)}.") from None
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, SolveError):
                raise
            raise SolveError(
                f"{path} is not a state that 'seabattle equilibrium' wrote, or is damaged "
                f"({error}); delete it or name another file."
            ) from None
        for strategy in trees:
            self._add(strategy)
        self._saved = stamp
        return hider, seconds

    def _trees_in(
        self, arrays: dict[str, npt.NDArray[Any]]
    ) -> tuple[list[Strategy], Floats, float]:
        """What a file holds: trees that are not known yet, the hider's mixture and the time. A
        `ValueError` says what is wrong with it."""
        moves = array_of(arrays, "moves", np.int8, (None,))
        lengths = array_of(arrays, "lengths", np.int64, (None,))
        hider = array_of(arrays, "hider", np.float64, self._size.shape)
        seconds = float(array_of(arrays, "seconds", np.float64, ()))
        if (lengths < 0).any() or lengths.sum() != len(moves):
            raise ValueError("its moves are not as long as it says")
        if not (hider >= 0).all() or not abs(hider.sum() - 1) < 1e-6:
            raise ValueError("its mixture does not consist of probabilities")
        if not 0 <= seconds < np.inf:
            raise ValueError("its time is not a number of seconds")
        ends = np.cumsum(lengths)
        parts = [moves[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        known = {strategy.moves.tobytes() for strategy in self.strategies}
        try:
            trees = [
                self._response.replay(np.ascontiguousarray(each))
                for each in parts
                if each.tobytes() not in known
            ]
        except SolveError as error:
            raise ValueError(str(error)) from None
        return trees, hider, seconds


def _stamp(path: Path) -> tuple[int, int, int]:
    """Tells whether a file has been replaced."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


class _TimeOver(Exception):
    """The time limit has passed."""


def rules_key(rules: Rules) -> str:
    """What these rules say about hiding and finding, in one line; turns do not matter."""
    parts = rules.to_json()
    return " ".join(
        f"{part}={parts[part]}" for part in ("rows", "columns", "fleet", "contact", "answers")
    )


def kinds_of(problem: Problem) -> npt.NDArray[np.int64]:
    """(rows,) a number for each set of rows that symmetries of the board exchange."""
    least = np.min([rows for _, rows in problem.images], axis=0)
    _, kinds = np.unique(least, return_inverse=True)
    return np.asarray(kinds, dtype=np.int64)


def estimated_bytes(rules: Rules, layouts: int) -> float:
    """About the memory that a run needs."""
    if rules.answers in ("sunk-named", "named"):
        layouts *= prod(factorial(rules.fleet.count(length)) for length in set(rules.fleet))
    tables = 2 * rules.cells + 8 * len(rules.fleet) + 300 + 4 * (rules.cells + rules.ship_cells)
    return 5e7 + layouts * (tables + BYTES_PER_LAYOUT)


def check_oracle_memory(rules: Rules, memory: float) -> None:
    """Refuse boards that need more than `memory` gigabytes, with the estimate."""
    layouts = layouts_before(rules)
    if layouts is None:
        raise TooLarge(
            "This board has so many layouts that counting them takes more than a few seconds; "
            "an equilibrium can be found for small boards only, such as 4x4."
        )
    need = estimated_bytes(rules, layouts) / 1e9
    if need > memory:
        raise TooLarge(
            f"An equilibrium for {layouts:,} layouts needs about {_gigabytes(need)}, and the limit "
            f"is {memory:g} GB; take a smaller board or fewer ships, or raise --memory."
        )


def _gigabytes(number: float) -> str:
    return f"{number:,.1f} GB" if number < 1_000 else f"{number / 1_000:,.0f} TB"
