"""Finding placers by name, and placing the fleets of numbered games.

A placer's parameters are part of its name, like those of a player: `edges:tries=100`,
`recorded:layouts.txt`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from ..errors import LayoutError, PlacerError
from ..layout import Layout
from ..naming.name_registry import Registry, split_name, summary_of
from ..naming.parameters import Parameter, parameters_of
from ..rules import Rules
from .placement_numbers import placements_of
from .uniform import deal_games, random_layout

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

UNIFORM = "uniform"
ENTRY_POINT_GROUP = "seabattle.placers"

BUILT_IN = (
    "seabattle.dealing.best_of_n",
    "seabattle.dealing.human",
    "seabattle.dealing.recorded",
    "seabattle.engine.engine_placer",
    "seabattle.learners.dreadnought_placer",
    "seabattle.learners.learning_placer",
    "seabattle.equilibrium.adversarial",
    "seabattle.equilibrium.shipped",
)
"""Modules that register the built-in placers."""

C = TypeVar("C", bound=Callable[..., Any])


@runtime_checkable
class Placer(Protocol):
    """Anything that lays out a fleet."""

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        """A legal layout of the whole fleet."""
        ...


@runtime_checkable
class BatchPlacer(Placer, Protocol):
    """A placer that can also lay out the fleets of many games in one call."""

    def place_games(self, rules: Rules, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """(games, ships) placement numbers: row k is the layout that `place` returns with
        `numpy.random.default_rng(seeds[k])`."""
        ...


@runtime_checkable
class RulesBoundPlacer(Placer, Protocol):
    """A placer that cannot place every fleet."""

    def check_rules(self, rules: Rules) -> None:
        """Raise an error with the reason if it cannot place a fleet under these rules."""
        ...


@dataclass(frozen=True)
class PlacerInfo:
    """A registered placer."""

    name: str
    make: Callable[..., Placer]
    summary: str
    """one line"""
    parameters: Mapping[str, Parameter]
    reads_files: bool = False
    """its name contains a file, so visitors of the browser game may not name it"""
    learns: bool = False
    """it learns from game to game of a match, so that single games show nothing of it"""

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "summary": self.summary,
            "learns": self.learns,
            "parameters": [parameter.to_json() for parameter in self.parameters.values()],
        }


def _load_all() -> None:
    for name in BUILT_IN:
        importlib.import_module(name)

    def add(point: EntryPoint, make: Callable[..., Any]) -> None:
        register_placer(point.name)(make)

    _registry.load_plugins(ENTRY_POINT_GROUP, add)


_registry: Registry[PlacerInfo] = Registry(
    "placer", PlacerError, method="place(rules, rng)", forbidden=":,=@", load=_load_all
)


def register_placer(
    name: str, summary: str = "", *, reads_files: bool = False, learns: bool = False
) -> Callable[[C], C]:
    """Make a class or function known as a placer called `name`.

    Its parameters are those of its signature, as with players (see `players.register`). A
    class with `from_text` and `to_text` reads and writes what follows its name and the colon
    itself. The summary defaults to the first line of the docstring.
    """
    _registry.check_name(name)

    def add(make: C) -> C:
        line = summary or summary_of(make)
        _registry.add(PlacerInfo(name, make, line, parameters_of(make), reads_files, learns))
        return make

    return add


def temporary_placers() -> AbstractContextManager[None]:
    """Undo every `register_placer` inside the `with` block at its end: for tests."""
    return _registry.temporary()


def all_placers() -> dict[str, PlacerInfo]:
    """Every known placer: built in, registered, and installed by other packages."""
    return _registry.all()


def placer_info(name: str) -> PlacerInfo:
    """The placer registered under a name (without parameters)."""
    return _registry.find(name)


def make_placer(text: str) -> Placer:
    """Make a placer from its name and parameters: `edges:tries=100`."""
    name, rest = split_name(text)
    made: Placer = _registry.make(placer_info(name), rest)
    return made


def describe_placer(text: str) -> str:
    """The canonical form of a placer's name: sorted, without parameters at their defaults."""
    name, rest = split_name(text)
    return _registry.describe(placer_info(name), rest, make_placer(text))


def place_games(
    rules: Rules, seed: int, games: range, placer: str | Placer = UNIFORM
) -> npt.NDArray[np.int32]:
    """The layouts of these games as placement numbers, a row each.

    Each is a function of (rules, seed, number, placer) alone.
    """
    if placer == UNIFORM:
        return deal_games(rules, seed, games)
    import numpy as np

    from ..compiled.random_streams import streams
    from ..compiled.seeds import LAYOUT_STREAM

    name = placer if isinstance(placer, str) else type(placer).__name__
    chosen = _made(placer) if isinstance(placer, str) else placer
    if isinstance(chosen, RulesBoundPlacer):
        chosen.check_rules(rules)
    seeds = streams(np.uint64(seed), games.start, len(games), LAYOUT_STREAM)
    if isinstance(chosen, BatchPlacer):
        return chosen.place_games(rules, seeds)
    placements = np.empty((len(games), len(rules.fleet)), dtype=np.int32)
    for row, start in enumerate(seeds):
        layout = chosen.place(rules, np.random.default_rng(int(start)))
        placements[row] = placements_of(checked_layout(layout, rules, name))
    return placements


def checked_layout(layout: object, rules: Rules, placer: str) -> Layout:
    """What a placer returned, if it is a legal layout under these rules."""
    if not isinstance(layout, Layout) or layout.rules != rules:
        raise PlacerError(f"The placer {placer!r} gave no layout under these rules.")
    try:
        return Layout(rules, layout.ships)
    except LayoutError as error:
        raise PlacerError(f"The placer {placer!r} gave an illegal layout: {error}") from None


@lru_cache(maxsize=16)
def _made(placer: str) -> Placer:
    return make_placer(placer)


@register_placer(UNIFORM, "any legal layout, each as likely as any other")
@dataclass(frozen=True)
class Uniform:
    """Draws uniformly from all legal layouts."""

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        return random_layout(rules, rng)
