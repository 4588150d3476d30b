"""`seabattle play` and `seabattle replay`: games in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..errors import SeabattleError
from ..rules import Rules
from .options import rules_given, with_rules


@with_rules
def play(
    ctx: typer.Context,
    rules: Rules,
    opponent: Annotated[
        str | None,
        typer.Option(help="Computer player, such as exact or random; see 'seabattle players'."),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="Your name; give it twice with --two.")
    ] = None,
    two: Annotated[
        bool, typer.Option("--two", help="Play a second person at the same keyboard.")
    ] = False,
    first: Annotated[str, typer.Option(help="Who shoots first: me, them or random.")] = "me",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the computer's placement and play.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue a saved game.")] = None,
) -> None:
    """Play in the terminal. Prompts for anything not given as an option."""
    import numpy as np

    from ..compiled.seeds import checked_seed
    from ..record import DuelRecord
    from ..terminal import Screen, Session, SessionOptions
    from ..terminal.replay import load_record

    chosen = rules if rules_given(ctx) else None
    options = SessionOptions(chosen, opponent, tuple(name or ()), first, two)
    rng = np.random.default_rng(None if seed is None else checked_seed(seed))
    if resume is None:
        Session(Screen.standard(), options, rng).run()
        return
    if options != SessionOptions():
        raise SeabattleError(
            "A saved game has its own rules and players; only --seed can be added."
        )
    record = load_record(resume)
    if not isinstance(record, DuelRecord):
        raise SeabattleError("Only a game between two sides can be resumed.")
    Session(Screen.standard(), options, rng).resume(record)


def replay(
    file: Annotated[Path, typer.Argument(help="A saved game.")],
    move: Annotated[int | None, typer.Option(help="Start after this move; 0 is the start.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every position and exit.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a saved game move by move."""
    from rich.text import Text

    from ..terminal import Replay, Screen
    from ..terminal.replay import load_record

    game = Replay(load_record(file))
    start = game.checked(move or 0)
    if json_output:
        print(json.dumps(game.to_json(move)))
        return
    screen = Screen.standard()
    if not show_all:
        game.browse(screen, start)
        return
    for number in range(start, len(game.moves) + 1):
        screen.draw([*game.position(number, screen.width), Text()])
