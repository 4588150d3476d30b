"""The messages of the engine protocol: one JSON object per line, each with a `type`.

`TO_ENGINE` and `FROM_ENGINE` list the messages and their fields. `decode` is the only way in:
what it returns has all required fields, each of the right kind. Unknown fields are ignored, so
that later versions can add some.

>>> encode("shot", id=7, cell="E5")
b'{"type":"shot","id":7,"cell":"E5"}\\n'
>>> decode(b'{"type": "shot", "id": 7, "cell": "E5"}', FROM_ENGINE)
{'type': 'shot', 'id': 7, 'cell': 'E5'}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors import ProtocolError, one_of
from ..rules import Rules
from ..shots import Shot

VERSION = 1

LONGEST_LINE = 65_536
"""bytes, including the end of the line"""
PREPARE_SECONDS = 60.0
"""that an engine has to start and to get ready for new rules, unless told otherwise"""
MOST_STRAY = 1000
"""messages that nobody asked for, between two legal answers"""


class Field(NamedTuple):
    """One field of a message."""

    kind: str
    """a key of `KINDS`"""
    required: bool = True


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


KINDS: dict[str, Callable[[Any], bool]] = {
    "a whole number": _whole,
    "a number": _number,
    "a text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "a list of texts": _texts,
    "an object": lambda value: isinstance(value, dict),
}

_WHOLE, _NUMBER, _TEXT = Field("a whole number"), Field("a number"), Field("a text")
_TEXTS, _OBJECT = Field("a list of texts"), Field("an object")


def _optional(field: Field) -> Field:
    return field._replace(required=False)


Messages = Mapping[str, Mapping[str, Field]]

TO_ENGINE: Messages = {
    "hello": {"protocol": _WHOLE, "host": _optional(_TEXT), "options": _optional(_OBJECT)},
    "rules": {"rules": _OBJECT},
    "match": {"match": _WHOLE, "games": _WHOLE, "opponent": _optional(_TEXT)},
    "game": {
        "game": _WHOLE,
        "seed": _WHOLE,
        "shots": _TEXTS,
        "match": _optional(_WHOLE),
        "side": _optional(_TEXT),
    },
    "choose": {
        "id": _WHOLE,
        "game": _WHOLE,
        "shots": _TEXTS,
        "seconds": _NUMBER,
        "pending": _optional(_TEXTS),
    },
    "place": {"id": _WHOLE, "seed": _WHOLE, "seconds": _NUMBER, "match": _optional(_WHOLE)},
    "stop": {"id": _WHOLE},
    "over": {
        "game": _WHOLE,
        "shots": _TEXTS,
        "result": _TEXT,
        "ships": _optional(_TEXT),
        "own_ships": _optional(_TEXT),
        "enemy_shots": _optional(_TEXTS),
    },
    "match-over": {"match": _WHOLE, "wins": _WHOLE, "draws": _WHOLE, "losses": _WHOLE},
    "error": {"message": _TEXT, "id": _optional(_WHOLE)},
    "quit": {},
}
"""what the host says"""

FROM_ENGINE: Messages = {
    "hello": {
        "protocol": _WHOLE,
        "name": _TEXT,
        "version": _optional(_TEXT),
        "author": _optional(_TEXT),
        "games": _optional(_WHOLE),
        "places": _optional(Field("true or false")),
        "options": _optional(_OBJECT),
    },
    "ready": {},
    "shot": {"id": _WHOLE, "cell": _TEXT},
    "layout": {"id": _WHOLE, "ships": _TEXT},
    "info": {"message": _TEXT},
    "error": {"message": _TEXT, "id": _optional(_WHOLE)},
}
"""what the engine says"""


def encode(type: str, **fields: Any) -> bytes:
    """The line of one message."""
    return json.dumps({"type": type, **fields}, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes, known: Messages) -> dict[str, Any]:
    """The message on a line, if it is one of these; a `ProtocolError` says what is wrong."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError(f"{shown(line)} is not JSON.") from None
    if not isinstance(message, dict):
        raise ProtocolError(f"{shown(line)} is not a JSON object.")
    kind = message.get("type")
    fields = known.get(kind) if isinstance(kind, str) else None
    if fields is None:
        raise ProtocolError(one_of("message type", kind, known))
    for name, field in fields.items():
        if name not in message:
            if field.required:
                raise ProtocolError(f"The message {shown(line)} has no {name!r}.")
        elif not KINDS[field.kind](message[name]):
            raise ProtocolError(f"{name!r} in {shown(line)} must be {field.kind}.")
    return message


def shown(line: bytes, most: int = 200) -> str:
    """A line as it is quoted in an error."""
    text = line.decode("utf-8", "backslashreplace").strip()
    return repr(text if len(text) <= most else text[:most] + "…")


@lru_cache(maxsize=20_000)
def shot_text(shot: Shot, rules: Rules) -> str:
    """`E5 hit`, remembered."""
    return shot.to_text(rules)


@lru_cache(maxsize=20_000)
def shot_from_text(text: str, rules: Rules) -> Shot:
    """The shot that `shot_text` wrote, remembered; an error if these rules cannot give it."""
    return Shot.from_text(text, rules)
