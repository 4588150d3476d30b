"""Base class of players whose strategy is compiled (see `compiled.strategy`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.knowledge import new_knowledge_array
from ..compiled.random_streams import Rng, compiled_rng
from ..compiled.rules_tables import board_array_of, salvo_number
from ..compiled.strategy import CompiledStrategy
from ..observation import Observation
from ..rules import Rules
from .batch_play import Placements, PlayedGames, Seeds, new_played_games
from .in_game import ToldShots


def play_compiled(
    strategy: CompiledStrategy,
    rules: Rules,
    settings: npt.NDArray[np.int64],
    placements: Placements,
    seeds: npt.NDArray[np.uint64],
) -> PlayedGames:
    """`BatchPlayer.play_games` of a compiled strategy; or `play_with_words`, if every shot
    has its own seed."""
    shots, fired = new_played_games(rules, len(seeds))
    if rules.salvo != 1:
        strategy.play_salvos(
            board_array_of(rules), new_knowledge_array(), settings, placements,
            seeds.reshape(len(seeds), -1), salvo_number(rules), shots, fired,
        )  # fmt: skip
        return shots, fired
    strategy.play_games(
        board_array_of(rules), new_knowledge_array(), settings, placements,
        seeds.reshape(len(seeds), -1), shots, fired,
    )  # fmt: skip
    return shots, fired


class CompiledGame(ToldShots):
    """A compiled strategy in the course of one game."""

    def __init__(
        self, strategy: CompiledStrategy, rules: Rules, settings: npt.NDArray[np.int64]
    ) -> None:
        super().__init__(rules)
        self._choose_next = strategy.choose_next
        self._board, self._knowledge = board_array_of(rules), new_knowledge_array()
        self._settings = settings
        self._known = 0

    def choose(self, rng: Rng) -> int:
        cell = self._choose_next(
            self._board, self._knowledge, self._settings, self._cells, self._answers,
            self._known, self._shots, self._chosen, rng,
        )  # fmt: skip
        self._known = self._shots
        return int(cell)


class CompiledPlayer:
    """Plays one move or many games with the same compiled functions."""

    strategy: ClassVar[CompiledStrategy]
    batches_salvos: ClassVar[bool] = True

    def settings(self, rules: Rules) -> tuple[int, ...]:
        """The player's parameters, as its compiled functions take them."""
        return ()

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.choose_with(observation, compiled_rng(rng))

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        rules = observation.rules
        cells, answers = observation.arrays
        shots = len(cells)
        if observation.pending:
            cells = np.append(cells, np.array(observation.pending, dtype=np.int16))
        cell = self.strategy.choose_next(
            board_array_of(rules), new_knowledge_array(), self._settings(rules), cells, answers,
            0, shots, len(cells), rng,
        )  # fmt: skip
        return int(cell)

    def begin_game(self, rules: Rules) -> CompiledGame:
        return CompiledGame(self.strategy, rules, self._settings(rules))

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        return play_compiled(self.strategy, rules, self._settings(rules), placements, seeds)

    def play_with_words(
        self, rules: Rules, placements: Placements, words: npt.NDArray[np.uint64]
    ) -> PlayedGames:
        return play_compiled(self.strategy, rules, self._settings(rules), placements, words)

    def _settings(self, rules: Rules) -> npt.NDArray[np.int64]:
        return np.array(self.settings(rules), dtype=np.int64)
