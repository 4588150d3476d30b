"""Shooters against placers: how many shots each needs, and who makes each look worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import ExperimentError
from .comparison import Comparison, PlayerResult


@dataclass(frozen=True)
class PlacerMatrix:
    """The same players against several placers."""

    comparisons: tuple[Comparison, ...]
    """one per placer, of the same players"""

    def __post_init__(self) -> None:
        if not self.comparisons:
            raise ExperimentError("A matrix needs at least one placer.")

    @property
    def placers(self) -> tuple[str, ...]:
        return tuple(comparison.placer for comparison in self.comparisons)

    def row(self, player: str) -> tuple[PlayerResult, ...]:
        """What a player did against each placer, in their order."""
        return tuple(
            result
            for comparison in self.comparisons
            for result in comparison.players
            if result.name == player
        )

    def worst(self, player: str) -> tuple[str, PlayerResult]:
        """The placer against which a player needs most shots, and the result."""
        found = zip(self.placers, self.row(player), strict=True)
        return max(found, key=lambda pair: pair[1].mean)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The players, best worst case first."""
        names = [result.name for result in self.comparisons[0].players]
        return tuple(sorted(names, key=lambda name: self.worst(name)[1].mean))

    def to_json(self) -> dict[str, Any]:
        return {
            "placers": list(self.placers),
            "games": [comparison.games for comparison in self.comparisons],
            "players": [
                {
                    "name": name,
                    "mean": [result.mean for result in self.row(name)],
                    "ci95": [list(result.ci95) for result in self.row(name)],
                    "worst": self.worst(name)[0],
                }
                for name in self.ranking
            ],
        }
