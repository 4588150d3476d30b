"""What players share whose strategy is compiled (see `compiled.strategy`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.knowledge import new_knowledge
from ..compiled.rules_tables import board_of
from ..compiled.strategy import CompiledStrategy
from ..observation import Observation
from ..rules import Rules


def play_compiled(
    strategy: CompiledStrategy,
    rules: Rules,
    settings: npt.NDArray[np.int64],
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
    """`BatchPlayer.play_games` of a compiled strategy."""
    shots = np.empty(len(seeds), dtype=np.int32)
    fired = np.empty((len(seeds), rules.cells), dtype=np.int16)
    strategy.play_games(board_of(rules), new_knowledge(), settings, placements, seeds, shots, fired)
    return shots, fired


class CompiledPlayer:
    """A strategy that plays one move or many games with the same compiled functions."""

    strategy: ClassVar[CompiledStrategy]

    def settings(self, rules: Rules) -> tuple[int, ...]:
        """The player's parameters as the compiled functions want them."""
        return ()

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
        return self.choose_with(observation, state)

    def choose_with(self, observation: Observation, state: npt.NDArray[np.uint64]) -> int:
        """The next cell, drawing from a compiled generator (see `compiled.random_streams`)."""
        rules = observation.rules
        cells, answers = observation.arrays
        cell = self.strategy.choose_next(
            board_of(rules), new_knowledge(), self._settings(rules), cells, answers, state
        )
        return int(cell)

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        return play_compiled(self.strategy, rules, self._settings(rules), placements, seeds)

    def _settings(self, rules: Rules) -> npt.NDArray[np.int64]:
        return np.array(self.settings(rules), dtype=np.int64)
