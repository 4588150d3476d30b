"""Labelled positions carry exact probabilities, whoever makes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from seabattle.belief import infer
from seabattle.compiled.knowledge import UNKNOWN
from seabattle.learn.training.labelled_positions import label_games, make_labelled_positions
from seabattle.learn.training.labelled_positions_kernels import CERTAIN
from seabattle.learn.training.trainer import TrainingSetup
from seabattle.observation import Observation
from seabattle.rules import ANSWERS, CONTACTS, Rules
from seabattle.shots import Answer, Shot

SMALL = Rules(4, 4, (3, 2), answers="hit-miss")


@pytest.mark.parametrize("contact", CONTACTS)
def test_labels_are_the_exact_probabilities(contact):
    rules = Rules(5, 4, (3, 2, 2), contact, "hit-miss")
    for position in label_games(rules, 4, range(4), 10**9):
        # Under hit-miss the order of the shots tells nothing, so any order will do.
        shots = [
            Shot(cell, Answer(hit=bool(status > 1)))
            for cell, status in enumerate(position["status"].tolist())
            if status != UNKNOWN
        ]
        exact = infer(Observation(rules, tuple(shots))).probability.ravel()
        unknown = position["status"] == UNKNOWN
        assert np.abs(position["probability"] / CERTAIN - exact)[unknown].max() < 1e-5
        assert not position["probability"][~unknown].any()


def test_labels_under_every_rule_add_up_to_the_hits_left():
    for answers in ANSWERS:
        rules = Rules(5, 6, (3, 2, 1), answers=answers)
        for budget in (10**9, 1):  # counted, and over the budget: the layout itself
            positions = label_games(rules, 1, range(5), budget)
            assert positions["exact"].all() == (budget > 1)
            left = rules.ship_cells - (positions["status"] > 1).sum(axis=1)
            assert np.abs(positions["probability"].sum(axis=1) / CERTAIN - left).max() < 1e-3


def test_labelled_positions_are_the_same_whoever_makes_them(tmp_path, monkeypatch):
    monkeypatch.setattr("seabattle.learn.training.labelled_positions.PART", 7)
    sets = []
    with ThreadPoolExecutor(3) as executor:
        for name, jobs, where in (("one", 1, None), ("two", 2, None), ("pool", 3, executor)):
            folder = tmp_path / name
            folder.mkdir()
            setup = TrainingSetup(SMALL, 1, folder, 10, jobs=jobs, executor=where)
            sets.append(make_labelled_positions(setup, 1, 40, 10**6))
    assert all((each == sets[0]).all() for each in sets[1:])
    assert len(list((tmp_path / "one" / "positions").iterdir())) == 6
    (tmp_path / "one" / "positions" / "0000014.npy").unlink()
    told = []
    setup = TrainingSetup(SMALL, 1, tmp_path / "one", 10, tell=lambda *words: told.append(words))
    assert (make_labelled_positions(setup, 1, 40, 10**6) == sets[0]).all()
    assert told == [("labelled games", 40, 40)]
