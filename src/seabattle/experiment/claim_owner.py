"""The process that has claimed games in a results file, and whether it is still playing.

On the machine of a process the system tells whether it is alive, suspended or gone; a
number that was reused is told apart by when the process started. Of a process elsewhere
only the time until which its claims hold is known.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

UNKNOWN = "?"
SUSPENDED = ("T", "t")
"""the states of a process that has been stopped, as Linux reports them"""
GONE = ("Z", "X")
"""the states of one that has ended"""


@dataclass(frozen=True)
class ClaimOwner:
    """A process that plays games for a results file."""

    host: str
    pid: int
    birth: str
    """when it started, or `?` if the system does not say"""

    @staticmethod
    def text_of_this_process() -> str:
        """What is written beside a claim; unique for every run."""
        pid = os.getpid()
        return f"{socket.gethostname()} {pid} {_birth_and_state(pid)[0]} {uuid.uuid4()}"

    @classmethod
    def from_text(cls, text: object) -> ClaimOwner:
        """Read such a text; anything else is a process that nobody knows."""
        parts = str(text).split()
        known = len(parts) == 4 and parts[1].isdecimal() and len(parts[1]) < 20
        return cls(parts[0], int(parts[1]), parts[2]) if known else cls("", 0, UNKNOWN)

    @property
    def name(self) -> str:
        return f"process {self.pid}" + (f" on {self.host}" if self._elsewhere else "")

    def alive(self, until: float) -> bool:
        """Whether it may still be playing; `until` is the time to which its claim holds."""
        if not self._elsewhere and self.birth != UNKNOWN:
            birth, state = _birth_and_state(self.pid)
            if birth != self.birth or state in GONE:
                return False
            if state not in SUSPENDED:
                return True
        return time.time() < until

    @property
    def suspended(self) -> bool:
        birth, state = _birth_and_state(self.pid)
        return not self._elsewhere and birth == self.birth != UNKNOWN and state in SUSPENDED

    @property
    def _elsewhere(self) -> bool:
        return self.host != socket.gethostname()


def is_suspended(pid: int) -> bool:
    """Whether a process of this machine is suspended, as far as the system says."""
    return _birth_and_state(pid)[1] in SUSPENDED


def _birth_and_state(pid: int) -> tuple[str, str]:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return after_name[19], after_name[0]
    except (OSError, IndexError):
        return UNKNOWN, UNKNOWN
