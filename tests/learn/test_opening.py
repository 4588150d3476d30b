"""Openings: found on layouts that earlier shots miss, and the same if stopped and resumed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from seabattle.admiral.player import NO_SHOTS
from seabattle.admiral.weights import read_weights
from seabattle.compiled.rules_tables import board_of
from seabattle.learn.opening import best_cells, find_opening, layouts_missed, next_shot
from seabattle.learn.tuning import WEIGHTS_FILE, starting_weights
from seabattle.rules import Rules

MINI = Rules.from_text("mini")


def test_a_resumed_search_is_the_same_as_an_uninterrupted_one(tmp_path) -> None:
    weights, heard = starting_weights(MINI), []
    whole = find_opening(
        weights, MINI, 3, 400, 7, tmp_path / "whole", lambda number, _: heard.append(number)
    )
    find_opening(weights, MINI, 2, 400, 7, tmp_path / "parts")
    half = read_weights(tmp_path / "parts" / WEIGHTS_FILE)
    assert half.opening == whole.opening[:2]
    assert find_opening(half, MINI, 3, 400, 7, tmp_path / "parts") == whole
    assert (len(set(whole.opening)), heard) == (3, [1, 2, 3])
    assert whole.provenance["opening"]["games"] == 400


def test_layouts_are_those_that_the_shots_miss() -> None:
    board, known = board_of(MINI), np.array([7, 12], dtype=np.int16)
    for layouts in islice(layouts_missed(MINI, known, 1), 2):
        covered = {
            int(cell)
            for placement in np.unique(layouts)
            for cell in board.cover[placement, : board.length[placement]]
        }
        assert covered == set(range(25)) - {7, 12}


def test_cells_that_are_the_same_by_symmetry_are_compared_once() -> None:
    cells = best_cells(MINI, starting_weights(MINI).base(MINI), NO_SHOTS)
    # Under reflections and turns, a 5x5 board has six different cells.
    assert len(cells) == 6


def test_a_bad_first_shot_is_improved_on() -> None:
    weights = starting_weights(MINI)
    # A base that likes the edge shoots there; ships are less likely on it.
    edgy = replace(weights, rings=(9.0, 1.0, 1.0))
    shot = next_shot(edgy, MINI, 4000, 3)
    assert MINI.cell_name(shot.base) == "A3"
    assert shot.cell != shot.base
    assert shot.saved > 2 * shot.error


def test_an_opening_is_found_by_command(run, tmp_path) -> None:
    options = ("--rules", "mini", "--games", 200, "--out", tmp_path / "run")
    code, out, err = run("tune", "admiral", *options, "--opening", 1)
    assert (code, "Shot 1 of 1" in err, "--set test" in out) == (0, True, True)
    code, _, err = run("tune", "admiral", *options, "--opening", 2)
    assert (code, "with --resume" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options, "--opening", 2, "--resume")
    assert (code, "Shot 2 of 2" in err, "Shot 1" in err) == (0, True, False)
