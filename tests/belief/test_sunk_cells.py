"""Which cells are known to belong to sunk ships."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.belief.sunk_cells import sunk_cells
from seabattle.dealing.uniform import random_layout
from seabattle.game import Game
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, Rules


@pytest.mark.parametrize(
    ("rules", "shots", "sunk"),
    [
        # The only run of three hits through the last shot is the ship.
        ("classic", "A1 hit, A2 hit, C1 hit, A3 sunk cruiser", "A1 A2 A3"),
        # Across or down: only the sinking cell is sure.
        ("classic", "A2 hit, B1 hit, A1 sunk destroyer", "A1"),
        # Two of four: the middle ones are sure in every case.
        ("classic", "A1 hit, A2 hit, A4 hit, A3 sunk cruiser", "A2 A3"),
        # A cell of a sunk ship is of no other: A2 is the destroyer's, so A5 is the cruiser's.
        (
            "classic",
            "A1 hit, A2 sunk destroyer, A3 hit, A5 hit, A4 sunk cruiser",
            "A1 A2 A3 A4 A5",
        ),
        # Ships that may not touch are whole runs of hits; ships that may can be any part of
        # one, and which length sank is not told.
        ("russian", "A1 hit, A2 hit, A3 sunk", "A1 A2 A3"),
        ("classic contact=any answers=sunk", "A1 hit, A2 hit, A3 sunk", "A3"),
        ("russian", "A1 sunk", "A1"),
        ("named", "A1 hit cruiser, A2 hit carrier, A3 hit cruiser, B3 hit carrier", ""),
        ("named", "B1 hit cruiser, C2 hit carrier, C1 hit cruiser, D1 sunk cruiser", "B1 C1 D1"),
        ("blind", "A1 hit, A2 hit, A3 hit", ""),
    ],
)
def test_what_certainly_belongs_to_a_sunk_ship(rules: str, shots: str, sunk: str) -> None:
    played = Rules.from_text(rules)
    observation = Observation.from_text(shots, played)
    assert {played.cell_name(cell) for cell in sunk_cells(observation)} == set(sunk.split())


@settings(deadline=None, max_examples=150)
@given(
    contact=st.sampled_from(CONTACTS),
    answers=st.sampled_from(ANSWERS),
    seed=st.integers(0, 2**32),
    share=st.floats(0, 1),
)
def test_no_cell_of_a_ship_afloat_counts_as_sunk(
    contact: str, answers: str, seed: int, share: float
) -> None:
    rules = Rules(5, 6, (3, 2, 2, 1), contact, answers)
    rng = np.random.default_rng(seed)
    game = Game(random_layout(rules, rng))
    for cell in rng.permutation(rules.cells)[: round(share * rules.cells)]:
        if not game.finished:
            game.fire(int(cell))
    fired = {shot.cell for shot in game.shots}
    truly = {c for cells in game.layout.ship_cells if fired.issuperset(cells) for c in cells}
    assert sunk_cells(Observation(rules, game.shots)) <= truly
