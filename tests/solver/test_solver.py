"""Solving small boards: against a slow oracle, known figures, the player, the bounds."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Game, Observation, Rules, make_player, play
from seabattle.belief import infer
from seabattle.cli import main
from seabattle.compiled.sealed_arrays import read_sealed, write_sealed
from seabattle.dealing.uniform import random_layout
from seabattle.errors import FleetDoesNotFit, ImpossibleObservation, SolveError
from seabattle.layout import Layout, Placement
from seabattle.players import Player
from seabattle.rules import ANSWERS, CONTACTS
from seabattle.solver import Solver, bounds, greedy_shots, make_problem, player_value, solve
from seabattle.solver.bounds import best, cuttings, finished_shares
from seabattle.solver.branch_and_bound import new_table
from tests.forking import Seabattle
from tests.sample_players import Dice
from tests.solver.oracle import labelled_layouts, most_finished, optimum

TINY_BOARDS = (
    (2, 3, (2, 1)),
    (3, 2, (1, 1)),
    (2, 4, (2, 2)),
    (3, 3, (2,)),
    (2, 4, (3, 2)),
    (2, 3, (2, 1, 1)),
)


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("board", TINY_BOARDS, ids=str)
def test_the_optimum_is_that_of_plain_recursion(
    board: tuple[int, int, tuple[int, ...]], contact: str, answers: str
) -> None:
    rules = Rules(*board, contact, answers)
    if not labelled_layouts(rules):
        with pytest.raises(FleetDoesNotFit):
            solve(rules)
        return
    solution = solve(rules)
    assert solution.proven
    assert solution.expected_shots == pytest.approx(optimum(rules), abs=1e-12)
    assert best(bounds(rules)).shots <= solution.expected_shots + 1e-9
    worst = solve(rules, worst=True)
    assert worst.proven
    assert worst.expected_shots == optimum(rules, worst=True)


@pytest.mark.parametrize("answers", ["sunk", "sunk-named"])
def test_the_order_of_shots_is_respected_where_ships_touch(answers: str) -> None:
    rules = Rules(3, 3, (3, 2), "any", answers)
    assert solve(rules).expected_shots == pytest.approx(optimum(rules), abs=1e-12)


@pytest.mark.parametrize(
    ("contact", "answers", "shots"),
    [
        ("any", "hit-miss", 9.348485),
        ("any", "sunk", 8.833333),
        ("any", "sunk-named", 8.753788),
        ("none", "hit-miss", 8.442308),
    ],
)
def test_the_known_optima_on_four_by_four(contact: str, answers: str, shots: float) -> None:
    solution = solve(Rules(4, 4, (3, 2), contact, answers))
    assert solution.proven
    assert solution.expected_shots == pytest.approx(shots, abs=5e-7)


def test_mini_is_solved_and_greedy_play_is_not_optimal() -> None:
    rules = Rules.from_text("mini")
    solution = solve(rules)
    assert solution.proven
    assert solution.layouts == 524
    assert solution.expected_shots * 524 == pytest.approx(5765, abs=1e-6)
    greedy, _ = greedy_shots(make_problem(rules))
    assert greedy > solution.expected_shots
    assert best(bounds(rules)).shots <= solution.expected_shots


def test_more_informative_answers_need_fewer_shots() -> None:
    shots = [solve(Rules(4, 4, (2, 2), "any", answers)).expected_shots for answers in ANSWERS]
    assert shots == sorted(shots, reverse=True)


@pytest.mark.parametrize("answers", ANSWERS)
def test_the_optimal_player_needs_exactly_the_optimum(answers: str) -> None:
    rules = Rules(4, 3, (2, 2), "any", answers)
    value = player_value("optimal", make_player("optimal"), make_problem(rules))
    assert value.exact
    assert value.mean == pytest.approx(solve(rules).expected_shots, abs=1e-12)


def test_the_optimal_player_plays_a_whole_game_on_mini() -> None:
    means = [len(play("optimal", "mini", seed=seed).shots) for seed in range(3)]
    assert all(5 <= shots <= 15 for shots in means)


@settings(deadline=None, max_examples=8)
@given(
    contact=st.sampled_from(CONTACTS),
    answers=st.sampled_from(ANSWERS),
    fleet=st.sampled_from([(3, 2), (2, 2), (2, 1)]),
    seed=st.integers(0, 2**32),
    shots=st.integers(0, 12),
)
def test_the_optimal_player_goes_on_from_any_position(
    contact: str, answers: str, fleet: tuple[int, ...], seed: int, shots: int
) -> None:
    rules = Rules(4, 4, fleet, contact, answers)
    rng = np.random.default_rng(seed)
    game = Game(random_layout(rules, rng))
    for cell in rng.permutation(rules.cells)[:shots]:
        if not game.finished:
            game.fire(int(cell))
    player = make_player("optimal")
    while not game.finished:
        observation = Observation(rules, game.shots)
        cell = player.choose(observation, rng)
        assert cell in observation.unknown
        game.fire(cell)


def test_the_optimal_player_says_when_a_board_is_too_large() -> None:
    player = make_player("optimal:seconds=0.1")
    with pytest.raises(SolveError, match=r"between .* and .* shots"):
        player.choose(Observation(Rules(6, 6, (3, 2), "any", "named")), np.random.default_rng(0))
    with pytest.raises(SolveError, match="64 cells"):
        player.choose(Observation(Rules()), np.random.default_rng(0))


def test_an_impossible_observation_is_an_error() -> None:
    rules = Rules(3, 3, (3,), "none", "hit-miss")
    observation = Observation.from_text("B2 miss, A2 miss, C2 miss, B1 miss", rules)
    solver = Solver(rules)
    assert len(solver.rows_of(observation)[0]) == 1
    with pytest.raises(ImpossibleObservation):
        solver.rows_of(Observation.from_text("B2 miss, A2 hit, A1 miss", rules))


class LastCell:
    """Shoots from the end of the board."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[-1]


