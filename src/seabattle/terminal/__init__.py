"""The game in the terminal: a person against any player, two at one keyboard, or one alone.

`session` plays one or more games, with `setup` before the battle, `placement` for the fleet,
`prompt` for typed lines and commands, and `board_view` for what is shown. `saved_games` keeps
a game that is left, `memory_files` the games that an opponent learns from, `replay` shows a
saved one, and `end_card` says how good the shots were.
`solo` and `puzzle_session` are sessions of their own. All of them use a `Screen`, which tests
can replace; none of them decides a rule.
"""

from __future__ import annotations

from .memory_files import MemoryFiles
from .puzzle_session import PuzzleSession
from .replay import Replay
from .saved_games import SavedGames
from .screen import Screen
from .session import Session
from .setup import SessionOptions
from .solo import SoloResults, SoloSession

__all__ = [
    "MemoryFiles",
    "PuzzleSession",
    "Replay",
    "SavedGames",
    "Screen",
    "Session",
    "SessionOptions",
    "SoloResults",
    "SoloSession",
]
