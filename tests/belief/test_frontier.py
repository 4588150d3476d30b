"""The frontier engine counts what brute force counts, and far beyond its reach."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.belief import frontier, frontier_sweeps
from seabattle.belief.enumeration import enumeration_marginals
from seabattle.belief.frontier import frontier_cost, frontier_marginals
from seabattle.belief.priors import prior_array
from seabattle.compiled.rules_tables import board_of
from seabattle.dealing.uniform import random_layout
from seabattle.errors import TooLarge
from seabattle.game import Game
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, PRESETS, Rules
from tests import oracle
from tests.belief.small_positions import layouts_left, positions


def cell_counts(layouts: list[oracle.Layout], ships: int, cells: int) -> list[list[int]]:
    counts = [[0] * cells for _ in range(ships)]
    for layout in layouts:
        for ship, run in enumerate(layout):
            for cell in run:
                counts[ship][cell] += 1
    return counts


@settings(deadline=None, max_examples=300)
@given(positions())
def test_counts_are_those_of_brute_force(observation: Observation) -> None:
    rules = observation.rules
    left = layouts_left(observation)
    found = frontier_marginals(observation)
    assert found.labelled == len(left)
    assert np.array_equal(found.cell_totals, cell_counts(left, len(rules.fleet), rules.cells))


@settings(deadline=None, max_examples=50)
@given(positions(), st.integers(0, 2**32), st.booleans())
def test_a_prior_weighs_every_layout_by_its_placements(
    observation: Observation, seed: int, alike: bool
) -> None:
    board = board_of(observation.rules)
    prior = np.random.default_rng(seed).integers(0, 5, (board.ships, board.placements)) / 4.0
    if alike:
        prior[:] = prior[0]
    number = {
        frozenset(map(int, board.cover[p, : board.length[p]])): p for p in range(board.placements)
    }
    total = Fraction(0)
    through = np.zeros((board.ships, board.cells), dtype=object)
    for layout in layouts_left(observation):
        weight = prod(Fraction(float(prior[ship, number[run]])) for ship, run in enumerate(layout))
        total += weight
        for ship, run in enumerate(layout):
            through[ship, list(run)] += weight
    found = frontier_marginals(observation, prior)
    assert found.labelled == pytest.approx(float(total), rel=1e-12)
    np.testing.assert_allclose(found.cell_totals, through.astype(float), rtol=1e-12)


@pytest.mark.parametrize(("preset", "layouts"), [("mini", 524), ("thesis", 1_925_751_392)])
def test_the_known_counts_of_empty_boards(preset: str, layouts: int) -> None:
    rules = PRESETS[preset]
    found = frontier_marginals(Observation(rules))
    assert found.labelled == layouts * prod(
        factorial(rules.fleet.count(length)) for length in set(rules.fleet)
    )
    assert np.sum(found.cell_totals) == rules.ship_cells * found.labelled


def test_a_fleet_of_boats_that_may_touch_is_any_set_of_cells() -> None:
    """About 2**251 sets on the largest board: far past any machine word."""
    rules = Rules(16, 16, (1,) * 120, "any", "hit-miss")
    found = frontier_marginals(Observation(rules))
    assert found.labelled == comb(256, 120) * factorial(120)
    assert found.cell_totals[7][33] == comb(255, 119) * factorial(119)


@pytest.mark.parametrize(
    ("rows", "columns", "fleet", "contact"),
    [
        (10, 7, (4, 3, 3, 2, 2, 2, 1, 1, 1), "none"),
        (9, 6, (3, 3, 2, 2, 2, 1, 1, 1, 1), "corners"),
        (8, 6, (3, 3, 2, 2, 2, 2, 1, 1, 1), "any"),
    ],
)
def test_the_direction_of_the_scan_does_not_matter(
    rows: int, columns: int, fleet: tuple[int, ...], contact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    observation = Observation(Rules(rows, columns, fleet, contact, "hit-miss"))
    turned = Observation(Rules(columns, rows, fleet, contact, "hit-miss"))
    along = frontier_marginals(observation)
    assert frontier_marginals(turned).labelled == along.labelled > 2**32
    task_of = frontier.task_of
    monkeypatch.setattr(frontier, "task_of", lambda *given: _across(task_of(*given)))
    across = frontier_marginals(observation)
    assert across.labelled == along.labelled
    assert np.array_equal(across.cell_totals, along.cell_totals)


def _across(task: frontier.Task) -> frontier.Task:
    """The same task, scanned along the other side."""
    order = np.arange(task.hit.size).reshape(task.rows, task.columns).T.ravel()
    start = task.start[:, ::-1, order].copy()
    for kind in np.flatnonzero(task.lengths == 1):
        start[kind] = start[kind, ::-1].copy()
    return task._replace(
        rows=task.columns, columns=task.rows, start=start, hit=task.hit[order].copy()
    )


def test_little_memory_costs_time_and_no_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules(8, 6, (3, 2, 2, 1, 1), "none", "sunk")
    observation = Observation.from_text("C3 hit, C4 sunk, F2 miss", rules)
    whole = frontier_marginals(observation)
    monkeypatch.setattr(frontier_sweeps, "SMALL", 0)
    in_parts = frontier_marginals(observation)
    assert in_parts.labelled == whole.labelled
    assert np.array_equal(in_parts.cell_totals, whole.cell_totals)


def test_too_little_memory_is_a_named_error() -> None:
    rules = Rules(16, 16, (6, 5, 5, 4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 2, 2), "any", "sunk")
    with pytest.raises(TooLarge, match=r"more than 0\.05 GB"):
        frontier_marginals(Observation(rules), memory_gb=0.05)


def test_a_contradiction_leaves_no_layout() -> None:
    rules = Rules(3, 3, (2,), "any", "hit-miss")
    assert frontier_marginals(Observation.from_text("A1 hit, C3 hit", rules)).labelled == 0


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("contact", CONTACTS)
def test_both_exact_engines_agree_on_the_full_board(contact: str, answers: str) -> None:
    rules = Rules(contact=contact, answers=answers)
    rng = np.random.default_rng(CONTACTS.index(contact) * 4 + ANSWERS.index(answers))
    game = Game(random_layout(rules, rng))
    for cell in rng.permutation(rules.cells)[:35]:
        game.fire(int(cell))
    observation = Observation(rules, game.shots)
    other = enumeration_marginals(observation)
    found = frontier_marginals(observation)
    assert other is not None
    assert found.labelled == other.labelled
    assert np.array_equal(found.cell_totals, other.cell_totals)


def test_the_estimate_grows_with_the_work() -> None:
    rules = PRESETS["russian"]
    open_board = Observation(rules)
    misses = ", ".join(f"{row}{column} miss" for row in "BDFH" for column in range(1, 11))
    closed = Observation.from_text(misses, rules)
    assert frontier_cost(open_board) > 20 * frontier_cost(closed) > 0
    weights = prior_array(rules, lambda ship, _: 1.0 + ship)  # no two ships are alike
    assert frontier_cost(closed, weights) > 2 * frontier_cost(closed)


@pytest.mark.parametrize("contact", CONTACTS)
def test_chances_sum_to_the_ship_cells_in_the_middle_of_a_large_game(contact: str) -> None:
    rules = Rules(16, 9, (5, 4, 4, 3, 3, 2, 2), contact, "sunk")
    rng = np.random.default_rng(11)
    game = Game(random_layout(rules, rng))
    for cell in rng.permutation(rules.cells)[:100]:
        game.fire(int(cell))
    observation = Observation(rules, game.shots)
    found = frontier_marginals(observation)
    totals = np.array(found.cell_totals, dtype=object).sum(axis=0)
    assert totals.sum() == rules.ship_cells * found.labelled
    assert all(totals[cell] == found.labelled for cell in observation.hits)
    assert all(totals[cell] == 0 for cell in observation.misses)
