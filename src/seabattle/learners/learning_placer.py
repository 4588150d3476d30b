"""`learning-placer`: hides where this shooter looks late, and stays hard to predict.

It keeps the mean time of the opponent's first shot at each cell, with `prior` games added in
which every cell is shot at equally early, so that one game does not teach too much; older
games count less by the factor `memory`. Of `tries` uniform layouts it takes one at random, in
proportion to exp(`greed` · time), where time is the mean over ships of the time at which the
ship would first be hit. Unlike `dreadnought` it does not always take the best, so that an
opponent who learns has less to learn.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from ..dealing.best_of_n import check_tries
from ..dealing.placement_numbers import layout_of
from ..dealing.placers import register_placer
from ..dealing.uniform import deal_games
from ..errors import PlacerError
from ..layout import Layout
from ..naming.parameters import STATE
from ..revealed import RevealedGame
from ..rules import Rules
from .shot_times import ShotTimes, found_at


@register_placer("learning-placer", "hides where this shooter looks late", learns=True)
@dataclass(frozen=True)
class LearningPlacer:
    tries: Annotated[int, "random layouts to choose from"] = 200
    greed: Annotated[float, "how strongly later is preferred, per shot"] = 0.5
    prior: Annotated[float, "games in which every cell is shot at equally early"] = 2.0
    memory: Annotated[float, "how much a game counts after one more, up to 1"] = 0.95
    times: ShotTimes | None = field(default=None, compare=False, metadata=STATE)

    def __post_init__(self) -> None:
        check_tries(self.tries)
        for name, most in (("greed", 100.0), ("prior", 1e6), ("memory", 1.0)):
            if not 0 <= getattr(self, name) <= most:
                raise PlacerError(f"{name} must be from 0 to {most:g}, not {getattr(self, name)}.")

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        drawn = deal_games(rules, int(rng.integers(0, 2**63)), range(self.tries))
        times = self.times
        if times is None or times.rules != rules:
            return layout_of(rules, drawn[0])
        late = self.greed * found_at(rules, drawn, times.mean(self.prior))
        weights = np.exp(late - late.max())
        chosen = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right")
        return layout_of(rules, drawn[min(int(chosen), self.tries - 1)])

    def after_game(self, game: RevealedGame) -> LearningPlacer:
        times = self.times
        if times is None or times.rules != game.rules:
            times = ShotTimes.none(game.rules)
        return replace(self, times=times.after(game, self.memory))
