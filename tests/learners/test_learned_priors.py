"""What learners believe after some games, checked against a list of all layouts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.compiled.rules_tables import board_of
from seabattle.dealing import deal_games, layout_of, place_games
from seabattle.game import Game
from seabattle.learners import weighted_posterior
from seabattle.learners.layout_pool_kernels import cell_weights
from seabattle.learners.placement_model import PlacementModel, pair_distances
from seabattle.learners.weighted_posterior import PosteriorInGame, WeightedPosterior
from seabattle.rules import Rules
from tests import oracle

BOARDS = [
    Rules(4, 4, (2, 2, 1), "any", "sunk-named"),
    Rules(4, 5, (3, 2), "none", "hit-miss"),
    Rules(3, 5, (2, 2), "corners", "named"),
]


def apart(one: frozenset[int], other: frozenset[int], columns: int) -> int:
    """The least number of a king's moves from one ship to the other."""
    return min(
        max(abs(a // columns - b // columns), abs(a % columns - b % columns))
        for a in one
        for b in other
    )


def random_prior(rules: Rules, rng: np.random.Generator):
    """Weights of placements, those of distances, and a function that weighs an oracle's layout."""
    board = board_of(rules)
    of_placement = rng.uniform(0.2, 3, int(board.placements))
    of_distance = rng.uniform(0.2, 3, max(rules.rows, rules.columns))
    weights, by_run = np.zeros((len(rules.fleet), len(of_placement))), {}
    for ship, length in enumerate(rules.fleet):
        for placement in range(int(board.first[ship]), int(board.last[ship])):
            weights[ship, placement] = of_placement[placement]
            run = frozenset(map(int, board.cover[placement, :length]))
            by_run[ship, run] = float(of_placement[placement])

    def weigh(layout: oracle.Layout) -> float:
        found = 1.0
        for ship, run in enumerate(layout):
            found *= by_run[ship, run]
            for other in layout[:ship]:
                found *= of_distance[apart(run, other, rules.columns)]
        return found

    return weights, of_distance, weigh


def posterior_and_truth(rules: Rules, seed: int, shots: int):
    """(cells,) how likely a ship is on each, as the learners' posterior has it and as it is."""
    rng = np.random.default_rng(seed)
    weights, pairs, weigh = random_prior(rules, rng)
    hidden = layout_of(rules, deal_games(rules, seed, range(1))[0])
    game, posterior = Game(hidden), PosteriorInGame(WeightedPosterior(rules, weights, 1, 3, pairs))
    for cell in rng.permutation(rules.cells)[:shots]:
        if not game.finished:
            shot = game.shoot(int(cell))
            posterior.told(shot.cell, shot.answer.code)
    posterior._follow()
    pool, weight, size = posterior._pool, posterior._weight, posterior._size
    found = cell_weights(posterior.prior.board, pool, weight, size) / weight[:size].sum()

    cells = tuple(shot.cell for shot in game.shots)
    told = list(oracle.replay(tuple(map(frozenset, hidden.ship_cells)), cells, rules.answers))
    every = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    true, total = np.zeros(rules.cells), 0.0
    for layout in oracle.layouts_left(every, cells, told, rules.answers):
        total += weigh(layout)
        true[sorted(frozenset().union(*layout))] += weigh(layout)
    return found, true / total


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@given(seed=st.integers(0, 2**32), shots=st.integers(0, 8))
@settings(max_examples=10, deadline=None)
def test_distances_count_exactly_on_small_boards(rules, seed, shots) -> None:
    found, true = posterior_and_truth(rules, seed, shots)
    assert found == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_a_pool_comes_close_where_layouts_cannot_be_listed(rules, monkeypatch) -> None:
    monkeypatch.setattr(weighted_posterior, "all_layouts", lambda _: None)
    for seed, shots in ((1, 0), (2, 3), (3, 5)):
        found, true = posterior_and_truth(rules, seed, shots)
        # 500 layouts that were moved once: four standard errors are 0.09.
        assert found == pytest.approx(true, abs=0.1)


def test_distances_are_those_between_the_nearest_cells() -> None:
    rules = Rules(5, 6, (3, 2, 1), "any")
    dealt = deal_games(rules, 1, range(50))
    for row, found in zip(dealt, pair_distances(rules, dealt), strict=True):
        a, b, c = map(frozenset, layout_of(rules, row).ship_cells)
        assert found.tolist() == [apart(a, b, 6), apart(a, c, 6), apart(b, c, 6)]


def model_after(rules: Rules, placer: str, games: int) -> PlacementModel:
    model = PlacementModel.empty(rules)
    for row in place_games(rules, 7, range(games), placer):
        model = model.and_layouts(row[None])
    return model


def test_habits_are_found_on_their_own_level_and_chance_is_none() -> None:
    rules = Rules.of("mini")
    assert model_after(rules, "uniform", 40).uniform
    near = model_after(rules, "clustered", 40)
    assert near.pair_factors is not None
    assert near.pair_factors[2] > 1 > near.pair_factors[4]
    across = model_after(rules, "human:edge=0,apart=0,across=3", 40)
    assert np.isfinite(across.factors[1][1])
