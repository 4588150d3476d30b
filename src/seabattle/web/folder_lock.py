"""One server per data folder: the games in memory must be those on disk."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ..errors import SeabattleError, reason


@contextlib.contextmanager
def only_server_of(folder: Path) -> Iterator[None]:
    """Refuse to go on if another server uses this folder.

    An exclusive SQLite transaction is a lock that every system has and that a crash releases.
    """
    path = folder / "server.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        lock = sqlite3.connect(path, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise SeabattleError(f"Cannot store games in {folder}: {reason(error)}.") from None
    with contextlib.closing(lock):
        try:
            lock.execute("begin exclusive")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise SeabattleError(
                    f"Another server is using {folder}; stop it, or choose another --data folder."
                ) from None
            raise SeabattleError(f"Cannot use {path}: {error}; delete that file.") from None
        yield
