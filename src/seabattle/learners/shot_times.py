"""When an opponent shoots at each cell: what the placers that learn know of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..dealing.best_of_n import rows_and_columns, ship_distances
from ..revealed import RevealedGame
from ..rules import Rules


@dataclass(frozen=True, eq=False)
class ShotTimes:
    """The mean time of the first shot at each cell over the games so far."""

    rules: Rules
    total: npt.NDArray[np.float64]
    """(cells,) the sum of the times; a cell that was not shot at counts as the last one"""
    games: float = 0.0

    @classmethod
    def none(cls, rules: Rules) -> ShotTimes:
        return cls(rules, np.zeros(rules.cells))

    def after(self, game: RevealedGame, forget: float = 1.0) -> ShotTimes:
        """With one more game; those before count `forget` times as much."""
        times = np.full(self.rules.cells, float(self.rules.cells))
        for number, shot in enumerate(game.enemy_shots, start=1):
            times[shot.cell] = number
        return ShotTimes(self.rules, forget * self.total + times, forget * self.games + 1)

    def mean(self, prior_games: float = 0.0) -> npt.NDArray[np.float64]:
        """(cells,) the mean times; `prior_games` games with the same time everywhere are added."""
        usual = (self.rules.cells + 1) / 2
        return (self.total + prior_games * usual) / max(self.games + prior_games, 1e-9)


def found_at(
    rules: Rules, placements: npt.NDArray[np.int32], times: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """(layouts,) how late each would be found: the mean over its ships of the time of the
    earliest shot at one of their cells."""
    cover = board_of(rules).cover
    first = [
        times[cover[placements[:, ship], :length]].min(axis=1)
        for ship, length in enumerate(rules.fleet)
    ]
    return np.asarray(np.mean(first, axis=0))


def touching(rules: Rules, placements: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """(layouts,) how many pairs of ships touch, at a side or a corner."""
    distances = ship_distances(rules, *rows_and_columns(rules, placements))
    return np.asarray((distances == 1).sum(axis=(1, 2)) / 2)
