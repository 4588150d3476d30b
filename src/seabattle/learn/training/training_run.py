"""`train`: run a trainer, record its metrics, and stop or resume without a trace.

The folder of a run contains

    run.json         what is trained: name, rules, seed, steps
    metrics.csv      a row per step
    checkpoint.npz   everything needed to resume
    NAME.onnx        the model, written at the end or when the run is stopped
    curve.svg, .png  loss and mean shots

A checkpoint is saved at regular intervals. After `kill -9`, `resume` continues from the last
one: rows of the metrics after it are dropped and computed again, with the same result. Only
the column `minutes` depends on the clock.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ...compiled.seeds import checked_seed
from ...errors import TrainingError
from ...experiment.data_folder import write_whole
from ...regular_files import read_text
from ...report.outputs import checked_folder
from ...rules import Rules
from ..onnx_model import Model
from .checkpoint import load_state, save_state
from .onnx_export import with_metadata
from .provenance import TrainingEffort, commit, provenance
from .trainer import Drawing, Trainer, TrainerState, TrainingSetup, make_trainer, trainer_info

CHECKPOINT_SECONDS = 60.0

RUN, METRICS, CHECKPOINT = "run.json", "metrics.csv", "checkpoint.npz"


class TrainingWatcher(Protocol):
    """Is told about the progress of a training."""

    def preparing(self, what: str, done: int, total: int) -> None: ...

    def stepped(self, step: int, steps: int, minutes: float, row: Mapping[str, float]) -> None: ...


class Unwatched:
    def preparing(self, what: str, done: int, total: int) -> None:
        pass

    def stepped(self, step: int, steps: int, minutes: float, row: Mapping[str, float]) -> None:
        pass


@dataclass(frozen=True)
class Trained:
    """The result of a training."""

    player: str
    rules: Rules
    folder: Path
    model: Path
    step: int
    steps: int
    minutes: float
    ended: str
    """`done`, `time` (the minutes are over) or `stopped` (Ctrl-C)"""
    last: Mapping[str, float]
    """the last row of the metrics"""


def train(
    name: str,
    rules: Rules | None,
    seed: int,
    folder: Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    resume: bool = False,
    threads: int = 1,
    jobs: int = 1,
    executor: Executor | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    watcher: TrainingWatcher | None = None,
) -> Trained:
    """Train a player, given with its parameters (`cnn:batch=256`), in the run's folder."""
    watcher = watcher or Unwatched()
    info = trainer_info(name.partition(":")[0].strip())
    rules = Rules.from_text(info.rules) if rules is None else rules
    steps = info.steps if steps is None else steps
    for what, number in (("steps", steps), ("threads", threads), ("jobs", jobs)):
        if number < 1:
            raise TrainingError(f"The number of {what} must be 1 or more, not {number}.")
    if minutes is not None and not 0 < minutes < math.inf:
        raise TrainingError(f"The minutes must be more than 0, not {minutes}.")
    settings = {
        "name": name.strip(),
        "rules": rules.to_json(),
        "seed": checked_seed(seed),
        "steps": steps,
        "threads": threads,
    }
    _open_folder(folder, settings, resume)
    began, code = time.monotonic(), commit()
    setup = TrainingSetup(rules, seed, folder, steps, threads, jobs, executor, watcher.preparing)
    try:
        trainer = make_trainer(name, setup)
    except TrainingError:
        if not resume:  # leave the folder free for another try
            (folder / RUN).unlink()
        raise
    # A run that was killed while its data was generated has no checkpoint.
    begun = resume and (folder / CHECKPOINT).exists()
    run = _TrainingRun(trainer, folder, steps, began, begun)
    if begun:
        run.go_back_to_checkpoint()
    run.note_commit(code)
    if not begun:
        run.keep()
    ended = run.continue_training(minutes, checkpoint_seconds, watcher)
    command = _command(settings, info.steps, info.rules, minutes)
    model = run.export(info.name, rules, seed, command)
    from .curves import write_curves

    if run.rows:
        write_curves(folder / METRICS, name, folder)
        if isinstance(trainer, Drawing):
            trainer.draw(folder / METRICS, folder)
    return Trained(info.name, rules, folder, model, run.step, steps, run.minutes, ended, run.last)


