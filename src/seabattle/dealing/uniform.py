"""Random layouts, uniform over all legal ones.

Layouts are dealt by rejection; fleets too tight for that are left to `tight_dealing`.

>>> from seabattle.layout import Layout
>>> rules = Rules.from_text("mini")
>>> layout = random_layout(rules, np.random.default_rng(1))
>>> Layout.from_text(layout.to_text(), rules) == layout
True
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..belief.markov_chain import NotFound
from ..compiled.random_streams import stream
from ..compiled.rules_tables import board_array_of, board_of
from ..compiled.seeds import TIGHT_STREAM
from ..errors import FleetDoesNotFit, TooLarge
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import layout_of
from .tight_dealing import Dealer
from .uniform_kernels import deal_many

REJECTIONS = 200_000
"""Tries before a layout is dealt like that of a tight fleet (see `tight_dealing`)."""


def random_layout(rules: Rules, rng: np.random.Generator) -> Layout:
    """A layout drawn uniformly from all legal ones."""
    return layout_of(rules, deal_games(rules, int(rng.integers(0, 2**63)), range(1))[0])


def layout_for(rules: Rules, seed: int, game: int) -> Layout:
    """The layout of one game of an experiment: a function of these three alone."""
    return layout_of(rules, deal_games(rules, seed, range(game, game + 1))[0])


def deal_games(rules: Rules, seed: int, games: range) -> npt.NDArray[np.int32]:
    """The layouts of these games as placement numbers, one row per game."""
    board = board_array_of(rules)
    placements = np.empty((len(games), len(rules.fleet)), dtype=np.int32)
    tries, tight = tries_worth(rules), []
    filled = 0
    while filled < len(games):
        filled += deal_many(
            board, np.uint64(seed), games.start + filled, tries, placements[filled:]
        )
        if filled < len(games):
            tight.append(filled)
            filled += 1
    if tight:
        placements[tight] = deal_tight(rules, seed, [games[row] for row in tight])
    return placements


@lru_cache(maxsize=64)
def tries_worth(rules: Rules) -> int:
    """How many tries of rejection are worthwhile: none if a first run finds no layout.

    That run has a fixed seed, so that a layout depends only on the rules, the seed and the
    number of the game. A ship that fits nowhere is an error.
    """
    board = board_of(rules)
    if (board.last[: board.ships] == board.first[: board.ships]).any():
        raise FleetDoesNotFit(_no_room(rules))
    row = np.empty((1, len(rules.fleet)), dtype=np.int32)
    return REJECTIONS if deal_many(board_array_of(rules), np.uint64(0), 0, REJECTIONS, row) else 0


@lru_cache(maxsize=1)
def tight_dealer(rules: Rules) -> Dealer:
    return Dealer(board_of(rules))


def deal_tight(rules: Rules, seed: int, games: list[int]) -> npt.NDArray[np.int32]:
    """The layouts of games for which rejection found none, one row per game.

    See `tight_dealing` for which are exactly uniform and which only in the limit.
    """
    seeds = [stream(np.uint64(seed), game, TIGHT_STREAM) for game in games]
    try:
        return tight_dealer(rules).deal(np.array(seeds, dtype=np.uint64))
    except NotFound as failure:
        if failure.proven:
            raise FleetDoesNotFit(_no_room(rules)) from None
        raise TooLarge(
            f"No layout of this fleet on a board of {rules.rows}x{rules.columns} with "
            f"contact={rules.contact} was found, and there are too many to try them all; "
            "take a larger board or fewer ships."
        ) from None


def _no_room(rules: Rules) -> str:
    return (
        f"The fleet {','.join(map(str, rules.fleet))} does not fit on a board of "
        f"{rules.rows}x{rules.columns} with contact={rules.contact}; take a larger board "
        "or fewer ships."
    )
