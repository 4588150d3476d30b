"""`adversarial`: the layout that costs one player most, as far as a search finds it.

A third of the games go to random layouts. The costliest tenth survives; every further round
moves one ship in each survivor, plays the new layouts and keeps the costliest of all. Against
a deterministic player the result is exact for the layout found; against one that plays at
random, a layout's shots are the mean of a few games, and the costliest mean is partly luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np

from ..dealing import deal_games, layout_of, register_placer
from ..errors import PlacerError, PlayerError
from ..layout import Layout
from ..players import Player, RulesBoundPlayer, make_player
from ..players.batch_play import Placements
from ..rules import Rules
from ..solver.value import play_placements
from .layout_moves import random_move

SURVIVORS = 10
"""One in this many of the first layouts is kept."""


# Its name can hold a command or a file, as names of players can.
@register_placer(
    "adversarial", "layouts that cost one player most, found by search", reads_files=True
)
@dataclass(frozen=True)
class Adversarial:
    """Searches for the layout on which `against` needs most shots."""

    against: Annotated[str, "the player to hide from"] = "density"
    games: Annotated[int, "games played to find a layout"] = 300
    repeats: Annotated[int, "games per layout, for a player that plays at random"] = 1

    def __post_init__(self) -> None:
        if not 30 <= self.games <= 1_000_000:
            raise PlacerError(f"games must be from 30 to 1,000,000, not {self.games}.")
        if not 1 <= self.repeats <= self.games:
            raise PlacerError(f"repeats must be from 1 to {self.games}, not {self.repeats}.")
        self._shooter()

    def _shooter(self) -> Player:
        try:
            return _made(self.against)
        except PlayerError as error:
            raise PlacerError(f"adversarial cannot hide from {self.against!r}: {error}") from None

    def check_rules(self, rules: Rules) -> None:
        shooter = self._shooter()
        if isinstance(shooter, RulesBoundPlayer):
            shooter.check_rules(rules)

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        return layout_of(rules, self.search(rules, rng)[0])

    def search(self, rules: Rules, rng: np.random.Generator) -> tuple[Placements, float]:
        """The costliest layout found, as placement numbers, and its mean shots."""
        layouts = self.games // self.repeats
        first = max(layouts // 3, 1)
        kept = deal_games(rules, int(rng.integers(0, 2**63)), range(first))
        shots = self._shots(rules, kept, rng)
        size = max(first // SURVIVORS, 1)
        played = first
        while played < layouts:
            order = np.argsort(-shots, kind="stable")[:size]
            kept, shots = kept[order], shots[order]
            count = min(size, layouts - played)
            tried = np.array([random_move(rules, kept[k % len(kept)], rng) for k in range(count)])
            kept = np.concatenate([kept, tried])
            shots = np.concatenate([shots, self._shots(rules, tried, rng)])
            played += count
        best = int(shots.argmax())
        return kept[best], float(shots[best])

    def _shots(
        self, rules: Rules, placements: Placements, rng: np.random.Generator
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        seeds = rng.integers(0, 2**63, size=(self.repeats, len(placements))).astype(np.uint64)
        shooter = self._shooter()
        played = [play_placements(shooter, rules, placements, each) for each in seeds]
        return np.asarray(np.mean(played, axis=0))


@lru_cache(maxsize=16)
def _made(name: str) -> Player:
    return make_player(name)
