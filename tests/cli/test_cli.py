"""The command line: contracts, and one plain sentence for whatever is wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
import typer

from seabattle.cli import app
from tests.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rules clasic", "Did you mean 'classic'"),
        ("compare random --rules clasic", "Did you mean 'classic'"),
        ("compare randm", "Did you mean 'random'"),
        ("compare density:wight=3", "Did you mean 'weight'"),
        ("compare random --size 4", "does not fit"),
        ("compare random --size 4 --fleet 3,3,3,3,3,3", "does not fit"),
        ("compare random --size 5 --fleet 5,5,5 --contact none --games 5", None),
        ("compare random --size 5 --fleet 5,5,5,5 --contact none --games 5", "does not fit"),
        ("compare random --size 0", "2 to 16 rows, not 0"),
        ("compare random --size -4", "2 to 16 rows, not -4"),
        ("compare random --size 3x99", "2 to 16 columns, not 99"),
        ("compare random --size big", "A size is"),
        ("compare random --fleet 3,x", "A fleet is"),
        ("compare random --fleet 3,-1", "1 cell long"),
        ("compare random --contact near", "any, corners, none"),
        ("compare random --answers loud", "hit-miss, sunk, sunk-named, named"),
        ("compare random --turns odd", "alternate, rounds, again"),
        ("compare random --games 0", "games"),
        ("compare random --games many", "games"),
        ("compare random --jobs 0", "jobs"),
        ("compare random --seed -1", "seed"),
        ("compare", "PLAYER"),
        ("sail", "sail"),
        ("rules --nonsense", "nonsense"),
        ("players nobody", "Unknown player 'nobody'"),
    ],
)
def test_errors_are_one_sentence(run: Run, arguments: str, message: str | None) -> None:
    code, out, err = run(*arguments.split())
    if message is None:
        assert code == 0
        return
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("seabattle: ")
    assert len(err.strip().splitlines()) == 1


def test_rules_are_printed_as_json(run: Run) -> None:
    code, out, _ = run("rules", "russian", "--json")
    assert code == 0
    assert json.loads(out)["fleet"] == [4, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    code, out, _ = run("rules", "--json")
    assert len(json.loads(out)) == 8


def test_players_are_printed_as_json(run: Run) -> None:
    code, out, _ = run("players", "--json")
    assert code == 0
    assert {"random", "human-like", "density"} <= {p["name"] for p in json.loads(out)["players"]}


@pytest.mark.parametrize("arguments", [["rules"], ["rules", "russian"], ["players"], ["--help"]])
def test_output_fits_eighty_columns(run: Run, arguments: list[str]) -> None:
    code, out, _ = run(*arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


def test_the_help_lists_every_command(run: Run) -> None:
    _, out, _ = run("--help")
    for command in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
        assert re.search(rf"^  {command} +\S", out, re.MULTILINE)


def test_the_version_is_printed(run: Run) -> None:
    from seabattle import __version__

    assert run("--version") == (0, f"{__version__}\n", "")


def test_a_closed_pipe_is_not_an_error() -> None:
    """As in `seabattle players | head -1`."""
    shell = f"{sys.executable} -m seabattle players | head -1"
    done = subprocess.run(shell, shell=True, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
