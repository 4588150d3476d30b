"""Placers: legal layouts under all rules, with the habits that their names promise."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from seabattle import Layout, Rules
from seabattle.compiled.random_streams import streams
from seabattle.compiled.seeds import LAYOUT_STREAM
from seabattle.dealing import (
    all_placers,
    describe_placer,
    make_placer,
    place_games,
    register_placer,
)
from seabattle.dealing.placement_numbers import layout_of, placements_of
from seabattle.dealing.placers import temporary_placers
from seabattle.dealing.uniform import deal_games, random_layout
from seabattle.errors import PlacerError
from seabattle.layout import Placement
from tests.strategies import small_rules


@settings(deadline=None, max_examples=30)
@given(rules=small_rules())
def test_every_placer_gives_legal_layouts_that_depend_on_seed_and_number_alone(rules):
    for name in ("uniform", "edges:tries=5", "spread", "clustered", "human"):
        together = place_games(rules, 5, range(4), name)
        apart = [place_games(rules, 5, range(k, k + 1), name)[0] for k in range(4)]
        assert (together == np.array(apart)).all()
        for row in together:
            layout = layout_of(rules, row)  # an illegal one raises
            assert Layout.from_text(layout.to_text(), rules) == layout
        seed = streams(np.uint64(5), 2, 1, LAYOUT_STREAM)[0]
        alone = make_placer(name).place(rules, np.random.default_rng(int(seed)))
        assert name == "uniform" or (placements_of(alone) == together[2]).all()


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
    assert mean("edges:tries=200", edge_cells) > mean("edges", edge_cells) + 1
    assert mean("clustered", gaps) < mean("uniform", gaps) - 0.3


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
        with pytest.raises(PlacerError, match="cannot contain spaces"):
            register_placer("a b")
    assert "corner" not in all_placers()


def test_an_illegal_layout_is_refused_even_if_it_looks_like_one():
    rules = Rules(3, 3, (2, 2))
    one = Placement(0, "across")

    class Overlapping:
        def place(self, rules, rng):
            return Layout.legal(rules, (one, one), ((0, 1), (0, 1)))

    with pytest.raises(PlacerError, match="illegal layout: Two ships lie on A1"):
        place_games(rules, 0, range(1), Overlapping())


def test_human_follows_its_formula():
    rules = Rules(4, 4, (3, 2))
    layouts = deal_games(rules, 3, range(2000))
    distinct = np.unique(layouts, axis=0)
    placer = make_placer("human:edge=0.7,apart=0.9,across=-0.4")
    weights = np.exp(placer.log_weights(rules, distinct))
    by_hand = np.array([_weight_by_hand(layout_of(rules, row)) for row in distinct])
    assert weights / weights[0] == pytest.approx(by_hand / by_hand[0])
    # The share of each layout is within five standard errors of its weight.
    drawn = place_games(rules, 1, range(4000), "human:edge=0.7,apart=0.9,across=-0.4")
    shares = np.array([(drawn == row).all(axis=1).mean() for row in distinct])
    expected = weights / weights.sum()
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected / 4000) + 0.002).all()


def _weight_by_hand(layout: Layout) -> float:
    """The formula of `human:edge=0.7,apart=0.9,across=-0.4` for two ships on 4x4."""
    along = sum(
        all(cell // 4 in (0, 3) or cell % 4 in (0, 3) for cell in cells)
        for cells in layout.ship_cells
    )
    across = sum(ship.direction == "across" for ship in layout.ships)
    one, other = layout.ship_cells
    touch = any(max(abs(a // 4 - b // 4), abs(a % 4 - b % 4)) == 1 for a, b in product(one, other))
    return math.exp(0.7 * along - 0.4 * across - 0.9 * touch)


def test_recorded_layouts_come_from_the_file(tmp_path):
    rules = Rules.from_text("mini")
    texts = ["cruiser B2 down, destroyer A5 down", "cruiser A1 across, destroyer E4 across"]
    path = tmp_path / "mine.txt"
    path.write_text("# two of mine\n\n" + "\n".join(texts) + "\n")
    drawn = {
        layout_of(rules, row).to_text()
        for row in place_games(rules, 0, range(40), f"recorded:{path}")
    }
    assert drawn == set(texts)
    table = tmp_path / "mine.csv"
    table.write_text('ships,rules\n"' + texts[0] + '",mini\n')
    assert len(place_games(rules, 0, range(3), f"recorded:{table}")) == 3
    path.write_text(texts[0])  # read again once it has changed
    assert {*map(tuple, place_games(rules, 0, range(40), f"recorded:{path}"))} == {
        tuple(placements_of(Layout.from_text(texts[0], rules)))
    }


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.txt", None, "There is no file"),
        ("a.txt", "", "has no layouts"),
        ("a.txt", "carrier A1 across", "line 1, is not a layout under these rules"),
        ("a.txt", "\ncruiser A1 across, destroyer B1 across", "line 2.*touch"),
        ("a.csv", "cells\nA1\n", "no column 'ships'"),
        ("a.csv", 'ships,rules\n"cruiser A1 across",classic\n', "a game under classic"),
        ("a.txt", "\xff\xfe", "not a text file"),
    ],
)
def test_a_file_without_layouts_for_these_rules_is_refused(tmp_path, name, content, told):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    with pytest.raises(PlacerError, match=told):
        place_games(Rules.from_text("mini"), 0, range(1), f"recorded:{path}")


def test_a_name_is_canonical():
    assert describe_placer("human:edge=0.5,apart=2") == "human:apart=2"
    assert describe_placer("edges:tries=24") == "edges"
    assert describe_placer("recorded:a/b.txt") == "recorded:a/b.txt"
    for wrong, told in [
        ("edges:tries=x", "whole number"),
        ("edges:tries=0", "tries must be"),
        ("uniform:x=1", "no parameters"),
        ("human:edges=1", "Did you mean 'edge'"),
        ("human:edge=50", "edge must be"),
        ("human:edge=nan", "must be a finite number"),
        ("recorded", "needs a file"),
    ]:
        with pytest.raises(PlacerError, match=told):
            make_placer(wrong)


def test_an_unknown_placer_is_refused_with_the_known_ones():
    with pytest.raises(PlacerError, match=r"adversarial, clustered, .*, uniform"):
        make_placer("edgs")
