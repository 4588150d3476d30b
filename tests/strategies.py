"""Hypothesis strategies: rules, positions and games of every kind."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, random_layout
from seabattle.rules import ANSWERS, CONTACTS, TURNS

FLEETS = ((1,), (2,), (3,), (2, 1), (2, 2), (3, 2), (3, 2, 2), (1, 1, 1), (4, 2, 1))


@st.composite
def small_rules(draw: st.DrawFn, largest: int = 6) -> Rules:
    """Boards with room for any of `FLEETS` under any contact."""
    return Rules(
        draw(st.integers(5, largest)),
        draw(st.integers(5, largest)),
        draw(st.sampled_from(FLEETS)),
        draw(st.sampled_from(CONTACTS)),
        draw(st.sampled_from(ANSWERS)),
        draw(st.sampled_from(TURNS)),
    )


@st.composite
def games(draw: st.DrawFn, rules: st.SearchStrategy[Rules] | None = None) -> Game:
    """A game after some random shots."""
    chosen = draw(rules or small_rules())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    game = Game(random_layout(chosen, rng))
    for cell in rng.permutation(chosen.cells)[: draw(st.integers(0, chosen.cells))]:
        if not game.finished:
            game.fire(int(cell))
    return game


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """What the shooter of such a game knows."""
    game = draw(games())
    return Observation(game.rules, game.shots)
