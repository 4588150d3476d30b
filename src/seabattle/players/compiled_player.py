"""Base class of players whose strategy is compiled (see `compiled.strategy`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.knowledge import new_knowledge
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of
from ..compiled.strategy import CompiledStrategy
from ..observation import Observation
from ..rules import Rules
from .batch_play import Placements, PlayedGames, Seeds, new_played_games


def play_compiled(
    strategy: CompiledStrategy,
    rules: Rules,
    settings: npt.NDArray[np.int64],
    placements: Placements,
    seeds: Seeds,
) -> PlayedGames:
    """`BatchPlayer.play_games` of a compiled strategy."""
    shots, fired = new_played_games(rules, len(seeds))
    strategy.play_games(board_of(rules), new_knowledge(), settings, placements, seeds, shots, fired)
    return shots, fired


class CompiledPlayer:
    """Plays one move or many games with the same compiled functions."""

    strategy: ClassVar[CompiledStrategy]

    def settings(self, rules: Rules) -> tuple[int, ...]:
        """The player's parameters, as its compiled functions take them."""
        return ()

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.choose_with(observation, rng.integers(0, 2**64, size=1, dtype=np.uint64))

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        rules = observation.rules
        cells, answers = observation.arrays
        cell = self.strategy.choose_next(
            board_of(rules), new_knowledge(), self._settings(rules), cells, answers, rng
        )
        return int(cell)

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        return play_compiled(self.strategy, rules, self._settings(rules), placements, seeds)

    def _settings(self, rules: Rules) -> npt.NDArray[np.int64]:
        return np.array(self.settings(rules), dtype=np.int64)
