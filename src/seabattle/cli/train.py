"""`seabattle train` and `seabattle evaluate`: networks."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..rules import Rules
from . import completion
from .experiments import progress_shown, where_to_play
from .options import GamesOption, PlacerOption, Scheduler, Seed, with_rules

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ..learn.training.training_run import Trained, TrainingWatcher

LINE_SECONDS = 30.0
"""Seconds between lines of progress if there is no terminal for a bar."""


def _rules_of(given: dict[str, Any]) -> str:
    from ..learn.training.trainer import trainer_info

    return trainer_info(given["name"].partition(":")[0].strip()).rules


@partial(with_rules, usual=_rules_of)
def train(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            autocompletion=completion.trainers,
            help="cnn, cnn-deep, policy-gradient, policy-gradient-deep or neat, with parameters "
            "if any: cnn:batch=256.",
        ),
    ],
    rules: Rules,
    seed: Annotated[int, typer.Option(help="Seed of weights, layouts and randomness.")] = 0,
    minutes: Annotated[float | None, typer.Option(help="Stop after this many minutes.")] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Steps of the whole training.", show_default="depends on NAME"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the run.", show_default="out/train/NAME"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint.")
    ] = False,
    threads: Annotated[int, typer.Option(help="Threads for the network.")] = 2,
    jobs: Annotated[int, typer.Option(help="Processes that generate training data.")] = 2,
    checkpoint: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 60.0,
    scheduler: Scheduler = None,
) -> None:
    """Train a network, and print the commands to use it.

    Examples:
      seabattle train cnn --minutes 10
      seabattle train policy-gradient --rules mini --out out/pg
      seabattle train cnn:batch=256 --resume
    """
    from ..learn.training.training_run import train as run
    from ..report import outputs

    outputs.needs("matplotlib", "plots", "Training")
    outputs.needs("onnx", "learn", "Training")
    folder = out or Path("out") / "train" / name.partition(":")[0].strip()
    with where_to_play(scheduler, jobs) as (executor, at_a_time), _watching() as watcher:
        ended = run(
            name,
            rules,
            seed,
            folder,
            steps=steps,
            minutes=minutes,
            resume=resume,
            threads=threads,
            jobs=at_a_time,
            executor=executor,
            checkpoint_seconds=checkpoint,
            watcher=watcher,
        )
    print(_summary(ended))
    if ended.ended == "stopped":
        raise typer.Exit(130)


def _rules_of_model(given: dict[str, Any]) -> str:
    from ..learn.evaluation import player_of
    from ..players.network_player import NetworkPlayer

    player = player_of(given["what"])
    return player.network().rules.to_text() if isinstance(player, NetworkPlayer) else "classic"


@partial(with_rules, usual=_rules_of_model)
def evaluate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A model file, or a player such as cnn.",
            autocompletion=completion.players,
        ),
    ],
    rules: Rules,
    games: GamesOption = 1000,
    seed: Seed = 0,
    positions: Annotated[
        int, typer.Option(help="Positions from its own games to compare with exact play.")
    ] = 1000,
    jobs: Annotated[int, typer.Option(help="Processes that play in parallel.")] = 1,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else.")
    ] = False,
    scheduler: Scheduler = None,
    placer: PlacerOption = "uniform",
) -> None:
    """Compare a model or a player with exact play.

    Examples:
      seabattle evaluate cnn --games 1000
      seabattle evaluate out/train/cnn/cnn.onnx --jobs 2 --json
    """
    from ..learn.evaluation import evaluate as measure

    with (
        where_to_play(scheduler, jobs) as (executor, at_a_time),
        progress_shown(json_output) as progress,
    ):
        found = measure(
            what,
            rules,
            games,
            seed,
            positions,
            at_a_time,
            executor,
            progress,
            placer,
        )
    print(json.dumps(found.to_json(), allow_nan=False) if json_output else found.to_text())


def _summary(ended: Trained) -> str:
    why = {"done": "Trained", "time": "Time is up after", "stopped": "Stopped after"}[ended.ended]
    more = "" if ended.ended == "done" else " Continue with the same command and --resume."
    return (
        f"{why} {ended.step:,} of {ended.steps:,} steps in {ended.minutes:.1f} minutes "
        f"({_numbers(ended.last)}).{more}\nModel: {ended.model}\n\n"
        "To evaluate it, compare it and play against it:\n"
        + "\n".join(f"  {command}" for command in _next_commands(ended))
    )


def _next_commands(ended: Trained) -> list[str]:
    """What a user does with a new model, ready to copy and paste."""
    from ..players.network_player import model_player

    name, rules = model_player(ended.model), ended.rules.to_text()
    return [
        shlex.join(words)
        for words in (
            ["seabattle", "evaluate", str(ended.model)],
            ["seabattle", "compare", name, "exact", "--rules", rules, "--games", "1000"],
            ["seabattle", "play", "--opponent", name, "--rules", rules],
        )
    ]


BRIEF = ("loss", "shots")
"""The metrics that fit into a progress bar."""


def _numbers(
    row: Mapping[str, float], wanted: tuple[str, ...] = (*BRIEF, "games", "states")
) -> str:
    shown = [
        f"{key} {value:,.3f}" if key in BRIEF else f"{key} {value:,.0f}"
        for key, value in row.items()
        if key in wanted and value == value
    ]
    return ", ".join(shown)


@contextmanager
def _watching() -> Iterator[TrainingWatcher]:
    """A progress bar on a terminal; elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(16),
        MofNCompleteColumn(),
        TextColumn("{task.fields[numbers]}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    ) as progress:
        yield _Bars(progress)


class _Lines:
    def __init__(self) -> None:
        self._told = 0.0
        self._seen: dict[str, float] = {}

    def preparing(self, what: str, done: int, total: int) -> None:
        self._line(f"{what}: {done:,} of {total:,}", done == total)

    def stepped(self, step: int, steps: int, minutes: float, row: Mapping[str, float]) -> None:
        self._seen.update({key: value for key, value in row.items() if value == value})
        line = f"step {step:,} of {steps:,}, {minutes:.1f} minutes: {_numbers(self._seen)}"
        self._line(line, step == steps)

    def _line(self, text: str, always: bool) -> None:
        if always or time.monotonic() - self._told >= LINE_SECONDS:
            self._told = time.monotonic()
            print(text, file=sys.stderr, flush=True)


class _Bars:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._seen: dict[str, float] = {}

    def preparing(self, what: str, done: int, total: int) -> None:
        self._progress.update(self._task(what, total), completed=done)

    def stepped(self, step: int, steps: int, minutes: float, row: Mapping[str, float]) -> None:
        self._seen.update({key: value for key, value in row.items() if value == value})
        task = self._task("steps", steps)
        self._progress.update(task, completed=step, numbers=_numbers(self._seen, BRIEF))

    def _task(self, what: str, total: int) -> TaskID:
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total, numbers="")
        return self._tasks[what]
