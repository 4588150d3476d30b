"""`seabattle play` and `seabattle replay`: games in the terminal."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import SeabattleError
from ..rules import Rules
from . import completion
from .options import PlacerOption, rules_given, with_rules

if TYPE_CHECKING:
    from ..terminal import Session


@with_rules
def play(
    ctx: typer.Context,
    rules: Rules,
    opponent: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="easy, medium, hard or perfect, or a player; see 'seabattle players'.",
            autocompletion=completion.opponents,
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Your name; give it twice with --two."),
    ] = None,
    two: Annotated[
        bool, typer.Option("--two", help="Play a second person at the same keyboard.")
    ] = False,
    solo: Annotated[
        bool, typer.Option("--solo", help="Find a hidden fleet alone, and count the shots.")
    ] = False,
    first: Annotated[
        str,
        typer.Option(
            metavar="WHO",
            help="Who shoots first: me, them or random.",
            autocompletion=completion.words("me", "them", "random"),
        ),
    ] = "me",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the computer's placement and play.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Continue a saved game; 'last' is the game you left most recently.",
        ),
    ] = None,
    placer: PlacerOption = "uniform",
    repeats: Annotated[
        bool,
        typer.Option(
            "--repeats",
            help="Let people shoot at a known cell again, after a warning, as a wasted move.",
        ),
    ] = False,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn",
            help="Let the opponent (learning-exact, or dreadnought) learn from your earlier games.",
        ),
    ] = False,
    forget: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Delete what --learn has kept about NAME, and exit."),
    ] = None,
) -> None:
    """Play in the terminal. Prompts for anything not given as an option.

    A game that you leave is kept, and --resume last continues it.

    Examples:
      seabattle play
      seabattle play --opponent hard --rules russian
      seabattle play --solo --rules mini
      seabattle play --two --name Ann --name Bob
      seabattle play --learn --name Ann
      seabattle play --resume last
    """
    import numpy as np

    from ..compiled.seeds import checked_seed
    from ..experiment.data_folder import data_folder
    from ..record import DuelRecord
    from ..terminal import (
        MemoryFiles,
        SavedGames,
        Screen,
        Session,
        SessionOptions,
        SoloResults,
        SoloSession,
    )
    from ..terminal.replay import load_record

    memories = MemoryFiles(data_folder() / "memories")
    if forget is not None:
        known = memories.wipe(forget)
        print(f"{forget} is forgotten." if known else f"Nothing was kept about {forget}.")
        return
    chosen = rules if rules_given(ctx) else None
    if learn and opponent is None and not two:
        opponent = "learning-exact"
    options = SessionOptions(
        chosen, opponent, tuple(name or ()), first, two, placer, repeats, learn
    )
    if resume is not None and options != SessionOptions():
        raise SeabattleError(
            "A saved game has its own rules and players; only --seed can be added."
        )
    rng = np.random.default_rng(None if seed is None else checked_seed(seed))
    if solo:
        if resume is not None or options != SessionOptions(chosen):
            raise SeabattleError("Solo play has no opponent; give it rules and a seed at most.")
        results = SoloResults(data_folder() / "solo-games.tsv")
        with _code_130():
            SoloSession(Screen.standard(), rules, rng, results).run()
        return
    saved = SavedGames(data_folder() / "unfinished-games")
    session = Session(
        Screen.standard(), options, rng, saved, stand_in=seed is None, memories=memories
    )
    with _left_when_closed(session):
        if resume is None:
            session.run()
        elif resume == "last":
            session.resume_last()
        else:
            record = load_record(Path(resume))
            if not isinstance(record, DuelRecord):
                raise SeabattleError("Only a game between two sides can be resumed.")
            session.resume(record)


@contextmanager
def _code_130() -> Iterator[None]:
    """Ctrl-C ends with its exit code; the session has said goodbye."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@contextmanager
def _left_when_closed(session: Session) -> Iterator[None]:
    """A closed terminal or a polite kill counts as the end of input, so that the game is kept."""
    numbers = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]
    closed = False

    def end(number: int, frame: object) -> None:
        nonlocal closed
        closed = True
        # Once is enough: nothing may interrupt the saving.
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise EOFError

    before = {number: signal.signal(number, end) for number in numbers}
    try:
        try:
            with _code_130():
                yield
        except EOFError:  # the signal came while the session was ending anyway
            session.leave()
    except OSError:
        if not closed:  # otherwise there is no terminal any more to say goodbye on
            raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved game.")],
    move: Annotated[int | None, typer.Option(help="Start after this move; 0 is the start.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every position and exit.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a saved game move by move.

    Examples:
      seabattle replay game.txt
      seabattle replay game.txt --move 20
      seabattle replay game.txt --all
    """
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
