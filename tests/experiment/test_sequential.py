"""Sequential tests err as rarely as they say, stop early, and do not depend on who plays when."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.sequential import (
    LARGEST,
    drawn_differences,
    drawn_scores,
    fixed_size,
    rare_differences,
    real_shots,
    simulate,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Rules, Store
from seabattle.dealing import layout_for
from seabattle.errors import ExperimentError
from seabattle.experiment.play import play_batch
from seabattle.experiment.sequential import (
    SCORES,
    EloTest,
    ErrorRates,
    ShotsTest,
    decide,
    elo_of,
    log_likelihood,
    score_of,
)
from seabattle.experiment.sequential_test import pair_scores, sequential_test
from seabattle.game import Duel
from seabattle.players import make_player
from tests.conftest import Run
from tests.forking import Seabattle

ERRORS = ErrorRates(0.05, 0.05)
TESTS = 300
MARGIN = 3 * math.sqrt(0.05 * 0.95 / TESTS)
"""three standard errors of an error rate of 5%: a correct test fails here once in 700 runs, but
the seeds are fixed"""


@pytest.fixture(scope="module")
def shots() -> tuple[Any, Any]:
    return real_shots(4_000)


@pytest.mark.parametrize(("truth", "accepts"), [(0.0, False), (60.0, True)])
def test_a_test_of_elo_keeps_its_error_rates_with_fewer_pairs(
    shots: tuple[Any, Any], truth: float, accepts: bool
) -> None:
    test = EloTest(0, 60, ERRORS)
    draw, variance = drawn_scores(truth, pair_scores(*shots, Rules()))
    fixed = fixed_size(ERRORS, score_of(60) - score_of(0), variance)
    found = simulate(test.ratios, ERRORS, draw, int(fixed / 2), TESTS, seed=3)
    wrong = 1 - found.accepted_h1 if accepts else found.accepted_h1
    assert wrong < 0.05 + MARGIN
    assert found.mean_pairs < 0.7 * fixed


@pytest.mark.parametrize(("truth", "accepts"), [(0.0, False), (1.5, True)])
def test_a_test_of_shots_keeps_its_error_rates_with_fewer_pairs(
    shots: tuple[Any, Any], truth: float, accepts: bool
) -> None:
    test = ShotsTest(1.5, ERRORS)
    differences = shots[1].astype(np.int64) - shots[0]
    draw = drawn_differences(truth, differences)
    fixed = fixed_size(ERRORS, 1.5, float(differences.var()))
    found = simulate(
        lambda values: test.ratios(values, LARGEST), ERRORS, draw, int(fixed / 2), TESTS, seed=3
    )
    wrong = 1 - found.accepted_h1 if accepts else found.accepted_h1
    assert wrong < 0.05 + MARGIN
    assert found.mean_pairs < 0.75 * fixed


@pytest.mark.parametrize(("mean", "accepts"), [(0.0, False), (0.5, True)])
def test_players_that_seldom_differ_are_not_taken_for_equal(mean: float, accepts: bool) -> None:
    """They differ on one layout in 40; the first 30 are alike in half of the tests."""
    test = ShotsTest(0.5, ERRORS)
    draw = rare_differences(mean, 0.5)
    found = simulate(lambda values: test.ratios(values, LARGEST), ERRORS, draw, 400, TESTS, seed=3)
    wrong = 1 - found.accepted_h1 if accepts else found.accepted_h1
    assert wrong < 0.05 + MARGIN


def test_players_that_always_play_alike_are_found_equal() -> None:
    alike = np.zeros(5_000, dtype=np.int64)
    stop, accepted = decide(ShotsTest(0.1, ERRORS).ratios(alike, LARGEST), ERRORS)
    assert accepted == "H0"
    assert stop is not None
    assert 2.3 * LARGEST / 0.1 < stop < 2.6 * LARGEST / 0.1
    stop, accepted = decide(EloTest(0, 5, ERRORS).ratios(alike + 2), ERRORS)
    assert accepted == "H0"
    assert stop is not None
    assert stop > 100


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(0, 50), min_size=5, max_size=5),
    elo=st.floats(-400, 400),
    seed=st.integers(0, 100),
)
def test_the_likelihood_is_the_largest_with_that_score(
    counts: list[int], elo: float, seed: int
) -> None:
    """No other distribution with the expected score explains the counts better."""
    real = np.array(counts, dtype=np.float64) + np.array([0.5, 0, 0, 0, 0.5])
    score = score_of(elo)
    best = float(log_likelihood(real[None], score)[0]) + float(
        np.sum(real * np.log(np.where(real > 0, real, 1) / real.sum()))
    )
    rng = np.random.default_rng(seed)
    for _ in range(50):
        shares = rng.dirichlet(real + 0.1)
        # Mix with all or nothing until the expected score is right.
        mean = float(shares @ SCORES)
        end = np.eye(5)[4 if mean < score else 0]
        weight = (score - mean) / (float(end @ SCORES) - mean)
        other = (1 - weight) * shares + weight * end
        assert abs(float(other @ SCORES) - score) < 1e-9
        with np.errstate(divide="ignore"):
            terms = np.where(real > 0, real * np.log(other), 0.0)
        assert terms.sum() <= best + 1e-6


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(-20, 20))
def test_looking_at_all_pairs_is_looking_after_each(results: list[int], shift: int) -> None:
    array = np.array(results)
    elo, shots = EloTest(shift, shift + 10.0, ERRORS), ShotsTest(0.7, ERRORS)
    for k in range(1, len(results) + 1):
        assert elo.ratios(array)[k - 1] == pytest.approx(elo.ratios(array[:k])[-1])
        assert shots.ratios(array - 2, 20)[k - 1] == pytest.approx(
            shots.ratios(array[:k] - 2, 20)[-1]
        )


@pytest.mark.parametrize("rules", ["mini", "trio", "russian size=6 fleet=3,2,1"])
def test_a_pair_is_two_games_on_the_same_layouts_with_sides_swapped(rules: str) -> None:
    """Played turn by turn, with the shots that each player fires at each layout."""
    played, seed, pairs = Rules.from_text(rules), 11, 40
    batches = [
        play_batch(make_player(name), played, seed, range(2 * pairs))
        for name in ("density", "random")
    ]
    scores = pair_scores(batches[0].shots, batches[1].shots, played)
    for pair in range(pairs):
        layouts = [layout_for(played, seed, 2 * pair + k) for k in range(2)]
        points = 0.0
        for a_side in (0, 1):
            # Whoever moves first shoots at the pair's first layout.
            duel = Duel(layouts[1], layouts[0])
            shooters = (0, 1) if a_side == 0 else (1, 0)
            fired = [
                iter(batches[who].fired[2 * pair + side].tolist())
                for side, who in enumerate(shooters)
            ]
            while (side := duel.to_move) is not None:
                duel.fire(next(fired[side]))
            points += 0.5 if duel.drawn else float(duel.winner == a_side)
        assert SCORES[scores[pair]] == points / 2


def test_elo_and_score_are_inverse() -> None:
    assert score_of(0) == 0.5
    assert elo_of(score_of(123.0)) == pytest.approx(123.0)
    assert elo_of(1.0) is None


def test_the_verdict_is_that_of_the_first_bound_reached() -> None:
    verdict = sequential_test("density", "even", "mini", EloTest(0, 50), seed=2)
    ratios = EloTest(0, 50).ratios(np.array(verdict.results))
    low, high = verdict.test.errors.bounds
    assert (ratios[:-1] < high).all()
    assert (ratios[:-1] > low).all()
    assert verdict.accepted == ("H1" if ratios[-1] >= high else "H0")


def test_jobs_and_the_order_of_play_do_not_matter() -> None:
    alone = sequential_test("even", "human-like", "mini", ShotsTest(0.5), seed=5)
    together = sequential_test("even", "human-like", "mini", ShotsTest(0.5), seed=5, jobs=2)
    assert alone == together


def test_the_limit_ends_a_test_without_a_verdict(run: Run) -> None:
    words = ("test", "even", "density", "--rules", "mini", "--games", "40")
    code, out, _ = run(*words, "--json")
    found = json.loads(out)
    assert (code, found["accepted"], found["games"], found["pairs"]) == (0, None, 40, 20)
    _, out, _ = run(*words)
    assert "Verdict: none. The limit of 40 games was reached first" in " ".join(out.split())


def test_the_players_can_be_told_apart_either_way(run: Run) -> None:
    found = []
    for pair in (("even", "random"), ("random", "even")):
        _, out, _ = run("test", *pair, "--rules", "mini", "--elo1", "50", "--json")
        found.append(json.loads(out))
    assert [each["accepted"] for each in found] == ["H1", "H0"]
    assert sum(found[0]["pentanomial"]) == found[0]["pairs"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--alpha", "0"], "error rate alpha must be above 0 and below 0.5"),
        (["--alpha", "0.5"], "error rate alpha must be above 0 and below 0.5"),
        (["--beta", "-1"], "error rate beta must be above 0 and below 0.5"),
        (["--beta", "nan"], "error rate beta must be above 0 and below 0.5"),
        (["--elo0", "5", "--elo1", "5"], "The Elo of H0 must be below that of H1"),
        (["--elo1", "inf"], "The Elo of H0 must be below that of H1"),
        (["--better-by", "0"], "must be a number of shots above 0"),
        (["--better-by", "1", "--elo1", "5"], "about Elo (--elo0, --elo1) or about shots"),
        (["--games", "3"], "their number must be even, not 3"),
        (["--games", "0"], "at least 1"),
        (["--jobs", "0"], "at least 1"),
        (["--seed", "-1"], "A seed is a whole number"),
        (["--set", "x"], "Unknown set of layouts"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, options: list[str], sentence: str) -> None:
    code, out, err = run("test", "even", "random", "--rules", "mini", *options)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_player_is_not_tested_against_itself(run: Run) -> None:
    code, _, err = run("test", "even", "even")
    assert code == 2
    assert "is given twice" in err


def test_a_test_on_the_test_set_is_logged(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("test", "even", "random", "--rules", "mini", "--better-by", "1")
    code, out, _ = run(*words, "--set", "test", "--log", log, "--json")
    begun, entry = map(json.loads, log.read_text().splitlines())
    assert code == 0
    assert begun["run"] == entry["run"]
    assert entry["result"]["accepted"] == json.loads(out)["accepted"] == "H1"
    assert entry["command"] == (
        "seabattle test even random --rules mini --better-by 1 --alpha 0.05 --beta 0.05 "
        "--games 1000000 --set test"
    )


def test_a_killed_test_resumes_and_reaches_the_same_verdict(run: Run, tmp_path: Path) -> None:
    words = ("test", "exact", "heat-map", "--rules", "mini", "--better-by", "0.4", "--seed", "3")
    _, undisturbed, _ = run(*words, "--json")
    file = tmp_path / "games.sqlite"
    process = Seabattle(*words, "--json", "--store", file, "--jobs", 2, stdout=subprocess.PIPE)
    while process.poll() is None and stored(file) < 200:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    left = stored(file)
    code, resumed, _ = run(*words, "--json", "--store", file)
    assert code == 0
    assert json.loads(resumed) == json.loads(undisturbed)
    assert stored(file) > left
    _, shown, _ = run("runs", "show", "1", "--store", file, "--json")
    assert json.loads(shown)["result"] == json.loads(undisturbed)
    _, text, _ = run("runs", "show", "1", "--store", file)
    assert "Verdict:" in text
    # Once more: nothing is left to play.
    kept = stored(file)
    run(*words, "--store", file)
    assert stored(file) == kept


def stored(file: Path) -> int:
    """How many games a results file has."""
    if not file.exists():
        return 0
    with Store(file) as store:
        return int(store.query("SELECT count(*) FROM game").fetchone()[0])


def test_ctrl_c_says_how_far_it_got(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    words = ("test", "exact", "heat-map", "--better-by", "0.01", "--store", str(file))
    process = Seabattle(*words, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not stored(file):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "The test was not decided. The same command resumes from there." in err


def test_error_rates_are_checked_in_python_too() -> None:
    with pytest.raises(ExperimentError, match=r"below 0\.5"):
        ErrorRates(0.7, 0.05)
