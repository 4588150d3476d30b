"""The game in the terminal: a person against any player, or two at one keyboard.

`session` plays one or more games, with `setup` before the battle, `placement` for the fleet,
`prompt` for typed lines and commands, and `board_view` for what is shown. `saved_games` keeps
a game that is left, and `replay` shows a saved one. All of them use a `Screen`, which tests
can replace; none of them decides a rule.
"""

from __future__ import annotations

from .replay import Replay
from .saved_games import SavedGames
from .screen import Screen
from .session import Session
from .setup import SessionOptions

__all__ = ["Replay", "SavedGames", "Screen", "Session", "SessionOptions"]
