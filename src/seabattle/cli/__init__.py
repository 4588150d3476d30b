"""The command line: `seabattle COMMAND`.

The commands of a feature are in one module, which imports what a command needs only when
it runs, so that `--help` is fast. User errors are printed here: one sentence on standard
error, exit code 2.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import typer

from ..errors import SeabattleError
from . import (
    agents,
    analyze,
    catalogue,
    compare,
    dataset,
    doctor,
    engine,
    equilibrium,
    hide,
    match,
    play,
    puzzle,
    reproduce,
    runs,
    serve,
    solve,
    test,
    tournament,
    train,
    tune,
)
from .help import Command, CommandGroup
from .interrupts import Interrupted, end_on_interrupt, leave
from .usage import printable, sentence

INTERRUPTED = 130
"""the exit code after Ctrl-C"""

HEADINGS = {
    "Play": ("play", "serve", "replay", "puzzle"),
    "Understand": (
        "rules",
        "players",
        "analyze",
        "count",
        "solve",
        "bounds",
        "hide",
        "equilibrium",
    ),
    "Measure": ("compare", "match", "tournament", "leaderboard", "test", "reproduce", "runs"),
    "Learn": ("train", "tune", "evaluate", "dataset"),
    "Connect": ("engine", "mcp", "tasks", "doctor"),
}
"""how the help groups the commands"""


class Commands(CommandGroup):
    """Commands that the help lists under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        wide = max(map(len, self.commands))
        for heading, names in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    (f"{name:<{wide}}", self.commands[name].get_short_help_str(formatter.width))
                    for name in names
                )

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        formatter.write_paragraph()
        formatter.write_text("'seabattle COMMAND --help' explains a command, with examples.")


app = typer.Typer(
    name="seabattle",
    cls=Commands,
    help="The laboratory for the game of Battleship.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
app.command("rules")(catalogue.rules)
app.command("players")(catalogue.players)
app.command("analyze")(analyze.analyze)
app.command("count")(analyze.count)
app.command("play")(play.play)
app.command("replay")(play.replay)
app.command("puzzle")(puzzle.puzzle)
app.command("compare")(compare.compare)
app.command("leaderboard")(compare.leaderboard)
app.command("serve")(serve.serve)
app.command("solve")(solve.solve)
app.command("bounds")(solve.bounds)
app.command("match")(match.match)
app.command("equilibrium")(equilibrium.equilibrium)
app.command("hide")(hide.hide)
app.command("tournament")(tournament.tournament)
app.command("test")(test.sequential)
app.command("reproduce")(reproduce.reproduce)
app.command("train")(train.train)
app.command("tune")(tune.tune)
app.command("evaluate")(train.evaluate)
app.command("mcp")(agents.mcp)
app.command("tasks")(agents.tasks)
app.add_typer(dataset.dataset, name="dataset")
app.command("engine")(engine.engine)
app.command("doctor")(doctor.doctor)
app.add_typer(runs.runs, name="runs")
for group in (app, dataset.dataset, runs.runs):
    for each in group.registered_commands:
        each.cls = Command


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        print(__version__)
        raise typer.Exit()


@app.callback()
def common(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit. Without arguments, it is that of the command line."""
    if arguments is None:
        end_on_interrupt()
    code = _run(arguments)
    if arguments is None and code == INTERRUPTED:
        leave(code)
    raise SystemExit(code)


@cache
def _commands() -> Any:
    """All commands with their options, which take a while to put together."""
    return typer.main.get_command(app)


def _run(arguments: list[str] | None) -> int:
    """The exit code of a command."""
    try:
        code = _commands()(arguments, prog_name="seabattle", standalone_mode=False)
    except SeabattleError as error:
        return _fail(str(error))
    except Interrupted as stopped:
        if arguments is None:  # nobody needs to hear of what was half made when Ctrl-C came
            sys.unraisablehook = lambda _: None
        return _fail(str(stopped), code=INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return _fail(sentence(error))
    return code if isinstance(code, int) else 0


def _fail(told: str, code: int = 2) -> int:
    print(f"seabattle: {printable(told)}", file=sys.stderr)
    return code
