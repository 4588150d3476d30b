"""Numbers without end, devices in place of files, files of others: one short sentence each."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from seabattle.cli.usage import printable
from tests.conftest import Run

DIGITS = "9" * 5000
HUGE = "1" + "0" * 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (f"rules {DIGITS}x{DIGITS}", "A size is"),
        (f"analyze --rules mini --size {DIGITS}", "A size is"),
        (f"analyze --rules mini --fleet {DIGITS}", "A fleet is"),
        (f"analyze --rules mini --salvo {DIGITS}", "A salvo is"),
        (f"analyze --rules mini --shots 'A{DIGITS} miss'", "is not a cell"),
        (f"analyze --rules mini --shots 'A1 hit {DIGITS}'", "choose from cruiser, destroyer"),
        (f"count --rules mini --size {DIGITS}x2", "A size is"),
        (f"compare random --games {DIGITS}", "--games takes a whole number"),
        (f"compare random --games {HUGE}", "at most 1,000,000,000,000"),
        ("compare random --games 1000000000", "too many to hold in memory"),
        (f"compare random --jobs {HUGE} --games 9", "jobs must be at most"),
        ("compare random --jobs 1001 --games 9", "jobs must be at most 1,000"),
        (f"tournament random even --games {HUGE}", "at most 1,000,000,000,000"),
        ("compare exact:seconds=inf --games 1", "seconds of 'exact' must be a finite number"),
        ("compare exact:seconds=nan --games 1", "seconds of 'exact' must be a finite number"),
        ("solve --rules mini --player exact:seconds=inf", "must be a finite number"),
        ("solve --rules mini --memory inf", "memory limit must be at most"),
        ("solve --rules mini --state /dev/zero", "it is not a regular file"),
        ("compare cnn:model=/dev/zero --rules blind --games 1", "it is not a regular file"),
        ("compare admiral:weights=/dev/zero --games 1", "it is not a regular file"),
        ("replay /dev/zero", "it is not a regular file"),
        ("tasks --moves /dev/zero", "it is not a regular file"),
        ("compare random --games 2 --store /dev/zero", "is not a file"),
        ("reproduce T-4.5 --seconds inf", "must be a number above 0, not inf"),
        ("tune admiral --rules mini --seed -5 --out nowhere", "A seed is"),
    ],
)
def test_absurd_input_is_one_short_sentence(run: Run, arguments: str, message: str) -> None:
    code, out, err = run(*shlex.split(arguments))
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert len(err) < 500


def test_a_tiny_precision_stops_at_the_limit_of_games(run: Run) -> None:
    code, out, _ = run(
        *("compare", "random", "--rules", "mini", "--precision", "1e-300", "--games", "5")
    )
    assert code == 0
    assert "was not reached within the limit of 5 games" in " ".join(out.split())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"rules": {"rows": ' + DIGITS + "}}", "a number too long"),
        ('{"rules": {"rows": Infinity}}', "begins with"),
        ('{"rules": ' + "[" * 100_000, "it is not JSON"),
        ("\x1b[2J\x1b]0;owned\x07", "record"),
    ],
)
def test_records_made_to_do_harm_are_refused(
    run: Run, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "record"
    path.write_text(content)
    code, _, err = run("replay", path)
    assert code == 2
    assert message in err
    assert "\x1b" not in err


def test_a_short_text_is_not_taken_for_a_results_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk")
    code, _, err = run("compare", "random", "--games", 2, "--store", path)
    assert code == 2
    assert "is not a results file" in err
    assert path.read_text() == "buy milk"


def test_a_training_folder_with_another_file_in_it_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps([]))
    code, _, err = run("train", "cnn", "--out", tmp_path, "--resume")
    assert code == 2
    assert "is not the description of a training" in err


def test_what_an_error_quotes_cannot_control_the_terminal() -> None:
    assert printable("no \x1b[31m\x9b red") == "no \ufffd[31m\ufffd red"
    assert len(printable("x" * 10_000)) < 100
    assert printable("/a/long/path/" + "x" * 200) == "/a/long/path/" + "x" * 200
