"""Playing until a precision is reached gives honest intervals."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Comparison, compare
from seabattle.errors import ExperimentError
from seabattle.experiment import mean_interval
from seabattle.experiment.stopping_rule import PILOT, games_for, next_look


def half(interval: tuple[float, float]) -> float:
    return (interval[1] - interval[0]) / 2


@settings(deadline=None, max_examples=60)
@given(spread=st.floats(0.1, 30), wanted=st.floats(0.05, 5))
def test_the_stated_number_of_games_is_the_smallest_that_does(spread, wanted):
    games = games_for(spread, wanted)
    pattern = np.resize([-1.0, 1.0], games)

    def reach(n: int) -> float:
        values = pattern[:n] - pattern[:n].mean()
        scale = spread / values.std(ddof=1) if n > 1 and values.std() else 0
        return half(mean_interval(values * scale)) if n > 1 else math.inf

    assert reach(games) <= wanted * (1 + 1e-9)
    if games > 2:
        assert reach(games - 1) > wanted * (1 - 1e-9)


@pytest.mark.parametrize("wanted", [0.7, 0.35])
def test_the_interval_covers_the_true_mean_95_times_in_100_when_the_spread_says_when_to_stop(
    wanted,
):
    # human-like on classic is widely spread and skew: the hardest shots that we have.
    shots = np.array(compare(["human-like"], games=20_000, seed=1).players[0].shots)
    truth = shots.mean()
    rng = np.random.default_rng(7)
    covered, games = [], []
    for _ in range(1500):
        sample = rng.choice(shots, size=PILOT)
        while (look := next_look(sample.size, [sample.std(ddof=1)], wanted, 10**6)) is not None:
            sample = np.concatenate([sample, rng.choice(shots, size=look - sample.size)])
        low, high = mean_interval(sample)
        assert (high - low) / 2 <= wanted
        covered.append(low <= truth <= high)
        games.append(sample.size)
    # four standard errors of a share of 0.95 in 1,500 trials
    assert np.mean(covered) == pytest.approx(0.95, abs=0.023)
    assert np.mean(games) == pytest.approx(games_for(shots.std(ddof=1), wanted), rel=0.05)


def test_every_player_reaches_the_precision_on_the_same_games():
    result = compare(["even", "random"], "mini", games=50_000, seed=1, precision=0.15)
    assert result.precision is not None
    assert result.precision.reached
    assert all(half(player.ci95) <= 0.15 for player in result.players)
    assert result.games == result.precision.looks[-1] == len(result.players[1].shots)
    needed = max(games_for(player.sd, 0.15) for player in result.players)
    assert result.games <= 1.1 * needed
    assert result.players == compare(["even", "random"], "mini", result.games, 1).players
    assert Comparison.from_json(result.to_json()) == result


def test_the_number_of_games_is_capped():
    result = compare(["random"], "mini", games=700, precision=0.01)
    assert result.precision is not None
    assert (result.games, result.precision.reached) == (700, False)
    assert "not reached within the limit of 700 games" in result.precision.rule
    one = compare(["random"], "mini", games=1, precision=0.5)
    assert one.precision is not None
    assert not one.precision.reached


@pytest.mark.parametrize("wanted", [0, -1, math.inf, math.nan])
def test_a_precision_must_be_positive(wanted):
    with pytest.raises(ExperimentError, match="above 0"):
        compare(["random"], "mini", precision=wanted)


@pytest.mark.parametrize(("precision", "reached"), [(0.2, True), (0.001, False)])
def test_the_rule_is_printed_with_the_result_and_with_the_stored_run(
    run, tmp_path, precision, reached
):
    arguments = ("compare", "even", "--rules", "mini", "--games", 3000, "--precision", precision)
    store = ("--store", tmp_path / "games.sqlite")
    _, table, _ = run(*arguments, *store)
    assert "Stopping rule, fixed in advance: a pilot of 400 games" in " ".join(table.split())
    assert all(len(line) <= 80 for line in table.splitlines())
    value = json.loads(run(*arguments, *store, "--json")[1])
    assert value["precision"]["reached"] == reached
    assert value["precision"]["looks"][0] == PILOT
    assert run("runs", "show", 1, *store)[1].endswith(table)
    stored = json.loads(run("runs", "show", 1, *store, "--json")[1])
    assert stored["result"] == value
    assert stored["stopping_rule"] == value["precision"]
