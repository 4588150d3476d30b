"""How much memory a player needs: what the process gains while it gets ready and plays.

The interpreter, the libraries and the dealing of layouts are there before any player, and are
not counted. What a player keeps (a cache, a network, a tree) is added up over its calls, and the
largest amount above that in one call is the peak. A player that is compiled on its first use is
charged for that too, and code or caches that several players share for the first of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_RESIDENT_AND_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB\nVmRSS:\s*(\d+) kB$", re.MULTILINE)
"""in /proc/self/status, where they follow each other"""


@dataclass
class PeakMemory:
    """The memory of one player in this process, in MB."""

    kept: float = 0.0
    """gained by its calls so far, and not given back"""
    peak: float | None = None
    """the most that it ever had; None if the system does not tell"""

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count what the process gains inside the `with` block."""
        _reset_peak()
        before, _ = _resident_and_peak_mb()
        try:
            yield
        finally:
            after, peak = _resident_and_peak_mb()
            if before is not None and after is not None and peak is not None:
                highest = self.kept + max(peak - before, 0.0)
                self.peak = max(highest, self.peak or 0.0)
                self.kept = max(self.kept + after - before, 0.0)


def _reset_peak() -> None:
    """Reset the peak memory of this process, if the system allows it."""
    try:
        with open("/proc/self/clear_refs", "wb", buffering=0) as file:
            file.write(b"5")
    except OSError:
        return


def _resident_and_peak_mb() -> tuple[float | None, float | None]:
    """The resident memory of this process, and its peak since `_reset_peak`; elsewhere than on
    Linux both are the peak since the start."""
    try:
        with open("/proc/self/status", "rb", buffering=0) as file:
            found = _RESIDENT_AND_PEAK.search(file.read())
    except OSError:
        found = None
    if found is None:
        return (largest := _largest_mb()), largest
    peak, resident = (int(kilobytes) / 1024 for kilobytes in found.groups())
    return resident, peak


def _largest_mb() -> float | None:
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