@pytest.mark.parametrize("answers", ANSWERS)
def test_the_value_of_a_player_is_the_mean_over_all_layouts(answers: str) -> None:
    rules = Rules(3, 3, (2, 1), "any", answers)
    shots = []
    for ships in labelled_layouts(rules):
        placed = tuple(
            Placement(min(ship), "across" if max(ship) - min(ship) < 2 else "down")
            for ship in ships
        )
        shots.append(len(play(LastCell(), layout=Layout(rules, placed)).shots))
    value = player_value("last", LastCell(), make_problem(rules))
    assert value.exact
    assert value.mean == pytest.approx(np.mean(shots), abs=1e-12)
    assert value.most == max(shots)


@pytest.mark.parametrize("player", [make_player("random"), Dice()], ids=["compiled", "Python"])
def test_a_random_player_gets_an_interval(player: Player) -> None:
    """A random shooter needs k(n + 1) / (k + 1) shots: 3 × 10 / 4 here."""
    rules = Rules(3, 3, (2, 1), "any", "named")
    value = player_value("random", player, make_problem(rules), samples=10)
    assert not value.exact
    assert value.half_width > 0
    assert abs(value.mean - 7.5) < 3 * value.half_width


def test_no_player_beats_the_optimum() -> None:
    rules = Rules(4, 4, (3, 2), "none", "hit-miss")
    least = solve(rules).expected_shots
    for name in ("random", "density", "in-order"):
        value = player_value(name, make_player(name), make_problem(rules))
        assert value.mean + value.half_width >= least


