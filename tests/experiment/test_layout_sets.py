"""Layouts for tuning and for final figures are apart, and runs on the latter are logged."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import seabattle
from seabattle import Rules, compare
from seabattle.dealing import deal_games
from seabattle.errors import ExperimentError, OutputError
from seabattle.experiment.layout_sets import set_seed
from seabattle.experiment.test_set_log import IN_THE_REPOSITORY, SealedLog, source_tree
from tests.conftest import Run
from tests.forking import Seabattle


def entries(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def lines(log: Path) -> list[dict[str, object]]:
    """The runs that ended by themselves."""
    return [each for each in entries(log) if "begun" not in each]


def test_the_sets_share_no_layout_with_each_other_or_with_a_seed() -> None:
    """On `classic`, two of 15 billion layouts coincide with chance 6e-11 per pair."""
    drawn = [set_seed("train", seed) for seed in range(5)] + [set_seed("test")]
    seeds = [*range(5), *drawn]
    assert len(set(seeds)) == len(seeds)
    layouts = [tuple(row) for seed in seeds for row in deal_games(Rules(), seed, range(300))]
    assert len(set(layouts)) == len(layouts)


def test_the_sets_are_those_that_published_figures_were_made_on() -> None:
    """A change of these numbers would silently unseal the test set."""
    assert (set_seed("test"), set_seed("train"), set_seed("train", 1)) == (
        6819344118139080131,
        7819850830168888104,
        3479463820618139322,
    )


def test_without_a_set_the_seed_is_the_seed() -> None:
    assert set_seed(None, 77) == 77


def test_a_set_gives_other_games_and_says_so(tmp_path: Path) -> None:
    usual = compare(["even"], "mini", games=50, seed=0)
    trained = compare(["even"], "mini", games=50, seed=0, layout_set="train")
    log = SealedLog(tmp_path / "log", "here")
    tested = compare(["even"], "mini", games=50, layout_set="test", sealed_log=log)
    shots = [each.players[0].shots for each in (usual, trained, tested)]
    assert len(set(shots)) == 3
    assert "set" not in usual.to_json()
    assert (trained.to_json()["set"], trained.seed) == ("train", 0)
    assert type(tested).from_json(tested.to_json()) == tested


def test_nobody_chooses_among_seeds_of_the_test_set() -> None:
    with pytest.raises(ExperimentError, match="one fixed seed"):
        compare(["even"], "mini", games=5, seed=3, layout_set="test")
    with pytest.raises(ExperimentError, match=r"Unknown set of layouts 'tset'.*mean 'test'"):
        compare(["even"], "mini", games=5, layout_set="tset")


def test_every_run_on_the_test_set_is_a_line_of_the_log(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "deep" / "log.jsonl"
    words = ("compare", "even", "random", "--rules", "mini", "--games", "20", "--set", "test")
    code, out, err = run(*words, "--log", log, "--json")
    assert code == 0
    assert err == f"This run on the test set is logged in {log}.\n"
    code, out_again, _ = run(*words, "--log", log)
    assert code == 0
    assert "20 games each on the same layouts, test set" in out_again
    (first, second), printed = lines(log), json.loads(out)
    assert first["command"] == "seabattle " + " ".join(words)
    assert (first["rules"], first["version"]) == ("mini", second["version"])
    result = first["result"]
    assert isinstance(result, dict)
    assert result["games"] == 20
    assert [each["mean"] for each in result["players"]] == [
        each["mean"] for each in printed["players"]
    ]
    assert result == second["result"]


def test_a_run_that_fails_is_logged_too(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = ("compare", "cnn", "--rules", "mini", "--games", "5", "--set", "test")
    code, _, err = run(*words, "--log", log)
    assert code == 2
    (entry,) = lines(log)
    assert entry["result"] is None
    assert str(entry["stopped"]) in err


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_killed_has_been_logged_when_it_began(
    signal_: signal.Signals, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    words = ["compare", "in-order", "--rules", "mini", "--games", "100000000", "--set", "test"]
    running = Seabattle(*words, "--log", log, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not log.exists() or not log.read_text().endswith("\n"):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running.send_signal(signal_)
        assert running.wait(60) != 0
    finally:
        running.kill()
        running.wait()
    first, *rest = entries(log)
    assert first["begun"] is True
    assert "in-order" in str(first["command"])
    assert all(each["run"] == first["run"] and "stopped" in each for each in rest)


def test_no_game_is_played_if_the_log_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = tmp_path / "file" / "log"
    code, out, err = run("compare", "even", "--games", "10", "--set", "test", "--log", log)
    assert (code, out) == (2, "")
    assert "Cannot write the log of the test set" in err
    with pytest.raises(OutputError, match="is a directory"):
        SealedLog(tmp_path, "here")._append({})


def test_a_log_belongs_to_the_test_set(run: Run, tmp_path: Path) -> None:
    code, _, err = run("compare", "even", "--games", "10", "--log", tmp_path / "log")
    assert (code, err) == (
        2,
        "seabattle: --log is the log of the test set; it goes with --set test.\n",
    )


def test_the_leaderboard_takes_a_set_and_names_it_on_its_page(run: Run, tmp_path: Path) -> None:
    words = ("leaderboard", "--rules", "mini", "--games", "5", "--jobs", "1", "--out", tmp_path)
    code, out, _ = run(*words, "--set", "train", "--seed", "2")
    assert code == 0
    assert "train set, seed 2" in out
    assert "--set train --seed 2" in (tmp_path / "index.html").read_text()


def test_a_stored_run_remembers_its_set(run: Run, tmp_path: Path) -> None:
    store = ("--store", tmp_path / "games.sqlite")
    words = ("compare", "even", "random", "--rules", "mini", "--games", "20", "--set", "train")
    _, played, _ = run(*words, "--json", *store)
    _, shown, _ = run("runs", "show", "1", "--json", *store)
    result = json.loads(shown)["result"]
    assert (result["set"], result["seed"]) == ("train", 0)
    assert result["paired"] == json.loads(played)["paired"]


def test_the_strength_page_quotes_the_log() -> None:
    """Every figure of every section was printed by a logged run that the section names."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "strength.md").read_text(encoding="utf-8")
    log = lines(root / IN_THE_REPOSITORY)
    sections = page.split("\n## ")[1:]
    assert len(sections) > 5
    for section in sections:
        commands = set(re.findall(r"^\$ (.*)", section, re.MULTILINE))
        runs = {each["command"]: each for each in log if each["command"] in commands}
        assert runs.keys() == commands
        logged = set()
        for each in runs.values():
            result = each["result"]
            assert isinstance(result, dict)
            for player in result["players"]:
                low, high = player["ci95"]
                figure = f"{player['mean']:.2f} ± {(high - low) / 2:.2f}"
                logged.add((player["name"], f"{result['games']:,}", figure))
        quoted = re.findall(r"^\| `(\S+)` \| (\S+) \| (.*?) \|", section, re.MULTILINE)
        assert set(quoted) == logged


