"""Base class of players that shoot where a ship most likely is.

Positions are worked out by enumeration and cached (`belief.position_cache`). A position
that would take the enumeration longer than `seconds` is left to `belief.infer`, which may
use another engine or samples; those choices are cached too.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from ..belief import infer
from ..belief.position_cache import CachedPosterior, cached_posterior
from ..compiled.board_tables import Cells, Ints
from ..compiled.knowledge import fire, lay
from ..compiled.random_streams import Rng, below
from ..compiled.rules_tables import board_of
from ..errors import PlayerError
from ..observation import Observation
from ..rules import Rules

SAMPLES = 1000
"""Layouts drawn where counting them would take too long: errors of up to 0.016."""

Seconds = Annotated[float, "time to enumerate a position before it is left to other engines"]


class PosteriorPlayer:
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
        """The next cell, drawing from a compiled generator (see `compiled.random_streams`)."""
        return self._next(cached_posterior(observation.rules), *observation.arrays, state)

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        board, posterior = board_of(rules), cached_posterior(rules)
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
                cell = self._next(posterior, fired[game, :shot], answers[:shot], state)
                fired[game, shot] = cell
                answers[shot] = fire(board, ship_at, left, cell)
                hits += bool(answers[shot])
                shot += 1
            shots[game] = shot
        return shots, fired

    def _next(self, posterior: CachedPosterior, cells: Cells, answers: Ints, state: Rng) -> int:
        cell = posterior.best(cells, answers, self.seconds, self.at_random, state)
        if cell is not None:
            return cell
        best = _best_cells(Observation.from_arrays(posterior.rules, cells, answers), self.seconds)
        return best[below(state, len(best))] if self.at_random else best[0]


@lru_cache(maxsize=10_000)
def _best_cells(observation: Observation, seconds: float) -> tuple[int, ...]:
    """The most likely cells of a position that is too large to enumerate."""
    rng = np.random.default_rng(zlib.crc32(observation.to_text().encode()))
    belief = infer(observation, seconds=seconds, rng=rng, samples=SAMPLES)
    chances = belief.probability.ravel()
    highest = max(chances[cell] for cell in observation.unknown)
    return tuple(cell for cell in observation.unknown if chances[cell] == highest)
