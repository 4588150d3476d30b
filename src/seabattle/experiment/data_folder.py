"""The folder where a user's results and games are stored, and writing a file there."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def data_folder() -> Path:
    """`seabattle` in the user's data folder, wherever this system keeps that."""
    return _user_data() / "seabattle"


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file atomically, synced to disk."""
    beside = path.with_name(path.name + ".part")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can read, unless there is one already."""
    with suppress(OSError):  # whoever opens it next says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _user_data() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
