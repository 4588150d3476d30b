"""The stand-in shoots lawfully and knows what to do with a hit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.dealing.uniform import random_layout
from seabattle.experiment.stand_in import stand_in_cell
from seabattle.game import Game
from seabattle.observation import Observation
from seabattle.rules import PRESETS, Rules


@settings(deadline=None, max_examples=8)
@given(preset=st.sampled_from(sorted(PRESETS)), seed=st.integers(0, 2**32))
def test_it_finishes_games_under_all_rules(preset: str, seed: int) -> None:
    rules, rng = PRESETS[preset], random.Random(seed)
    game = Game(random_layout(rules, np.random.default_rng(seed)))
    while not game.finished:
        game.fire(stand_in_cell(Observation(rules, tuple(game.shots)), rng))
    assert len(game.shots) <= rules.cells


@pytest.mark.parametrize(
    ("shots", "cells"),
    [
        ("E5 hit", "D5 F5 E4 E6"),
        ("E5 hit, E6 hit", "E4 E7"),
        ("A1 hit, A2 sunk destroyer, H8 hit", "G8 I8 H7 H9"),
    ],
)
def test_it_goes_on_where_it_hit(shots: str, cells: str) -> None:
    rules = Rules()
    chosen = stand_in_cell(Observation.from_text(shots, rules), random.Random(1))
    assert rules.cell_name(chosen) in cells.split()
