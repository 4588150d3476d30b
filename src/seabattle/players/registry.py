"""Finding and making players by name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ..errors import PlayerError, one_of
from ..rules import Rules
from .base import Parameter, Player, PlayerInfo, RulesBoundPlayer

ENTRY_POINT_GROUP = "seabattle.players"

BUILT_IN = ("seabattle.players", "seabattle.search", "seabattle.admiral", "seabattle.engine")
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
            name, make, source, line, parameters_of(make), needs, slow, runs_programs
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


def read_parameters(text: str, name: str, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """Read the values of parameters from a text such as `iterations=1000,select=hits`."""
    given: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in entry.partition("="))
        if key not in known:
            if not known:
                raise PlayerError(
                    f"The player {name!r} has no parameters, but was given {entry!r}."
                )
            raise PlayerError(one_of(f"parameter of {name!r}", key, known))
        if not equals:
            raise PlayerError(f"The parameter {entry!r} has no value; write {key}=VALUE.")
        given[key] = read_value(name, known[key], value)
    return given


def describe(text: str) -> str:
    """The canonical form of a player's name: sorted, without parameters at their defaults."""
    name, _, rest = text.strip().partition(":")
    parameters = player_info(name).parameters
    made = make_player(text)
    if hasattr(made, "to_text"):
        return f"{name}:{made.to_text()}"
    given = dict(
        [part.strip() for part in entry.split("=", 1)] for entry in rest.split(",") if entry.strip()
    )
    kept = [
        f"{key}={given[key]}"
        for key in sorted(given)
        if read_value(name, parameters[key], given[key]) != parameters[key].default
    ]
    return name + (":" + ",".join(kept) if kept else "")


def read_value(player: str, parameter: Parameter, text: str) -> Any:
    """The value of one parameter from its text."""
    if parameter.choices:
        if text not in parameter.choices:
            what = f"value of {parameter.name} for {player!r}"
            raise PlayerError(one_of(what, text, parameter.choices))
        return text
    if parameter.kind is bool:
        if text not in ("true", "false"):
            raise PlayerError(
                f"{parameter.name} of {player!r} must be true or false, not {text!r}."
            )
        return text == "true"
    try:
        return parameter.kind(text)
    except ValueError:
        kind = {int: "a whole number", float: "a number"}[parameter.kind]
        raise PlayerError(f"{parameter.name} of {player!r} must be {kind}, not {text!r}.") from None


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """Split at separators that are not quoted or escaped as in a shell.

    >>> split_outside_quotes("./engine '3,2',seconds=1", ",")
    ["./engine '3,2'", 'seconds=1']
    """
    parts, start, quote = [], 0, ""
    place = 0
    while place < len(text):
        character = text[place]
        if character == "\\" and quote != "'":
            place += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == separator:
            parts.append(text[start:place])
            start = place + 1
        place += 1
    return [*parts, text[start:]]


def parameters_of(make: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters of a class or function, read from its signature."""
    # The fields of a dataclass remember the module they were declared in; its __init__ does not.
    where = make
    if isinstance(make, type) and not is_dataclass(make):
        where = make.__init__  # type: ignore[misc]
    try:
        hints = get_type_hints(where, include_extras=True)
    except (NameError, TypeError):
        hints = {}
    found = {}
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        kind, choices, text = _kind(hints.get(name, type(default) if default is not None else str))
        found[name] = Parameter(name, default, kind, choices, text)
    return found


def _kind(hint: Any) -> tuple[type, tuple[str, ...], str]:
    text = ""
    if hasattr(hint, "__metadata__"):
        text = next((note for note in hint.__metadata__ if isinstance(note, str)), "")
        hint = hint.__origin__
    if get_origin(hint) in (Union, UnionType):
        hint = next(arm for arm in get_args(hint) if arm is not type(None))
    if get_origin(hint) is Literal:
        return str, tuple(map(str, get_args(hint))), text
    return hint if hint in (int, float, bool, str, Path) else str, (), text


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