class Likeliest:
    """Shoots the likeliest cell, the first of several."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        chances = infer(observation).probability.ravel().round(9)
        return max(observation.unknown, key=lambda cell: (chances[cell], -cell))


@pytest.mark.parametrize("answers", ANSWERS)
def test_greedy_play_is_what_the_belief_suggests(answers: str) -> None:
    problem = make_problem(Rules(4, 3, (3, 2), "any", answers))
    value = player_value("likeliest", Likeliest(), problem)
    assert value.exact
    assert (value.mean, value.most) == pytest.approx(greedy_shots(problem), abs=1e-12)


def test_the_value_of_the_exact_player_is_exact() -> None:
    rules = Rules(4, 4, (3, 2), "none", "hit-miss")
    value = player_value("exact", make_player("exact"), make_problem(rules))
    assert value.exact
    assert solve(rules).expected_shots <= value.mean < solve(rules).expected_shots + 0.1


def test_an_interval_holds_the_optimum_and_shrinks() -> None:
    rules = Rules(5, 5, (3, 2), "corners", "hit-miss")
    solver = Solver(rules)
    before = solver.solution()
    assert not before.proven
    while not solver.step():
        now = solver.solution()
        assert before.lower_bound <= now.lower_bound <= now.upper_bound <= before.upper_bound
        before = now
    done = solver.solution()
    assert before.lower_bound <= done.expected_shots <= before.upper_bound


def test_a_small_table_gives_the_same_optimum() -> None:
    rules = Rules(4, 4, (3, 2), "any", "sunk-named")
    solver = Solver(rules, memory=1e-6)
    solver.search.proven = new_table(2048)
    solver.search.most_entries = 2048
    solution = solver.run()
    assert solution.proven
    assert solution.expected_shots == pytest.approx(8.753788, abs=5e-7)


def test_solving_resumes_from_a_saved_state(tmp_path: Path) -> None:
    rules = Rules(4, 4, (3, 2), "any", "sunk")
    file = tmp_path / "state.npz"
    solver = Solver(rules)
    solver._nodes = 20_000
    for _ in range(3):
        solver.step()
    assert not solver.proven
    solver.save(file)
    resumed = Solver(rules)
    resumed.load(file)
    assert resumed.search.entries == solver.search.entries > 0
    assert resumed.lower >= solver.lower
    assert resumed.run(state=file).expected_shots == pytest.approx(8.833333, abs=5e-7)
    again = Solver(rules)
    again.load(file)
    assert again.proven
    assert again.search.nodes <= 1, "only the root was looked at"


def test_a_state_of_other_rules_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    rules = Rules(3, 3, (2,), "any", "sunk")
    file = tmp_path / "state.npz"
    solver = Solver(rules)
    solver.save(file)
    with pytest.raises(SolveError, match="belongs to the rules"):
        Solver(replace(rules, contact="none")).load(file)
    with pytest.raises(SolveError):
        Solver(rules, worst=True).load(file)
    Solver(replace(rules, turns="rounds")).load(file)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(SolveError, match="not a state"):
        solver.load(file)
    with pytest.raises(SolveError, match="cannot be written"):
        solver.save(tmp_path / "missing" / "state.npz")
    with pytest.raises(SolveError, match="it is not a regular file"):
        solver.load(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("name", "value", "sealed"),
    [
        ("bounds", np.array([9, 9, 0]), False),  # a false "proven"
        ("bounds", np.array([9, 5, 0]), True),
        ("bounds", np.array([0, 5, 99]), True),
        ("proofs", np.zeros(0, dtype=np.int32), True),  # shorter than the keys
        ("keys", np.ones((3, 1), dtype=np.uint64), True),
        ("keys", np.ones((3, 2), dtype=np.float64), True),
        ("moves", np.array([99], dtype=np.int8), True),
        ("words", np.zeros(7, dtype=np.uint64), True),
        ("seconds", np.array(np.inf), True),
    ],
)
def test_a_state_that_was_edited_is_refused(tmp_path: Path, name, value, sealed) -> None:
    rules = Rules(3, 3, (2,), "any", "sunk")
    file, solver = tmp_path / "state.npz", Solver(rules)
    solver.save(file)
    arrays = read_sealed(file)
    if name in ("moves", "proofs"):  # an unused solver has proved nothing yet
        one = {"keys": np.ones((1, 2), np.uint64), "proofs": np.ones(1, np.int32)}
        arrays |= one | {"moves": np.zeros(1, np.int8)}
    with file.open("w+b") as written:
        if sealed:  # by somebody who knows how
            write_sealed(written, arrays | {name: value})
        else:
            np.savez(written, **(arrays | {name: value}))
    with pytest.raises(SolveError, match=r"not a state that|another version"):
        Solver(rules).load(file)


@pytest.mark.parametrize(
    "rules",
    [
        *("classic", "thesis", "blind", "named", "patrol", "mini", "trio"),
        "3x4 fleet=1,1 answers=sunk",
        f"12x12 fleet={','.join('1' * 15)}",  # more layouts than 64 bits can count
    ],
)
def test_bounds_hold_for_any_rules(rules: str) -> None:
    chosen = Rules.from_text(rules)
    found = {bound.name: bound.shots for bound in bounds(chosen)}
    assert found["ship cells"] == chosen.ship_cells
    assert chosen.ship_cells <= max(found.values()) <= chosen.cells
    assert found["both"] >= found["transcripts"] - 1e-9
    k, n = chosen.ship_cells, chosen.cells
    assert max(found.values()) <= k * (n + 1) / (k + 1) + 1e-9


@pytest.mark.parametrize("answers", ["hit-miss", "named"])
@pytest.mark.parametrize("contact", ["any", "none"])
@pytest.mark.parametrize("board", [(2, 3, (2, 1)), (2, 4, (2, 2)), (3, 3, (2, 1)), (2, 4, (3, 2))])
def test_no_strategy_finishes_more_layouts_with_few_misses_than_the_bounds_say(
    board: tuple[int, int, tuple[int, ...]], contact: str, answers: str
) -> None:
    rules = Rules(*board, contact, answers)
    if not labelled_layouts(rules):
        return
    belief = infer(Observation(rules))
    chances = sorted(belief.probability.ravel().tolist(), reverse=True)
    assert belief.layouts is not None
    curves = finished_shares(rules, belief.layouts, chances)
    assert len(curves.shown_ships) == len(rules.fleet)
    for misses in range(rules.cells - rules.ship_cells):
        most = most_finished(rules, misses)
        for curve in curves.every:
            assert most <= curve[misses] + 1e-12


def test_showing_only_the_longer_ships_bounds_better_than_showing_all_but_one() -> None:
    found = {bound.name: bound.shots for bound in bounds(Rules.from_text("patrol"))}
    assert found["shown ships"] > found["last ship"] + 10
    assert found["all"] >= max(found["shown ships"], found["both"]) - 1e-9


def test_no_more_layouts_cover_the_same_cells_than_the_bound_says() -> None:
    for fleet in ((2, 2), (3, 2), (2, 1, 1)):
        layouts = {frozenset(ships) for ships in labelled_layouts(Rules(3, 3, fleet, "any"))}
        same: dict[frozenset[int], int] = {}
        for ships in layouts:
            cells = frozenset().union(*ships)
            same[cells] = same.get(cells, 0) + 1
        assert max(same.values()) <= cuttings(fleet)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


SMALL = ("--rules", "3x3 fleet=2,1 contact=any answers=sunk")


def test_solve_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "solve", *SMALL, "--json", "--worst-case", "--player", "optimal")
    assert code == 0
    found = json.loads(out)
    assert found["proven"] is True
    assert found["lower_bound"] == found["expected_shots"] == pytest.approx(6.404761904761905)
    assert found["layouts"] == 84
    assert found["first_shot"] == "B2"
    assert found["worst_case"]["shots"] == 9
    assert found["players"][0]["mean"] == pytest.approx(found["expected_shots"])
    assert found["players"][0]["exact"] is True


def test_solve_reads_within_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "solve", *SMALL, "--worst-case", "--player", "random")
    assert code == 0
    assert "6.404762 shots on average (proven)" in out
    assert "sampled" in out
    assert max(map(len, out.splitlines())) <= 80


def test_solve_prints_the_interval_when_time_is_up(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "state.npz"
    arguments = ("solve", "--rules", "trio", "--seconds", "0.5", "--json", "--state", str(file))
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    found = json.loads(out)
    assert found["proven"] is False
    assert found["lower_bound"] < found["expected_shots"] == found["upper_bound"]
    code, out, _ = run(capsys, *arguments)
    again = json.loads(out)
    assert again["lower_bound"] >= found["lower_bound"]
    assert again["seconds"] > found["seconds"]


def test_an_interrupted_solve_prints_the_interval() -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = Seabattle("solve", "--rules", "trio", "--json", text=True, **pipes)
    assert process.stderr is not None
    for line in process.stderr:
        if "shots" in line:
            break
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out)
    assert not found["proven"]
    assert found["lower_bound"] < found["upper_bound"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("solve --rules classic", "64 cells"),
        ("solve --rules mini --seconds 0", "more than 0 seconds"),
        ("solve --rules mini --memory -1", "more than 0 gigabytes"),
        ("solve --rules mini --player nobody", "Unknown player"),
        ("solve --rules mini --state /no/state --seconds 1", "Cannot write /no/state"),
        ("solve --size 8 --fleet 4,3,3,2", "too many to solve"),
        ("solve --size 2 --fleet 2,2 --contact none", "does not fit"),
        ("bounds --rules mini --seconds -1", "more than 0 seconds"),
    ],
)
def test_bad_requests_end_in_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: str, says: str
) -> None:
    code, out, err = run(capsys, *arguments.split())
    assert code == 2
    assert out == ""
    assert says in err
    assert len(err.strip().splitlines()) == 1


def test_bounds_names_the_best_bound(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "bounds", "--rules", "mini", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["best"]["shots"] == max(bound["shots"] for bound in found["bounds"])
    code, out, _ = run(capsys, "bounds", "--rules", "mini")
    assert "Best: " in out
    assert max(map(len, out.splitlines())) <= 80
