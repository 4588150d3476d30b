"""`seabattle runs`: inspect a results file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import StoreError
from .experiments import store_path
from .help import CommandGroup
from .options import Json

if TYPE_CHECKING:
    from ..experiment import Comparison
    from ..experiment.results_log import Series, SeriesResult
    from ..experiment.store import Store, StoredGame, StoredRun
    from ..record import DuelRecord, GameRecord

StoreFile = Annotated[
    str,
    typer.Option(
        "--store",
        metavar="FILE",
        help="The results file; 'default' is the file in your data folder.",
    ),
]
RunNumber = Annotated[
    int, typer.Argument(metavar="RUN", help="Number of the run, as 'runs list' shows it.")
]

runs = typer.Typer(cls=CommandGroup, help="Inspect a results file.", rich_markup_mode=None)


@runs.command("list")
def list_runs(store: StoreFile = "default", json_output: Json = False) -> None:
    """List the runs and how far each one got.

    Examples:
      seabattle runs list
      seabattle runs list --store results.sqlite --json
    """
    with _opened(store) as opened:
        found = opened.runs()
    if json_output:
        print(json.dumps({"runs": [run.to_json() for run in found]}))
        return
    if not found:
        print("No runs yet.")
    for run in found:
        state = "finished" if run.finished else f"{run.played:,} of {run.games:,} games"
        print(f"{run.id:>4}  {run.kind}  {run.started[:16].replace('T', ' ')}  {state}")
        print(f"      {_settings_line(run.settings)}; version {run.version}")


@runs.command("show")
def show_run(run: RunNumber, store: StoreFile = "default", json_output: Json = False) -> None:
    """Show the settings and the results of a run.

    Examples:
      seabattle runs show 3
    """
    with _opened(store) as opened:
        stored = opened.run(run)
        if json_output:
            result = _as_json(opened, stored) if stored.finished else None
            print(json.dumps({**stored.to_json(), "result": result}, allow_nan=False))
            return
        state = "finished" if stored.finished else "unfinished"
        print(f"Run {run}: {stored.kind}, {state}, {stored.played:,} of {stored.games:,} games")
        print(f"Started {stored.started}, version {stored.version}")
        print(f"{_settings_line(stored.settings)}\n")
        if stored.finished:
            print(_as_text(opened, stored))
            return
        for series in opened.series_of(run):
            print(f"  {series.label}: {series.games:,} games")
        print("Run the same command again to resume it.")


@runs.command("export")
def export_run(
    run: RunNumber,
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file ending in .csv, .parquet or .xlsx.")
    ],
    store: StoreFile = "default",
) -> None:
    """Write one row per game as CSV, Parquet or XLSX.

    Examples:
      seabattle runs export 3 games.parquet
    """
    from ..report.games_table import export

    with _opened(store) as opened:
        written = export(opened.games_of(run), out)
    print(f"Written: {out} ({written:,} games)")


@runs.command("replay")
def replay_game(
    run: RunNumber,
    game: Annotated[int, typer.Argument(metavar="GAME", help="Number of the game, from 0.")],
    player: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Whose game, if the run has several players."),
    ] = None,
    store: StoreFile = "default",
) -> None:
    """Print the record of one game, with every answer recomputed.

    Examples:
      seabattle runs replay 3 17 --player even
    """
    with _opened(store) as opened:
        duels = opened.run(run).kind == "tournament"
        found = [each for each in opened.games_of(run) if each.number == game]
    wanted = [each for each in found if player is None or player in _names(each)]
    records = both_sides(wanted) if duels else [each.record() for each in wanted]
    if not records:
        what = f"game {game}" + (f" of {player}" if player else "")
        names = f"; it has {', '.join(each.label for each in found)}" if found else ""
        raise StoreError(f"Run {run} has no {what}{names}.")
    print("\n".join(record.to_text() for record in records), end="")


@runs.command("delete")
def delete_run(run: RunNumber, store: StoreFile = "default") -> None:
    """Delete a run and the games that no other run uses.

    Examples:
      seabattle runs delete 3
    """
    with _opened(store) as opened:
        opened.delete(run)
    print(f"Deleted run {run}.")


def _opened(store: str) -> Store:
    from ..experiment.store import Store

    return Store(store_path(store), create=store == "default")


def _as_text(store: Store, run: StoredRun) -> str:
    """The results of a finished run, as the command that made it prints them."""
    from ..experiment.sequential_test import SequentialVerdict
    from ..experiment.tournament import Tournament
    from ..report.comparison_table import series_table, text_table
    from ..report.tournament_page import text_tables
    from ..report.verdict_text import verdict_text

    results = store.results(run.id)
    if run.kind == "tournament":
        return text_tables(Tournament.of(run.settings, results))
    if run.kind == "test":
        return verdict_text(SequentialVerdict.of(run.settings, results))
    if run.kind == "comparison":
        return text_table(_comparison(run, results))
    return series_table(results)


def _comparison(run: StoredRun, results: list[tuple[Series, SeriesResult]]) -> Comparison:
    from ..experiment import Comparison

    asked, layout_set = run.settings.get("seed"), run.settings.get("set")
    return Comparison.of(results, run.stopping_rule, seed=asked, layout_set=layout_set)


def _as_json(store: Store, run: StoredRun) -> dict[str, Any]:
    from ..experiment import PlayerResult
    from ..experiment.sequential_test import SequentialVerdict
    from ..experiment.tournament import Tournament

    results = store.results(run.id)
    if run.kind == "tournament":
        return Tournament.of(run.settings, results).to_json()
    if run.kind == "test":
        return SequentialVerdict.of(run.settings, results).to_json()
    if run.kind == "comparison":
        return _comparison(run, results).to_json()
    return {
        "series": [
            {
                **PlayerResult.of(series, result).to_json(),
                "rules": series.rules.to_json(),
                "seed": series.seed,
                "opponent": series.opponent or None,
            }
            for series, result in results
        ]
    }


def _names(game: StoredGame) -> tuple[str, ...]:
    """Who played a game."""
    return (game.entrant, game.opponent) if game.opponent else (game.player,)


def both_sides(games: list[StoredGame]) -> list[DuelRecord]:
    """The two-sided games of which both sides have been played."""
    from ..experiment.tournament import duel_of, lost_by, moves_first

    def record(game: StoredGame) -> GameRecord:
        return replace(game.record(), player=game.entrant)

    sides = {(game.entrant, game.opponent, game.number): game for game in games}
    return [
        duel_of(record(first), record(second), lost_by(first.lost, second.lost))
        for first in games
        if moves_first(first.entrant, first.opponent, first.number)
        and (second := sides.get((first.opponent, first.entrant, first.number)))
    ]


def _settings_line(settings: dict[str, Any]) -> str:
    words = []
    for name, value in settings.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        words.append(f"{name} {text}")
    return "; ".join(words)
