"""Placers: legal layouts under all rules, with the habits that their names promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from seabattle import Layout, Rules
from seabattle.dealing import all_placers, make_placer, place_games, register_placer
from seabattle.dealing.placement_numbers import layout_of
from seabattle.dealing.placers import temporary_placers
from seabattle.dealing.uniform import random_layout
from seabattle.errors import PlacerError
from tests.strategies import small_rules


@settings(deadline=None, max_examples=30)
@given(rules=small_rules())
def test_every_placer_gives_legal_layouts_that_depend_on_seed_and_number_alone(rules):
    for name in all_placers():
        together = place_games(rules, 5, range(4), name)
        apart = [place_games(rules, 5, range(k, k + 1), name)[0] for k in range(4)]
        assert (together == np.array(apart)).all()
        for row in together:
            layout = layout_of(rules, row)  # an illegal one raises
            assert Layout.from_text(layout.to_text(), rules) == layout


def mean(placer: str, measure) -> float:
    rules = Rules.from_text("classic")
    return float(np.mean([measure(layout_of(rules, row))
                          for row in place_games(rules, 1, range(300), placer)]))  # fmt: skip


def edge_cells(layout: Layout) -> int:
    rows, columns = zip(*(divmod(cell, 10) for cell in layout.ship_at), strict=True)
    return sum(r in (0, 9) or c in (0, 9) for r, c in zip(rows, columns, strict=True))


def gaps(layout: Layout) -> float:
    """How far apart the nearest ships are, on average."""
    places = [[divmod(cell, 10) for cell in cells] for cells in layout.ship_cells]
    return sum(
        min(
            max(abs(r - s), abs(c - d))
            for other in places
            if other is not ship
            for s, d in other
            for r, c in ship
        )
        for ship in places
    ) / len(places)


def test_placers_have_the_habits_that_their_names_promise():
    assert mean("edges", edge_cells) > mean("uniform", edge_cells) + 2
    assert mean("spread", gaps) > mean("uniform", gaps) + 0.5
    assert mean("together", gaps) < mean("uniform", gaps) - 0.3


def test_a_registered_placer_is_known_by_name():
    class Corner:
        def place(self, rules, rng):
            return Layout.from_text("destroyer A1 across", rules)

    class Cheat:
        def place(self, rules, rng):
            return random_layout(Rules(4, 4, (2,)), rng)

    rules = Rules(3, 3, (2,))
    with temporary_placers():
        register_placer("corner", "the same place every time")(Corner)
        register_placer("cheat")(Cheat)
        assert (place_games(rules, 0, range(3), "corner") == 0).all()
        with pytest.raises(PlacerError, match="no layout under these rules"):
            place_games(rules, 0, range(1), "cheat")
        with pytest.raises(PlacerError, match="already"):
            register_placer("corner")(Cheat)
        with pytest.raises(PlacerError, match="must not contain spaces"):
            register_placer("a b")
    assert "corner" not in all_placers()


def test_an_unknown_placer_is_refused_with_the_known_ones():
    with pytest.raises(PlacerError, match="edges, spread, together, uniform"):
        make_placer("edgs")
