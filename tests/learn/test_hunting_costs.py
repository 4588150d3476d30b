"""Costs of cells: what they are by definition, and how they are found."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.admiral.choice_kernels import choose
from seabattle.admiral.player import NO_TREES, play_weighted_density
from seabattle.admiral.rollout_kernels import learn_shots
from seabattle.admiral.weighted_density_kernels import TRIED, new_density, score_of
from seabattle.admiral.weights import Weights, read_weights, shipped_weights
from seabattle.compiled.knowledge import UNKNOWN, fire, lay, new_knowledge
from seabattle.compiled.rules_tables import board_of
from seabattle.dealing import place_games
from seabattle.errors import SeabattleError
from seabattle.experiment.layout_sets import TRAIN, set_seed
from seabattle.learn.hunting_costs import (
    BATCH,
    FILE,
    CostsRun,
    features_of,
    find_costs,
    fitted_costs,
    new_sums,
    ridge,
    sums_of_games,
)
from seabattle.learn.hunting_costs_kernels import FEWEST_UNKNOWN
from seabattle.learn.tuning import WEIGHTS_FILE, starting_weights
from seabattle.observation import Observation
from seabattle.rules import Rules
from tests.strategies import observations

CLASSIC, MINI = Rules.from_text("classic"), Rules.from_text("mini answers=sunk-named contact=any")


def random_costs(weights: Weights, seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    numbers = 2 + len(weights.lengths)
    return replace(
        weights,
        costs={name: tuple(rng.normal(size=numbers).tolist()) for name in features_of(weights)},
    )


class SlowCosts:
    """Scores, features and costs of a position, from the definitions."""

    def __init__(self, observation: Observation, weights: Weights) -> None:
        self.rules, self.weights = observation.rules, weights
        self.board, self.knowledge = board_of(self.rules), new_knowledge()
        density, values = new_density(), weights.settings()
        learn_shots(self.board, self.knowledge, values, density, *observation.arrays)
        self.choice = choose(self.board, self.knowledge, values, density)
        self.totals = density.totals
        self.scores = {
            cell: score_of(self.board, self.knowledge, density, cell)
            for cell in range(self.rules.cells)
            if self.knowledge.status[cell] == UNKNOWN and density.totals[cell] > 0
        }
        self.possible = [
            set(self.board.cover[placement, : self.board.length[placement]].tolist())
            for placement in range(self.board.placements)
            if density.hits[placement] >= 0
        ]

    @property
    def hunting(self) -> bool:
        return self.knowledge.open_hits == 0

    def afloat(self, length: int) -> int:
        ships = range(self.board.ships)
        return sum(self.knowledge.afloat[s] for s in ships if self.board.fleet[s] == length)

    def tried(self) -> list[int]:
        positive = [cell for cell in self.scores if self.scores[cell] > 0]
        return sorted(positive, key=lambda cell: (-self.scores[cell], cell))[:TRIED]

    def features(self, cell: int) -> dict[str, float]:
        row, column = divmod(cell, self.rules.columns)
        all_totals = sum(self.totals[each] for each in self.scores)

        def share(steps) -> float:
            around = 0.0
            for down, right in steps:
                to = row + down, column + right
                if 0 <= to[0] < self.rules.rows and 0 <= to[1] < self.rules.columns:
                    other = to[0] * self.rules.columns + to[1]
                    around += self.totals[other] if other in self.scores else 0.0
            return around / all_totals

        straight = [(0, 1), (0, -1), (1, 0), (-1, 0)]
        found = {
            "score": math.log(self.scores[cell]),
            "beside": share(straight),
            "diagonal": share([(1, 1), (1, -1), (-1, 1), (-1, -1)]),
            "beyond": share([(2 * down, 2 * right) for down, right in straight]),
        }
        for length in self.weights.lengths:
            of_length = [each for each in self.possible if len(each) == length]
            covering = sum(cell in each for each in of_length)
            found[str(length)] = (
                self.afloat(length) * covering / len(of_length) if of_length else 0.0
            )
        return found

    def terms(self) -> list[float]:
        unknown = int((self.knowledge.status[: self.rules.cells] == UNKNOWN).sum())
        lengths = sorted(self.weights.lengths)
        return [1.0, unknown / self.rules.cells, *(float(self.afloat(each)) for each in lengths)]

    def explaining(self, cell: int) -> np.ndarray:
        features = self.features(cell)
        return np.concatenate(
            [features[name] * np.array(self.terms()) for name in features_of(self.weights)]
        )

    def cost(self, cell: int) -> float:
        numbers = np.concatenate([self.weights.costs[name] for name in features_of(self.weights)])
        return float(numbers @ self.explaining(cell))


@settings(max_examples=60, deadline=None)
@given(observations(), st.integers(0, 2**32))
def test_the_cheapest_of_the_highest_scores_is_chosen(observation: Observation, seed: int) -> None:
    weights = shipped_weights(CLASSIC)
    assert weights is not None
    slow = SlowCosts(observation, random_costs(weights, seed))
    tried = slow.tried()
    if not slow.hunting or len(tried) < 2:
        slow_plain = SlowCosts(observation, replace(weights, costs={}))
        assert slow.choice == slow_plain.choice
        return
    assert slow.choice in tried
    least = min(map(slow.cost, tried))
    assert slow.cost(slow.choice) == pytest.approx(least, rel=1e-9, abs=1e-9)


def test_without_costs_the_highest_score_is_chosen() -> None:
    weights = replace(shipped_weights(CLASSIC), costs={})
    slow = SlowCosts(Observation.from_text("E5 miss, F6 miss", CLASSIC), weights)
    assert slow.choice == slow.tried()[0]


def test_sums_are_those_over_all_pairs_of_cells() -> None:
    start = replace(starting_weights(MINI), opening=("C3",))
    base, seed = start.base(MINI), set_seed(TRAIN, 5)
    found, expected = sums_of_games(MINI, start.to_json(), seed, range(12)), new_sums(MINI, start)
    board = board_of(MINI)
    for row in place_games(MINI, seed, range(12)):
        shots, fired = play_weighted_density(MINI, base, NO_TREES, row[None])
        ship_at, left = np.empty(25, np.int16), np.empty(board.ships, np.int64)
        lay(board, row, ship_at, left)
        told = np.array([fire(board, ship_at, left, cell) for cell in fired[0, : shots[0]]])
        for shot in range(1, int(shots[0])):
            known = fired[0, :shot].copy(), told[:shot].copy()
            slow = SlowCosts(Observation.from_arrays(MINI, *known), start)
            if not slow.hunting or 25 - shot < FEWEST_UNKNOWN:
                continue
            first, *others = slow.tried()

            def shots_after(cell, known=known, row=row) -> int:
                plain = base._replace(opening=base.opening[:0])
                return int(
                    play_weighted_density(MINI, plain, NO_TREES, row[None], known, cell)[0][0]
                )

            for other in others:
                difference = shots_after(other) - shots_after(first)
                explaining = slow.explaining(other) - slow.explaining(first)
                expected.pairs[shot] += 1
                expected.squares[shot] += difference**2
                expected.by_shots[shot] += difference * explaining
                expected.products[shot] += np.tril(np.outer(explaining, explaining))
    assert found.pairs.sum() > 50
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_known_costs_are_recovered() -> None:
    rng = np.random.default_rng(1)
    true, rows = rng.normal(size=6), rng.normal(size=(200_000, 6)) * [1, 2, 3, 0.1, 5, 0]
    shots = rows @ true + rng.normal(size=len(rows))
    found = ridge(rows.T @ rows, rows.T @ shots)
    # The last number explains nothing here; the others are pulled towards 0 by a hundredth.
    np.testing.assert_allclose(found[:5], true[:5], rtol=0.05, atol=0.03)
    assert found[5] == 0


def test_costs_mend_weights_that_are_wrong(tmp_path) -> None:
    edgy = replace(starting_weights(MINI), rings=(1.5, 1.0, 1.0))
    run = CostsRun.new(MINI, 3, edgy)
    better = find_costs(run, 4 * BATCH, tmp_path, ThreadPoolExecutor(1))
    layouts = place_games(MINI, 99, range(4000))
    before, after = (
        play_weighted_density(MINI, each.base(MINI), NO_TREES, layouts)[0]
        for each in (edgy, better)
    )
    saved = before.astype(float) - after
    assert saved.mean() > 3 * saved.std() / math.sqrt(len(saved))


def test_a_resumed_run_is_the_same_as_an_uninterrupted_one(tmp_path) -> None:
    start, heard = starting_weights(MINI), []
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run = CostsRun.new(MINI, 3, start)
    expected = find_costs(run, 2 * BATCH, whole, ThreadPoolExecutor(1), 1, heard.append)
    find_costs(CostsRun.new(MINI, 3, start), BATCH, parts, ThreadPoolExecutor(1))
    resumed = CostsRun.read(parts / FILE)
    assert resumed is not None
    assert resumed.games == BATCH
    assert find_costs(resumed, 2 * BATCH, parts, ThreadPoolExecutor(1)) == expected
    assert read_weights(parts / WEIGHTS_FILE) == expected
    assert heard == [BATCH, 2 * BATCH]
    assert expected.provenance["costs"]["layouts"] == "training set, seed 3, games 0 to 1999"
    assert CostsRun.read(tmp_path / "nowhere") is None


def test_a_damaged_run_is_refused(tmp_path) -> None:
    whole = CostsRun.new(MINI, 3, starting_weights(MINI)).to_bytes()
    for damaged in (b"", b"nonsense", whole[: len(whole) // 2]):
        (tmp_path / FILE).write_bytes(damaged)
        with pytest.raises(SeabattleError, match="not a file of a run for costs"):
            CostsRun.read(tmp_path / FILE)


def test_costs_are_found_by_command(run, tmp_path) -> None:
    options = ("--rules", MINI.to_text(), "--games", 200, "--out", tmp_path / "run", "--costs")
    code, out, err = run("tune", "admiral", *options)
    assert (code, "200 of 200 games" in err, "--set test" in out) == (0, True, True)
    code, _, err = run("tune", "admiral", *options)
    assert (code, "with --resume" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options, "--resume", "--seed", 8)
    assert (code, "has other settings" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options, "--opening", 1)
    assert (code, "choose one" in err) == (2, True)
    assert run("tune", "admiral", *options, "--resume")[0] == 0
    # An opening that was found in between would be lost.
    assert run("tune", "admiral", *options[:-1], "--opening", 1, "--resume")[0] == 0
    code, _, err = run("tune", "admiral", *options, "--resume")
    assert (code, "have changed" in err) == (2, True)


def test_costs_are_found_again_by_play_with_costs(run, tmp_path) -> None:
    options = ["--rules", MINI.to_text(), "--games", 200, "--costs", "--again"]
    code, _, err = run("tune", "admiral", *options, "--out", tmp_path / "none")
    assert (code, "weights that have costs" in err) == (2, True)
    code, _, err = run("tune", "admiral", *options[:-2], "--again", "--out", tmp_path / "none")
    assert (code, "goes with --costs" in err) == (2, True)
    start = random_costs(starting_weights(MINI), 5)
    folder = tmp_path / "again"
    folder.mkdir()
    (folder / WEIGHTS_FILE).write_text(json.dumps(start.to_json()))
    options += ["--out", folder, "--resume"]
    assert run("tune", "admiral", *options)[0] == 0
    found, kept = read_weights(folder / WEIGHTS_FILE), CostsRun.read(folder / FILE)
    assert kept.start == start
    sums = sums_of_games(MINI, start.to_json(), set_seed(TRAIN), range(200))
    assert found.costs == fitted_costs(sums, start)
    plain = sums_of_games(MINI, replace(start, costs={}).to_json(), set_seed(TRAIN), range(200))
    assert found.costs != fitted_costs(plain, start)
    assert "begun with" in found.provenance["costs"]
    options[3] = 400
    assert run("tune", "admiral", *options)[0] == 0
    assert CostsRun.read(folder / FILE).games == 400
    options.remove("--again")
    code, _, err = run("tune", "admiral", *options)
    assert (code, "has other settings" in err, "--again" in err) == (2, True, True)
    plain = ["--rules", MINI.to_text(), "--games", 200, "--costs", "--out", tmp_path / "plain"]
    assert run("tune", "admiral", *plain)[0] == 0
    code, _, err = run("tune", "admiral", *plain, "--again", "--resume")
    assert (code, "copy its weights.json" in err) == (2, True)


def test_bad_costs_are_refused() -> None:
    weights = random_costs(starting_weights(MINI), 1)
    assert Weights.from_json(weights.to_json()) == weights
    for bad in ({"score": [1.0]}, {"colour": [0.0] * 4}, {"score": [1e9] * 4}, {"score": 3}):
        with pytest.raises(SeabattleError, match="weights"):
            Weights.from_json({**weights.to_json(), "costs": bad})
    for length in ("0", "-3", "99"):
        lengths = {**weights.to_json()["lengths"], length: [1.0, 2.0, 3.0]}
        costs = {"score": [0.0] * (2 + len(lengths))}
        with pytest.raises(SeabattleError, match="lengths"):
            Weights.from_json({**weights.to_json(), "lengths": lengths, "costs": costs})


def test_too_few_pairs_give_no_costs() -> None:
    start = starting_weights(MINI)
    costs = fitted_costs(new_sums(MINI, start), start)
    assert {each for numbers in costs.values() for each in numbers} == {0.0}
