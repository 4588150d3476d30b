"""Finding and making players by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

from ..errors import PlayerError
from ..naming.name_registry import Registry, split_name, summary_of
from ..naming.parameters import parameters_of
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

_programs_forbidden = False


def load_built_in() -> None:
    """Import the modules of all built-in players."""
    for name in BUILT_IN:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{name}.{module.name}")


def _load_all() -> None:
    load_built_in()

    def add(point: EntryPoint, make: Callable[..., Any]) -> None:
        register(point.name, source=point.dist.name if point.dist else "another package")(make)

    _registry.load_plugins(ENTRY_POINT_GROUP, add)


_registry: Registry[PlayerInfo] = Registry(
    "player", PlayerError, method="choose(observation, rng)", forbidden=":,=", load=_load_all
)


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
    _registry.check_name(name)

    def add(make: C) -> C:
        _registry.add(
            PlayerInfo(
                name,
                make,
                source,
                summary or summary_of(make),
                parameters_of(make),
                needs,
                slow,
                runs_programs,
                placer,
                learns,
            )
        )
        return make

    return add


def temporary_registry(*, without: Collection[str] = ()) -> AbstractContextManager[None]:
    """Undo every `register` inside the `with` block at its end: for tests.

    The players named in `without` are unknown inside, so that others can take their names.
    """
    return _registry.temporary(without)


def all_players() -> dict[str, PlayerInfo]:
    """Every known player: built in, registered, and installed by other packages."""
    return _registry.all()


def player_info(name: str) -> PlayerInfo:
    """The player registered under a name (without parameters)."""
    # A player that runs a program has no name without its command.
    return _registry.find(name, listed=lambda info: not info.runs_programs)


def make_player(text: str) -> Player:
    """Make a player from its name and parameters: `mcts:iterations=1000,select=hits`."""
    name, rest = split_name(text)
    info = player_info(name)
    if info.runs_programs and _programs_forbidden:
        raise PlayerError(f"The player {name!r} runs a program and cannot be used here.")
    made: Player = _registry.make(info, rest)
    return made


def forbid_programs() -> None:
    """From now on, `make_player` in this process refuses players that run programs."""
    global _programs_forbidden
    _programs_forbidden = True


def why_not(text: str, rules: Rules) -> str:
    """Why a player cannot play under these rules; empty if it can."""
    needs = player_info(split_name(text)[0]).needs
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
    name, rest = split_name(text)
    return _registry.describe(player_info(name), rest, make_player(text))
