"""`--store FILE`, and `seabattle runs`: what a results file has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import StoreError

if TYPE_CHECKING:
    from ..experiment.results_log import ResultsLog
    from ..experiment.store import Store, StoredGame
    from ..record import DuelRecord

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Keep every game in this results file and go on from what it has; "
        "'default' is a file in your data folder.",
    ),
]
StoreFile = Annotated[str, typer.Option("--store", metavar="FILE", help="The results file.")]
RunNumber = Annotated[int, typer.Argument(help="A run, as 'runs list' numbers it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

runs = typer.Typer(help="What a results file has.", no_args_is_help=True, rich_markup_mode=None)


def store_path(text: str) -> Path:
    from ..experiment.store import default_path

    return default_path() if text == "default" else Path(text)


@contextmanager
def book_of(store: str | None, kind: str, settings: dict[str, Any]) -> Iterator[ResultsLog | None]:
    """The book of a run, if a store was named."""
    if store is None:
        yield None
        return
    from ..experiment.store import Store

    with Store(store_path(store)) as opened, opened.book(kind, settings) as book:
        yield book


@runs.command("list")
def list_runs(store: StoreFile = "default", json_output: Json = False) -> None:
    """Every run: its number, what it is, how far it got."""
    with _opened(store) as opened:
        found = opened.runs()
    if json_output:
        print(json.dumps({"runs": [vars(run) for run in found]}))
        return
    if not found:
        print("No runs yet.")
    for run in found:
        state = "finished" if run.finished else f"{run.played:,} of {run.games:,} games"
        print(f"{run.id:>4}  {run.kind}  {run.started[:16].replace('T', ' ')}  {state}")
        print(f"      {_settings_line(run.settings)}; version {run.version}")


@runs.command("show")
def show_run(run: RunNumber, store: StoreFile = "default", json_output: Json = False) -> None:
    """One run: its settings, and the figures of its games."""
    with _opened(store) as opened:
        stored = opened.run(run)
        if stored.kind == "tournament":
            result: Any = _tournament(opened, run) if stored.played == stored.games else None
        else:
            result = _comparison(opened, run) if stored.played == stored.games else None
        series = opened.series_of(run)
    if json_output:
        value = {**vars(stored), "result": None if result is None else result.to_json()}
        print(json.dumps(value, allow_nan=False))
        return
    state = "finished" if stored.played == stored.games else "unfinished"
    print(f"Run {stored.id}: {stored.kind}, {state}, {stored.played:,} of {stored.games:,} games")
    print(f"Started {stored.started}, version {stored.version}")
    print(_settings_line(stored.settings))
    print()
    if result is None:
        for each in series:
            print(f"  {each.label}: {each.games:,} games wanted")
        print("The command that began it goes on from here.")
    elif stored.kind == "tournament":
        from ..report.tournament_page import text_tables

        print(text_tables(result))
    else:
        from ..report.comparison_table import text_table

        print(text_table(result))


@runs.command("export")
def export_run(
    run: RunNumber,
    out: Annotated[Path, typer.Argument(help="A file whose name ends in .csv, .parquet or .xlsx.")],
    store: StoreFile = "default",
) -> None:
    """Write a row per game: CSV, Parquet or XLSX, as the file's name ends."""
    from ..report.games_table import export

    with _opened(store) as opened:
        written = export(opened.games_of(run), out)
    print(f"Written: {out} ({written:,} games)")


@runs.command("replay")
def replay_game(
    run: RunNumber,
    game: Annotated[int, typer.Argument(help="The game's number, from 0.")],
    player: Annotated[
        str | None, typer.Option(help="Whose game, where the run has several players.")
    ] = None,
    store: StoreFile = "default",
) -> None:
    """Print the record of one game, every answer worked out again."""
    with _opened(store) as opened:
        duels = opened.run(run).kind == "tournament"
        found = [each for each in opened.games_of(run) if each.number == game]
    wanted = [each for each in found if player is None or player in _names(each, duels)]
    if not wanted:
        what = f"game {game}" + (f" of {player}" if player else "")
        names = f"; it has {', '.join(each.label for each in found)}" if found else ""
        raise StoreError(f"Run {run} has no {what}{names}.")
    records = _duels(wanted) if duels else [each.record() for each in wanted]
    print("\n".join(record.to_text() for record in records), end="")


@runs.command("delete")
def delete_run(run: RunNumber, store: StoreFile = "default") -> None:
    """Forget a run, and the games that no other run refers to."""
    with _opened(store) as opened:
        opened.delete(run)
    print(f"Deleted run {run}.")


def _opened(store: str) -> Store:
    from ..experiment.store import Store

    path = store_path(store)
    return Store(path, create=store == "default")


def _comparison(store: Store, run: int) -> Any:
    from ..experiment import Comparison, PlayerResult

    tallies = store.tallies(run)
    players = [
        PlayerResult(
            series.label,
            tuple(tally.shots.tolist()),
            tally.seconds / series.games,
            tally.peak_memory_mb,
        )
        for series, tally in tallies
    ]
    first = tallies[0][0]
    return Comparison(first.rules, first.games, first.seed, tuple(players))


def _tournament(store: Store, run: int) -> Any:
    from ..experiment.tournament import Tournament

    return Tournament.of_tallies(store.run(run).settings, store.tallies(run))


def _names(game: StoredGame, duel: bool) -> list[str]:
    """Who played a game."""
    return game.label.split(" against ") if duel else [game.player, game.label]


def _duels(sides: list[StoredGame]) -> list[DuelRecord]:
    """The games of two that these sides make; both sides of a game are among them."""
    from ..experiment.tournament import duel_of, moves_first

    by_label = {side.label: side for side in sides}
    duels = []
    for label, side in by_label.items():
        one, other = label.split(" against ")
        opponent = by_label[f"{other} against {one}"]
        if moves_first(one, other, side.number):
            records = [replace(side.record(), player=one), replace(opponent.record(), player=other)]
            duels.append(duel_of(*records))
    return duels


def _settings_line(settings: dict[str, Any]) -> str:
    words = []
    for name, value in settings.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        words.append(f"{name} {text}")
    return "; ".join(words)
