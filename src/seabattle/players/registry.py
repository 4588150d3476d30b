"""Finding and making players by name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from ..errors import PlayerError, one_of
from ..parameters import canonical, parameters_of, read_parameters
from ..rules import Rules
from .base import Player, PlayerInfo, RulesBoundPlayer

ENTRY_POINT_GROUP = "seabattle.players"

BUILT_IN = (
    "seabattle.players",
    "seabattle.search",
    "seabattle.admiral",
    "seabattle.learners",
    "seabattle.engine",
)
"""Packages whose modules register the built-in players."""

C = TypeVar("C", bound=Callable[..., Any])

_registered: dict[str, PlayerInfo] = {}
_programs_forbidden = False


def register(
    name: str,
    *,
    source: str = "",
    summary: str = "",
    needs: str = "",
    slow: bool = False,
    runs_programs: bool = False,
    placer: str = "",
    learns: bool = False,
) -> Callable[[C], C]:
    """Make a class or function known as a player called `name`.

    Its parameters are those of its signature: a type (`int`, `float`, `bool`, `str`,
    `Path` or a `Literal` of words), optionally `Annotated` with a help text, and a default.
    The summary defaults to the first line of the docstring. A class with `from_text` and
    `to_text` reads and writes what follows its name and the colon itself.
    """
    if not name or any(character in name for character in ":,= \t\n"):
        raise PlayerError(
            f"A player's name cannot contain spaces, colons, commas or '=': {name!r}."
        )

    def add(make: C) -> C:
        known = _registered.get(name)
        if known is not None and known.make is not make:
            raise PlayerError(f"A player called {name!r} is already registered.")
        line = summary or (inspect.getdoc(make) or "").split("\n")[0]
        _registered[name] = PlayerInfo(
            name,
            make,
            source,
            line,
            parameters_of(make),
            needs,
            slow,
            runs_programs,
            placer,
            learns,
        )
        return make

    return add


@contextmanager
def temporary_registry(*, without: Collection[str] = ()) -> Iterator[None]:
    """Undo every `register` inside the `with` block at its end: for tests.

    The players named in `without` are unknown inside, so that others can take their names.
    """
    _load_all()
    before = dict(_registered)
    for name in without:
        del _registered[name]
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def all_players() -> dict[str, PlayerInfo]:
    """Every known player: built in, registered, and installed by other packages."""
    _load_all()
    return dict(sorted(_registered.items()))


def player_info(name: str) -> PlayerInfo:
    """The player registered under a name (without parameters)."""
    if name not in _registered:
        _load_all()
    if name not in _registered:
        # A player that runs a program has no name without its command.
        known = sorted(each.name for each in _registered.values() if not each.runs_programs)
        raise PlayerError(one_of("player", name, known))
    return _registered[name]


def make_player(text: str) -> Player:
    """Make a player from its name and parameters: `mcts:iterations=1000,select=hits`."""
    name, _, rest = text.strip().partition(":")
    info = player_info(name)
    if info.runs_programs and _programs_forbidden:
        raise PlayerError(f"The player {name!r} runs a program and cannot be used here.")
    if hasattr(info.make, "from_text"):
        player = info.make.from_text(rest)
    else:
        player = info.make(**read_parameters(rest, name, info.parameters))
    if not callable(getattr(player, "choose", None)):
        raise PlayerError(f"The player {name!r} has no choose(observation, rng).")
    return player  # type: ignore[no-any-return]


def forbid_programs() -> None:
    """From now on, `make_player` in this process refuses players that run programs."""
    global _programs_forbidden
    _programs_forbidden = True


def why_not(text: str, rules: Rules) -> str:
    """Why a player cannot play under these rules; empty if it can."""
    needs = player_info(text.strip().partition(":")[0]).needs
    try:
        player = make_player(text)
    except Exception as error:  # whatever is wrong with one player, others can still play
        return f"needs {needs}" if needs else str(error)
    try:
        if isinstance(player, RulesBoundPlayer):
            player.check_rules(rules)
    except Exception as error:
        return str(error)
    return ""


def describe(text: str) -> str:
    """The canonical form of a player's name: sorted, without parameters at their defaults."""
    name, _, rest = text.strip().partition(":")
    parameters = player_info(name).parameters
    made = make_player(text)
    if hasattr(made, "to_text"):
        return f"{name}:{made.to_text()}"
    return canonical(rest, name, parameters)


@cache
def _load_all() -> None:
    for name in BUILT_IN:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{name}.{module.name}")
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in _registered:
            continue
        try:
            make = point.load()
        except Exception as error:  # a broken plug-in must not break every command
            import warnings

            warnings.warn(f"The player {point.name!r} could not be loaded: {error}", stacklevel=2)
            continue
        if point.name not in _registered:
            package_name = point.dist.name if point.dist else "another package"
            register(point.name, source=package_name)(make)
