"""`seabattle tournament`: two-sided games of every pair, and ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..rules import Rules
from .compare import Scheduler, Seed, progress_shown, stopping, where_to_play
from .options import with_rules
from .runs import StoreOption, book_of


@with_rules
def tournament(
    entrants: Annotated[
        list[str],
        typer.Argument(help="Players, such as even; with a placer of its own: even@edges."),
    ],
    rules: Rules,
    placer: Annotated[
        list[str] | None,
        typer.Option(
            help="Who hides the ships of players named without one (default: uniform); "
            "given twice, every player enters with each."
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Games of each pair; an even number.")] = 200,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(help="Processes that play at the same time.")] = 1,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the report page and the data to this folder.")
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Let every two entrants play each other; rate them."""
    from ..experiment.tournament import Entrant, checked_entrants, tournament_settings
    from ..experiment.tournament import tournament as play_all
    from ..report import outputs
    from ..report.tournament_page import text_tables, write_tournament

    chosen = checked_entrants(
        Entrant.from_text(text, each)
        for text in entrants
        for each in ((placer or ["uniform"]) if "@" not in text else [""])
    )
    if out is not None:
        outputs.checked_folder(out)
    settings = tournament_settings(chosen, rules, games, seed)
    with (
        stopping(store),
        book_of(store, "tournament", settings) as book,
        where_to_play(scheduler, jobs) as (executor, at_a_time),
        progress_shown(json_output) as progress,
    ):
        result = play_all(
            chosen, rules, games, seed, at_a_time, progress, executor=executor, book=book
        )
    if out is not None:
        names = " ".join(entrant.name for entrant in chosen)
        rules_text = rules.to_text()
        quoted = rules_text if " " not in rules_text else f"'{rules_text}'"
        write_tournament(
            result,
            out / "index.html",
            command=f"seabattle tournament {names} --rules {quoted} --games {games} --seed {seed}",
        )
        text = json.dumps(result.to_json(), allow_nan=False)
        (out / "tournament.json").write_text(text + "\n", encoding="utf-8")
    if json_output:
        print(json.dumps(result.to_json(), allow_nan=False))
        return
    print(text_tables(result))
    if out is not None:
        print(f"\nReport page: {out / 'index.html'}")
