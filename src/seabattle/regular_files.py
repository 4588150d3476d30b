"""Reading files that somebody else may have made."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

MOST_CHARACTERS = 16 * 2**20
"""no text that is read as a whole is longer: records, moves, settings"""


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read; a device or a pipe, which may never end, is an `OSError`."""
    # Opening a pipe would wait for whoever writes to it.
    found = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(0, "it is not a regular file")
    return os.fdopen(found, "rb")


def read_text(path: Path) -> str:
    """The text of a file; one that is too long is an `OSError` too."""
    with open_regular(path) as file:
        content = file.read(MOST_CHARACTERS + 1)
    if len(content) > MOST_CHARACTERS:
        raise OSError(0, f"it is longer than {MOST_CHARACTERS:,} bytes")
    return content.decode("utf-8")
