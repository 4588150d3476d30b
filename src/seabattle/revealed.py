"""A finished game of a match, as one of the two is told about it afterwards.

A player or placer that learns from game to game of a match has

    after_game(game) -> itself, or one like it that has learned

which is called with a `RevealedGame` after every game. What it returns plays the next game.
A learner is best an immutable value: `after_game` returns a new one, and the one that the
match began with stays as it was, so that the next match begins from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from .layout import Layout
from .observation import Observation
from .rules import Rules
from .shots import Shot

Result = Literal["won", "lost", "drawn"]
RESULTS: tuple[Result, ...] = ("won", "lost", "drawn")


@dataclass(frozen=True)
class RevealedGame:
    """One finished game, seen from one side."""

    layout: Layout
    """where its own ships lay"""
    shots: tuple[Shot, ...]
    """its own shots and their answers; if it lost, those that it had fired by then"""
    enemy_shots: tuple[Shot, ...]
    """the opponent's shots at its ships, to the end of the game"""
    enemy_layout: Layout | None
    """where the opponent's ships lay; None if that is not revealed"""
    result: Result
    moved_first: bool

    @property
    def rules(self) -> Rules:
        return self.layout.rules

    @property
    def observation(self) -> Observation:
        """What it had seen of the opponent's ships."""
        return Observation(self.rules, self.shots)


@runtime_checkable
class Learner(Protocol):
    """A player or placer that learns from game to game."""

    def after_game(self, game: RevealedGame) -> Any:
        """The player or placer for the next game of the match."""
        ...
