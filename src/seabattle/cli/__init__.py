"""The command line: `seabattle COMMAND`.

The commands of a feature are in one module, which imports what a command needs only when
it runs, so that `--help` is fast. User errors are printed here: one sentence on standard
error, exit code 2.
"""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import SeabattleError
from . import (
    analyze,
    catalogue,
    compare,
    play,
    reproduce,
    runs,
    serve,
    solve,
    tournament,
    train,
    tune,
)

HEADINGS = {
    "Play": ("play", "serve", "replay"),
    "Understand": ("rules", "players", "analyze", "count", "solve", "bounds"),
    "Measure": ("compare", "tournament", "leaderboard", "reproduce", "runs"),
    "Learn": ("train", "tune", "evaluate"),
}
"""how the help groups the commands"""


class Commands(TyperGroup):
    """Commands that the help lists under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        wide = max(map(len, self.commands))
        for heading, names in HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    (f"{name:<{wide}}", self.commands[name].get_short_help_str(formatter.width))
                    for name in names
                )


app = typer.Typer(
    name="seabattle",
    cls=Commands,
    help="The laboratory for the game of Battleship.",
    no_args_is_help=True,
    add_completion=False,
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
app.command("compare")(compare.compare)
app.command("leaderboard")(compare.leaderboard)
app.command("serve")(serve.serve)
app.command("solve")(solve.solve)
app.command("bounds")(solve.bounds)
app.command("tournament")(tournament.tournament)
app.command("reproduce")(reproduce.reproduce)
app.command("train")(train.train)
app.command("tune")(tune.tune)
app.command("evaluate")(train.evaluate)
app.add_typer(runs.runs, name="runs")


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
    """Run one command and exit."""
    try:
        code = app(arguments, standalone_mode=False)
    except SeabattleError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("Stopped.", code=130)
    except typer.Abort:
        _fail("Stopped.", code=130)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(1) from None
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        _fail(f"{error.format_message()} See --help.")
    raise SystemExit(code if isinstance(code, int) else 0)


def _fail(sentence: str, code: int = 2) -> None:
    print(f"seabattle: {sentence}", file=sys.stderr)
    raise SystemExit(code)
