"""What the server prepares for first use: compiling a player, or the heat maps.

Compiled code is cached on disk, so this takes long only once after an installation. The page
shows the steps and how far they are.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, Literal

PreparationState = Literal["waiting", "running", "done"]


@dataclass
class Step:
    """The first use of one part."""

    what: str
    """a player, or `heat maps`"""
    state: PreparationState = "waiting"
    compiled: int = 0
    """functions compiled so far"""
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    _began: float = 0.0
    _seconds: float = 0.0

    def start(self) -> None:
        if self.state == "waiting":
            self.state, self._began = "running", time.monotonic()

    def finish(self) -> None:
        """It has been used once, successfully or not."""
        if self.state != "done":
            self.start()
            self.state, self._seconds = "done", time.monotonic() - self._began
            self.finished.set()

    def count_compiled(self) -> None:
        self.compiled += 1

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return time.monotonic() - self._began if self.state == "running" else self._seconds

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "state": self.state,
            "compiled": self.compiled,
            "seconds": round(self.seconds, 1),
        }


class Preparation:
    """The steps of one server, each begun when it is first needed."""

    def __init__(self) -> None:
        self._steps: dict[str, Step] = {}

    def step(self, key: str, what: str) -> tuple[Step, bool]:
        """The step with this key, and whether it is new."""
        new = key not in self._steps
        if new:
            self._steps[key] = Step(what)
        return self._steps[key], new

    def running(self) -> list[Step]:
        """The steps that are being made."""
        return [step for step in self._steps.values() if step.state == "running"]

    def to_json(self) -> dict[str, Any]:
        return {"steps": [step.to_json() for step in self._steps.values()]}
