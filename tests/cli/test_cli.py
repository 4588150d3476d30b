"""The command line: contracts, and one plain sentence for whatever is wrong."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from typing import Any

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
        ("compare random --games many", "--games takes a whole number, not 'many'."),
        ("compare random --games 2.5", "--games takes a whole number, not '2.5'."),
        ("compare random --games", "--games needs a value."),
        ("compare random --gmaes 3", "There is no option --gmaes. Did you mean --games?"),
        ("compare random --precision x", "--precision takes a number, not 'x'."),
        ("analyze --seconds -1", "--seconds must be 0 or more, not -1."),
        ("compare random --xlsx out.csv", "Cannot write out.csv: the name must end in .xlsx."),
        ("compare random --csv out.xlsx", "Cannot write out.xlsx: the name must end in .csv."),
        ("compare density,randm", "Unknown player 'randm'"),
        ("runs show one", "RUN takes a whole number, not 'one'."),
        ("runs sho 1", "There is no command sho. Did you mean show?"),
        ("compare random --jobs 0", "jobs"),
        ("compare random --seed -1", "seed"),
        ("compare", "'seabattle compare' needs at least one PLAYER."),
        ("train", "'seabattle train' needs a NAME."),
        ("sail", "There is no command sail. See 'seabattle --help'."),
        ("plya", "There is no command plya. Did you mean play?"),
        ("rules --nonsense", "There is no option --nonsense. See 'seabattle rules --help'."),
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


@pytest.mark.parametrize(
    ("overrides", "turns", "salvo"),
    [
        ("", "one shot each in turn", None),
        ("--turns again", "a hit earns another shot", None),
        ("--salvo ships", "one salvo each in turn", "as many shots as you have ships afloat"),
        ("--salvo 3 --turns rounds", "both sides fire equally many salvos", "3 shots"),
    ],
)
def test_rules_in_full_say_what_a_turn_is(
    run: Run, overrides: str, turns: str, salvo: str | None
) -> None:
    _, out, _ = run("rules", "classic", *overrides.split())
    assert turns in out
    assert ("one shot" in out) == (turns.startswith("one shot"))
    assert ("salvo    " in out) == (salvo is not None)
    assert (salvo or "") in " ".join(out.split())


def test_players_are_printed_as_json(run: Run) -> None:
    code, out, _ = run("players", "--json")
    assert code == 0
    assert {"random", "human-like", "density"} <= {p["name"] for p in json.loads(out)["players"]}


@pytest.mark.parametrize("nonsense", ["", "x", "zzzz", "nay", "banana", "12"])
def test_nonsense_is_not_answered_with_a_guess(run: Run, nonsense: str) -> None:
    code, _, err = run("rules", "--contact", nonsense)
    assert code == 2 or not nonsense
    assert "Did you mean" not in err


def commands_of(group: Any, before: str = "") -> dict[str, Any]:
    found = {}
    for name, command in group.commands.items():
        found[f"{before}{name}"] = command
        if hasattr(command, "commands"):
            found |= commands_of(command, f"{before}{name} ")
    return found


def cut_off(out: str) -> bool:
    """Whether dots stand for words that did not fit; those of `ARGS...` do not."""
    return "..." in re.sub(r"[A-Z]\]?\.\.\.", "", out)


COMMANDS = commands_of(typer.main.get_command(app))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_eighty_columns_and_teaches_with_examples(run: Run, command: str) -> None:
    code, out, err = run(*command.split(), "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert not cut_off(out)
    assert not re.search(r"<\w|\[default: \(", out)
    if not hasattr(COMMANDS[command], "commands"):
        assert f"\nExamples:\n  seabattle {command}" in out


@pytest.mark.parametrize(
    ("command", "example"),
    [(name, line) for name, each in COMMANDS.items() for line in getattr(each, "examples", ())],
)
def test_an_example_has_options_that_exist(command: str, example: str) -> None:
    program, *words = shlex.split(example)
    names = command.split()
    assert [program, *words[: len(names)]] == ["seabattle", *names]
    with COMMANDS[command].make_context(command, words[len(names) :]) as context:
        assert context.params


def test_seabattle_alone_shows_the_help(run: Run) -> None:
    alone, helped = run(), run("--help")
    assert alone == helped
    assert alone[0] == 0
    groups = [name for name, command in COMMANDS.items() if hasattr(command, "commands")]
    assert "runs" in groups
    for group in groups:
        assert run(group) == run(group, "--help")


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from seabattle.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print([m for m in ('numpy', 'numba', 'rich.console') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.endswith("[]\n"), done.stdout[-200:]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("seabattle comp", ["compare"]),
        ("seabattle compare --prec", ["--precision"]),
        ("seabattle compare den", ["density"]),
        ("seabattle compare even rand", ["random"]),
        ("seabattle play --opponent heat", ["heat-map"]),
        ("seabattle play --rules rus", ["russian"]),
        ("seabattle rules cl", ["classic"]),
        ("seabattle count --contact c", ["corners"]),
        ("seabattle tournament even@ed", ["even@edges"]),
        ("seabattle train polic", ["policy-gradient", "policy-gradient-deep"]),
        ("seabattle reproduce T-4.5", ["T-4.5"]),
        ("seabattle runs exp", ["export"]),
    ],
)
def test_the_shell_completes_commands_options_players_and_presets(
    run: Run, monkeypatch: pytest.MonkeyPatch, line: str, offered: list[str]
) -> None:
    monkeypatch.setenv("_SEABATTLE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    code, out, err = run()
    assert (code, out.split(), err) == (0, offered, "")


def test_the_shell_completes_the_parameters_of_a_player() -> None:
    from seabattle.cli.completion import players

    assert players("mcts:iter") == ["mcts:iterations="]
    assert players("mcts:iterations=5,rew") == ["mcts:iterations=5,reward="]
    assert players("nobody:x") == []


@pytest.mark.parametrize(
    ("command", "option", "values"),
    [
        ("analyze", "engine", ("auto", "enumeration", "frontier", "samples")),
        ("analyze", "scale", ("relative", "thesis")),
        ("match", "reveal", ("layouts", "shots")),
        ("puzzle", "kind", ("best", "certain")),
        ("puzzle", "grade", ("easy", "medium", "hard")),
        ("dataset export", "reward", ("shots", "hits", "advantage", "finish")),
    ],
)
def test_the_values_of_an_option_are_completed_and_in_its_help(
    command: str, option: str, values: tuple[str, ...]
) -> None:
    context = typer.Context(COMMANDS[command])
    (found,) = (each for each in COMMANDS[command].params if each.name == option)
    assert [each.value for each in found.shell_complete(context, "")] == list(values)
    assert [each.value for each in found.shell_complete(context, values[-1])] == [values[-1]]
    assert all(value in found.help for value in values)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_what_an_option_takes(name: str, run: Run) -> None:
    """`PLAYER`, `FILE` or `DIR`, not the type that Python reads it as."""
    _, out, _ = run(*name.split(), "--help")
    assert not re.findall(r"\b(?:PATH|TEXT|FLOAT|INTEGER)\b", out)


def test_players_show_what_a_parameter_takes_and_its_default(run: Run) -> None:
    out = "".join(run("players", name)[1] for name in ("exec", "exact", "even"))
    assert re.findall(r"^  (\S+)  (.*)$", out, re.MULTILINE) == [
        ("exec:command=", "text"),
        ("exec:seconds=", "number, default 10.0"),
        ("exec:prepare=", "number, default 60.0"),
        ("exec:games=", "whole number, default 64"),
        ("exec:faults=", "random|loss, default random"),
        ("exact:seconds=", "number, default 1.0"),
        ("exact:ties=", "first|isolated, default first"),
        ("exact:prior=", "file"),
        ("even:colour=", "even|odd, default even"),
        ("even:pattern=", "checkerboard|index, default index"),
        ("even:spare=", "true|false, default true"),
    ]


def test_the_completion_script_is_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SEABATTLE_COMPLETE", "source_bash")
    code, out, _ = run()
    assert code == 0
    assert "complete -o default -F _seabattle_completion seabattle" in out


@pytest.mark.parametrize("arguments", [["rules"], ["rules", "russian"], ["players"], ["--help"]])
def test_output_fits_eighty_columns(run: Run, arguments: list[str]) -> None:
    code, out, _ = run(*arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert not cut_off(out)


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
