"""Comparisons: the same fleets for every player, whoever plays them and where."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Comparison, Game, Observation, Rules, SeabattleError, compare
from seabattle.dealing.uniform import layout_for
from seabattle.errors import ExperimentError, FleetDoesNotFit, PlayerError, RulesError
from seabattle.experiment import ExperimentStopped, PairedDifference, batches, mean_interval
from seabattle.experiment.comparison import PlayerResult, finished_share
from seabattle.experiment.results_log import Series, SeriesResult
from seabattle.experiment.statistics import t_quantile
from seabattle.players import register
from tests.forking import Seabattle
from tests.sample_players import Backwards, Deadly, Dice, Faulty, Stuck


def test_game_i_has_the_same_layout_for_every_player_and_is_a_function_of_rules_seed_and_i():
    rules = Rules.from_text("6x7 fleet=4,2,2,1")
    result = compare([Backwards(), "random"], rules, games=30, seed=11)
    for game, shots in enumerate(result.players[0].shots):
        ship_cells = layout_for(rules, 11, game).ship_at
        assert shots == rules.cells - min(ship_cells)  # Backwards ends on the first ship cell
    alone = compare(["random"], rules, games=30, seed=11)
    assert alone.players[0] == result.players[1]


def test_two_processes_find_what_one_finds():
    players = ["random", "even", Backwards(), Dice()]
    one = compare(players, "mini", games=120, seed=5)
    two = compare(players, "mini", games=120, seed=5, jobs=2)
    assert one == two
    assert one != compare(players, "mini", games=120, seed=6)


@settings(deadline=None, max_examples=15)
@given(
    seconds=st.sampled_from([1e-9, 1e-4, 10.0]),
    growth=st.integers(2, 50),
    largest=st.integers(1, 40),
    jobs=st.integers(1, 5),
)
def test_results_do_not_depend_on_how_games_are_cut_into_batches(seconds, growth, largest, jobs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "BATCH_SECONDS", seconds)
        patch.setattr(batches, "BATCH_GROWTH", growth)
        patch.setattr(batches, "LARGEST_BATCH", largest)
        with ThreadPoolExecutor(jobs) as executor:
            result = compare(["random", "even"], "mini", 50, 3, jobs, executor=executor)
    assert result == compare(["random", "even"], "mini", games=50, seed=3)


def test_more_games_begin_with_the_same_ones():
    few, many = (compare(["even"], "trio", games=games, seed=2) for games in (10, 40))
    assert many.players[0].shots[:10] == few.players[0].shots


@pytest.mark.parametrize("contact", ["any", "corners", "none"])
@pytest.mark.parametrize("answers", ["hit-miss", "sunk", "sunk-named", "named"])
def test_any_rules_can_be_compared_under(contact, answers):
    rules = Rules(4, 7, (3, 2, 2, 1), contact, answers, "again")
    for player in compare(["random", Backwards()], rules, games=5).players:
        assert rules.ship_cells <= player.min <= player.max <= rules.cells


def test_random_needs_the_shots_that_theory_says():
    # k(n + 1) / (k + 1) for k ship cells among n
    player = compare(["random"], "mini", games=4000, seed=1).players[0]
    assert abs(player.mean - 5 * 26 / 6) < 4 * player.sd / np.sqrt(4000)


def test_progress_counts_every_game_once():
    told: list[tuple[str, int, int]] = []
    compare(["random", "even"], "mini", games=300, progress=lambda *step: told.append(step))
    for name in ("random", "even"):
        counts = [played for who, played, games in told if who == name]
        assert counts == sorted(set(counts))
        assert counts[-1] == 300
    assert {games for _, _, games in told} == {300}


def test_time_and_memory_are_measured():
    player = compare(["random"], games=50).players[0]
    assert 0 < player.seconds_per_game < 1
    assert player.peak_memory_mb is not None
    assert 0 <= player.peak_memory_mb < 20_000


class Hoarder:
    """Keeps 8 MB per game, and needs 40 MB more for a moment."""

    def __init__(self):
        self.kept = []

    def choose(self, observation, rng):
        if not observation.shots:
            self.kept.append(np.ones(1_000_000))
            np.ones(5_000_000).sum()
        return observation.unknown[0]


def test_the_memory_is_that_of_the_player():
    """What one player keeps is charged to it alone, also while another plays after it."""
    result = compare([Hoarder(), "in-order", "random"], "mini", games=5)
    hoarder, *others = (player.peak_memory_mb for player in result.players)
    # One game to get ready and five that count: 6 * 7.6 MB, and 38 MB for a moment.
    assert 70 < hoarder < 110
    assert all(other < 20 for other in others)


def test_parameters_are_part_of_the_name_in_one_canonical_form():
    result = compare(["even", "even:spare=true,colour=odd"], "mini", games=5)
    assert [player.name for player in result.players] == ["even", "even:colour=odd"]


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (100, 1.984)],
)
def test_t_quantiles_agree_with_the_printed_tables(freedom, quantile):
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, rel=0.0015)


@pytest.mark.parametrize("games", [3, 10, 200])
def test_the_interval_covers_the_true_mean_95_times_in_100(games):
    rng = np.random.default_rng(games)
    samples = rng.normal(50, 9, size=(4000, games))
    covered = [low <= 50 <= high for low, high in map(mean_interval, samples)]
    # four standard errors of a share of 0.95 in 4000 trials
    assert np.mean(covered) == pytest.approx(0.95, abs=0.014)


def test_paired_intervals_are_narrower_where_the_same_fleets_are_hard_for_both():
    rng = np.random.default_rng(0)
    hard = rng.integers(20, 80, size=400)
    a = PlayerResult("a", tuple(hard + rng.integers(0, 4, size=400)), 1.0, None)
    b = PlayerResult("b", tuple(hard), 1.0, None)
    pair = PairedDifference.of(a, b)
    assert pair.mean_difference == pytest.approx(a.mean - b.mean)
    assert pair.ci95[0] > 0
    assert pair.clear
    assert pair.ci95[1] - pair.ci95[0] < (a.ci95[1] - a.ci95[0]) / 5


def test_the_summary_of_known_shots():
    player = PlayerResult("p", (10, 20, 20, 30, 70), 1.0, None)
    assert (player.mean, player.median, player.min, player.max, player.p95) == (30, 20, 10, 70, 70)
    assert player.sd == pytest.approx(23.4521)
    assert player.ci95 == pytest.approx((0.88, 59.12), abs=0.02)
    assert PlayerResult("p", tuple(range(1, 101)), 1.0, None).p95 == 95


def test_by_the_last_cell_every_game_is_finished():
    share = finished_share((3, 5, 5, 9), 9)
    assert share.tolist() == [0, 0, 0, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75, 1]


def test_one_game_has_a_mean_but_no_interval():
    result = compare(["random", "even"], "mini", games=1)
    entry = result.to_json()["players"][0]
    assert entry["mean"] == result.players[0].shots[0]
    assert entry["sd"] is None
    assert entry["ci95"] == [None, None]
    assert not result.paired[0].clear


def test_json_is_what_the_design_says_and_reads_back():
    result = compare(["random", "even", "in-order"], "trio", games=20, seed=4)
    value = result.to_json()
    assert list(value) == ["rules", "games", "seed", "players", "paired"]
    assert value["rules"] == Rules.from_text("trio").to_json()
    assert (value["games"], value["seed"]) == (20, 4)
    for player in value["players"]:
        assert list(player) == [
            "name", "mean", "ci95", "sd", "median", "min", "max", "p95",
            "seconds_per_game", "peak_memory_mb", "shots",
        ]  # fmt: skip
        assert len(player["shots"]) == 20
        assert player["ci95"][0] < player["mean"] < player["ci95"][1]
    assert [(pair["a"], pair["b"]) for pair in value["paired"]] == [
        ("random", "even"),
        ("random", "in-order"),
        ("even", "in-order"),
    ]
    assert all(list(p) == ["a", "b", "mean_difference", "ci95"] for p in value["paired"])
    assert Comparison.from_json(value) == result


@pytest.mark.parametrize("value", [3, {}, {"rules": "mini", "games": 2, "seed": 0, "players": 1}])
def test_json_that_is_not_a_comparison_is_refused(value):
    with pytest.raises(ExperimentError, match="expected an object with rules"):
        Comparison.from_json(value)


def test_json_with_missing_games_is_refused():
    value = compare(["random"], "mini", games=3).to_json()
    value["players"][0]["shots"].pop()
    with pytest.raises(ExperimentError, match="must have 3 games"):
        Comparison.from_json(value)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"players": ["rndom"]}, PlayerError, "Did you mean 'random'"),
        ({"players": ["even:color=odd"]}, PlayerError, "colour"),
        ({"players": []}, ExperimentError, "at least one player"),
        ({"players": ["random", "random"]}, ExperimentError, "given twice"),
        ({"players": ["even", "even:colour=even"]}, ExperimentError, "given twice"),
        ({"players": [42]}, ExperimentError, "choose"),
        ({"rules": "clasic"}, RulesError, "Did you mean 'classic'"),
        ({"rules": "3x3 fleet=3,3,3 contact=none"}, FleetDoesNotFit, "does not fit"),
        ({"games": 0}, ExperimentError, "games must be at least 1"),
        ({"games": -5}, ExperimentError, "games must be at least 1"),
        ({"games": 2.5}, ExperimentError, "Games must be a whole number"),
        ({"jobs": 0}, ExperimentError, "jobs must be at least 1"),
        ({"seed": -1}, ExperimentError, "seed"),
        ({"seed": 2**63}, ExperimentError, "seed"),
        ({"seed": 0.5}, ExperimentError, "Seed must be a whole number"),
    ],
)
def test_an_impossible_comparison_is_refused_with_a_sentence(arguments, error, words):
    with pytest.raises(error, match=words):
        compare(**{"players": ["random"], "rules": "mini", **arguments})


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("player", "words"),
    [
        (Stuck(), "Stuck: .* not one of the cells"),
        (Faulty(), r"Faulty failed with ZeroDivisionError.*sample_players\.py, line \d+"),
    ],
)
def test_a_player_that_fails_is_named_in_one_sentence(player, words, jobs):
    with pytest.raises(PlayerError, match=words):
        compare([player], "mini", games=10, jobs=jobs)


def test_workers_play_what_only_this_process_has_registered():
    register("backwards")(Backwards)
    here, there = (compare(["backwards"], "mini", games=20, jobs=jobs) for jobs in (1, 2))
    assert here == there
    assert here.players[0].name == "backwards"


def test_a_worker_that_dies_is_reported():
    with pytest.raises(ExperimentError, match="worker process ended unexpectedly"):
        compare([Deadly()], "mini", games=4, jobs=2)


def test_a_player_that_cannot_be_sent_elsewhere_is_refused_with_advice():
    class Local(Dice):
        pass

    with pytest.raises(ExperimentError, match="jobs=1"):
        compare([Local()], "mini", games=4, jobs=2)
    assert compare([Local()], "mini", games=4).games == 4


class Interrupting:
    """Warms up so slowly that its first batch is one game; then somebody presses Ctrl-C."""

    def __init__(self) -> None:
        self.games = 0

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        self.games += not observation.shots
        if self.games == 1 and not observation.shots:
            time.sleep(batches.BATCH_SECONDS)
        if self.games > 8:
            raise KeyboardInterrupt
        return observation.unknown[0]


def test_an_interrupted_comparison_says_how_far_it_got():
    with pytest.raises(
        ExperimentStopped, match=r"Stopped after \d of 50 games of Interrupting \(done: random\)\."
    ) as stopped:
        compare(["random", Interrupting()], "mini", games=50)
    assert isinstance(stopped.value, KeyboardInterrupt)
    assert not isinstance(stopped.value, SeabattleError)
    # What is left is a comparison of the games that both have finished.
    partial = stopped.value.partial
    assert isinstance(partial, Comparison)
    assert [player.name for player in partial.players] == ["random", "Interrupting"]
    assert 0 < partial.games < 10
    whole = compare(["random", "in-order"], "mini", games=partial.games)
    assert [each.shots for each in partial.players] == [each.shots for each in whole.players]


def test_a_partial_comparison_has_only_whole_pairs_of_games():
    def series(name: str, *shots: int) -> tuple[Series, SeriesResult]:
        made = Series(name, Rules.from_text("mini"), 3, len(shots))
        return made, SeriesResult(np.array(shots, dtype=np.int32), 2.0 * len(shots), None)

    a, b, c = series("a", 9, 0, 7, 8), series("b", 5, 6, 0, 4), series("c", 0, 0, 0, 0)
    partial = Comparison.partial([a, b, c])
    assert partial is not None
    assert (partial.games, partial.seed) == (2, 3)
    assert [(each.name, each.shots) for each in partial.players] == [("a", (9, 8)), ("b", (5, 4))]
    assert Comparison.partial([c]) is None
    assert Comparison.partial([series("d", 1, 0), series("e", 0, 1)]) is None


def start_comparison(jobs: int) -> subprocess.Popen[str]:
    """A comparison that would take long, once its first player is done."""
    command = f"compare random density --games 150000 --jobs {jobs}"
    process = Seabattle(
        *command.split(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "random: 150,000 games played" in line:
            return process
    pytest.fail("the comparison ended early")


def all_gone(group: int) -> bool:
    """No process of the group is left, after a moment."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_with_130_and_says_how_far_it_got(jobs):
    process = start_comparison(jobs)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the workers too
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"^random +\d\d\.\d\d ", out, re.M)
    assert "Stopped after " in err
    assert (
        "of 150,000 games of density (done: random). With --store FILE, the games are kept" in err
    )
    assert "Traceback" not in err
    assert all_gone(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    "command",
    [
        "compare even mcts:iterations=5000 --games 50",
        "compare even mcts:iterations=5000 --games 50 --jobs 2",
        "tournament even mcts:iterations=5000 --games 50",
        "analyze --player mcts:iterations=22000",
    ],
)
def test_ctrl_c_does_not_wait_for_compiled_code(command):
    """A game of this search takes half a minute, all of it inside one compiled function."""
    process = Seabattle(
        *command.split(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    if command.startswith("compare"):
        assert process.stderr.readline() == "even: 50 games played\n"
    time.sleep(3)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=15)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "Stopped" in err
    if command.startswith("compare"):
        assert re.search(r"^Partial result.*^even +\d+\.\d\d ", out, re.M | re.S)
    assert all_gone(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as on Unix")
def test_workers_do_not_outlive_a_killed_comparison():
    process = start_comparison(jobs=2)
    process.kill()
    process.communicate(timeout=60)
    assert all_gone(process.pid)


def test_a_player_sees_an_observation_and_nothing_of_the_layout():
    seen: set[type] = set()

    class Curious(Dice):
        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            seen.add(type(observation))
            assert not any(isinstance(value, Game) for value in vars(observation).values())
            return super().choose(observation, rng)

    compare([Curious()], "mini", games=3)
    assert seen == {Observation}
