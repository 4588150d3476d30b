"""Input and output: everything that a person reads and types goes through here.

On a terminal that is large enough, the screen is redrawn in place: the frame (the boards)
at the top, below it what was said since the last typed line, then the prompt. In a pipe, and
on a terminal that is too small, lines follow each other.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress

from rich.console import Console
from rich.text import Text

from .waiting import waiting

LONGEST_LINE = 500
"""Characters after which a typed line is cut; no command is nearly as long."""
COLUMN_GAP = re.compile(r"(?:^|(?<=\S)) {2,}(?=\S)")
LEAST_BELOW = 3
"""Lines below the frame: an answer to each side's shot, and the prompt."""


class Screen:
    """Lines out, lines in; the same on a terminal, in a pipe and in a test."""

    def __init__(
        self,
        read: Callable[[str], str] = input,
        console: Console | None = None,
        echo: bool = False,
        redraws: bool = False,
    ) -> None:
        self._read = read
        self._console = console or Console(highlight=False, markup=False, emoji=False)
        self._echo = echo
        self._redraws = redraws
        self._frame: list[Text] = []
        self._recent: list[Text] = []
        """the lines below the frame"""
        self._printed = False
        self._redrawn = False

    @classmethod
    def standard(cls) -> Screen:
        """Standard input and output, whatever they are connected to."""
        for stream in (sys.stdin, sys.stdout):
            # Bytes that are not text, or a name that cannot be shown, must not end a game.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        typed = sys.stdin.isatty()
        if typed:
            with suppress(ImportError):
                import readline  # noqa: F401  (line editing and history)
        console = Console(highlight=False, markup=False, emoji=False)
        redraws = typed and console.is_terminal and not console.is_dumb_terminal
        # Input from a pipe is echoed, so that the output reads as a dialogue.
        return cls(console=console, echo=not typed, redraws=redraws)

    @property
    def width(self) -> int:
        return self._console.width

    def say(self, *lines: str | Text) -> None:
        """Print sentences, wrapped at the width of the screen; indentation and columns are kept."""
        for line in lines:
            self._print(self._wrapped(line))

    def draw(self, lines: Iterable[Text]) -> None:
        """Print lines that must not be wrapped."""
        self._print(list(lines))

    def show(
        self, frame: Sequence[str | Text], scrolling: Sequence[str | Text] | None = None
    ) -> None:
        """Show a frame in place of the one before. Where it does not fit, or in a pipe, print
        it below, or the lines of `scrolling` instead."""
        lines = self._lines(frame)
        spare = self._console.height - len(lines) - LEAST_BELOW
        too_wide = any(line.cell_len > self.width for line in lines)
        if not self._redraws or too_wide or spare < 0:
            self._frame = []
            blank = [Text()] if self._printed else []
            self.draw([*blank, *self._lines(frame if scrolling is None else scrolling)])
            return
        self._frame = [*lines, Text()] if spare > 1 else lines
        room = self._console.height - len(self._frame) - 1
        self._redraw([*self._frame, *self._recent[-room:]])

    def ask(self, prompt: str) -> str:
        """One typed line; may raise EOFError or KeyboardInterrupt."""
        if self._frame:
            if len(self._frame) + len(self._recent) < self._console.height:
                self._redraw([*self._frame, *self._recent])
            elif len(self._recent) < self._console.height:  # a heat map, or a long list
                self._redraw(self._recent)
        self._recent = []
        self._console.file.flush()
        try:
            line = self._read(prompt)
        except OSError:  # the terminal is gone
            raise EOFError from None
        if self._echo:
            self.say(line[:LONGEST_LINE])
        return "".join(c if c.isprintable() else " " for c in line[:LONGEST_LINE]).strip()

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """Show on a terminal that work is going on; print nothing into a pipe."""
        if not self._console.is_terminal or self._console.is_dumb_terminal:
            return nullcontext()
        return waiting(self._console, what)

    def hide(self) -> None:
        """Clear the screen, so that the next person sees nothing of it."""
        self._frame, self._recent = [], []
        if self._console.is_terminal:
            self._console.clear()
            # And the scrollback.
            self._console.file.write("\x1b[3J")
            self._console.file.flush()
        else:
            self._console.print("-" * min(self.width, 78))

    def _lines(self, lines: Iterable[str | Text]) -> list[Text]:
        """Sentences wrapped, drawings as they are."""
        found = list[Text]()
        for line in lines:
            found += self._wrapped(line) if isinstance(line, str) else [line]
        return found

    def _wrapped(self, line: str | Text) -> list[Text]:
        if isinstance(line, Text):
            return list(line.wrap(self._console, self.width))
        # A line of a table goes on below its last column.
        column = max((gap.end() for gap in COLUMN_GAP.finditer(line)), default=0)
        if column > self.width // 2:
            column = len(line) - len(line.lstrip())
        return [
            Text(part)
            for part in textwrap.wrap(line, self.width, subsequent_indent=" " * column) or [""]
        ]

    def _print(self, lines: list[Text]) -> None:
        self._recent += lines
        self._printed = True
        for line in lines:
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def _redraw(self, lines: list[Text]) -> None:
        """Write over what is on the screen, without clearing it first: that would flicker."""
        with self._console.capture() as captured:
            for line in lines:
                self._console.print(line, no_wrap=True, overflow="ignore", crop=False)
        out = self._console.file
        if not self._redrawn:  # move earlier output out of sight instead of writing over it
            self._redrawn = True
            out.write("\n" * (self._console.height - 1))
        out.write("\x1b[H" + captured.get().replace("\n", "\x1b[K\n") + "\x1b[J")
        out.flush()
