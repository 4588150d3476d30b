"""The example engines: built where there is a compiler, checked, and played."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seabattle import Rules, compare
from seabattle.engine.check import check_engine
from seabattle.experiment.play import play_batch
from seabattle.players import make_player
from tests.conftest import Run
from tests.engine.commands import FAULTY

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"


@pytest.fixture(params=["hunter.py", "diagonal.js", "sweep.c"])
def command(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    source = EXAMPLES / request.param
    if request.param.endswith(".py"):
        return f"{sys.executable} {source}"
    program = shutil.which("node" if request.param.endswith(".js") else "gcc")
    if program is None:
        pytest.skip("this machine cannot run it")
    if request.param.endswith(".js"):
        return f"{program} {source}"
    built = tmp_path / "sweep"
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-o", str(built)]
    subprocess.run([program, *options, str(source)], check=True)
    return str(built)


def test_an_example_is_short_follows_the_protocol_and_beats_chance(command: str) -> None:
    report = check_engine(command)
    assert report.passed, report.to_text()
    assert not report.notes
    name = f"exec:{command}"
    result = compare([name, "random"], "classic", games=60, seed=1)
    assert not result.players[0].faults
    assert result.players[0].mean < result.players[1].mean - 10
    # The same games, one at a time.
    alone = play_batch(make_player(f"{name},games=1"), Rules(), 1, range(5))
    assert alone.shots.tolist() == list(result.players[0].shots[:5])


def test_examples_have_fewer_than_100_lines() -> None:
    for example in EXAMPLES.iterdir():
        assert len(example.read_text().splitlines()) < 100


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("garbage", "'I think I shoot at A1' is not JSON."),
        ("silent", "It did not answer within 0.5 s; 'shot' was due."),
        ("illegal", "'Z99' is not a cell of this board"),
        ("repeated", "It shot at A1 a second time."),
        ("twice", "It answered question"),
        ("no-cell", "The message '{"),
        ("refuses", "It answered with 'error'; 'shot' was due."),
        ("dies", "It ended with exit code 3 instead of answering."),
        ("floods", "It sent 1,000 messages that nobody asked for."),
        ("long-line", "It wrote too much"),
        ("version", "It speaks version 2 of the protocol, not 1."),
        ("banner", "'Super Engine 3000, copyright me' is not JSON."),
        ("no-rules", "It plays under none of the rules. It does not play under classic"),
        ("ends-at-once", "It ended with exit code 1 instead of answering."),
    ],
)
def test_the_check_says_what_is_wrong_and_shows_the_exchange(
    mode: str, message: str, run: Run
) -> None:
    code, out, err = run("engine", "--check", f"{FAULTY} {mode}", "--seconds", 0.5)
    assert (code, err) == (1, "")
    assert f"FAIL  {message}" in out
    assert "> {" in out
    assert ("  < " in out) == (mode != "ends-at-once")
    if mode == "ends-at-once":
        assert "cannot find my model" in out


def test_the_check_in_json_and_its_usage(run: Run) -> None:
    code, out, _ = run("engine", "--check", f"{FAULTY} stays 100000", "--seconds", 0.2, "--json")
    report = json.loads(out)
    assert (code, report["passed"], report["name"]) == (1, False, "stays")
    assert report["exchange"][-1].startswith("> ")
    for words in ((), ("random", "--check", "x"), ("--check", " "), ("nobody",), ("--check", "'")):
        code, out, err = run("engine", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
