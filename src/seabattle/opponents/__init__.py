"""Opponents for people: levels of difficulty, how strong each player is, ratings and tallies."""

from __future__ import annotations

from .levels import LEVELS, MEDIUM, Level, is_level, level_player, opponent_name
from .strength import Strength, measure_strength, shipped_strength
from .tally import PlayedGame, Tally, tally

__all__ = [
    "LEVELS",
    "MEDIUM",
    "Level",
    "PlayedGame",
    "Strength",
    "Tally",
    "is_level",
    "level_player",
    "measure_strength",
    "opponent_name",
    "shipped_strength",
    "tally",
]
