"""One of a few names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ..errors import SeabattleError, one_of

Name = TypeVar("Name", bound=str)


def chosen(text: str, valid: Iterable[Name], what: str, error: type[SeabattleError]) -> Name:
    """The valid name that this text is; raises `error` with what is valid."""
    names = list(valid)
    for name in names:
        if name == text:
            return name
    raise error(one_of(what, text, names))
