"""Finding placers by name, and placing the fleets of numbered games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..errors import PlacerError, one_of
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import placements_of
from .uniform import deal_games, random_layout

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

UNIFORM = "uniform"


@runtime_checkable
class Placer(Protocol):
    """Anything that lays out a fleet."""

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        """A legal layout of the whole fleet."""
        ...


_registered: dict[str, tuple[Callable[[], Placer], str]] = {}


def register_placer(
    name: str, summary: str = ""
) -> Callable[[Callable[[], Placer]], Callable[[], Placer]]:
    """Make a class or function without arguments known as a placer called `name`."""
    if not name or any(character in name for character in ":,=@ \t\n"):
        raise PlacerError(
            f"A placer's name must not contain spaces, colons, commas, '=' or '@': {name!r}."
        )

    def add(make: Callable[[], Placer]) -> Callable[[], Placer]:
        known = _registered.get(name)
        if known is not None and known[0] is not make:
            raise PlacerError(f"There is a placer called {name!r} already.")
        _registered[name] = (make, summary)
        return make

    return add


@contextmanager
def temporary_placers() -> Iterator[None]:
    """Undo every `register_placer` inside the `with` block at its end: for tests."""
    _load_built_in()
    before = dict(_registered)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def all_placers() -> dict[str, str]:
    """Every known placer with a line on what it does."""
    _load_built_in()
    return {name: summary for name, (_, summary) in sorted(_registered.items())}


def make_placer(name: str) -> Placer:
    """The placer that a name means."""
    _load_built_in()
    if name not in _registered:
        raise PlacerError(one_of("placer", name, sorted(_registered)))
    return _registered[name][0]()


def place_games(
    rules: Rules, seed: int, games: range, placer: str = UNIFORM
) -> npt.NDArray[np.int32]:
    """The layouts of these games as placement numbers, a row each.

    Each is a function of (rules, seed, number, placer) alone.
    """
    if placer == UNIFORM:
        return deal_games(rules, seed, games)
    import numpy as np

    from ..compiled.random_streams import streams
    from ..compiled.seeds import LAYOUT_STREAM

    chosen = make_placer(placer)
    placements = np.empty((len(games), len(rules.fleet)), dtype=np.int32)
    for row, start in enumerate(streams(np.uint64(seed), games.start, len(games), LAYOUT_STREAM)):
        layout = chosen.place(rules, np.random.default_rng(int(start)))
        if not isinstance(layout, Layout) or layout.rules != rules:
            raise PlacerError(f"The placer {placer!r} gave no layout under these rules.")
        placements[row] = placements_of(layout)
    return placements


@register_placer(UNIFORM, "any legal layout, each as likely as any other")
class Uniform:
    """Draws uniformly from all legal layouts."""

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        return random_layout(rules, rng)


@cache
def _load_built_in() -> None:
    from . import best_of_n  # noqa: F401
