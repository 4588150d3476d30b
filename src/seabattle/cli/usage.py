"""One plain sentence for each way of mistyping a command."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

LONG_WORD = re.compile(r"\S{300,}")
"""longer than any file name that somebody has typed"""


def sentence(error: Any) -> str:
    """The sentence for an error of Typer's, and which help to read."""
    ctx = getattr(error, "ctx", None)
    command = "seabattle" if ctx is None else ctx.command_path
    return f"{_told(error, ctx)} See '{command} --help'."


def printable(told: str) -> str:
    """An error message that fits a terminal, whatever it quotes."""
    shorter = LONG_WORD.sub(lambda word: f"{word[0][:40]}…{word[0][-20:]}", told)
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in shorter)


def _told(error: Any, ctx: Any) -> str:
    match type(error).__name__:
        case "NoSuchOption":
            options = [each for option in ctx.command.params for each in option.opts]
            return f"There is no option {error.option_name}.{_nearest(error.option_name, options)}"
        case "MissingParameter" if error.param is not None:
            what = error.param.metavar or error.param.name
            more = "at least one " if error.param.nargs == -1 else "a "
            return f"'{ctx.command_path}' needs {more}{what}."
        case "BadParameter" if error.param is not None:
            return _bad_value(error)
        case "BadOptionUsage":
            return f"{error.option_name} needs a value."
        case "UsageError" if found := re.match("No such command '(.*?)'", error.message):
            known = getattr(ctx.command, "commands", ())
            return f"There is no command {found[1]}.{_nearest(found[1], known)}"
    return str(error.format_message()).rstrip(".") + "."


def _bad_value(error: Any) -> str:
    """What an option takes, and what it was given."""
    name = error.param.metavar if error.param.param_type_name == "argument" else _option(error)
    found = error.__cause__.errors()[0] if hasattr(error.__cause__, "errors") else {}
    given, limits = found.get("input"), found.get("ctx", {})
    match found.get("type", "").partition("_")[0]:
        case "int":
            return f"{name} takes a whole number, not {given!r}."
        case "float":
            return f"{name} takes a number, not {given!r}."
        case "greater":
            return f"{name} must be {limits['ge']:g} or more, not {given}."
    return f"{name}: {str(error.message).rstrip('.')}."


def _option(error: Any) -> str:
    return str(max(error.param.opts, key=len))


def _nearest(given: str, valid: Iterable[str]) -> str:
    close = difflib.get_close_matches(given, list(valid), n=1, cutoff=0.7)
    return f" Did you mean {close[0]}?" if close else ""
