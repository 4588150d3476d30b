"""Priors: how likely each placement is before the first shot.

A prior is a weight for each ship and placement; a layout's weight is the product of
those of its ships. It is given as an array (ships, placements), numbered as in
`board_of`, or as a function `weight(ship, cells)` of the ship's index in the fleet and
the tuple of cells it would cover. Weights are 0 or more; only their ratios matter.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..errors import PriorError
from ..rules import Rules

Prior = npt.ArrayLike | Callable[[int, tuple[int, ...]], float]


def prior_array(rules: Rules, prior: Prior) -> npt.NDArray[np.float64]:
    """A prior as an array (ships, placements); 0 for placements of another length."""
    board = board_of(rules)
    shape = (len(rules.fleet), int(board.placements))
    weights = np.zeros(shape)
    given = None if callable(prior) else np.asarray(prior, dtype=np.float64)
    if given is not None and given.shape != shape:
        raise PriorError(
            f"A prior for these rules is an array of {shape[0]} ships and {shape[1]} placements, "
            f"not of the shape {given.shape}."
        )
    for ship, length in enumerate(rules.fleet):
        for placement in range(int(board.first[ship]), int(board.last[ship])):
            if given is not None:
                weights[ship, placement] = given[ship, placement]
            else:
                assert callable(prior)
                cells = tuple(map(int, board.cover[placement, :length]))
                weights[ship, placement] = prior(ship, cells)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise PriorError("The weights of a prior must be numbers of 0 or more.")
    return weights
