"""Tables of a comparison, as text and Markdown."""

from __future__ import annotations

import pytest

from seabattle.report.comparison_table import WIDTH, markdown_table, text_table
from tests.report.made_up import made_up


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("density:x=1", "e" * 130, "random")])
def test_the_table_fits_80_columns_without_colour(names):
    text = text_table(made_up(*names))
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert "\x1b" not in text
    joined = text.replace("\n", "")
    assert all(name in joined for name in names)


def test_many_players_are_each_set_against_the_best():
    names = [f"p{k}" for k in range(8)]
    text = text_table(made_up(*names))
    assert text.count(" − p0 ") == 7
    assert "every pair" in text
    assert text_table(made_up(*names[:4])).count(" − ") == 6


def test_the_ranked_table_begins_with_the_fewest_shots(three):
    rows = text_table(three).splitlines()[4:7]
    means = [float(row.split()[1]) for row in rows]
    assert means == sorted(means)


def test_the_markdown_table_has_a_row_for_each_player_and_pair(three):
    lines = markdown_table(three).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 3 + 2 + 3
    assert len({line.count("|") for line in rows[:5]}) == 1
