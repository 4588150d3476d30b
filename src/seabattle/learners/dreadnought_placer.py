"""`dreadnought`, the defence: of many random layouts, the one that is found last.

From the description of the winner of the 2009 contest of Battleship programs: it keeps the
times of the opponent's past shots, draws many random layouts, and takes the one that those
shots would find last, with a penalty for ships that touch. The description leaves open how
many layouts, what "last" means for a fleet, and how large the penalty is. Here: `tries`
layouts, the mean over ships of the mean time of the earliest shot at the ship, and `penalty`
shots for each pair that touches. Before the first game it only avoids touching.
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
from .shot_times import ShotTimes, found_at, touching


@register_placer("dreadnought", "the layout that the opponent's past shots find last", learns=True)
@dataclass(frozen=True)
class DreadnoughtPlacer:
    tries: Annotated[int, "random layouts to choose from"] = 200
    penalty: Annotated[float, "shots that a pair of ships costs if it touches"] = 2.0
    times: ShotTimes | None = field(default=None, compare=False, metadata=STATE)

    def __post_init__(self) -> None:
        check_tries(self.tries)
        if not 0 <= self.penalty < float("inf"):
            raise PlacerError(f"penalty must be 0 or more, not {self.penalty}.")

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        drawn = deal_games(rules, int(rng.integers(0, 2**63)), range(self.tries))
        scores = -self.penalty * touching(rules, drawn)
        if self.times is not None and self.times.rules == rules:
            scores = scores + found_at(rules, drawn, self.times.mean())
        return layout_of(rules, drawn[int(scores.argmax())])

    def after_game(self, game: RevealedGame) -> DreadnoughtPlacer:
        times = self.times
        if times is None or times.rules != game.rules:
            times = ShotTimes.none(game.rules)
        return replace(self, times=times.after(game))
