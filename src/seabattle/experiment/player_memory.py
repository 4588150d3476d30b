"""How much memory a player needs: what the process gains while it gets ready and plays.

The interpreter, the libraries and the dealing of layouts are there before any player, and are
not counted. What a player keeps (a cache, a network, a tree) is added up over its calls, and the
largest amount above that in one call is the peak. A player that is compiled on its first use is
charged for that too, and code or caches that several players share for the first of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class PlayerMemory:
    """The memory of one player in this process, in MB."""

    kept: float = 0.0
    """gained by its calls so far, and not given back"""
    peak: float | None = None
    """the most that it ever had; None if the system does not tell"""

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count what the process gains inside the `with` block."""
        _reset_peak()
        before = _resident_mb()
        try:
            yield
        finally:
            peak, after = _peak_mb(), _resident_mb()
            if before is not None and after is not None and peak is not None:
                highest = self.kept + max(peak - before, 0.0)
                self.peak = max(highest, self.peak or 0.0)
                self.kept = max(self.kept + after - before, 0.0)


def _reset_peak() -> None:
    """Reset the peak memory of this process, if the system allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _resident_mb() -> float | None:
    """The resident memory of this process; elsewhere than on Linux its peak so far."""
    return _status("VmRSS:") or _largest_mb()


def _peak_mb() -> float | None:
    """The peak resident memory since `_reset_peak`, or since the start where that is not told."""
    return _status("VmHWM:") or _largest_mb()


def _status(field: str) -> float | None:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def _largest_mb() -> float | None:
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
