"""What a person reads and types: the only door to the terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress

from rich.console import Console
from rich.text import Text

LONGEST_LINE = 500
"""Typed lines are cut here; no command is nearly as long."""


class Screen:
    """Lines out, lines in. Works alike on a terminal, in a pipe and in a test."""

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
            # A byte that is no text, or a name the terminal cannot show, must not end a game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (editing and recall of typed lines)
        # A person sees what they typed; a pipe has to be shown it to read as a dialogue.
        return cls(echo=not sys.stdin.isatty())

    @property
    def width(self) -> int:
        return self._console.width

    def say(self, *lines: str | Text) -> None:
        """Sentences, wrapped at the width of the screen; what is indented stays so."""
        for line in lines:
            if isinstance(line, str):
                indent = line[: len(line) - len(line.lstrip())]
                line = textwrap.fill(line, self.width, subsequent_indent=indent)
            self._console.print(line)

    def draw(self, lines: Iterable[Text]) -> None:
        """Lines that must not be wrapped."""
        for line in lines:
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def ask(self, prompt: str) -> str:
        """One typed line. EOFError and KeyboardInterrupt are for the caller."""
        self._console.file.flush()
        line = self._read(prompt)
        if self._echo:
            self.say(line[:LONGEST_LINE])
        return "".join(c if c.isprintable() else " " for c in line[:LONGEST_LINE]).strip()

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Show a person that work is going on; say nothing into a pipe."""
        if not self._console.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return self._console.status(f"{what} ...")

    def hide(self) -> None:
        """Remove everything from sight, so that the next person does not see it."""
        if self._console.is_terminal:
            self._console.clear()
            # Also what could be scrolled back to.
            self._console.file.write("\x1b[3J")
            self._console.file.flush()
        else:
            self._console.print("-" * min(self.width, 78))
