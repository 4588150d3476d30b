"""The contract between a training algorithm and the run that drives it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar, runtime_checkable

import numpy.typing as npt

from ...errors import PlayerError, TrainingError, one_of
from ...players import Parameter
from ...players.registry import parameters_of, read_parameters
from ...rules import Rules

Tell = Callable[[str, int, int], None]
"""is told what is being prepared, how much of it is done, and how much there is"""


Arithmetic = Annotated[
    Literal["float32", "bfloat16"], "of the convolutions; bfloat16 is fast where processors have it"
]


@dataclass
class State:
    """All that a training knows, in a form that can be written to a file and read back
    without running anything."""

    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    """whatever JSON holds"""


def _say_nothing(what: str, done: int, all_of_it: int) -> None:
    pass


@dataclass(frozen=True)
class Setup:
    """What a trainer is made for, and with."""

    rules: Rules
    seed: int
    folder: Path
    """of the run: data that takes long to make is kept there"""
    steps: int
    """how many steps the whole training has; schedules depend on it, never on the clock"""
    threads: int = 1
    jobs: int = 1
    """how many batches of data to make at a time"""
    executor: Executor | None = None
    """where data is made; None for worker processes of our own"""
    tell: Tell = _say_nothing


class Trainer(Protocol):
    """One training, in steps.

    The same setup and parameters give the same steps; a trainer that was restored goes on
    as the one did whose state it was.
    """

    @property
    def form(self) -> str:
        """The form of the network's input, one of `model.FORMS`."""
        ...

    @property
    def architecture(self) -> str:
        """The network in words, for the model file."""
        ...

    def step(self) -> Mapping[str, float]:
        """Do one unit of work (seconds, not minutes) and report it.

        Every report has the same keys; `nan` where a number was not worked out this time.
        These have a meaning elsewhere: `loss`; `shots`, the current mean shots a game;
        `games` and `states`, how many were seen since the beginning.
        """
        ...

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...

    def export(self) -> bytes:
        """The network as ONNX, without its provenance (see `onnx_export`)."""
        ...


@runtime_checkable
class Drawing(Protocol):
    """A trainer with pictures of its own, beside the curve that every training gets."""

    def draw(self, metrics: Path, folder: Path) -> None: ...


T = TypeVar("T", bound=Callable[..., Trainer])


@dataclass(frozen=True)
class TrainerInfo:
    """A registered trainer."""

    name: str
    """of the player that it trains"""
    make: Callable[..., Trainer]
    """called with a `Setup` and parameters by name"""
    steps: int
    """of a training unless the user says otherwise"""
    rules: str
    """that it is trained for unless the user says otherwise"""
    parameters: Mapping[str, Parameter]


MODULES = {
    "cnn": ("cnn", "torch"),
    "cnn-deep": ("cnn_deep", "torch"),
    "neat": ("neat", "neat"),
    "policy-gradient": ("policy", "torch"),
    "policy-gradient-deep": ("policy_deep", "torch"),
}
"""The trainers: the module that registers each, and the package that it needs."""

_registered: dict[str, TrainerInfo] = {}


def register_trainer(name: str, *, steps: int, rules: str) -> Callable[[T], T]:
    """Make a class or function known as the trainer of the player called `name`.

    Its first argument is a `Setup`; the others are parameters that stand in its name, as
    those of players do: `cnn:batch=256`.
    """

    def add(make: T) -> T:
        parameters = parameters_of(make)
        parameters.pop(next(iter(parameters)))
        _registered[name] = TrainerInfo(name, make, steps, rules, parameters)
        return make

    return add


def trainer_info(name: str) -> TrainerInfo:
    """What is registered under a name (without parameters)."""
    if name not in _registered and name in MODULES:
        from ...report.outputs import needs

        module, package = MODULES[name]
        needs(package, "learn", f"Training {name}")
        importlib.import_module(f"{__package__}.{module}")
    if name not in _registered:
        known = sorted({*MODULES, *_registered})
        raise TrainingError(one_of("training", name, known))
    return _registered[name]


def make_trainer(text: str, setup: Setup) -> Trainer:
    """The trainer that a name with parameters means: `cnn:batch=256`."""
    name, _, rest = text.strip().partition(":")
    info = trainer_info(name)
    try:
        given = read_parameters(name, info.parameters, rest)
    except PlayerError as error:
        raise TrainingError(str(error)) from error
    return info.make(setup, **given)