class _TrainingRun:
    """A training in progress."""

    def __init__(
        self, trainer: Trainer, folder: Path, steps: int, began: float, resumed: bool
    ) -> None:
        self.trainer, self.folder, self.steps = trainer, folder, steps
        self.step = 0
        self.rows = 0
        self.last: Mapping[str, float] = {}
        self._before = self._work_before = 0.0
        self._began = began
        self._work_began = _processor_minutes() if resumed else 0.0
        self._commits: list[str] = []

    @property
    def minutes(self) -> float:
        return self._before + (time.monotonic() - self._began) / 60

    @property
    def processor_minutes(self) -> float:
        return self._work_before + _processor_minutes() - self._work_began

    def note_commit(self, found: str) -> None:
        if found not in self._commits:
            self._commits.append(found)

    def keep(self) -> None:
        """Save a checkpoint, after the rows of the metrics before it."""
        metrics = self.folder / METRICS
        if metrics.exists():
            with metrics.open("rb") as file:
                os.fsync(file.fileno())
        state = self.trainer.state()
        whole = TrainerState(
            state.arrays,
            {
                "step": self.step,
                "minutes": self.minutes,
                "processor_minutes": self.processor_minutes,
                "last": dict(self.last),
                "commits": self._commits,
                "trainer": state.values,
            },
        )
        save_state(self.folder / CHECKPOINT, whole)

    def go_back_to_checkpoint(self) -> None:
        whole = load_state(self.folder / CHECKPOINT)
        try:
            self.step = int(whole.values["step"])
            if not 0 <= self.step <= self.steps:
                raise ValueError(f"it is at step {self.step} of {self.steps}")
            self._before = float(whole.values["minutes"])
            self._work_before = float(whole.values["processor_minutes"])
            self.last = whole.values["last"]
            self._commits = list(whole.values["commits"])
            self.trainer.restore(TrainerState(whole.arrays, whole.values["trainer"]))
        except (
            *(LookupError, RuntimeError, TypeError, ValueError),
            *(AttributeError, OverflowError, StopIteration),
        ) as error:
            raise TrainingError(
                f"{self.folder / CHECKPOINT} is not a checkpoint of this training: {error}"
            ) from error
        self._began = time.monotonic()
        self.rows = _drop_rows(self.folder / METRICS, self.step)

    def continue_training(
        self, minutes: float | None, checkpoint_seconds: float, watcher: TrainingWatcher
    ) -> str:
        """Run steps until the end, the time limit or Ctrl-C; then save a last checkpoint."""
        ended = "done"
        kept = time.monotonic()
        with _asked_to_stop() as asked:
            while self.step < self.steps:
                if asked.is_set() or (minutes is not None and self.minutes >= minutes):
                    ended = "stopped" if asked.is_set() else "time"
                    break
                self.last = dict(self.trainer.step())
                self.step += 1
                self._add_row()
                watcher.stepped(self.step, self.steps, self.minutes, self.last)
                if time.monotonic() - kept >= checkpoint_seconds:
                    self.keep()
                    kept = time.monotonic()
            self.keep()
        return ended

    def _add_row(self) -> None:
        path = self.folder / METRICS
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self.rows:
            writer.writerow(["step", "minutes", *self.last])
        cells = ["" if math.isnan(number) else repr(number) for number in self.last.values()]
        writer.writerow([self.step, f"{self.minutes:.4f}", *cells])
        with path.open("a" if self.rows else "w", encoding="utf-8") as file:
            file.write(text.getvalue())
        self.rows += 1

    def export(self, player: str, rules: Rules, seed: int, command: str) -> Path:
        about = provenance(
            player,
            self.trainer.form,
            self.trainer.architecture,
            rules,
            command,
            seed,
            TrainingEffort(
                self.step,
                self.minutes,
                self.processor_minutes,
                {key: int(self.last[key]) for key in ("games", "states") if key in self.last},
                self._commits,
            ),
        )
        content = with_metadata(self.trainer.export(), about)
        Model(content, f"{player}.onnx")
        path = self.folder / f"{player}.onnx"
        write_whole(path, content)
        return path


def _processor_minutes() -> float:
    """Processor time of this process and its finished workers: a fairer measure than the clock
    on a shared machine."""
    used = os.times()
    return (used.user + used.system + used.children_user + used.children_system) / 60


def _open_folder(folder: Path, settings: dict[str, Any], resume: bool) -> None:
    path = folder / RUN
    if not resume:
        if path.exists():
            raise TrainingError(
                f"{folder} already contains a training; continue it with --resume, or choose "
                "another folder with --out."
            )
        checked_folder(folder)
        write_whole(path, (json.dumps(settings, indent=1) + "\n").encode())
        return
    try:
        before = json.loads(read_text(path))
    except FileNotFoundError:
        raise TrainingError(f"There is no training in {folder} to resume.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise TrainingError(f"{path} cannot be read: {error}") from error
    if not isinstance(before, dict):
        raise TrainingError(f"{path} is not the description of a training.")
    for key, value in settings.items():
        if before.get(key) != value:
            raise TrainingError(
                f"The training in {folder} has {key} {_shown(before.get(key))}, not "
                f"{_shown(value)}; resume it with the options it was started with."
            )


def _shown(value: Any) -> str:
    return Rules.from_json(value).to_text() if isinstance(value, dict) else str(value)


def _drop_rows(path: Path, step: int) -> int:
    """Keep the metrics up to a step; the number of rows kept."""
    if not path.exists():
        return 0
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines[1:] if line.endswith("\n") and int(line.split(",")[0]) <= step]
    if not kept:
        path.unlink()
        return 0
    write_whole(path, "".join([lines[0], *kept]).encode())
    return len(kept)


def _command(
    settings: Mapping[str, Any], usual_steps: int, usual_rules: str, minutes: float | None
) -> str:
    words = ["seabattle", "train", settings["name"]]
    rules = Rules.from_json(settings["rules"]).to_text()
    if rules != usual_rules:
        words += ["--rules", rules]
    if settings["steps"] != usual_steps:
        words += ["--steps", str(settings["steps"])]
    words += ["--seed", str(settings["seed"]), "--threads", str(settings["threads"])]
    if minutes is not None:
        words += ["--minutes", f"{minutes:g}"]
    return shlex.join(words)


@contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """The first Ctrl-C finishes the current step; the second one stops at once."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def handle(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
