"""The game in the terminal: a person against any player, or two at one keyboard.

`fleet` is the placing of ships, `session` a sitting of one or more games, `replay` the
reading of a saved one. All of them talk through a `Screen`, which a test can take the
place of; none of them decides a rule.
"""

from __future__ import annotations

from .replay import Replay
from .screen import Screen
from .session import Session, SessionOptions

__all__ = ["Replay", "Screen", "Session", "SessionOptions"]