def words(command: str) -> tuple[str, ...]:
    """A command, whatever the order of its options."""
    return tuple(sorted(shlex.split(command)))


def test_every_run_on_the_test_set_that_a_page_names_is_in_the_log() -> None:
    root = Path(__file__).parents[2]
    logged = {words(str(each["command"])) for each in lines(root / IN_THE_REPOSITORY)}
    example = words("seabattle compare density greedy --games 2000 --set test")  # experiments.md
    named = {
        (page.name, words(command))
        for page in (root / "docs").glob("*.md")
        for command in re.findall(
            r"^(?:\$ )?(seabattle compare .*--set test.*)$", page.read_text("utf-8"), re.MULTILINE
        )
    }
    assert len(named) > 12
    assert {each for each in named if each[1] not in {*logged, example}} == set()


APPEND = """
import sys
from pathlib import Path
from seabattle import Rules
from seabattle.experiment.test_set_log import SealedLog
log = SealedLog(Path(sys.argv[1]), sys.argv[2])
for number in range(20):
    with log.run(Rules()) as keep:
        keep({"number": number, "padding": "x" * 20_000})
"""


def test_several_processes_can_append_at_once(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"half a li')  # somebody was killed
    writers = [
        subprocess.Popen([sys.executable, "-c", APPEND, log, f"writer {k}"]) for k in range(3)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 3
    broken, *whole = log.read_text().splitlines()
    assert broken == '{"half a li'
    written = [json.loads(line) for line in whole]
    for k in range(3):
        own = [each for each in written if each["command"] == f"writer {k}"]
        ended = [each for each in own if "begun" not in each]
        assert [each["result"]["number"] for each in ended] == list(range(20))
        assert [each["run"] for each in own if "begun" in each] == [each["run"] for each in ended]


def test_the_log_is_in_the_source_tree_or_in_the_data_folder(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    assert source_tree(root / "src" / "seabattle") == root
    assert source_tree(tmp_path / "site-packages" / "seabattle") is None
    assert source_tree(tmp_path / "src" / "seabattle") is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\n')
    assert source_tree(tmp_path / "src" / "seabattle") is None


def test_an_installed_package_logs_in_the_data_folder(tmp_path: Path) -> None:
    package = Path(seabattle.__file__).parent
    shutil.copytree(package, tmp_path / "site-packages" / "seabattle")
    where = "from seabattle.experiment.test_set_log import default_log; print(default_log())"
    done = subprocess.run(
        [sys.executable, "-c", where],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(tmp_path / "site-packages"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(tmp_path / "data" / "seabattle" / "test-set.jsonl")
