"""`dreadnought`: the approach of the winner of the 2009 contest of Battleship programs.

By accounts of it, not by its own code: it shoots where most of the layouts lie that agree with
the answers, weighted by where this opponent's ships have been before. Its defence is the placer
of the same name.

The accounts leave open how past ships become weights. Here a placement of a ship weighs
1 + `trust` · (how often this opponent's ships lay on its cells, per cell, in units of how often
random ones do - 1) · games / (games + 5), and at least 0.05. The contest told a program only
its own hits; layouts that are not revealed are counted by the hits alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..errors import PlayerError
from ..naming.parameters import STATE
from ..players.registry import register
from ..revealed import RevealedGame
from ..rules import Rules
from .placement_model import groups_of
from .weighted_player import LearnedPrior, WeightedPlayer

LEAST = 0.05
HALF_TRUST = 5
"""games after which past ships count half"""


@register(
    "dreadnought",
    source="2009 contest",
    summary="agreeing layouts, weighted by where this opponent's ships have been",
    placer="dreadnought",
    learns=True,
)
@dataclass(frozen=True)
class Dreadnought(WeightedPlayer):
    seconds: Annotated[float, "time to enumerate a position before sampling takes over"] = 0.0003
    trust: Annotated[float, "how much past ships count, from 0 to 1"] = 1.0
    been: npt.NDArray[np.float64] | None = field(default=None, compare=False, metadata=STATE)
    """(cells,) how often a ship was there"""
    games: int = field(default=0, compare=False, metadata=STATE)
    rules: Rules | None = field(default=None, compare=False, metadata=STATE)

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < float("inf"):
            raise PlayerError(f"seconds must be 0 or more, not {self.seconds}.")
        if not 0 <= self.trust <= 1:
            raise PlayerError(f"trust must be from 0 to 1, not {self.trust}.")

    def prior_for(self, rules: Rules) -> LearnedPrior | None:
        if self.been is None or self.rules != rules or self.trust == 0:
            return None
        board, usual = board_of(rules), groups_of(rules).covered
        ratio = self.been / self.games / np.maximum(usual, 1e-9)
        trust = self.trust * self.games / (self.games + HALF_TRUST)
        weights = np.zeros((len(rules.fleet), int(board.placements)))
        for ship, length in enumerate(rules.fleet):
            own = slice(int(board.first[ship]), int(board.last[ship]))
            found = ratio[board.cover[own, :length]].mean(axis=1)
            weights[ship, own] = np.maximum(1 + trust * (found - 1), LEAST)
        return LearnedPrior(weights, self.games)

    def after_game(self, game: RevealedGame) -> Dreadnought:
        rules = game.rules
        fresh = self.been is None or self.rules != rules
        been = np.zeros(rules.cells) if self.been is None or fresh else self.been.copy()
        if game.enemy_layout is not None:
            been[list(game.enemy_layout.ship_at)] += 1
        else:
            been[[shot.cell for shot in game.shots if shot.answer.hit]] += 1
        return replace(self, been=been, games=1 if fresh else self.games + 1, rules=rules)
