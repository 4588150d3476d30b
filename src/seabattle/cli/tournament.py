"""`seabattle tournament`: two-sided games between every pair, and ratings."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..rules import Rules
from . import completion
from .experiments import experiment, print_result, separated
from .match import RevealOption
from .options import Jobs, Json, Scheduler, Seed, StoreOption, with_rules

if TYPE_CHECKING:
    from ..experiment.tournament import Tournament


@with_rules
def tournament(
    entrants: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER",
            help="Players, such as even, or even@edges to hide its ships with the placer edges.",
            autocompletion=completion.entrants,
        ),
    ],
    rules: Rules,
    placer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACER",
            help="Hides the ships of players given without a placer. If repeated, every player "
            "enters once with each placer.",
            show_default="uniform",
            autocompletion=completion.placers,
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Games per pair; an even number.")] = 200,
    match: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Have every pair play a match of N games, so that learning players see each "
            "finished game.",
        ),
    ] = None,
    reveal: RevealOption = "layouts",
    seed: Seed = 0,
    jobs: Jobs = 1,
    json_output: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a report page and the data to this folder."),
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Rate players by two-sided games between every pair.

    Examples:
      seabattle tournament even density random
      seabattle tournament even@edges even@uniform --games 2000 --jobs 2
      seabattle tournament learning-exact dreadnought exact --match 100 --jobs 2
      seabattle tournament even density --rules russian --out out/tournament
    """
    from ..experiment.match import checked_reveal, match_settings, matches
    from ..experiment.tournament import Entrant, checked_entrants, tournament_settings
    from ..experiment.tournament import tournament as play_all
    from ..report import outputs
    from ..report.tournament_page import text_tables

    chosen = checked_entrants(
        Entrant.from_text(text, each)
        for text in separated(entrants)
        for each in ((placer or [""]) if "@" not in text else [""])
    )
    revealed = checked_reveal(reveal)
    if out is not None:
        outputs.checked_folder(out)
    settings = tournament_settings(chosen, rules, games, seed)
    if match is not None:
        games = match
        settings = match_settings(chosen, rules, games, seed, revealed)
    with experiment(
        "tournament",
        settings,
        jobs=jobs,
        store=store,
        scheduler=scheduler,
        progress=not json_output,
        table=None if json_output else text_tables,
    ) as setup:
        if match is not None:
            result = matches(chosen, rules, games, seed, reveal=revealed, **setup.options)
        else:
            result = play_all(chosen, rules, games, seed, **setup.options)
    if out is not None:
        _write(result, out)
    written = None if out is None else f"Report page: {out / 'index.html'}"
    print_result(result, text_tables, json_output, written)


def _write(result: Tournament, out: Path) -> None:
    """The report page and the data."""
    from ..report.tournament_page import write_tournament

    names = [entrant.name for entrant in result.entrants]
    words = ["seabattle", "tournament", *names, "--rules", result.rules.to_text()]
    words += ["--match" if result.as_matches else "--games", str(result.games)]
    words += ["--seed", str(result.seed)]
    write_tournament(result, out / "index.html", command=shlex.join(words))
    text = json.dumps(result.to_json(), allow_nan=False)
    (out / "tournament.json").write_text(text + "\n", encoding="utf-8")
