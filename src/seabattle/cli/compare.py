"""`seabattle compare` and `seabattle leaderboard`: players on the same layouts."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ExperimentError
from ..rules import Rules
from . import completion
from .experiments import experiment, sealed_log, seed_words, separated
from .options import (
    Games,
    Jobs,
    Json,
    LayoutSetOption,
    LogOption,
    Scheduler,
    Seed,
    StoreOption,
    with_rules,
)

if TYPE_CHECKING:
    from ..experiment import Comparison


@with_rules
def compare(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER",
            help="Players, such as even or mcts:iterations=1000.",
            autocompletion=completion.players,
        ),
    ],
    rules: Rules,
    games: Annotated[
        int | None,
        typer.Option(
            help="Games per player; with --precision, at most this many.",
            show_default="1000, or 100000 with --precision",
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHOTS",
            help="Play until the 95% interval of every mean is ± this or narrower.",
        ),
    ] = None,
    json_output: Json = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one row per game to a .csv file.")
    ] = None,
    xlsx: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a spreadsheet to a .xlsx file.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write a report page, the table, the data and plots to this folder.",
        ),
    ] = None,
    store: StoreOption = None,
    scheduler: Scheduler = None,
    layout_set: LayoutSetOption = None,
    log: LogOption = None,
) -> None:
    """Compare players by the shots they need on the same layouts.

    The table lists the players by their mean, best first. Ctrl-C prints the games so far.

    Examples:
      seabattle compare even density exact
      seabattle compare density hlp --rules thesis --games 10000 --jobs 2
      seabattle compare even density --precision 0.2 --store default
      seabattle compare mcts:iterations=500 density --games 100 --out out/mcts
    """
    from ..experiment.stopping_rule import MOST_GAMES
    from ..report.comparison_table import text_table

    players = separated(players)
    if games is None:
        games = 1000 if precision is None else MOST_GAMES
    _check_outputs(csv, xlsx, out, games)
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
        layout_set=layout_set,
        log=log,
    )
    _write_outputs(comparison, csv, xlsx, out, _compare_command(players, comparison, precision))
    if json_output:
        print(json.dumps(comparison.to_json(), allow_nan=False))
        return
    print(text_table(comparison))
    written = [str(path) for path in (csv, xlsx) if path is not None]
    if written:
        print(f"\nWritten: {', '.join(written)}")
    if out is not None:
        print(f"\nReport page: {out / 'index.html'}")


def _check_outputs(csv: Path | None, xlsx: Path | None, out: Path | None, games: int) -> None:
    """Find out before any game is played whether the results can be written."""
    from ..report import outputs
    from ..report.spreadsheet import MOST_ROWS

    if csv is not None:
        outputs.checked_file(csv, ".csv")
    if xlsx is not None:
        outputs.needs("xlsxwriter", "xlsx", "A spreadsheet")
        if games > MOST_ROWS:
            raise ExperimentError(
                f"A spreadsheet holds at most {MOST_ROWS:,} games, not {games:,}."
            )
        outputs.checked_file(xlsx, ".xlsx")
    if out is not None:
        outputs.needs("matplotlib", "plots", "A folder with plots")
        outputs.checked_folder(out)


def _write_outputs(
    comparison: Comparison, csv: Path | None, xlsx: Path | None, out: Path | None, command: str
) -> None:
    from ..players import all_players
    from ..report import outputs
    from ..report.leaderboard import write_page
    from ..report.spreadsheet import write_xlsx

    if csv is not None:
        outputs.write_csv(comparison, csv)
    if xlsx is not None:
        write_xlsx(comparison, xlsx)
    if out is not None:
        outputs.write_folder(comparison, out)
        write_page("comparison", comparison, all_players(), out / "index.html", command=command)


@with_rules
def leaderboard(
    rules: Rules,
    games: Games = 1000,
    seed: Seed = 0,
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes.", show_default="all cores")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the page and the data.")
    ] = Path("out/leaderboard"),
    slow: Annotated[
        bool,
        typer.Option("--slow", help="Include players that take a second or more per game."),
    ] = False,
    store: StoreOption = None,
    layout_set: LayoutSetOption = None,
    log: LogOption = None,
) -> None:
    """Compare every ready player: a table and a report page.

    Examples:
      seabattle leaderboard
      seabattle leaderboard --rules mini --games 5000 --slow
      seabattle leaderboard --games 20000 --store default --out out/big
    """
    from ..players import all_players
    from ..report import outputs
    from ..report.comparison_table import text_table
    from ..report.diagnosis import cores
    from ..report.leaderboard import write_page

    outputs.checked_folder(out)
    ready, left_out = _ready_players(rules, slow)
    jobs = cores() if jobs is None else jobs
    command = _command(["leaderboard"], rules, games, seed, layout_set, ["--slow"] * slow)
    comparison = _play(
        ready,
        rules,
        games,
        seed,
        jobs,
        store=store,
        layout_set=layout_set,
        log=log,
        command=command,
    )
    page = out / "index.html"
    write_page("leaderboard", comparison, all_players(), page, command=command)
    outputs.write_json(comparison, out / "comparison.json")
    outputs.write_csv(comparison, out / "games.csv")
    print(text_table(comparison))
    if left_out:
        print("\nNot played:")
        for name, why in left_out.items():
            print(textwrap.fill(f"  {name}: {why}", 80, subsequent_indent="    "))
    print(f"\nReport page: {page}")


def _play(
    players: list[str],
    rules: Rules,
    games: int,
    seed: int,
    jobs: int,
    *,
    quiet: bool = False,
    store: str | None = None,
    precision: float | None = None,
    scheduler: str | None = None,
    layout_set: str | None = None,
    log: Path | None = None,
    command: str | None = None,
) -> Comparison:
    from ..experiment import compare as play_all
    from ..experiment.comparison import unique_players
    from ..report.comparison_table import text_table

    settings = {
        "players": [name for name, _ in unique_players(players)],
        "rules": rules.to_text(),
        "games": games,
        "seed": seed,
        **({} if precision is None else {"precision": precision}),
        **({} if layout_set is None else {"set": layout_set}),
    }
    if command is None:
        words = ["compare", *players]
        command = _command(words, rules, games, seed, layout_set, _narrow(precision))
    logged_in = sealed_log(layout_set, log, command)
    with experiment(
        "comparison",
        settings,
        jobs=jobs,
        store=store,
        scheduler=scheduler,
        progress=not quiet,
        table=None if quiet else text_table,
    ) as setup:
        return play_all(
            players,
            rules,
            games,
            seed,
            precision=precision,
            layout_set=layout_set,
            sealed_log=logged_in,
            **setup.options,
        )


def _ready_players(rules: Rules, slow: bool) -> tuple[list[str], dict[str, str]]:
    """The players that can play, and why the others cannot."""
    from ..players import all_players, why_not

    ready, left_out = [], {}
    for name, info in all_players().items():
        if info.runs_programs:  # no player without its command
            continue
        reason = "slow; --slow includes it" if info.slow and not slow else why_not(name, rules)
        if reason:
            left_out[name] = reason
        else:
            ready.append(name)
    return ready, left_out


def _compare_command(players: list[str], result: Comparison, precision: float | None) -> str:
    """The command that makes the same comparison."""
    games = result.games if result.precision is None else result.precision.most
    narrow = _narrow(precision)
    words = ["compare", *players]
    return _command(words, result.rules, games, result.seed, result.layout_set, narrow)


def _narrow(precision: float | None) -> list[str]:
    return [] if precision is None else ["--precision", f"{precision:g}"]


def _command(
    words: list[str],
    rules: Rules,
    games: int,
    seed: int,
    layout_set: str | None,
    more: Sequence[str] = (),
) -> str:
    """The command that gives the same result."""
    text = rules.to_text()
    words = ["seabattle", *words, *(["--rules", text] if text != "classic" else [])]
    words += ["--games", str(games), *seed_words(seed, layout_set), *more]
    return shlex.join(words)
