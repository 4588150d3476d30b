"""`human`: habits that people are said to have when they place ships, as parameters.

This is a model, not a measurement: no data on people's fleets comes with this package. The
probability of a layout is proportional to

    exp(edge · ships along an edge + across · ships across - apart · pairs of ships that touch)

With all three at 0 every layout is equally likely. At the defaults a layout is e times less
likely for every further pair of ships that touch, and a ship along an edge is 1.6 times as
likely as elsewhere. Layouts are drawn from `TRIES` uniform ones in proportion to their
weights, which comes close to the formula unless the parameters are extreme. Habits of a real
person are in a file of their layouts: `recorded:FILE`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..errors import PlacerError
from ..layout import Layout
from ..rules import Rules
from .best_of_n import edge_distances, rows_and_columns, ship_distances
from .placement_numbers import layout_of
from .placers import register_placer
from .uniform import deal_games

TRIES = 64
MOST = 20.0


@register_placer("human", "habits that people are said to have, as parameters")
@dataclass(frozen=True)
class Human:
    """Draws layouts in proportion to a weight for habits."""

    edge: Annotated[float, "preference for ships along an edge; below 0, against them"] = 0.5
    apart: Annotated[float, "dislike of ships that touch; below 0, a liking"] = 1.0
    across: Annotated[float, "preference for ships that lie across; below 0, down"] = 0.25

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not -MOST <= value <= MOST:
                raise PlacerError(f"{name} must be from {-MOST:g} to {MOST:g}, not {value}.")

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        return layout_of(rules, self._drawn(rules, rng))

    def place_games(self, rules: Rules, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        placed = np.empty((len(seeds), len(rules.fleet)), dtype=np.int32)
        for row, seed in enumerate(seeds):
            placed[row] = self._drawn(rules, np.random.default_rng(int(seed)))
        return placed

    def _drawn(self, rules: Rules, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        drawn = deal_games(rules, int(rng.integers(0, 2**63)), range(TRIES))
        weights = np.exp(self.log_weights(rules, drawn))
        place = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum(), side="right")
        return np.asarray(drawn[min(int(place), TRIES - 1)])

    def log_weights(
        self, rules: Rules, placements: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """(layouts,) the logarithm of the formula above, up to a constant."""
        rows, columns = rows_and_columns(rules, placements)
        starts = np.concatenate([[0], np.cumsum(rules.fleet)])[:-1]
        on_edge = edge_distances(rules, rows, columns) == 0
        along = np.logical_and.reduceat(on_edge, starts, axis=1).sum(axis=1)
        first_rows = rows[:, starts]
        lengths = np.array(rules.fleet)
        last_rows = rows[:, starts + lengths - 1]
        lying = ((first_rows == last_rows) & (lengths > 1)).sum(axis=1)
        touching = (ship_distances(rules, rows, columns) == 1).sum(axis=(1, 2)) / 2
        scores = self.edge * along + self.across * lying - self.apart * touching
        highest = float(scores.max())
        return np.asarray(scores - (highest if math.isfinite(highest) else 0.0))
