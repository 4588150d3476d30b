"""What benchmarks share: measuring, and printing results beside their targets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One result."""

    what: str
    value: float
    unit: str
    target: float | None = None
    at_least: bool = False
    """the target is a floor (games per second), not a ceiling (seconds)"""

    @property
    def met(self) -> bool:
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target

    def cells(self) -> tuple[str, str, str, str]:
        wanted = ""
        if self.target is not None:
            wanted = f"{'≥' if self.at_least else '≤'} {_short(self.target)} {self.unit}"
        verdict = "" if self.target is None else "met" if self.met else "MISSED"
        return self.what, f"{_short(self.value)} {self.unit}", wanted, verdict


def show(lines: list[Line]) -> None:
    """Print results as a small table."""
    rows = [("what", "measured", "target", ""), *(line.cells() for line in lines)]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    for what, *rest in rows:
        right = [part.rjust(width) for part, width in zip(rest, widths[1:], strict=True)]
        print("   " + "  ".join([what.ljust(widths[0]), *right]).rstrip(), flush=True)


def best_of(times: int, action: Callable[[], object]) -> float:
    """Seconds of the quickest run: what the machine can do when nothing disturbs it."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
