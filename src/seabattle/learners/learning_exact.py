"""`learning-exact`: the posterior under a prior learned from this opponent's layouts.

Before the first game, and against an opponent whose layouts look like random ones, it plays
as `exact`. After every game of a match it adds the revealed layout to its model of the
opponent (`placement_model`), and shoots where a ship most likely is under the prior that
follows (`weighted_posterior`, which says where that is exact). If layouts are not revealed,
the layouts that agree with its own shots stand for the true one, in proportion to their
probability under what it has learned before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

from ..dealing.placement_numbers import placements_of
from ..errors import PlayerError
from ..naming.parameters import STATE
from ..players.registry import register
from ..revealed import RevealedGame
from ..rules import Rules
from .placement_model import PlacementModel
from .weighted_player import LearnedPrior, WeightedPlayer
from .weighted_posterior import PosteriorInGame, WeightedPosterior

AGREEING = 400
"""layouts that stand for one that was seen only in part"""

WeightedSeconds = Annotated[
    float, "time to enumerate a position with weights before sampling takes over"
]


@register(
    "learning-exact",
    source="seabattle",
    summary="exact, with a prior learned from the opponent's layouts during a match",
    learns=True,
)
@dataclass(frozen=True)
class LearningExact(WeightedPlayer):
    seconds: WeightedSeconds = 0.0003
    model: PlacementModel | None = field(default=None, compare=False, metadata=STATE)

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < float("inf"):
            raise PlayerError(f"seconds must be 0 or more, not {self.seconds}.")

    def prior_for(self, rules: Rules) -> LearnedPrior | None:
        if self.model is None or self.model.rules != rules or self.model.uniform:
            return None
        return LearnedPrior(self.model.weights, self.model.games, self.model.pair_factors)

    def after_game(self, game: RevealedGame) -> LearningExact:
        model = self.model
        if model is None or model.rules != game.rules:
            model = PlacementModel.empty(game.rules)
        if game.enemy_layout is not None:
            rows = placements_of(game.enemy_layout)[None]
        else:
            prior = WeightedPosterior(
                game.rules, model.weights, 0.0, model.games, model.pair_factors
            )
            seen = PosteriorInGame(prior)
            for shot in game.shots:
                seen.told(shot.cell, shot.answer.code)
            rows = seen.layouts(AGREEING)
        return replace(self, model=model.and_layouts(rows))
