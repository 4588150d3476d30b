"""Layouts drawn in proportion to weights of placements, equal for mirror images.

A *hiding style* is a logarithm of a weight for each ship length and each kind of placement,
where placements that a symmetry of the board exchanges are of one kind. The probability of
a legal layout is proportional to the product of its ships' weights.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..compiled.rules_tables import board_of, symmetries_of
from ..players.batch_play import Placements
from ..rules import Rules

MOST_TRIES = 10_000
"""Rounds of rejection; each draws as many layouts as are missing."""


@lru_cache(maxsize=16)
def placement_kinds(rules: Rules) -> npt.NDArray[np.int64]:
    """(placements,) a number for each set of placements that symmetries exchange."""
    least = symmetries_of(rules).placements.min(axis=0)
    _, kinds = np.unique(least, return_inverse=True)
    return np.asarray(kinds, dtype=np.int64)


def kind_count(rules: Rules) -> int:
    """How many kinds of placements there are: the size of a style."""
    return int(placement_kinds(rules).max()) + 1


def draw_style(rules: Rules, style: Floats, rng: np.random.Generator, games: int) -> Placements:
    """(games, ships) placement numbers of layouts drawn from a style, by rejection."""
    board = board_of(rules)
    weights = np.exp(style)[placement_kinds(rules)]
    ships = range(len(rules.fleet))
    reached = [np.cumsum(weights[board.first[ship] : board.last[ship]]) for ship in ships]
    drawn: list[Placements] = []
    missing = games
    for _ in range(MOST_TRIES):
        batch = np.empty((2 * missing + 16, len(rules.fleet)), dtype=np.int32)
        taken = np.zeros((len(batch), board.mask.shape[1]), dtype=np.uint64)
        legal = np.ones(len(batch), dtype=bool)
        for ship in ships:
            at = rng.random(len(batch)) * reached[ship][-1]
            chosen = np.searchsorted(reached[ship], at, side="right").clip(
                max=len(reached[ship]) - 1
            )
            batch[:, ship] = chosen + board.first[ship]
            legal &= ~(taken & board.mask[batch[:, ship]]).any(axis=1)
            taken |= board.halo[batch[:, ship]]
        drawn.append(batch[legal][:missing])
        missing -= len(drawn[-1])
        if missing == 0:
            return np.concatenate(drawn)
    raise RuntimeError("no legal layout was drawn")


def draw_mixture(
    rules: Rules, styles: Floats, shares: Floats, rng: np.random.Generator, games: int
) -> Placements:
    """(games, ships) layouts of a mixture of styles (styles, kinds), in random order."""
    counts = rng.multinomial(games, shares)
    parts = [
        draw_style(rules, style, rng, int(count))
        for style, count in zip(styles, counts, strict=True)
        if count
    ]
    return np.asarray(rng.permutation(np.concatenate(parts)))
