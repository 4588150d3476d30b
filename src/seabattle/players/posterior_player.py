"""Base class of players that shoot where a ship most likely is.

Positions are enumerated, and the results cached (`belief.position_cache`). A position that
would take longer than `seconds` to enumerate is left to `belief.infer`, which may use
another engine or samples; those results are cached too.

A salvo is the most likely cells, which are the ones with the most hits on average: answers
come cell by cell, so pending shots change no probability.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from ..belief import infer
from ..belief.position_cache import cached_posterior
from ..compiled.board_tables import Cells, Ints
from ..compiled.random_streams import Rng, below, compiled_rng
from ..errors import PlayerError
from ..observation import Observation
from ..rules import Rules
from .batch_play import Placements, PlayedGames, Seeds, new_played_games, play_move_by_move
from .in_game import ToldShots

SAMPLES = 1000
"""Layouts sampled where counting takes too long: a standard error of at most 0.016."""

EnumerationSeconds = Annotated[float, "time to enumerate a position before other engines take over"]


class PosteriorPlayer:
    """Shoots at the unknown cell that most likely holds a ship."""

    seconds: float
    at_random: ClassVar[bool]
    """whether ties are broken at random"""

    @property
    def isolated(self) -> bool:
        """Whether ties go to cells whose neighbours are unlikely."""
        return False

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise PlayerError(f"seconds must be greater than 0, not {self.seconds}.")

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.choose_with(observation, compiled_rng(rng))

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        rules = observation.rules
        return self.next_cell(rules, *observation.arrays, rng, observation.pending)

    def begin_game(self, rules: Rules) -> PosteriorGame:
        return PosteriorGame(self, rules)

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
            return self.next_cell(rules, cells, answers, rng)

        shots, fired = new_played_games(rules, len(placements))
        posterior = cached_posterior(rules, self.isolated)
        posterior.play(placements, seeds, self.seconds, self.at_random, shots, fired)
        left = np.flatnonzero(shots < 0)
        if left.size > 0:
            played = play_move_by_move(rules, placements[left], seeds[left], choose)
            shots[left], fired[left] = played
        return shots, fired

    def next_cell(
        self, rules: Rules, cells: Cells, answers: Ints, rng: Rng, pending: Sequence[int] = ()
    ) -> int:
        """The next cell after these shots (see `Observation.arrays`), not a pending one."""
        if rules.salvo != 1:
            observation = Observation.from_arrays(rules, cells, answers)
            ranked = _ranked_cells(observation, self.seconds, self.isolated)
            left = ([cell for cell in tied if cell not in pending] for tied in ranked)
            tied = next(filter(None, left))
            return tied[below(rng, len(tied))] if self.at_random else tied[0]
        posterior = cached_posterior(rules, self.isolated)
        cell = posterior.best(cells, answers, self.seconds, self.at_random, rng)
        if cell is not None:
            return cell
        best = _best_cells(Observation.from_arrays(rules, cells, answers), self.seconds)
        return best[below(rng, len(best))] if self.at_random else best[0]


class PosteriorGame(ToldShots):
    """Such a player in the course of one game."""

    def __init__(self, player: PosteriorPlayer, rules: Rules) -> None:
        super().__init__(rules)
        self._player = player
        self._rules = rules

    def choose(self, rng: Rng) -> int:
        cells, answers = self._cells[: self._shots], self._answers[: self._shots]
        pending = self._cells[self._shots : self._chosen].tolist()
        return self._player.next_cell(self._rules, cells, answers, rng, pending)


@lru_cache(maxsize=10_000)
def _best_cells(observation: Observation, seconds: float) -> tuple[int, ...]:
    """The most likely cells of a position that is too large to enumerate."""
    chances = _chances(observation, seconds)
    highest = max(chances[cell] for cell in observation.unknown)
    return tuple(cell for cell in observation.unknown if chances[cell] == highest)


@lru_cache(maxsize=10_000)
def _ranked_cells(
    observation: Observation, seconds: float, isolated: bool
) -> tuple[tuple[int, ...], ...]:
    """The unknown cells, most likely first, those that are equally good together. If `isolated`,
    of equally likely cells those whose neighbours are less likely come first."""
    rules, chances = observation.rules, _chances(observation, seconds)

    def rank(cell: int) -> tuple[float, float]:
        beside = 0.0
        if isolated:
            unknown = (each for each in rules.neighbours(cell) if each in hidden)
            # Rounded, because the order in which it is summed up differs from cell to cell.
            beside = round(sum(chances[each] for each in unknown), 12)
        return -chances[cell], beside

    hidden = set(observation.unknown)
    ranks = {cell: rank(cell) for cell in observation.unknown}
    ordered = sorted(observation.unknown, key=lambda cell: ranks[cell])
    return tuple(tuple(tied) for _, tied in groupby(ordered, key=lambda cell: ranks[cell]))


def _chances(observation: Observation, seconds: float) -> npt.NDArray[np.float64]:
    """(cells,) how likely each cell is to hold a ship."""
    rng = np.random.default_rng(zlib.crc32(observation.to_text().encode()))
    return infer(observation, seconds=seconds, rng=rng, samples=SAMPLES).probability.ravel()
