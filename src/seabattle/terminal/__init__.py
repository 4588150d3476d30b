"""The game in the terminal: a person against any player, or two at one keyboard.

`session` plays one or more games, with `setup` before the battle, `placement` for the fleet,
`prompt` for typed lines and commands, and `board_view` for what is shown. `replay` shows a
saved game. All of them use a `Screen`, which tests can replace; none of them decides a rule.
"""

from __future__ import annotations

from .replay import Replay
from .screen import Screen
from .session import Session
from .setup import SessionOptions

__all__ = ["Replay", "Screen", "Session", "SessionOptions"]
