"""Parameters in names: read by their type, written in one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from seabattle.errors import PlayerError
from seabattle.naming.parameters import (
    STATE,
    Parameter,
    canonical,
    parameters_of,
    read_parameters,
    read_value,
    split_outside_quotes,
)


@dataclass(frozen=True)
class Sweep:
    """A thing with a parameter of every kind."""

    rows: Annotated[int, "how many"] = 3
    share: float = 0.5
    down: bool = False
    start: Literal["left", "right"] = "left"
    file: Path | None = None
    seen: tuple[int, ...] = field(default=(), metadata=STATE)


KNOWN: Mapping[str, Parameter] = parameters_of(Sweep)


def test_the_signature_is_read_without_what_was_learned() -> None:
    assert list(KNOWN) == ["rows", "share", "down", "start", "file"]
    assert KNOWN["rows"] == Parameter("rows", 3, int, (), "how many")
    assert KNOWN["start"].choices == ("left", "right")
    assert [name for name, each in KNOWN.items() if each.names_a_file] == ["file"]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("rows", "12", 12),
        ("share", "1e-3", 0.001),
        ("down", "true", True),
        ("start", "right", "right"),
        ("file", "a/b.txt", Path("a/b.txt")),
    ],
)
def test_a_value_is_read_by_its_type(name: str, text: str, value: Any) -> None:
    assert read_value(text, "sweep", KNOWN[name]) == value
    assert read_parameters(f" {name} = {text} ", "sweep", KNOWN) == {name: value}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows=few", "rows of 'sweep' must be a whole number, not 'few'"),
        ("share=nan", "share of 'sweep' must be a finite number, not 'nan'"),
        ("down=yes", "down of 'sweep' must be true or false, not 'yes'"),
        ("start=top", "start for 'sweep'"),
        ("rows", "has no value; write rows=VALUE"),
        ("seen=1", "seen"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message):
        read_parameters(text, "sweep", KNOWN)


def test_a_name_has_one_form_without_defaults() -> None:
    assert canonical("share=0.25, rows=4", "sweep", KNOWN) == "sweep:rows=4,share=0.25"
    assert canonical("rows=3,down=false", "sweep", KNOWN) == "sweep"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("'a,b',c", ["'a,b'", "c"]),
        ('"a,\\",b",c', ['"a,\\",b"', "c"]),
        ("a\\,b", ["a\\,b"]),
        ("", [""]),
    ],
)
def test_quoted_separators_do_not_separate(text: str, parts: list[str]) -> None:
    assert split_outside_quotes(text, ",") == parts
