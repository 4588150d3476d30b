"""Typed lines in, printed lines out: a terminal for tests."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
from rich.console import Console

from seabattle.rules import Rules
from seabattle.terminal import Screen, Session, SessionOptions


class Dialogue:
    """Answers prompts with given lines, then with the end of input."""

    def __init__(self, lines: Iterable[str], width: int = 80) -> None:
        self._lines = iter(lines)
        self._out = io.StringIO()
        console = Console(
            file=self._out, width=width, highlight=False, markup=False, color_system=None
        )
        self.screen = Screen(self._read, console, echo=True)

    def _read(self, prompt: str) -> str:
        self._out.write(prompt)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None

    @property
    def text(self) -> str:
        return self._out.getvalue()


def sit(
    lines: Iterable[str],
    rules: str = "mini",
    opponent: str | None = "random",
    seed: int = 1,
    **options: object,
) -> tuple[Session, str]:
    """A whole session with everything given except the placing and the shots."""
    dialogue = Dialogue(lines)
    given = {"names": ("Ann",), **options}
    if given.get("two"):
        opponent = None
    chosen = SessionOptions(Rules.from_text(rules), opponent, **given)  # type: ignore[arg-type]
    session = Session(dialogue.screen, chosen, np.random.default_rng(seed))
    session.run()
    return session, dialogue.text


def every_cell(rules: str) -> list[str]:
    """Shots that surely find everything."""
    board = Rules.from_text(rules)
    return [board.cell_name(cell) for cell in range(board.cells)]
