"""The log of all runs on the test set: a line of JSON when a run begins, and one when it ends.

The log shows how often the test set was used, and for what. A run that was killed has only the
first line, so no look at the test set goes unlogged. The two lines have the same `run`.

In a source tree (a folder with this package's `pyproject.toml` above `src/seabattle`) the log is
`results/test-set.jsonl` there, and is committed with the code. An installed package writes to
`test-set.jsonl` in the user's data folder. A line is appended in one piece, also by several
processes at once.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import OutputError, reason
from ..rules import Rules
from .data_folder import data_folder
from .layout_sets import TEST, LayoutSet

IN_THE_REPOSITORY = Path("results") / "test-set.jsonl"


@dataclass(frozen=True)
class SealedLog:
    """Where the runs on the test set are written."""

    path: Path
    command: str
    """what to type to get the same result"""

    @classmethod
    def default(cls) -> SealedLog:
        """The usual log, and the command line of this process."""
        return cls(default_log(), shlex.join(sys.argv))

    @contextmanager
    def run(self, rules: Rules) -> Iterator[Callable[[dict[str, Any]], None]]:
        """Log one run: call what this yields with its result.

        A run that is stopped is logged too, with the reason and what it found so far. No game
        is played before the first line is written.
        """
        number = secrets.token_hex(4)
        self._append(self._entry(rules, number, begun=True))
        found: list[dict[str, Any] | None] = []
        try:
            yield found.append
        except BaseException as error:
            reason = str(error) or type(error).__name__
            result = found[0] if found else None
            self._append(self._entry(rules, number, result=result, stopped=reason))
            raise
        self._append(self._entry(rules, number, result=found[0] if found else None))

    def _entry(self, rules: Rules, number: str, **more: Any) -> dict[str, Any]:
        return {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": __version__,
            "run": number,
            "command": self.command,
            "rules": rules.to_text(),
            **more,
        }

    def _append(self, entry: dict[str, Any]) -> None:
        """Append a line."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b") as file, _locked(file.fileno()):
                line = json.dumps(entry, allow_nan=False).encode() + b"\n"
                if file.seek(0, os.SEEK_END) and not _ends_a_line(self.path):
                    line = b"\n" + line  # whoever wrote the last line was killed
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(
                f"Cannot write the log of the test set, {self.path}: "
                f"{reason(error)}; choose another file with --log."
            ) from error


@contextmanager
def logged(
    layout_set: LayoutSet | None, log: SealedLog | None, rules: Rules
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Log a run if it is on the test set; call what this yields with its result."""
    if layout_set != TEST:
        not_logged: list[dict[str, Any]] = []
        yield not_logged.append
        return
    with (log or SealedLog.default()).run(rules) as keep:
        yield keep


def default_log() -> Path:
    """`results/test-set.jsonl` in the source tree, or a file in the user's data folder."""
    root = source_tree()
    return data_folder() / "test-set.jsonl" if root is None else root / IN_THE_REPOSITORY


def source_tree(package: Path | None = None) -> Path | None:
    """The folder that this package runs from, if it is a source tree of this package."""
    package = Path(__file__).resolve().parents[1] if package is None else package
    root = package.parents[1]
    if package.parent.name != "src":
        return None
    try:
        project = (root / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    return root if 'name = "seabattle"' in project else None


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


@contextmanager
def _locked(file: int) -> Iterator[None]:
    """Keep other processes from writing; where there are no locks, a line is one write."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
