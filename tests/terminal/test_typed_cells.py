"""Cells and placements as people type them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabattle.errors import CellError, SeabattleError
from seabattle.rules import Rules
from seabattle.terminal.typed_cells import TypedPlacement, read_cell, read_placement
from tests.strategies import small_rules

CLASSIC = Rules.from_text("classic")
SHORT = {"across": ("across", "ACROSS", "a", "h"), "down": ("down", "Down", "d", "v")}


@given(small_rules(largest=16), st.data())
def test_a_cell_is_read_in_either_order_and_case_with_or_without_a_space(rules, data):
    cell = data.draw(st.integers(0, rules.cells - 1))
    name = rules.cell_name(cell)
    for text in (name, name.lower(), f"{name[0]} {name[1:]}", f"{name[1:]}{name[0]}"):
        assert read_cell(text, rules) == read_cell(f" {text} ", rules) == cell
    assert read_cell(f"{name[1:]}  {name[0].lower()}", rules) == cell


@pytest.mark.parametrize("text", ["", "5", "E", "EE5", "E5x", "A0", "K1", "11A", "E05", "٣B"])
def test_anything_else_is_no_cell(text):
    with pytest.raises(CellError, match="not a cell of this board"):
        read_cell(text, CLASSIC)


@given(st.data())
def test_a_placement_is_a_ship_a_cell_and_a_direction_in_many_spellings(data):
    cell = data.draw(st.integers(0, 99))
    direction = data.draw(st.sampled_from(sorted(SHORT)))
    ship = data.draw(st.sampled_from([None, *range(5)]))
    name = CLASSIC.cell_name(cell)
    written = data.draw(st.sampled_from([name, name.lower(), f"{name[1:]}{name[0]}"]))
    gap = data.draw(st.sampled_from(["", " ", "  "]))
    text = f"{written}{gap}{data.draw(st.sampled_from(SHORT[direction]))}"
    if ship is not None:
        text = f"{CLASSIC.ship_names[ship]} {text}"
    assert read_placement(text, CLASSIC) == TypedPlacement(ship, cell, direction)


@pytest.mark.parametrize(
    ("text", "cell"), [("5A", "A5"), ("5D", "D5"), ("5 h", "H5"), ("A5", "A5"), ("10a", "A10")]
)
def test_a_letter_after_a_number_is_a_row_before_it_is_a_direction(text, cell):
    assert read_placement(text, CLASSIC) == TypedPlacement(None, CLASSIC.cell(cell), None)


@given(st.text(max_size=12))
def test_nothing_that_is_typed_is_more_than_an_error(text):
    with suppress(SeabattleError):
        assert read_cell(text, CLASSIC) in range(CLASSIC.cells)
    with suppress(SeabattleError):
        placed = read_placement(text, CLASSIC)
        assert placed.cell in range(CLASSIC.cells)
        assert placed.ship is None or placed.ship in range(len(CLASSIC.fleet))
        assert placed.direction in (None, "across", "down")
