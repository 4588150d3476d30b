"""Games that were left unfinished, one file each, for `seabattle play --resume last`."""

from __future__ import annotations

import secrets
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import OutputError, RecordError, reason
from ..experiment.data_folder import write_whole
from ..record import DuelRecord
from .replay import load_record

MOST_GAMES = 20
"""games to keep; the oldest are deleted first"""


class SavedGames:
    """A folder of unfinished games. Sessions never write to each other's files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, record: DuelRecord) -> Path:
        """Write a game to a file of its own: whole, or not at all."""
        # Names sort by time, also within a second, and no two are the same.
        path = self.folder / f"{time.time_ns():020}-{secrets.token_hex(4)}.txt"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _uninterrupted():
                write_whole(path, record.to_text().encode())
        except OSError as error:
            raise OutputError(f"Cannot keep the game in {self.folder}: {reason(error)}.") from None
        for old in self._files()[:-MOST_GAMES]:
            old.unlink(missing_ok=True)
        return path

    def last(self) -> tuple[Path, DuelRecord]:
        """The game that was left most recently, and its file."""
        files = self._files()
        if not files:
            raise RecordError("There is no unfinished game to resume; 'seabattle play' begins one.")
        try:
            record = load_record(files[-1])
        except RecordError as error:
            raise RecordError(f"{error} Delete {files[-1]} to resume the game before it.") from None
        if not isinstance(record, DuelRecord):
            raise RecordError(f"{files[-1]} is not a two-sided game; delete it.")
        return files[-1], record

    def _files(self) -> list[Path]:
        """Oldest first."""
        return sorted(self.folder.glob("*.txt"))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Whoever presses Ctrl-C twice does not lose the game."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
