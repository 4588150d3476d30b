"""The contract between a training algorithm and `training_run`, which runs it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy.typing as npt

from ...errors import PlayerError, TrainingError, one_of
from ...naming.parameters import Parameter, parameters_of, read_parameters
from ...report.outputs import needs
from ...rules import Rules

Tell = Callable[[str, int, int], None]
"""(what, done, total): reports the progress of preparing data"""


@dataclass
class TrainerState:
    """The whole state of a training, in a form that can be saved to a file and loaded without
    running any code."""

    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    """anything that JSON can store"""


def _tell_nobody(what: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class TrainingSetup:
    """What a trainer is to train, and with which resources."""

    rules: Rules
    seed: int
    folder: Path
    """the run's folder, where data that takes long to generate is stored"""
    steps: int
    """steps of the whole training; schedules depend on it, never on the clock"""
    threads: int = 1
    jobs: int = 1
    """batches of data to generate at the same time"""
    executor: Executor | None = None
    """where data is generated; None for local worker processes"""
    tell: Tell = _tell_nobody


class Trainer(Protocol):
    """One training, in steps.

    The same setup and parameters give the same steps; a restored trainer continues exactly
    like the one whose state was saved.
    """

    @property
    def form(self) -> str:
        """The form of the network's input, one of `onnx_model.FORMS`."""
        ...

    @property
    def architecture(self) -> str:
        """A description of the network for the model file."""
        ...

    def step(self) -> Mapping[str, float]:
        """Do one unit of work (seconds, not minutes) and report its metrics.

        Every report has the same keys; `nan` if a number was not computed this time. These
        keys are used elsewhere: `loss`; `shots`, the current mean shots per game; `games` and
        `states`, the number of games and positions seen since the beginning.
        """
        ...

    def state(self) -> TrainerState: ...

    def restore(self, state: TrainerState) -> None: ...

    def export(self) -> bytes:
        """The network as ONNX, without its provenance."""
        ...


@runtime_checkable
class Drawing(Protocol):
    """A trainer that draws figures of its own, besides the curve that every training gets."""

    def draw(self, metrics: Path, folder: Path) -> None: ...


T = TypeVar("T", bound=Callable[..., Trainer])


@dataclass(frozen=True)
class TrainerInfo:
    """A registered trainer."""

    name: str
    """the player that it trains"""
    make: Callable[..., Trainer]
    """called with a `TrainingSetup` and parameters by name"""
    steps: int
    """default number of steps"""
    rules: str
    """default rules"""
    parameters: Mapping[str, Parameter]


MODULES = {
    "cnn": ("cnn", "torch"),
    "cnn-deep": ("cnn_deep", "torch"),
    "neat": ("neat", "neat"),
    "policy-gradient": ("reinforce", "torch"),
    "policy-gradient-deep": ("ppo", "torch"),
}
"""The module that registers each trainer, and the package that it needs."""

_registered: dict[str, TrainerInfo] = {}


def register_trainer(name: str, *, steps: int, rules: str) -> Callable[[T], T]:
    """Make a class or function known as the trainer of the player called `name`.

    Its first argument is a `TrainingSetup`; the others are parameters that can be set in its
    name, as for players: `cnn:batch=256`.
    """

    def add(make: T) -> T:
        parameters = parameters_of(make)
        parameters.pop(next(iter(parameters)))
        _registered[name] = TrainerInfo(name, make, steps, rules, parameters)
        return make

    return add


def trainer_info(name: str) -> TrainerInfo:
    """The trainer registered under a name (without parameters)."""
    if name not in _registered and name in MODULES:
        module, package = MODULES[name]
        needs(package, "learn", f"Training {name}")
        importlib.import_module(f"{__package__}.{module}")
    if name not in _registered:
        known = sorted({*MODULES, *_registered})
        raise TrainingError(one_of("training", name, known))
    return _registered[name]


def make_trainer(text: str, setup: TrainingSetup) -> Trainer:
    """Make a trainer from its name and parameters: `cnn:batch=256`."""
    name, _, rest = text.strip().partition(":")
    info = trainer_info(name)
    try:
        given = read_parameters(rest, name, info.parameters)
    except PlayerError as error:
        raise TrainingError(str(error)) from error
    return info.make(setup, **given)
