"""Parameters in a name, such as `mcts:iterations=1000,select=hits`.

Players, placers and trainers are made from their names by the same rules. The parameters of
a class or function are those of its signature.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import PlayerError, one_of

STATE = {"parameter": False}
"""the metadata of a dataclass's fields that are no parameters but what it has learned"""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a player or placer, which can be set in its name."""

    name: str
    default: Any
    """None if the player decides"""
    kind: type
    """int, float, bool, str or Path"""
    choices: tuple[str, ...] = ()
    """the valid values, if only a few words are"""
    help: str = ""

    @property
    def names_a_file(self) -> bool:
        """Whether it is a file on this machine, which visitors of the browser game may not name."""
        return self.kind is Path

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "default": self.default,
            "kind": self.kind.__name__,
            "choices": list(self.choices),
            "help": self.help,
        }


def read_parameters(text: str, name: str, known: Mapping[str, Parameter]) -> dict[str, Any]:
    """Read the values of parameters from a text such as `iterations=1000,select=hits`."""
    given: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in entry.partition("="))
        if key not in known:
            if not known:
                raise PlayerError(f"{name!r} has no parameters, but was given {entry!r}.")
            raise PlayerError(one_of(f"parameter of {name!r}", key, known))
        if not equals:
            raise PlayerError(f"The parameter {entry!r} has no value; write {key}=VALUE.")
        given[key] = read_value(value, name, known[key])
    return given


def canonical(text: str, name: str, known: Mapping[str, Parameter]) -> str:
    """The name with the parameters in `text`: sorted, without those at their defaults."""
    given = dict(
        [part.strip() for part in entry.split("=", 1)] for entry in text.split(",") if entry.strip()
    )
    kept = [
        f"{key}={given[key]}"
        for key in sorted(given)
        if read_value(given[key], name, known[key]) != known[key].default
    ]
    return name + (":" + ",".join(kept) if kept else "")


def read_value(text: str, player: str, parameter: Parameter) -> Any:
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
        value = parameter.kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
        return value
    except ValueError:
        kind = {int: "a whole number", float: "a finite number"}[parameter.kind]
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
    state = (
        {each.name for each in fields(make) if STATE.items() <= each.metadata.items()}
        if (is_dataclass(make))
        else set()
    )
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            continue
        if name in state:
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
