"""Base class of players that shoot where a ship most likely is under a prior they learned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Cells, Ints
from ..compiled.random_streams import Rng, compiled_rng
from ..observation import Observation
from ..players import make_player
from ..players.batch_play import Placements, PlayedGames, Seeds, play_move_by_move
from ..rules import Rules
from ..shots import Shot
from .weighted_posterior import PlacementWeights, PosteriorInGame, WeightedPosterior


class LearnedPrior(NamedTuple):
    """How likely layouts are thought to be."""

    weights: PlacementWeights
    seed: int
    pairs: npt.NDArray[np.float64] | None = None
    """(distances,) weights of the distances between ships"""


class WeightedPlayer:
    """Plays the posterior of `prior_for`; without one, as `exact`."""

    seconds: float

    def prior_for(self, rules: Rules) -> LearnedPrior | None:
        """The prior under these rules; None for uniform layouts."""
        raise NotImplementedError

    def posterior(self, rules: Rules) -> WeightedPosterior | None:
        found = self.prior_for(rules)
        if found is None:
            return None
        pairs = None if found.pairs is None else found.pairs.tobytes()
        return _posterior(rules, found.weights.tobytes(), pairs, self.seconds, found.seed)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.choose_with(observation, compiled_rng(rng))

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        posterior = self.posterior(observation.rules)
        if posterior is None:
            return _exact().choose_with(observation, rng)  # type: ignore[no-any-return]
        game = PosteriorInGame(posterior)
        for shot in observation.shots:
            game.told(shot.cell, shot.answer.code)
        return game.best(observation.pending)

    def begin_game(self, rules: Rules) -> Any:
        posterior = self.posterior(rules)
        if posterior is None:
            return _exact().begin_game(rules)
        return _InGame(posterior)

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        posterior = self.posterior(rules)
        if posterior is None:
            return _exact().play_games(rules, placements, seeds)  # type: ignore[no-any-return]
        game = PosteriorInGame(posterior)

        def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
            nonlocal game
            if len(cells) == 0:
                game = PosteriorInGame(posterior)
            else:
                game.told(int(cells[-1]), int(answers[-1]))
            return game.best()

        return play_move_by_move(rules, placements, seeds, choose)


class _InGame:
    """Such a player in the course of one game."""

    def __init__(self, posterior: WeightedPosterior) -> None:
        self._game = PosteriorInGame(posterior)

    def told(self, shot: Shot) -> None:
        self._game.told(shot.cell, shot.answer.code)

    def choose(self, rng: Rng) -> int:
        return self._game.best()


@lru_cache(maxsize=8)
def _posterior(
    rules: Rules, weights: bytes, pairs: bytes | None, seconds: float, seed: int
) -> WeightedPosterior:
    shaped = np.frombuffer(weights, dtype=np.float64).reshape(len(rules.fleet), -1)
    apart = None if pairs is None else np.frombuffer(pairs, dtype=np.float64)
    return WeightedPosterior(rules, shaped, seconds, seed, apart)


@lru_cache(maxsize=1)
def _exact() -> Any:
    return make_player("exact")
