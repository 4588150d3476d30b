"""Tuning: stopped and resumed is the same as not stopped, and bad folders are refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from seabattle.admiral.weights import read_weights
from seabattle.errors import SeabattleError
from seabattle.learn.tuning import FILE, WEIGHTS_FILE, Tuning, read_tuning, starting_weights, tune
from seabattle.rules import Rules

MINI = Rules.from_text("mini")


def fresh(layouts: int = 0) -> Tuning:
    return Tuning(MINI, 3, 200, 6, starting_weights(MINI), layouts)


def test_a_resumed_run_is_the_same_as_an_uninterrupted_one(tmp_path) -> None:
    whole = tune(fresh(), 4, tmp_path / "whole", ThreadPoolExecutor(1))
    tune(fresh(), 2, tmp_path / "parts", ThreadPoolExecutor(1))
    tuning = read_tuning(tmp_path / "parts")
    assert tuning is not None
    assert len(tuning.results) == 2
    assert tune(tuning, 4, tmp_path / "parts", ThreadPoolExecutor(1)) == whole
    assert read_weights(tmp_path / "parts" / WEIGHTS_FILE) == whole
    assert whole.provenance["layouts"] == "training set, seed 3, games 0 to 799"


def test_candidates_can_play_with_trees(tmp_path) -> None:
    tune(fresh(), 1, tmp_path / "base", ThreadPoolExecutor(1))
    weights = tune(fresh(200), 1, tmp_path / "trees", ThreadPoolExecutor(1))
    base, trees = read_tuning(tmp_path / "base"), read_tuning(tmp_path / "trees")
    assert base is not None
    assert trees is not None
    # Trees end the games of every candidate sooner, on the same layouts.
    assert all(a < b for a, b in zip(trees.results[0], base.results[0], strict=True))
    assert (trees.layouts, weights.provenance["layouts in trees"]) == (200, 200)


def test_a_run_is_started_resumed_and_refused_by_command(run, tmp_path) -> None:
    options = ("--rules", "mini", "--games", 100, "--candidates", 4, "--out", tmp_path / "run")
    code, out, err = run("tune", "admiral", *options, "--generations", 1)
    assert code == 0, err
    assert "Generation 1 of 1" in err
    assert "--set test" in out
    code, _, err = run("tune", "admiral", *options)
    assert (code, "continue it with --resume" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options, "--generations", 2, "--resume")
    assert (code, "Generation 2 of 2" in err, "Generation 1" in err) == (0, True, False)
    code, _, err = run("tune", "admiral", *options, "--seed", 5, "--resume")
    assert (code, "has other settings" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options, "--layouts", 50, "--resume")
    assert (code, "has other settings" in err, "--layouts 0" in err) == (2, True, True)
    code, _, err = run("tune", "density", *options)
    assert (code, "Unknown player to tune 'density'" in err) == (2, True)


@pytest.mark.parametrize("damage", ["", "{}", "[1]", "results"])
def test_a_damaged_run_is_refused(tmp_path, damage) -> None:
    if damage == "results":
        damage = json.dumps({**fresh().to_json(), "results": [[1.0]]})
    (tmp_path / FILE).write_text(damage)
    with pytest.raises(SeabattleError):
        read_tuning(tmp_path)
    assert read_tuning(tmp_path / "nowhere") is None
