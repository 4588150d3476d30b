"""Keeps several processes from compiling the same function at once.

On a fresh machine, the processes of one command all want the same functions. The first to ask
compiles, and the others wait for what it has cached.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: each process compiles for itself
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""seconds after which a process compiles for itself, because the other one may be suspended"""


class CompileLock:
    """Held by the one process that compiles a function; a process that ends lets go of it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Wait until no other process compiles the function, but not for ever."""
        if fcntl is None or self._descriptor is not None:
            return
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return
        deadline = time.monotonic() + PATIENCE
        while not _locked(descriptor):
            if time.monotonic() > deadline:
                os.close(descriptor)
                return
            time.sleep(0.02)
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _locked(descriptor: int) -> bool:
    """Take the lock if it is free. A file system without locks always lets us go on."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
