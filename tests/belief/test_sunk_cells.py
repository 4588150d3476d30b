"""Which cells are known to belong to sunk ships."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from seabattle.belief.sunk_cells import SunkShips, sunk_cells, sunk_ships, sunk_ships_after
from seabattle.dealing.uniform import random_layout
from seabattle.errors import FleetDoesNotFit
from seabattle.game import Game
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, Rules
from tests import oracle


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
        # Ships that may not touch are whole runs of hits. Of ships that may, which length sank
        # is not told; the shortest has two cells.
        ("russian", "A1 hit, A2 hit, A3 sunk", "A1 A2 A3"),
        ("classic contact=any answers=sunk", "A1 hit, A2 hit, A3 sunk", "A2 A3"),
        # The other hit must be a ship's as well, and A2 alone has no room for the cruiser.
        ("4x3 fleet=3,2", "A2 hit, B1 hit, B2 miss, A1 sunk destroyer", "A1 A2"),
        # No layout agrees: only the last shot is taken at its word.
        ("classic", "A1 sunk carrier", "A1"),
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


@st.composite
def fired_at_random(draw: st.DrawFn) -> tuple[Rules, Game]:
    """A game on a small board after some random shots."""
    fleet = draw(st.sampled_from([(3, 2), (2, 2, 1), (3, 1, 1), (2, 2, 2), (4, 2)]))
    size = draw(st.sampled_from([(3, 5), (4, 4), (5, 3)]))
    rules = Rules(*size, fleet, draw(st.sampled_from(CONTACTS)), draw(st.sampled_from(ANSWERS)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    try:
        game = Game(random_layout(rules, rng))
    except FleetDoesNotFit:
        reject()
    for cell in rng.permutation(rules.cells)[: draw(st.integers(0, rules.cells))]:
        if not game.finished:
            game.fire(int(cell))
    return rules, game


@settings(deadline=None, max_examples=200)
@given(played=fired_at_random())
def test_exactly_what_all_layouts_left_agree_on_is_known(played: tuple[Rules, Game]) -> None:
    rules, game = played
    fired = tuple(shot.cell for shot in game.shots)
    told = list(oracle.replay(tuple(map(frozenset, game.layout.ship_cells)), fired, rules.answers))
    layouts = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    left = oracle.layouts_left(layouts, fired, told, rules.answers)
    if rules.answers == "hit-miss":
        sunk_in_all, same = set[int](), []
    else:
        sunk_in_all = set.intersection(
            *({c for run in layout if run <= set(fired) for c in run} for layout in left)
        )
        last = [cell for cell, (word, *_) in zip(fired, told, strict=True) if word == "sunk"]
        runs = [{next(run for run in layout if cell in run) for layout in left} for cell in last]
        same = [tuple(sorted(*each)) for each in runs if len(each) == 1]
    known = sunk_ships(Observation(rules, game.shots))
    assert known.cells == sunk_in_all
    assert [hull.cells for hull in known.hulls] == same


@settings(max_examples=50, deadline=None)
@given(played=fired_at_random())
def test_what_is_known_can_be_brought_up_to_date_shot_by_shot(played: tuple[Rules, Game]) -> None:
    rules, game = played
    known = SunkShips()
    for count in range(1, len(game.shots) + 1):
        observation = Observation(rules, game.shots[:count])
        known = sunk_ships_after(known, observation)
        assert known == sunk_ships(observation)


def test_a_hard_position_is_not_searched_for_long_and_nothing_uncertain_is_claimed() -> None:
    rules = Rules(12, 12, (3, *(2,) * 18), "any", "sunk")
    game = Game(random_layout(rules, np.random.default_rng(3)))
    for cell in range(rules.cells):
        if not game.finished:
            game.fire(cell)
            if cell % 12 == 11:
                fired = {shot.cell for shot in game.shots}
                truly = {c for ship in game.layout.ship_cells if fired >= set(ship) for c in ship}
                assert sunk_cells(Observation(rules, game.shots)) <= truly


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
