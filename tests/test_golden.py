"""The golden games come out as they were recorded (see `golden.py`)."""

from __future__ import annotations

import pytest

import golden
from seabattle import Rules

RECORDED = golden.FILE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", golden.PLAYERS)
def test_recorded_games_are_played_again(name: str) -> None:
    recorded = [line for line in RECORDED if line.startswith(f"{name} |")]
    assert len(recorded) == len(golden.RULES)
    for line in recorded:
        _, rules, cells = (part.strip() for part in line.split("|"))
        assert golden.game(name, Rules.from_text(rules)) == cells
