"""What players share that shoot where a ship most likely is (see `kernels.memory`).

Positions are worked out by enumeration and remembered, for each set of rules, in one
table per process. A position that would take the enumeration longer than `seconds` is
left to `belief.infer`, which may then use another engine or samples; those choices are
remembered too. `seconds` is turned into a number of steps, so the same observation
gives the same cells on any machine, whatever was remembered before.
"""

from __future__ import annotations

import threading
import zlib
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from ..belief import infer
from ..belief.enumeration import STEPS_PER_SECOND, unweighted
from ..board import board_of, symmetries_of
from ..errors import PlayerError
from ..kernels.board import Cells, Ints
from ..kernels.enumerate import DONE, count_layouts, new_desk, new_evidence
from ..kernels.memory import UNKNOWN_POSITION, learn, look_up, new_memory
from ..kernels.rng import Rng, below
from ..kernels.sight import fire, lay
from ..observation import Observation
from ..rules import Rules
from ..shots import Answer, Shot

SAMPLES = 1000
"""Layouts drawn where counting them would take too long: errors of up to 0.016."""

ENTRIES = 2**18
"""Positions remembered for each set of rules: 15 MB when full."""

Seconds = Annotated[float, "time to enumerate a position before it is left to other engines"]


class Mind:
    """What is remembered of one set of rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._board, self._symmetries = board_of(rules), symmetries_of(rules)
        self._weights, self._kin = unweighted(rules)
        self._evidence = new_evidence()
        self._desk = new_desk(self._board, self._symmetries, weighted=False)
        self.memory = new_memory(self._board, ENTRIES)
        self._lock = threading.Lock()

    def best(
        self, cells: Cells, answers: Ints, seconds: float, at_random: bool, state: Rng
    ) -> int | None:
        """The most likely cell after these shots; None if that is not found in time."""
        common = (self._board, self._symmetries, self._evidence)
        desk, memory = self._desk, self.memory
        with self._lock:
            cell = look_up(
                *common, desk, memory, self._weights, self._kin, cells, answers, at_random, state
            )
            if cell != UNKNOWN_POSITION:
                return cell
            words = int(memory.form[0])
            budget = int(seconds * STEPS_PER_SECOND)
            if words < 0 or count_layouts(*common, words, 0, budget, desk) != DONE:
                return None
            if desk.sums_at[0] == 0:
                infer(_observation(self.rules, cells, answers))
            return learn(*common, desk, memory, at_random, state)


@lru_cache(maxsize=8)
def mind_of(rules: Rules) -> Mind:
    return Mind(rules)


class BeliefPlayer:
    """Shoots at the unknown cell that most likely holds a ship."""

    seconds: float
    at_random: ClassVar[bool]
    """whether chance decides between cells that are equally likely"""

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise PlayerError(f"seconds is more than 0, not {self.seconds}.")

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
        return self.choose_with(observation, state)

    def choose_with(self, observation: Observation, state: npt.NDArray[np.uint64]) -> int:
        """The next cell, drawing from a compiled generator (see `kernels.rng`)."""
        return self._next(mind_of(observation.rules), *observation.arrays, state)

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        board, mind = board_of(rules), mind_of(rules)
        shots = np.empty(len(seeds), dtype=np.int32)
        fired = np.empty((len(seeds), rules.cells), dtype=np.int16)
        answers = np.empty(rules.cells, dtype=np.int64)
        ship_at = np.empty(rules.cells, dtype=np.int16)
        left = np.empty(len(rules.fleet), dtype=np.int64)
        state = np.empty(1, dtype=np.uint64)
        for game in range(len(seeds)):
            lay(board, placements[game], ship_at, left)
            state[0] = seeds[game]
            shot, hits = 0, 0
            while hits < rules.ship_cells:
                cell = self._next(mind, fired[game, :shot], answers[:shot], state)
                fired[game, shot] = cell
                answers[shot] = fire(board, ship_at, left, cell)
                hits += bool(answers[shot])
                shot += 1
            shots[game] = shot
        return shots, fired

    def _next(self, mind: Mind, cells: Cells, answers: Ints, state: Rng) -> int:
        cell = mind.best(cells, answers, self.seconds, self.at_random, state)
        if cell is not None:
            return cell
        best = _best_cells(_observation(mind.rules, cells, answers), self.seconds)
        return best[below(state, len(best))] if self.at_random else best[0]


@lru_cache(maxsize=10_000)
def _best_cells(observation: Observation, seconds: float) -> tuple[int, ...]:
    """The most likely cells of a position that is too large to enumerate."""
    rng = np.random.default_rng(zlib.crc32(observation.to_text().encode()))
    belief = infer(observation, seconds=seconds, rng=rng, samples=SAMPLES)
    chances = belief.probability.ravel()
    highest = max(chances[cell] for cell in observation.unknown)
    return tuple(cell for cell in observation.unknown if chances[cell] == highest)


def _observation(rules: Rules, cells: Cells, answers: Ints) -> Observation:
    shots = []
    for cell, answer in zip(cells.tolist(), answers.tolist(), strict=True):
        kind, ship = answer & 3, (answer >> 2) - 1
        shots.append(Shot(cell, Answer(kind > 0, kind == 2, ship if ship >= 0 else None)))
    return Observation(rules, tuple(shots))
