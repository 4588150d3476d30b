"""Layouts: legality, text and JSON, and that random ones are uniform."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from seabattle import Layout, Rules, random_layout
from seabattle.dealing.placement_numbers import layout_of, placements_of
from seabattle.dealing.uniform import deal_games, layout_for
from seabattle.errors import LayoutError, SeabattleError
from seabattle.layout import Placement
from seabattle.rules import ANSWERS, CONTACTS
from tests.strategies import games, small_rules


@given(games())
@settings(deadline=None)
def test_text_json_and_numbers_round_trip(game) -> None:
    layout = game.layout
    assert Layout.from_text(layout.to_text(), layout.rules) == layout
    assert Layout.from_json(layout.to_json(), layout.rules) == layout
    assert layout_of(layout.rules, placements_of(layout)) == layout


def legal_layouts(rules: Rules) -> list[frozenset[frozenset[int]]]:
    """Every legal layout, found by trying all placements with plain set arithmetic."""
    ways = []
    for length in rules.fleet:
        runs = set()
        for row, column in itertools.product(range(rules.rows), range(rules.columns)):
            for down, right in ((0, 1), (1, 0)):
                cells = [(row + down * k, column + right * k) for k in range(length)]
                if all(r < rules.rows and c < rules.columns for r, c in cells):
                    runs.add(frozenset(cells))
        ways.append(runs)

    def near(a: tuple[int, int], b: tuple[int, int]) -> bool:
        down, right = abs(a[0] - b[0]), abs(a[1] - b[1])
        return {
            "any": (down, right) == (0, 0),
            "corners": down + right <= 1,
            "none": max(down, right) <= 1,
        }[rules.contact]

    found = []
    for choice in itertools.product(*ways):
        if all(
            not near(a, b)
            for one, other in itertools.combinations(choice, 2)
            for a in one
            for b in other
        ):
            found.append(tuple(choice))
    return found


@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize(
    ("rows", "columns", "fleet"), [(4, 4, (3, 2)), (3, 5, (2, 2)), (2, 6, (3, 1))]
)
def test_random_layouts_are_uniform_over_all_legal_ones(
    rows: int, columns: int, fleet: tuple[int, ...], contact: str
) -> None:
    """Chi-square over all labelled layouts; 60 draws each, 4.5 standard deviations allowed."""
    rules = Rules(rows, columns, fleet, contact)
    legal = legal_layouts(rules)
    draws = 60 * len(legal)
    seen = Counter(map(tuple, deal_games(rules, 5, range(draws)).tolist()))
    assert len(seen) == len(legal)
    chi_square = sum((count - 60) ** 2 / 60 for count in seen.values())
    freedom = len(legal) - 1
    assert abs(chi_square - freedom) < 4.5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("answers", ANSWERS)
def test_a_layout_depends_on_rules_seed_and_game_alone(answers: str) -> None:
    rules = Rules(answers=answers)
    one_by_one = [layout_for(rules, 3, game) for game in range(20)]
    together = [layout_of(rules, row) for row in deal_games(rules, 3, range(20))]
    later = [layout_of(rules, row) for row in deal_games(rules, 3, range(10, 20))]
    assert one_by_one == together
    assert one_by_one[10:] == later
    assert len(set(one_by_one)) == 20
    assert layout_for(rules, 4, 0) != one_by_one[0]


@given(small_rules())
@settings(deadline=None, max_examples=50)
def test_random_layouts_are_legal(rules: Rules) -> None:
    layout = random_layout(rules, np.random.default_rng(0))
    assert sorted(map(len, layout.ship_cells), reverse=True) == list(rules.fleet)
    assert len(layout.ship_at) == rules.ship_cells


@pytest.mark.parametrize(
    ("contact", "text", "message"),
    [
        ("any", "cruiser A1 across, destroyer A3 down", "Two ships lie on A3"),
        ("corners", "cruiser A1 across, destroyer B1 across", "contact=corners forbids"),
        ("none", "cruiser A1 across, destroyer B4 down", "contact=none forbids"),
        ("any", "cruiser A3 across, destroyer B1 across", "leaves the board"),
        ("any", "cruiser A1 sideways, destroyer B1 across", "across or down"),
        ("any", "cruiser A1 across", "does not place the destroyer"),
        ("any", "cruiser A1 across, cruiser B1 across", "placed twice"),
        ("any", "cruiser A1", "Cannot read the ship"),
        ("any", "tanker A1 across, destroyer B1 across", "Unknown ship"),
        ("any", "cruiser Z9 across, destroyer B1 across", "not a cell"),
    ],
)
def test_illegal_layouts_say_why(contact: str, text: str, message: str) -> None:
    with pytest.raises(SeabattleError, match=message):
        Layout.from_text(text, Rules(4, 4, (3, 2), contact))


@pytest.mark.parametrize(
    ("contact", "text"),
    [
        ("any", "cruiser A1 across, destroyer B1 across"),
        ("corners", "cruiser A1 across, destroyer B4 down"),
        ("none", "cruiser A1 across, destroyer C1 across"),
    ],
)
def test_legal_layouts_by_contact(contact: str, text: str) -> None:
    assert Layout.from_text(text, Rules(4, 4, (3, 2), contact)).to_text() == text


def test_a_boat_has_no_direction() -> None:
    rules = Rules(3, 3, (1,))
    assert Layout(rules, (Placement(4, "down"),)) == Layout(rules, (Placement(4, "across"),))


def test_a_layout_places_the_whole_fleet() -> None:
    with pytest.raises(LayoutError, match="all 2 ships"):
        Layout(Rules(4, 4, (3, 2)), (Placement(0, "across"),))
