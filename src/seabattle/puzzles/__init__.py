"""Puzzles: positions in which one shot is clearly best, or in which the rest is certain."""

from __future__ import annotations

from .puzzle import KINDS, Grade, Kind, Puzzle, PuzzleVerdict
from .source import PUZZLE_RULES, daily_puzzle, find_puzzle, make_puzzle

__all__ = [
    "KINDS",
    "PUZZLE_RULES",
    "Grade",
    "Kind",
    "Puzzle",
    "PuzzleVerdict",
    "daily_puzzle",
    "find_puzzle",
    "make_puzzle",
]
