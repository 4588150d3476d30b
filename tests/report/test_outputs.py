"""Files that a comparison is written to."""

from __future__ import annotations

import csv

from seabattle.report import outputs
from tests.report.made_up import made_up


def test_names_with_commas_survive_csv(tmp_path):
    outputs.write_csv(made_up("p:a=1,b=2", "q"), tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="") as file:
        assert next(csv.reader(file)) == ["game", "p:a=1,b=2", "q"]


def test_checking_an_output_path_leaves_nothing_behind(tmp_path):
    outputs.checked_file(tmp_path / "new.csv")
    outputs.checked_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []
