"""Engines as players: whatever a program does, games end and faults are counted."""

from __future__ import annotations

import gc
import json
import os
import pickle
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Observation, Rules, compare, make_player, play, play_duel, tournament
from seabattle.cli.runs import both_sides
from seabattle.dealing import layout_of
from seabattle.engine.exec_player import ExecPlayer
from seabattle.errors import PlayerError
from seabattle.experiment.play import play_batch
from seabattle.experiment.store import Store
from seabattle.game import Game
from seabattle.naming.parameters import split_outside_quotes
from seabattle.players import all_players, describe
from seabattle.testing import check_player
from tests.conftest import Run
from tests.engine.commands import FAULTY

OURS = f"exec:{sys.executable} -m seabattle engine"
MINI = Rules.from_text("mini")


def engine(mode: str, more: str = "") -> ExecPlayer:
    player = make_player(f"exec:{FAULTY} {mode},seconds=0.3{more}")
    assert isinstance(player, ExecPlayer)
    return player


@pytest.fixture(autouse=True, scope="module")
def what_was_there_before_stays() -> Iterator[None]:
    """A test collects its own garbage; going through all that is loaded would take a second."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def no_process_is_left(what_was_there_before_stays: None) -> Iterator[None]:
    """Every engine of a test is gone with its player; not even a zombie stays."""
    yield
    gc.collect()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for child in children.read_text().split() if children.exists() else ():
        assert "engine" not in Path(f"/proc/{child}/cmdline").read_text()
        assert ") Z " not in Path(f"/proc/{child}/stat").read_text()


# ---- an engine that does everything right


@pytest.mark.parametrize("name", ["random", "density", "exact", "mcts:iterations=5"])
def test_a_player_behind_the_protocol_plays_the_games_that_it_plays_directly(name: str) -> None:
    """Shot for shot, through `seabattle engine` and `exec:`, under different rules."""
    served = make_player(f"{OURS} {name},games=7")
    for rules in (MINI, Rules.from_text("7x7 fleet=3,2,2,1 answers=named contact=corners")):
        direct = play_batch(make_player(name), rules, 5, range(12))
        through = play_batch(served, rules, 5, range(12))
        assert direct.shots.tolist() == through.shots.tolist()
        for row, count in enumerate(direct.shots):
            assert direct.fired[row, :count].tolist() == through.fired[row, :count].tolist()
    assert not served.take_faults()  # type: ignore[attr-defined]
    served.close()  # type: ignore[attr-defined]


def test_a_python_player_behind_the_protocol_too() -> None:
    served = make_player(f"{OURS} cnn")
    rules = Rules.from_text("blind")
    direct = play_batch(make_player("cnn"), rules, 5, range(2))
    assert play_batch(served, rules, 5, range(2)).shots.tolist() == direct.shots.tolist()
    served.close()  # type: ignore[attr-defined]


def test_engines_play_wherever_players_do(tmp_path: Path, run: Run) -> None:
    name = f"{OURS} even"
    check_player(name, rules=["mini"], games=1)
    assert play(name, "mini", seed=1).player == name
    assert play_duel(name, "random", "russian", seed=1).replay(1000).finished
    result = tournament([name, "random"], "mini", games=20, seed=1)
    assert result.standings[0].name == describe(name)
    direct = compare(["even"], "mini", games=40, seed=2)
    with Store(tmp_path / "r.sqlite") as store, store.log("comparison", {}) as log:
        stored = compare([name], "mini", games=40, seed=2, log=log)
    assert stored.players[0].shots == direct.players[0].shots
    code, out, err = run("compare", name, "even", "--rules", "mini", "--games", 20)
    assert (code, "failed" in out + err) == (0, False)


# ---- the name


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("exec: ./engine   --fast ", "exec:./engine --fast"),
        ("exec:./engine,seconds=10", "exec:./engine"),
        ("exec:./engine,games=2,seconds=1.5", "exec:./engine,games=2,seconds=1.5"),
        ("exec:./engine '3,2',depth=4", "exec:./engine '3,2',depth=4"),
        (r"exec:./engine 3\,2", "exec:./engine '3,2'"),
        ('exec:"my engine" host:80', "exec:'my engine' host:80"),
        ("exec:node 'e@1.js'", "exec:node 'e@1.js'"),
    ],
)
def test_a_command_is_quoted_as_in_a_shell(text: str, canonical: str) -> None:
    assert describe(text) == canonical
    assert describe(canonical) == canonical
    copy = pickle.loads(pickle.dumps(make_player(text)))
    assert f"exec:{copy.to_text()}" == canonical


@given(st.lists(st.text(min_size=1).filter(lambda word: "\0" not in word), min_size=1, max_size=4))
@settings(deadline=None, max_examples=50)
def test_any_words_survive_the_canonical_form(words: list[str]) -> None:
    command = ExecPlayer(shlex.join(words)).to_text()
    assert split_outside_quotes(f"{command},seconds=1", ",") == [command, "seconds=1"]
    assert split_outside_quotes(f"{command}@edges", "@") == [command, "edges"]
    assert shlex.split(command) == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exec", "needs a command"),
        ("exec:", "needs a command"),
        ("exec: ,seconds=1", "needs a command"),
        ("exec:./e,fast", "NAME=VALUE"),
        ("exec:./e,seconds=soon", "must be a finite number"),
        ("exec:./e,seconds=0", "greater than 0"),
        ("exec:./e,seconds=nan", "must be a finite number"),
        ("exec:./e,games=-1", "greater than 0"),
        ("exec:./e 'x", "no closing quotation"),
    ],
)
def test_names_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        make_player(text)


def test_an_entrant_may_have_a_placer_and_a_quoted_at() -> None:
    from seabattle.experiment.tournament import Entrant

    entrant = Entrant.from_text("exec:node 'e@1.js'@edges")
    assert (entrant.shooter, entrant.placer) == ("exec:node 'e@1.js'", "edges")


def test_a_comma_separates_players_but_not_a_command() -> None:
    from seabattle.cli.experiments import separated

    quoted, escaped = "exec:./e 'a,random',depth=3", r"exec:./e a\,random"
    assert separated([f"{quoted},density", escaped]) == [quoted, "density", escaped]


def test_engines_are_listed_as_a_player_that_runs_programs() -> None:
    info = all_players()["exec"]
    assert info.runs_programs
    assert set(info.parameters) == {"command", "seconds", "prepare", "games", "faults"}


# ---- programs that cannot be used at all


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exec:./there-is-no-such-engine", "Cannot run './there-is-no-such-engine': no such file"),
        ("exec:/", "Cannot run '/': permission denied"),
        (f"exec:{FAULTY} ends-at-once", "ended instead of answering hello.*cannot find my model"),
        (f"exec:{FAULTY} deaf,prepare=0.3", "did not answer hello within 0.3 s"),
        (f"exec:{FAULTY} banner", "did not answer hello: 'Super Engine 3000.*is not JSON"),
        (f"exec:{FAULTY} version", "version 2 of the protocol"),
        (f"exec:{FAULTY} no-rules", "refused the rules 'mini': I play on 3x3 only"),
        (f"exec:{FAULTY} no-rules-surrogate", "refused the rules 'mini'"),
        (f"exec:{FAULTY} good,width=3", "Unknown option.*'width'; choose from depth"),
        ("exec:true", "ended instead of answering"),
        ("exec:yes", "did not answer hello"),
    ],
)
def test_a_program_that_is_no_engine_is_an_error(name: str, message: str, run: Run) -> None:
    with pytest.raises(PlayerError, match=message):
        play_batch(make_player(name), MINI, 1, range(1))
    code, out, err = run("compare", name, "--rules", "mini", "--games", 3)
    assert (code, out) == (2, "")
    assert err.startswith("seabattle: exec:")
    assert "Traceback" not in err


# ---- engines that fail in the middle of games


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        ("illegal", {"illegal shot"}),
        ("repeated", {"illegal shot"}),
        ("twice", {"unasked answer"}),
        ("refuses", {"error message"}),
        ("layout", {"bad message"}),
    ],
)
def test_wrong_answers_are_counted_and_chance_chooses(mode: str, kinds: set[str]) -> None:
    player = engine(mode)
    batch = play_batch(player, MINI, 1, range(6))
    assert (batch.shots >= MINI.ship_cells).all()
    faults = player.take_faults()
    assert set(faults.counts) == kinds
    assert faults.example
    if kinds == {"illegal shot"}:
        assert faults.counts["illegal shot"] == batch.shots.sum() - 3
    assert not player.take_faults()


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        ("halves", set()),
        ("other-game", {"unasked answer"}),
        ("huge-id", {"bad message"}),
        ("deep", {"bad message"}),
        ("surrogate", {"error message"}),
    ],
)
def test_odd_lines_cost_what_the_page_says_and_no_more(
    mode: str, kinds: set[str], run: Run
) -> None:
    """Lines in two parts, numbers and brackets without end, text that is not Unicode."""
    name = f"exec:{FAULTY} {mode} 2,games=1"
    command = ("compare", name, "--rules", "mini", "--games", 2)
    code, out, err = run(*command, "--json")
    assert code == 0, err
    assert set(json.loads(out)["players"][0].get("faults", {})) == kinds
    code, out, err = run(*command)
    assert code == 0, err
    out.encode()  # no lone surrogate


@pytest.mark.parametrize(
    ("mode", "kinds", "message"),
    [
        ("half", {"time-out"}, "did not answer within 0.3 s"),
        ("garbage", {"bad message", "time-out"}, "did not answer within 0.3 s"),
        ("binary", {"bad message", "time-out"}, "did not answer within 0.3 s"),
        ("no-cell", {"bad message", "time-out"}, "did not answer within 0.3 s"),
        ("silent", {"time-out"}, "did not answer within 0.3 s"),
        ("dies", {"crash"}, "exit code 3.*the last words"),
        ("closes", {"crash"}, "closed its standard output"),
        ("floods", {"flood"}, "nobody asked for"),
        ("long-line", {"flood"}, "line of more than 65,536 bytes"),
        ("stderr-flood", {"time-out"}, "did not answer within 0.3 s"),
        ("parent", {"time-out"}, "did not answer within 0.3 s"),
    ],
)
def test_an_engine_that_never_answers_again_is_given_up(
    mode: str, kinds: set[str], message: str
) -> None:
    began = time.monotonic()
    player = engine(f"{mode} 0")
    with pytest.raises(PlayerError, match=f"failed 3 times without a legal answer.*{message}"):
        play_batch(player, MINI, 1, range(6))
    assert time.monotonic() - began < 20
    assert set(player.take_faults().counts) == kinds


@pytest.mark.parametrize("mode", ["dies", "silent", "garbage", "floods"])
def test_an_engine_that_fails_now_and_then_is_started_again(mode: str) -> None:
    """It answers six questions, then fails; its open games go on where they were."""
    player, rules = engine(f"{mode} 4", ",games=3"), Rules(4, 4, (2, 1))
    batch = play_batch(player, rules, 1, range(2))
    assert (batch.shots >= rules.ship_cells).all()
    faults = player.take_faults()
    assert max(faults.counts.values()) >= batch.shots.sum() // 6
    # In between it shoots at the first unknown cell, so no cell was forgotten at a restart.
    assert len(set(batch.fired[0, : batch.shots[0]].tolist())) == batch.shots[0]


def test_a_late_answer_after_stop_is_used_and_counted() -> None:
    player = engine("stops-late 2", ",games=1")
    batch = play_batch(player, MINI, 1, range(1))
    assert batch.fired[0, : batch.shots[0]].tolist() == list(range(batch.shots[0]))
    assert player.take_faults().counts == {"late answer": 1}


def test_children_of_an_engine_die_with_it() -> None:
    player = engine("parent 0")
    with pytest.raises(PlayerError) as failed:
        play_batch(player, MINI, 1, range(1))
    child = int(str(failed.value).rsplit(" ", 1)[1])
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text():
            return
        time.sleep(0.05)
    raise AssertionError("the engine's child still runs")


def test_single_choices_survive_a_crash() -> None:
    player = engine("dies 1")
    rng = np.random.default_rng(1)
    for shots in ("", "A1 miss", "A1 miss, B2 hit"):
        observation = Observation.from_text(shots, MINI)
        assert player.choose(observation, rng) in observation.unknown
    assert player.take_faults().counts == {"crash": 1}


def test_an_engine_that_died_between_games_is_started_without_a_fault() -> None:
    player = engine("good 1000")
    player.prepare(MINI)
    program = player._engine._program
    assert program is not None
    os.kill(program._popen.pid, signal.SIGKILL)
    program._popen.wait()
    play_batch(player, MINI, 1, range(2))
    assert not player.take_faults()


# ---- what the user sees


def test_faults_are_in_the_table_the_json_and_the_store(run: Run, tmp_path: Path) -> None:
    name = f"exec:{FAULTY} illegal 50,seconds=1"
    command = ("compare", name, "--rules", "mini", "--games", 10, "--store", tmp_path / "r.sqlite")
    code, out, _ = run(*command)
    assert code == 0
    flat = " ".join(out.split())
    assert "illegal shots. Without a legal answer, a random cell was shot at." in flat
    assert "The first: illegal shot: 'Z99' is not a cell of this board" in flat
    code, out, _ = run(*command, "--json")
    faults = json.loads(out)["players"][0]["faults"]
    assert set(faults) == {"illegal shot"}
    assert faults["illegal shot"] > 0


@pytest.mark.parametrize("mode", ["illegal", "dies", "silent", "stops-late"])
def test_a_fault_loses_the_game_if_that_is_the_rule(mode: str) -> None:
    """A lost game takes every cell of the board; the others are played as ever."""
    usual = play_batch(engine("good 1000"), MINI, 1, range(6))
    player = make_player(f"exec:{FAULTY} {mode} 30,seconds=0.3,games=1,faults=loss")
    assert describe(f"exec:{FAULTY} {mode} 30,faults=loss").endswith(",faults=loss")
    batch = play_batch(player, MINI, 1, range(3))
    faults = player.take_faults()  # type: ignore[attr-defined]
    lost = int((batch.shots == MINI.cells).sum())
    assert 1 <= lost <= 3
    assert sum(faults.counts.values()) == lost  # one fault each: the engine is asked no more
    assert batch.shots[0] == usual.shots[0]
    for row in range(3):
        game = Game(layout_of(MINI, batch.placements[row]))
        for cell in batch.fired[row, : batch.shots[row]].tolist():
            game.fire(cell)
        assert game.finished  # a lawful record all the same


EVERY_CELL = Rules(2, 2, (2, 2), "any", "hit-miss")
"""nobody can finish before the last cell"""
FORFEITING = f"exec:{FAULTY} illegal 0,faults=loss"


@pytest.mark.parametrize(
    ("turns", "salvo"),
    [(turns, salvo) for turns in ("alternate", "rounds") for salvo in (1, 3, "ships")]
    + [("again", 1)],
)
def test_a_lost_game_is_lost_even_if_the_opponent_needs_every_cell(
    turns: str, salvo: int | str
) -> None:
    """Whoever moves first. A random shot instead of the loss would win or draw half of them."""
    rules = replace(EVERY_CELL, turns=turns, salvo=salvo)
    result = tournament([FORFEITING, "in-order"], rules, games=8, seed=1)
    assert result.score("in-order", FORFEITING).wins == 8
    assert all(mean <= rules.cells for mean in result.mean_shots)
    for players, winner in ((FORFEITING, "in-order"), 1), (("in-order", FORFEITING), 0):
        record = play_duel(*players, rules, seed=1)
        assert record.replay(len(record.cells)).winner == winner


def test_a_game_of_one_that_a_fault_loses_takes_every_cell() -> None:
    rules = Rules(5, 5, (3, 2))
    for seed in range(3):
        assert len(play(FORFEITING, rules, seed=seed).shots) == rules.cells


def test_a_stored_game_that_a_fault_has_lost_stays_lost(tmp_path: Path, run: Run) -> None:
    """When the run is resumed, printed again, and exported as records."""
    file = tmp_path / "lost.sqlite"
    command = ["tournament", FORFEITING, "in-order", "--rules", EVERY_CELL.to_text()]
    command += ["--seed", "1", "--store", str(file), "--json"]
    for games in (6, 10):
        code, out, err = run(*command, "--games", str(games), "--jobs", "2")
        assert code == 0, err
        scores = {each["name"]: each for each in json.loads(out)["entrants"]}
        assert scores["in-order"]["wins"] == games
    with Store(file) as store:
        games_of_run = list(store.games_of(2))
    assert {game.player for game in games_of_run if game.lost} == {FORFEITING}
    assert sum(game.lost for game in games_of_run) == 10
    records = both_sides(games_of_run)
    assert len(records) == 10
    for record in records:
        winner = record.replay(len(record.cells)).winner
        assert winner is not None
        assert record.players[winner] == "in-order"


def test_two_processes_play_one_engine_each(tmp_path: Path) -> None:
    name = f"exec:{FAULTY} good 100000"
    one = compare([name], "mini", games=30, seed=3)
    assert compare([name], "mini", games=30, seed=3, jobs=2) == one


@pytest.mark.parametrize(
    ("jobs", "number", "code"),
    [
        (1, signal.SIGINT, 130),
        (2, signal.SIGINT, 130),
        (1, signal.SIGTERM, -signal.SIGTERM),
        (1, signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_a_command_that_is_stopped_leaves_no_engine_behind(
    jobs: int, number: signal.Signals, code: int
) -> None:
    mark = f"mark-{os.getpid()}-{jobs}-{number}"
    command = [sys.executable, "-m", "seabattle", "compare", "--rules", "mini", "--games", "100000"]
    command += ["--jobs", str(jobs), f"exec:{FAULTY} thinking 20 {mark},seconds=600"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        _wait_for(lambda: len(_commands(mark)) > jobs, seconds=120)
        time.sleep(0.5)
        running.send_signal(number)
        assert running.wait(30) == code
        _wait_for(lambda: not _commands(mark))
    finally:
        running.kill()
        running.communicate()


def _commands(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_text()
        except OSError:
            continue
        if mark in text:
            found.append(text)
    return found


def _wait_for(condition: object, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)
