"""Placing ships by typed lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.errors import LayoutError, SeabattleError
from seabattle.layout import Layout
from seabattle.rules import CONTACTS, Rules
from seabattle.terminal.placement import FleetBuilder
from seabattle.terminal.typed_cells import read_placement

MINI = Rules.from_text("mini")
RUSSIAN = Rules.from_text("russian")


def placed(text: str, rules: Rules = MINI) -> FleetBuilder:
    fleet = FleetBuilder(rules)
    for line in text.split(", "):
        fleet = fleet.place(read_placement(line, rules))
    return fleet


def test_ships_are_placed_in_turn_or_by_name() -> None:
    assert placed("A1 across, C1 down").layout() == Layout.from_text(
        "cruiser A1 across, destroyer C1 down", MINI
    )
    assert placed("destroyer C1 down, A1 across").layout() == placed("A1 a, C1 v").layout()


def test_a_ship_is_also_known_by_its_length_where_only_one_has_it() -> None:
    assert placed("2 C1 down, 3 A1 across").layout() == placed("A1 across, C1 down").layout()


def test_a_ship_of_one_cell_needs_no_direction() -> None:
    fleet = FleetBuilder(RUSSIAN).place(read_placement("boat C3", RUSSIAN))
    assert fleet.placed[0][1].cell == RUSSIAN.cell("C3")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("A5 across", "leaves the board"),
        ("E1 down", "leaves the board"),
        ("A1 across", "Two ships lie on A1"),
        ("B2 across", "Ships touch at B2 and A"),
        ("B4 down", "contact=none forbids"),
        ("C1", "across or down"),
        ("cruiser C1 across", "'move cruiser CELL DIRECTION' moves it"),
        ("F1 down", "not a cell of this board"),
        ("carrier C1 across", "Unknown ship"),
        ("across", "Cannot read"),
        ("", "Cannot read"),
        ("C1 sideways", "Cannot read"),
        ("²3 C1 across", "Unknown ship"),
    ],
)
def test_a_wrong_placement_says_why_and_changes_nothing(line: str, why: str) -> None:
    fleet = placed("A1 across")
    before = fleet.placed
    with pytest.raises(SeabattleError, match=why):
        fleet.place(read_placement(line, MINI))
    assert fleet.placed == before


def test_a_ship_moves_without_being_in_its_own_way() -> None:
    fleet = placed("A1 across, C1 down")
    moved = fleet.move(read_placement("cruiser A2 across", MINI))
    assert moved.layout() == Layout.from_text("cruiser A2 across, destroyer C1 down", MINI)


def test_only_a_ship_on_the_board_can_be_moved() -> None:
    with pytest.raises(LayoutError, match="not on the board yet"):
        placed("A1 across").move(read_placement("destroyer C1 down", MINI))
    with pytest.raises(LayoutError, match="which ship"):
        placed("A1 across").move(read_placement("C1 down", MINI))


def test_a_fleet_with_a_ship_missing_is_not_a_layout() -> None:
    with pytest.raises(LayoutError, match="destroyer is not placed yet"):
        placed("A1 across").layout()


words = st.sampled_from(
    ["A1", "b2", "C3", "E5", "Z9", "across", "down", "d", "carrier", "cruiser", "destroyer", "2"]
)
lines = st.one_of(st.text(max_size=30), st.lists(words, max_size=4).map(" ".join))


@settings(deadline=None, max_examples=300)
@given(
    contact=st.sampled_from(CONTACTS),
    typed=st.lists(st.tuples(st.booleans(), lines), max_size=25),
)
def test_whatever_is_typed_ships_lie_legally(contact: str, typed: list[tuple[bool, str]]) -> None:
    rules = Rules(5, 6, (3, 2, 2), contact)
    fleet = FleetBuilder(rules)
    for move, line in typed:
        try:
            order = read_placement(line, rules)
            fleet = fleet.move(order) if move else fleet.place(order)
        except SeabattleError:
            continue
        runs = [
            {divmod(cell, rules.columns) for cell in placement.cells(rules, rules.fleet[ship])}
            for ship, placement in fleet.placed
        ]
        assert [len(run) for run in runs] == [rules.fleet[ship] for ship, _ in fleet.placed]
        for number, run in enumerate(runs):
            assert all(row < rules.rows and column < rules.columns for row, column in run)
            for other in runs[:number]:
                nearest = min(
                    (abs(r - s) + abs(c - d), max(abs(r - s), abs(c - d)))
                    for r, c in run
                    for s, d in other
                )
                assert nearest[0] > {"any": 0, "corners": 1, "none": 1}[contact]
                assert contact != "none" or nearest[1] > 1
