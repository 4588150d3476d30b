"""Placers that draw several uniform layouts and keep the one with the highest score.

Choosing among whole legal layouts works under all rules and on every board, and stays
random: layouts with a high score are likelier, none is certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..compiled.rules_tables import board_of
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import layout_of
from .placers import register_placer
from .uniform import deal_games

if TYPE_CHECKING:
    import numpy.typing as npt

TRIES = 24
"""Layouts to choose from: enough for a clear tendency, few enough to stay hard to guess."""

Score = Callable[[Rules, "npt.NDArray[np.int64]"], float]
"""The score of a layout, given its cells as an array (cells, 3) of ship, row and column."""


@dataclass(frozen=True)
class BestOfN:
    """The best of `TRIES` uniform layouts by a score."""

    score: Score

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        drawn = deal_games(rules, int(rng.integers(0, 2**63)), range(TRIES))
        best = max(range(TRIES), key=lambda k: self.score(rules, _cells(rules, drawn[k])))
        return layout_of(rules, drawn[best])


def _cells(rules: Rules, placements: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(ship cells, 3) ship, row and column of every covered cell."""
    cover = board_of(rules).cover[placements]
    ships = np.repeat(np.arange(len(rules.fleet)), rules.fleet)
    cells = np.concatenate(
        [cover[ship, :length] for ship, length in enumerate(rules.fleet)]
    ).astype(np.int64)
    return np.stack([ships, cells // rules.columns, cells % rules.columns], axis=1)


def _on_the_edge(rules: Rules, cells: npt.NDArray[np.int64]) -> float:
    _, rows, columns = cells.T
    inside = np.minimum(
        np.minimum(rows, rules.rows - 1 - rows), np.minimum(columns, rules.columns - 1 - columns)
    )
    return -float(inside.sum())


def _apart(rules: Rules, cells: npt.NDArray[np.int64]) -> float:
    """The sum over ships of the distance to the nearest other ship."""
    ships, places = cells[:, 0], cells[:, 1:]
    distance = np.abs(places[:, None] - places[None]).max(axis=2)
    distance[ships[:, None] == ships[None]] = max(rules.rows, rules.columns)
    return float(sum(distance[ships == ship].min() for ship in range(len(rules.fleet))))


@register_placer("edges", "ships lie along the edges more often than at random")
def edges() -> BestOfN:
    return BestOfN(_on_the_edge)


@register_placer("spread", "ships keep away from one another")
def spread() -> BestOfN:
    return BestOfN(_apart)


@register_placer("together", "ships keep close to one another")
def together() -> BestOfN:
    return BestOfN(lambda rules, cells: -_apart(rules, cells))
