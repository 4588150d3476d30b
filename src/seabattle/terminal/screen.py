"""Input and output: everything that a person reads and types goes through here."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress

from rich.console import Console
from rich.text import Text

LONGEST_LINE = 500
"""Characters after which a typed line is cut; no command is nearly as long."""


class Screen:
    """Lines out, lines in; the same on a terminal, in a pipe and in a test."""

    def __init__(
        self,
        read: Callable[[str], str] = input,
        console: Console | None = None,
        echo: bool = False,
    ) -> None:
        self._read = read
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._echo = echo

    @classmethod
    def standard(cls) -> Screen:
        """Standard input and output, whatever they are connected to."""
        for stream in (sys.stdin, sys.stdout):
            # Bytes that are not text, or a name that cannot be shown, must not end a game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (line editing and history)
        # Input from a pipe is echoed, so that the output reads as a dialogue.
        return cls(echo=not sys.stdin.isatty())

    @property
    def width(self) -> int:
        return self._console.width

    def say(self, *lines: str | Text) -> None:
        """Print sentences, wrapped at the width of the screen; indentation is kept."""
        for line in lines:
            if isinstance(line, str):
                indent = line[: len(line) - len(line.lstrip())]
                line = textwrap.fill(line, self.width, subsequent_indent=indent)
            self._console.print(line)

    def draw(self, lines: Iterable[Text]) -> None:
        """Print lines that must not be wrapped."""
        for line in lines:
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def ask(self, prompt: str) -> str:
        """One typed line; may raise EOFError or KeyboardInterrupt."""
        self._console.file.flush()
        line = self._read(prompt)
        if self._echo:
            self.say(line[:LONGEST_LINE])
        return "".join(c if c.isprintable() else " " for c in line[:LONGEST_LINE]).strip()

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Show on a terminal that work is going on; print nothing into a pipe."""
        if not self._console.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return self._console.status(f"{what} ...")

    def hide(self) -> None:
        """Clear the screen, so that the next person sees nothing of it."""
        if self._console.is_terminal:
            self._console.clear()
            # And the scrollback.
            self._console.file.write("\x1b[3J")
            self._console.file.flush()
        else:
            self._console.print("-" * min(self.width, 78))


def reason(error: Exception) -> str:
    """Why a file could not be read or written."""
    return (getattr(error, "strerror", None) or str(error)).lower()
