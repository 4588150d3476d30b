"""`seabattle compare` and `seabattle leaderboard`: many games, one table."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ExperimentError
from ..rules import Rules
from .options import with_rules
from .runs import StoreOption, book_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..experiment import Comparison
    from ..experiment.batches import Progress

Games = Annotated[int, typer.Option(help="Games of each player.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on the Dask cluster with this scheduler."),
]
Seed = Annotated[int, typer.Option(help="Decides the layouts and the players' chance.")]


@with_rules
def compare(
    players: Annotated[
        list[str], typer.Argument(help="Players, such as even or mcts:iterations=1000.")
    ],
    rules: Rules,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games of each player; with --precision, at most so many.",
            show_default="1000; with --precision 100000",
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(help="Processes that play at the same time.")] = 1,
    precision: Annotated[
        float | None,
        typer.Option(help="Play until the 95% interval of every mean is ± this or narrower."),
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(help="Write a row per game to this file.")] = None,
    xlsx: Annotated[Path | None, typer.Option(help="Write a spreadsheet to this file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write table, data and plots to this folder.")
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
) -> None:
    """Let players find the same fleets and compare the shots they need."""
    from ..report import outputs

    if games is None:
        from ..experiment.stopping_rule import MOST_GAMES

        games = 1000 if precision is None else MOST_GAMES
    if csv is not None:
        outputs.checked_file(csv)
    if xlsx is not None:
        from ..report.spreadsheet import MOST_ROWS

        outputs.needs("xlsxwriter", "xlsx", "A spreadsheet")
        if games > MOST_ROWS:
            raise ExperimentError(f"A spreadsheet holds {MOST_ROWS:,} games, not {games:,}.")
        outputs.checked_file(xlsx)
    if out is not None:
        outputs.needs("matplotlib", "plots", "A folder with plots")
        outputs.checked_folder(out)
    comparison = _play(
        players,
        rules,
        games,
        seed,
        jobs,
        quiet=json_output,
        store=store,
        precision=precision,
        scheduler=scheduler,
    )

    if csv is not None:
        outputs.write_csv(comparison, csv)
    if xlsx is not None:
        from ..report.spreadsheet import write_xlsx

        write_xlsx(comparison, xlsx)
    if out is not None:
        outputs.write_folder(comparison, out)
    if json_output:
        print(json.dumps(comparison.to_json(), allow_nan=False))
        return
    from ..report.comparison_table import text_table

    print(text_table(comparison))
    written = [str(path) for path in (csv, xlsx, out) if path is not None]
    if written:
        print(f"\nWritten: {', '.join(written)}")


@with_rules
def leaderboard(
    rules: Rules,
    games: Games = 1000,
    seed: Seed = 0,
    jobs: Annotated[
        int | None,
        typer.Option(help="Processes that play at the same time.", show_default="all cores"),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the page and the data.")] = Path(
        "out/leaderboard"
    ),
    slow: Annotated[
        bool, typer.Option("--slow", help="Also players that take a second or more a game.")
    ] = False,
) -> None:
    """Play every ready player; print the table, write the report page."""
    from ..players import all_players
    from ..report import outputs
    from ..report.comparison_table import text_table
    from ..report.leaderboard import write_leaderboard

    outputs.checked_folder(out)
    ready, left_out = _ready_players(rules, slow)
    jobs = _cores() if jobs is None else jobs
    comparison = _play(ready, rules, games, seed, jobs, quiet=False)
    page = out / "index.html"
    write_leaderboard(comparison, all_players(), page, command=_command(rules, games, seed, slow))
    outputs.write_json(comparison, out / "comparison.json")
    outputs.write_csv(comparison, out / "games.csv")
    print(text_table(comparison, ranked=True))
    if left_out:
        print("\nNot played: " + "; ".join(f"{name} ({why})" for name, why in left_out.items()))
    print(f"\nReport page: {page}")


def _play(
    players: list[str],
    rules: Rules,
    games: int,
    seed: int,
    jobs: int,
    *,
    quiet: bool,
    store: str | None = None,
    precision: float | None = None,
    scheduler: str | None = None,
) -> Comparison:
    from ..experiment import compare as play_all
    from ..experiment.batches import contestants

    settings = {
        "players": [name for name, _ in contestants(players)],
        "rules": rules.to_text(),
        "games": games,
        "seed": seed,
        **({} if precision is None else {"precision": precision}),
    }
    with (
        stopping(store),
        book_of(store, "comparison", settings) as book,
        where_to_play(scheduler, jobs) as (executor, at_a_time),
        progress_shown(quiet) as progress,
    ):
        return play_all(
            players,
            rules,
            games,
            seed,
            at_a_time,
            progress,
            executor=executor,
            book=book,
            precision=precision,
        )


@contextmanager
def where_to_play(scheduler: str | None, jobs: int) -> Iterator[tuple[Executor | None, int]]:
    """The executor of a cluster if one was named, and how many batches to play at a time."""
    if scheduler is None:
        yield None, jobs
        return
    from ..experiment.cluster import cluster

    with cluster(scheduler) as (executor, threads):
        yield executor, threads


@contextmanager
def stopping(store: str | None) -> Iterator[None]:
    """Ctrl-C ends with code 130 and says how far it got."""
    from ..experiment import ComparisonStopped

    try:
        yield
    except ComparisonStopped as stopped:
        more = " The same command goes on from there." if store else ""
        print(f"seabattle: {stopped}{more}", file=sys.stderr)
        raise typer.Exit(130) from None


@contextmanager
def progress_shown(quiet: bool) -> Iterator[Progress | None]:
    """A bar for each player on a terminal; elsewhere a line when one is done."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bars() as show:
            yield show
    else:
        yield _line


def _line(name: str, played: int, games: int) -> None:
    if played == games:
        print(f"{name}: {games:,} games played", file=sys.stderr, flush=True)


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    bars: dict[str, TaskID] = {}
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    ) as progress:

        def show(name: str, played: int, games: int) -> None:
            if name not in bars:
                bars[name] = progress.add_task(name, total=games)
            progress.update(bars[name], completed=played)

        yield show


def _ready_players(rules: Rules, slow: bool) -> tuple[list[str], dict[str, str]]:
    """The players that can play as they stand, and why the others cannot."""
    from ..players import all_players, make_player
    from ..players.network_player import NetworkPlayer

    ready, left_out = [], {}
    for name, info in all_players().items():
        if info.slow and not slow:
            left_out[name] = "slow; --slow adds it"
            continue
        try:
            player = make_player(name)
            if isinstance(player, NetworkPlayer):
                player.check_rules(rules)
        except Exception as error:  # whatever a player lacks, the others can still play
            left_out[name] = f"needs {info.needs}" if info.needs else str(error)
            continue
        ready.append(name)
    return ready, left_out


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _command(rules: Rules, games: int, seed: int, slow: bool) -> str:
    """The command that makes the same page again."""
    text = rules.to_text()
    words = ["seabattle leaderboard"]
    if text != "classic":
        words.append(f"--rules {text}" if " " not in text else f"--rules '{text}'")
    words += [f"--games {games}", f"--seed {seed}"]
    return " ".join(words + ["--slow"] * slow)
