"""`seabattle match`: many games between two entrants, who may learn from game to game."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..rules import Rules
from . import completion
from .experiments import experiment, print_result
from .options import Jobs, Json, Scheduler, Seed, StoreOption, with_rules

RevealOption = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What is revealed after a game: layouts, or only what the shots have shown.",
        autocompletion=completion.values("experiment.match", "REVEALS"),
    ),
]


@with_rules
def match(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="An entrant: PLAYER or PLAYER@PLACER.",
            autocompletion=completion.entrants,
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(metavar="B", help="Its opponent.", autocompletion=completion.entrants),
    ],
    rules: Rules,
    games: Annotated[int, typer.Option(help="Number of games.")] = 100,
    placer: Annotated[
        str,
        typer.Option(
            metavar="PLACER",
            help="Hides the ships of entrants given without a placer.",
            show_default="the player's own, or uniform",
            autocompletion=completion.placers,
        ),
    ] = "",
    reveal: RevealOption = "layouts",
    seed: Seed = 0,
    jobs: Jobs = 1,
    json_output: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a plot of shots by game to a .png or .svg file."),
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Play a match: players that learn are told about every game before the next.

    The games of one match are played one after the other, so --jobs has no effect here; it
    does in 'tournament --match'.

    Examples:
      seabattle match learning-exact dreadnought --games 200
      seabattle match learning-exact exact@edges --games 50
      seabattle match exact@learning-placer learning-exact --store default
      seabattle match exec:./my-engine@engine density --games 20
    """
    from ..experiment.match import checked_reveal, match_settings
    from ..experiment.match import match as play_match
    from ..experiment.tournament import Entrant, checked_entrants
    from ..report import outputs
    from ..report.match_text import match_text, write_match_plot
    from ..report.tournament_page import text_tables

    one, other = checked_entrants(
        Entrant.from_text(text, "" if "@" in text else placer) for text in (a, b)
    )
    if out is not None:
        outputs.needs("matplotlib", "plots", "A plot")
        outputs.checked_file(out, out.suffix if out.suffix in (".png", ".svg") else ".png")
    revealed = checked_reveal(reveal)
    settings = match_settings((one, other), rules, games, seed, revealed)
    with experiment(
        "tournament",
        settings,
        jobs=jobs,
        store=store,
        scheduler=scheduler,
        progress=not json_output,
        table=None if json_output else text_tables,
    ) as setup:
        result = play_match(one, other, rules, games, seed, reveal=revealed, **setup.options)
    if out is not None:
        write_match_plot(result, out)
    written = None if out is None else f"Written: {shlex.quote(str(out))}"
    print_result(result, match_text, json_output, written)
