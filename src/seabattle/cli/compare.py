"""`seabattle compare` and `seabattle leaderboard`: players on the same layouts."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ExperimentError
from ..rules import Rules
from . import completion
from .experiments import experiment, placer_words, sealed_log, seed_words, separated
from .options import (
    GamesOption,
    Jobs,
    Json,
    LayoutSetOption,
    LogOption,
    PlacerOption,
    Scheduler,
    Seed,
    StoreOption,
    with_rules,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..experiment import Comparison
    from ..experiment.layout_sets import LayoutSet

MATRIX_PLACERS = ("edges", "spread", "clustered", "human")
"""against which the leaderboard measures every player, besides uniform layouts"""


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
            help="Play until every mean is known to within ± this many shots (95%).",
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
    placer: PlacerOption = "uniform",
    advantage: Annotated[
        bool,
        typer.Option(
            "--advantage",
            help="For slow players: estimate the difference between two from games of the first "
            "one only.",
        ),
    ] = False,
    samples: Annotated[
        int, typer.Option(min=1, help="With --advantage, fresh layouts for each choice.")
    ] = 100,
) -> None:
    """Compare players by the shots they need on the same layouts.

    The table lists the players by their mean, best first. Ctrl-C prints the results so far.

    Examples:
      seabattle compare even density exact
      seabattle compare density hlp --rules thesis --games 10000 --jobs 2
      seabattle compare even density --precision 0.2 --store default
      seabattle compare density exact --placer edges:tries=100
      seabattle compare mcts:iterations=500 density --games 100 --out out/mcts
      seabattle compare admiral:effort=normal admiral --advantage --games 500
    """
    from ..dealing import describe_placer
    from ..experiment.layout_sets import checked_set
    from ..experiment.stopping_rule import MOST_GAMES
    from ..report.comparison_table import text_table

    players, layout_set = separated(players), checked_set(layout_set)
    if advantage:
        if precision or csv or xlsx or out or store or scheduler:
            raise ExperimentError(
                "--advantage goes with --games, --samples, --seed, --set, --log, --jobs and "
                "--json only."
            )
        _compare_by_advantage(
            players, rules, 1000 if games is None else games, seed, jobs, samples, json_output,
            layout_set, log,
        )  # fmt: skip
        return
    if games is None:
        games = 1000 if precision is None else MOST_GAMES
    _check_outputs(csv, xlsx, out, games)
    plan = ComparisonPlan(
        players, rules, games, seed, layout_set, describe_placer(placer), precision
    )
    comparison = _play(
        plan,
        plan.command(),
        jobs=jobs,
        store=store,
        scheduler=scheduler,
        log=log,
        quiet=json_output,
    )
    _write_outputs(comparison, csv, xlsx, out, plan.command())
    if json_output:
        sys.stdout.writelines(comparison.json_parts())
        print()
        return
    print(text_table(comparison))
    written = [str(path) for path in (csv, xlsx) if path is not None]
    if written:
        print(f"\nWritten: {', '.join(written)}")
    if out is not None:
        print(f"\nReport page: {out / 'index.html'}")


def _compare_by_advantage(
    players: list[str],
    rules: Rules,
    games: int,
    seed: int,
    jobs: int,
    samples: int,
    json_output: bool,
    layout_set: LayoutSet | None,
    log: Path | None,
) -> None:
    from ..experiment.advantage import advantage
    from ..report.comparison_table import advantage_text

    if len(players) != 2:
        raise ExperimentError(f"--advantage compares two players, not {len(players)}.")
    more = ["--advantage", "--samples", str(samples)]
    command = _command(["compare", *players], rules, games, seed, layout_set, more)
    with experiment(
        "advantage", {}, jobs=jobs, progress=not json_output,
        table=None if json_output else advantage_text,
    ) as setup:  # fmt: skip
        found = advantage(
            players[0],
            players[1],
            rules=rules,
            games=games,
            seed=seed,
            samples=samples,
            jobs=jobs,
            progress=setup.progress,
            layout_set=layout_set,
            sealed_log=sealed_log(layout_set, log, command),
        )
    print(json.dumps(found.to_json(), allow_nan=False) if json_output else advantage_text(found))


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
    games: GamesOption = 1000,
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
    placer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACER",
            help="Also measure every player against fleets that this placer hides; can be "
            "repeated. 'uniform' alone omits the matrix of players and placers.",
            show_default=", ".join(MATRIX_PLACERS),
            autocompletion=completion.placers,
        ),
    ] = None,
    placer_games: Annotated[
        int | None,
        typer.Option(help="Games per player and placer.", show_default="a fifth of --games"),
    ] = None,
) -> None:
    """Rank all players that are ready to play: a table and a report page.

    A matrix shows how many shots each player needs against each placer.

    Examples:
      seabattle leaderboard
      seabattle leaderboard --rules mini --games 5000 --slow
      seabattle leaderboard --placer edges:tries=100 --placer human
      seabattle leaderboard --games 20000 --store default --out out/big
    """
    from ..dealing import describe_placer
    from ..experiment.batches import at_least_one
    from ..experiment.layout_sets import checked_set
    from ..experiment.placer_matrix import PlacerMatrix
    from ..experiment.workers import executor_for
    from ..players import all_players
    from ..report import outputs
    from ..report.comparison_table import text_table
    from ..report.diagnosis import cores
    from ..report.leaderboard import write_page
    from ..report.placer_matrix_table import matrix_text

    outputs.checked_folder(out)
    layout_set = checked_set(layout_set)
    ready, left_out = ready_players(rules, slow)
    jobs = cores() if jobs is None else at_least_one("jobs", jobs)
    others = [each for each in map(describe_placer, placer or MATRIX_PLACERS) if each != "uniform"]
    options = ["--slow"] * slow
    for each in placer or ():
        options += ["--placer", each]
    if placer_games is not None:
        options += ["--placer-games", str(placer_games)]
    command = _command(["leaderboard"], rules, games, seed, layout_set, options)
    more = max(1, games // 5) if placer_games is None else placer_games
    # One set of workers: each loads every player once, not once for every placer.
    with executor_for(jobs) as executor:
        play = partial(_play, jobs=jobs, store=store, log=log, executor=executor)
        plan = ComparisonPlan(ready, rules, games, seed, layout_set)
        comparison = play(plan, command)
        plans = [replace(plan, games=more, placer=each) for each in others]
        against = [play(each, each.command()) for each in plans]
    matrix = PlacerMatrix((comparison, *against)) if others else None
    page = out / "index.html"
    write_page("leaderboard", comparison, all_players(), page, command=command, matrix=matrix)
    outputs.write_json(comparison, out / "comparison.json")
    outputs.write_csv(comparison, out / "games.csv")
    print(text_table(comparison))
    if matrix is not None:
        (out / "placers.json").write_text(json.dumps(matrix.to_json()) + "\n", encoding="utf-8")
        print(f"\n{matrix_text(matrix)}")
    if left_out:
        print("\nNot played:")
        for name, why in left_out.items():
            print(textwrap.fill(f"  {name}: {why}", 80, subsequent_indent="    "))
    print(f"\nReport page: {page}")


@dataclass(frozen=True)
class ComparisonPlan:
    """What a comparison plays: the same plan gives the same games."""

    players: Sequence[str]
    rules: Rules
    games: int
    """per player; with a precision, at most"""
    seed: int
    layout_set: LayoutSet | None = None
    placer: str = "uniform"
    precision: float | None = None

    def settings(self) -> dict[str, Any]:
        """As a store keeps them."""
        from ..experiment.comparison import unique_players

        return {
            "players": [name for name, _ in unique_players(self.players)],
            "rules": self.rules.to_text(),
            "games": self.games,
            "seed": self.seed,
            **({} if self.precision is None else {"precision": self.precision}),
            **({} if self.layout_set is None else {"set": self.layout_set}),
            **({} if self.placer == "uniform" else {"placer": self.placer}),
        }

    def command(self) -> str:
        """The command that makes the same comparison."""
        more = [] if self.precision is None else ["--precision", f"{self.precision:g}"]
        return _command(
            ["compare", *self.players], self.rules, self.games, self.seed, self.layout_set,
            [*more, *placer_words(self.placer)],
        )  # fmt: skip


def _play(
    plan: ComparisonPlan,
    command: str,
    *,
    jobs: int,
    store: str | None,
    log: Path | None,
    scheduler: str | None = None,
    executor: Executor | None = None,
    quiet: bool = False,
) -> Comparison:
    """Play as planned; a run on the test set is logged with the `command`."""
    from ..experiment import compare as play_all
    from ..report.comparison_table import text_table

    settings = plan.settings()
    logged_in = sealed_log(plan.layout_set, log, command)
    with experiment(
        "comparison",
        settings,
        jobs=jobs,
        store=store,
        scheduler=scheduler,
        executor=executor,
        progress=not quiet,
        table=None if quiet else text_table,
    ) as setup:
        return play_all(**vars(plan), sealed_log=logged_in, **setup.options)


def ready_players(rules: Rules, slow: bool) -> tuple[list[str], dict[str, str]]:
    """The players that can play, and why the others cannot."""
    from ..players import all_players, why_not

    ready, left_out = [], {}
    for name, info in all_players().items():
        if info.runs_programs:  # no player without its command
            continue
        if info.learns:
            left_out[name] = "learns during a match; see 'seabattle match'"
            continue
        reason = "slow; --slow includes it" if info.slow and not slow else why_not(name, rules)
        if reason:
            left_out[name] = reason
        else:
            ready.append(name)
    return ready, left_out


def _command(
    words: list[str],
    rules: Rules,
    games: int,
    seed: int,
    layout_set: LayoutSet | None,
    more: Sequence[str] = (),
) -> str:
    """The command that gives the same result."""
    text = rules.to_text()
    words = ["seabattle", *words, *(["--rules", text] if text != "classic" else [])]
    words += ["--games", str(games), *seed_words(seed, layout_set), *more]
    return shlex.join(words)
