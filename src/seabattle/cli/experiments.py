"""Shared by the commands that play many games: the store, the cluster, progress, Ctrl-C."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ExperimentError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..experiment.batches import Progress
    from ..experiment.layout_sets import LayoutSet
    from ..experiment.results_log import ResultsLog
    from ..experiment.test_set_log import SealedLog


@dataclass(frozen=True)
class ExperimentSetup:
    """Where the games of an experiment are played and kept, and how progress is shown."""

    log: ResultsLog | None
    executor: Executor | None
    jobs: int
    progress: Progress | None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `compare` and `tournament` with these names."""
        return vars(self)


@contextmanager
def experiment(
    kind: str,
    settings: dict[str, Any],
    *,
    jobs: int,
    store: str | None = None,
    scheduler: str | None = None,
    executor: Executor | None = None,
    progress: bool = True,
    table: Callable[[Any], str] | None = None,
) -> Iterator[ExperimentSetup]:
    """Set up an experiment. Ctrl-C ends it with code 130, prints the `table` of the games
    that were finished, and says how far it got."""
    from ..experiment import ExperimentStopped

    try:
        with (
            _log(store, kind, settings) as log,
            where_to_play(scheduler, jobs, executor) as (plays, at_a_time),
            progress_shown(not progress, settings.get("placer", "")) as shown,
        ):
            yield ExperimentSetup(log, plays, at_a_time, shown)
    except KeyboardInterrupt as stopped:
        partial = stopped.partial if isinstance(stopped, ExperimentStopped) else None
        if table is not None and partial is not None:
            print("Partial result, from the games that all of these have finished:\n")
            print(table(partial), flush=True)
        more = (
            "The same command resumes from there."
            if store
            else "With --store FILE, the games are kept and the same command resumes."
        )
        raise KeyboardInterrupt(f"{str(stopped) or 'Stopped.'} {more}") from None


def print_result(
    result: Any, text: Callable[[Any], str], json_output: bool, written: str | None
) -> None:
    """Print a result as JSON, or in words and what was written besides."""
    if json_output:
        print(json.dumps(result.to_json(), allow_nan=False))
        return
    print(text(result))
    if written is not None:
        print(f"\n{written}")


def separated(players: list[str]) -> list[str]:
    """The players as typed: `density,even` are two, and `mcts:iterations=5,reward=hits` is one.

    After a comma, `name=value` is a parameter of the player before it; anything else begins
    another player. Where there are parameters, all of the players must exist: the value of a
    parameter may have a comma too.
    """
    from ..naming.parameters import split_outside_quotes
    from ..players import all_players

    known, found = all_players(), list[str]()
    for text in players:
        parts = list[str]()
        for part in split_outside_quotes(text, ","):
            if parts and "=" in part.partition(":")[0]:
                parts[-1] += f",{part}"
            else:
                parts.append(part)
        parts = [part.strip() for part in parts if part.strip()]
        named = all(part.partition(":")[0].partition("@")[0] in known for part in parts)
        found += parts if named or ":" not in text else [text]
    return found


def sealed_log(layout_set: LayoutSet | None, log: Path | None, command: str) -> SealedLog | None:
    """Where a run on the test set is logged; says so on standard error."""
    from ..experiment.layout_sets import TEST
    from ..experiment.test_set_log import SealedLog, default_log

    if layout_set != TEST:
        if log is not None:
            raise ExperimentError("--log is the log of the test set; it goes with --set test.")
        return None
    path = default_log() if log is None else log
    print(f"This run on the test set is logged in {path}.", file=sys.stderr)
    return SealedLog(path, command)


def seed_words(seed: int, layout_set: LayoutSet | None) -> list[str]:
    """The options that choose the layouts; the test set has no seed."""
    chosen = [] if layout_set is None else ["--set", layout_set]
    return chosen + ([] if layout_set == "test" else ["--seed", str(seed)])


def placer_words(placer: str) -> list[str]:
    """The option that chooses the placer, unless it is the usual one."""
    return [] if placer == "uniform" else ["--placer", placer]


def store_path(text: str) -> Path:
    """The file that `--store` names."""
    from ..experiment.store import default_path

    return default_path() if text == "default" else Path(text)


@contextmanager
def _log(store: str | None, kind: str, settings: dict[str, Any]) -> Iterator[ResultsLog | None]:
    if store is None:
        yield None
        return
    from ..experiment.store import Store

    with Store(store_path(store)) as opened, opened.log(kind, settings) as log:
        yield log


@contextmanager
def where_to_play(
    scheduler: str | None, jobs: int, executor: Executor | None = None
) -> Iterator[tuple[Executor | None, int]]:
    """The executor of a cluster if there is one, else the given one, and how many batches to
    play at a time."""
    if scheduler is None:
        yield executor, jobs
        return
    from ..experiment.cluster import cluster

    with cluster(scheduler) as (workers, threads):
        yield workers, threads


@contextmanager
def progress_shown(quiet: bool, placer: str = "") -> Iterator[Progress | None]:
    """A bar per player on a terminal; elsewhere a line when a player is done. A placer is named
    beside the player."""
    if quiet:
        yield None
        return
    with _bars() if sys.stderr.isatty() else nullcontext(_line) as show:
        if placer:
            yield lambda name, played, games: show(f"{name} against {placer}", played, games)
        else:
            yield show


def _line(name: str, played: int, games: int) -> None:
    if played == games:
        done = f"{games:,} game{'' if games == 1 else 's'} played"
        print(f"{name}: {done}", file=sys.stderr, flush=True)


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

    from ..compiled.jit import compilation_watched

    bars: dict[str, TaskID] = {}
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    ) as progress:

        def show(name: str, played: int, games: int | None) -> None:
            if name not in bars:
                bars[name] = progress.add_task(name, total=games)
            progress.update(bars[name], completed=played)

        with compilation_watched(lambda done: show("compiling for first use", done, None)):
            yield show
