"""Placers that draw several uniform layouts and keep the one with the highest score.

Choosing among whole legal layouts works under all rules and on every board, and stays
random: layouts with a high score are likelier, none is certain. The more layouts there are
to choose from (`tries`), the stronger the habit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..errors import PlacerError
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import layout_of
from .placers import register_placer
from .uniform import deal_games

TRIES = 24
"""Layouts to choose from: enough for a clear tendency, few enough to stay hard to guess."""
MOST_TRIES = 100_000


def check_tries(tries: int) -> None:
    """Refuse a number of layouts to choose from that is not sensible."""
    if not 1 <= tries <= MOST_TRIES:
        raise PlacerError(f"tries must be from 1 to {MOST_TRIES:,}, not {tries}.")


BLOCK = 4096
"""layouts scored at a time"""

Coordinates = npt.NDArray[np.int64]
"""(layouts, ship cells) the row or the column of every covered cell, ship by ship"""

Scores = npt.NDArray[np.float64]
"""(layouts,)"""

Tries = Annotated[int, "layouts to choose from: the more, the stronger the habit"]


class BestOfN:
    """The best of `tries` uniform layouts by a score, the first of several."""

    tries: int

    def score(self, rules: Rules, rows: Coordinates, columns: Coordinates) -> Scores:
        """The scores of layouts, of which the highest is kept."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        check_tries(self.tries)

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        drawn = deal_games(rules, int(rng.integers(0, 2**63)), range(self.tries))
        return layout_of(rules, drawn[int(self._scores(rules, drawn).argmax())])

    def place_games(self, rules: Rules, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        placed = np.empty((len(seeds), len(rules.fleet)), dtype=np.int32)
        at_a_time = max(1, BLOCK // self.tries)
        for start in range(0, len(seeds), at_a_time):
            some = seeds[start : start + at_a_time]
            drawn = np.stack([
                deal_games(
                    rules,
                    int(np.random.default_rng(int(seed)).integers(0, 2**63)),
                    range(self.tries),
                )
                for seed in some
            ])  # fmt: skip
            scores = self._scores(rules, drawn.reshape(-1, len(rules.fleet)))
            best = scores.reshape(len(some), self.tries).argmax(axis=1)
            placed[start : start + at_a_time] = drawn[np.arange(len(some)), best]
        return placed

    def _scores(self, rules: Rules, placements: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        return self.score(rules, *rows_and_columns(rules, placements))


def rows_and_columns(
    rules: Rules, placements: npt.NDArray[np.int32]
) -> tuple[Coordinates, Coordinates]:
    """(layouts, ship cells) the row and the column of every covered cell, ship by ship."""
    cover = board_of(rules).cover
    cells = np.concatenate(
        [cover[placements[:, ship], :length] for ship, length in enumerate(rules.fleet)], axis=1
    ).astype(np.int64)
    return cells // rules.columns, cells % rules.columns


def edge_distances(rules: Rules, rows: Coordinates, columns: Coordinates) -> npt.NDArray[np.int64]:
    """How many cells lie between each of these and the nearest edge."""
    return np.minimum(
        np.minimum(rows, rules.rows - 1 - rows), np.minimum(columns, rules.columns - 1 - columns)
    )


def ship_distances(rules: Rules, rows: Coordinates, columns: Coordinates) -> npt.NDArray[np.int64]:
    """(layouts, ships, ships) the distance between two ships, in moves of a chess king; the
    largest possible one between a ship and itself."""
    far = max(rules.rows, rules.columns)
    starts = np.concatenate([[0], np.cumsum(rules.fleet)])[:-1]
    cells = np.maximum(
        np.abs(rows[:, :, None] - rows[:, None]), np.abs(columns[:, :, None] - columns[:, None])
    )
    ships = np.minimum.reduceat(np.minimum.reduceat(cells, starts, axis=1), starts, axis=2)
    alone = np.arange(len(rules.fleet))
    ships[:, alone, alone] = far
    return ships


def distances_apart(rules: Rules, rows: Coordinates, columns: Coordinates) -> Scores:
    """The sum over ships of the distance to the nearest other ship."""
    nearest = ship_distances(rules, rows, columns).min(axis=2)
    return np.asarray(nearest.sum(axis=1), dtype=np.float64)


@register_placer("edges", "ships lie along the edges more often than at random")
@dataclass(frozen=True)
class Edges(BestOfN):
    tries: Tries = TRIES

    def score(self, rules: Rules, rows: Coordinates, columns: Coordinates) -> Scores:
        inside = edge_distances(rules, rows, columns).sum(axis=1)
        return np.asarray(-inside, dtype=np.float64)


@register_placer("spread", "ships keep away from one another")
@dataclass(frozen=True)
class Spread(BestOfN):
    tries: Tries = TRIES

    def score(self, rules: Rules, rows: Coordinates, columns: Coordinates) -> Scores:
        return distances_apart(rules, rows, columns)


@register_placer("clustered", "ships keep close to one another")
@dataclass(frozen=True)
class Clustered(BestOfN):
    tries: Tries = TRIES

    def score(self, rules: Rules, rows: Coordinates, columns: Coordinates) -> Scores:
        return -distances_apart(rules, rows, columns)
