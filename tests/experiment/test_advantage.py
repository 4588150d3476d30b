"""Summed advantages: the same difference as in direct games, where that is known exactly."""

from __future__ import annotations

import json

import numpy as np
import pytest

from seabattle import Observation, Rules, make_player
from seabattle.belief import infer
from seabattle.compiled.rules_tables import board_of
from seabattle.experiment.advantage import advantage, layouts_that_agree, shots_from

SMALL = Rules.from_text("4x4 fleet=3,2 contact=any answers=sunk-named turns=alternate")


def every_layout(rules: Rules):
    """All layouts, as placement numbers."""
    return layouts_that_agree(Observation(rules, ()), 10**6, np.random.default_rng(0))


def exact_mean(name: str, rules: Rules) -> float:
    """Mean shots of a deterministic player over all layouts."""
    placements = every_layout(rules)
    seeds = np.zeros(len(placements), dtype=np.uint64)
    return float(make_player(name).play_games(rules, placements, seeds)[0].mean())


@pytest.mark.parametrize(("a", "b"), [("exact", "in-order"), ("density:ties=first", "exact")])
def test_it_agrees_with_all_games_of_a_small_board(a: str, b: str) -> None:
    truth = exact_mean(a, SMALL) - exact_mean(b, SMALL)
    found = advantage(a, b, SMALL, games=60, seed=3, samples=4)
    standard_error = found.sd / np.sqrt(found.games)
    assert abs(found.mean_difference - truth) < 3.5 * standard_error
    assert standard_error < 0.25 * max(1.0, abs(truth))


def test_shots_that_are_expected_take_the_place_of_fresh_layouts() -> None:
    rules = Rules.from_text("5x5 fleet=3,2 contact=any answers=sunk turns=alternate")
    a, b = "admiral:layouts=400", "admiral:layouts=0"
    truth = exact_mean(a, rules) - exact_mean(b, rules)
    found = advantage(a, b, rules, games=150, seed=3, samples=1)
    standard_error = found.sd / np.sqrt(found.games)
    assert abs(found.mean_difference - truth) < 3.5 * standard_error
    assert standard_error < 0.01 < -truth


def test_a_player_has_no_advantage_over_itself() -> None:
    found = advantage("exact", "exact", SMALL, games=5)
    assert (found.mean_difference, found.sd, found.choices) == (0.0, 0.0, 0.0)


def test_all_layouts_are_played_where_few_are_left() -> None:
    placements = every_layout(SMALL)
    assert len(placements) == infer(Observation(SMALL, ())).layouts
    assert len(np.unique(placements, axis=0)) == len(placements)
    shots = shots_from(
        make_player("exact"), Observation(SMALL, ()), 5, placements, np.random.default_rng(1)
    )
    assert shots.min() >= 5


def test_fresh_layouts_have_the_probabilities_of_exact_inference() -> None:
    observation = Observation.from_text("B2 miss, C3 hit", SMALL)
    fresh = layouts_that_agree(observation, 10**6, np.random.default_rng(2))
    board, share = board_of(SMALL), np.zeros(SMALL.cells)
    for layout in fresh:
        for placement in layout:
            share[board.cover[placement, : board.length[placement]]] += 1 / len(fresh)
    assert np.allclose(share, infer(observation).probability.ravel())


def test_the_command(run) -> None:
    line = ["compare", "exact", "density", "--advantage", "--rules", "mini"]
    line += ["--games", "4", "--samples", "5"]
    found = json.loads(run(*line, "--json")[1])
    assert (found["method"], found["games"], found["samples"]) == ("advantage", 4, 5)
    assert found["ci95"][0] <= found["mean_difference"] <= found["ci95"][1]
    assert "exact − density:" in run(*line)[1]
    for wrong in (["compare", "exact", "--advantage"], [*line, "--csv", "a.csv"]):
        code, _, error = run(*wrong)
        assert code == 2
        assert "--advantage" in error
