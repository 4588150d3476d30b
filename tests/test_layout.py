"""Layouts: which are legal, and their text and JSON."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from seabattle import Layout, Rules
from seabattle.dealing.placement_numbers import layout_of, placements_of
from seabattle.errors import LayoutError, SeabattleError
from seabattle.layout import Placement
from tests.strategies import games


@given(games())
@settings(deadline=None)
def test_text_json_and_numbers_round_trip(game) -> None:
    layout = game.layout
    assert Layout.from_text(layout.to_text(), layout.rules) == layout
    assert Layout.from_json(layout.to_json(), layout.rules) == layout
    assert layout_of(layout.rules, placements_of(layout)) == layout


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
