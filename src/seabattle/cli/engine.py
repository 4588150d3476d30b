"""`seabattle engine`: a player as an engine, and a check of somebody's engine."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..errors import SeabattleError
from . import completion


def engine(
    player: Annotated[
        str | None,
        typer.Argument(metavar="PLAYER", help="The player to serve, such as density."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="Run an engine and say what is wrong with it, if anything."
        ),
    ] = None,
    placer: Annotated[
        str,
        typer.Option(
            metavar="PLACER",
            help="Places the fleet when asked to.",
            show_default="the player's own, or uniform",
            autocompletion=completion.placers,
        ),
    ] = "",
    seconds: Annotated[float, typer.Option(help="With --check: time limit per answer.")] = 5.0,
    json_output: Annotated[bool, typer.Option("--json", help="With --check: print JSON.")] = False,
) -> None:
    """Serve a player as an engine, or check an engine in any language.

    An engine reads and writes one JSON message per line; docs/protocol.md explains them. The
    player exec:COMMAND runs one.

    Examples:
      seabattle engine density
      seabattle engine --check './my-engine --fast'
    """
    if (player is None) == (check is None):
        raise SeabattleError("Name a player to serve, or an engine with --check COMMAND.")
    if player is not None:
        from .. import __version__
        from ..engine.server import EngineServer, serve

        serve(EngineServer(player, placer, __version__))
        return
    from ..engine.check import check_engine

    assert check is not None
    report = check_engine(check, seconds)
    print(json.dumps(report.to_json()) if json_output else report.to_text())
    if not report.passed:
        raise typer.Exit(1)
