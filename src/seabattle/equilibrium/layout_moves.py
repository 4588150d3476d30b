"""Layouts near a layout: one ship lies elsewhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..players.batch_play import Placements
from ..rules import Rules


def places_for(rules: Rules, placements: npt.NDArray[np.int32], ship: int) -> Placements:
    """The other placements that one ship of a layout may have, all else staying in place."""
    board = board_of(rules)
    others = np.bitwise_or.reduce(board.halo[np.delete(placements, ship)], axis=0, initial=0)
    options = np.arange(board.first[ship], board.last[ship], dtype=np.int32)
    free = ~(board.mask[options] & others).any(axis=1)
    return np.asarray(options[free & (options != placements[ship])])


def moved(placements: npt.NDArray[np.int32], ship: int, places: Placements) -> Placements:
    """(places, ships) the layouts in which a ship lies at each of these places."""
    layouts = np.repeat(placements[None], len(places), axis=0)
    layouts[:, ship] = places
    return layouts


def random_move(
    rules: Rules, placements: npt.NDArray[np.int32], rng: np.random.Generator
) -> Placements:
    """A layout with one random ship moved to a random place; the same one if none can move."""
    for ship in rng.permutation(len(placements)):
        places = places_for(rules, placements, int(ship))
        if len(places):
            return np.asarray(moved(placements, int(ship), rng.choice(places, 1))[0])
    return placements
