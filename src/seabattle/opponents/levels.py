"""Difficulty in words: which player is Easy, Medium, Hard or Perfect under some rules.

Easy follows up its hits but hunts at random, as most people do at first. Medium hunts on
every second cell and keeps to a ship's direction. Hard counts in how many ways the ships
still fit; where they may not touch, in how many ways the whole fleet does. Perfect is the
strongest player that is ready at once: provably optimal on boards with few layouts, `admiral`
elsewhere, and `exact` where that cannot play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import PlayerError
from ..players import why_not
from ..players.optimal import is_solved_at_once
from ..rules import Rules


@dataclass(frozen=True)
class Level:
    """A level of difficulty."""

    name: str
    title: str
    summary: str
    candidates: tuple[str, ...]
    """players, the first that can play the rules is taken"""
    apart: tuple[str, ...]
    """the same where ships may not touch: many simple players do not make use of that"""


LEVELS = (
    Level(
        "easy",
        "Easy",
        "hunts at random and follows up its hits",
        ("human-like", "random"),
        ("human-like", "random"),
    ),
    Level(
        "medium",
        "Medium",
        "hunts on every second cell and keeps to a ship’s direction",
        ("ophlp", "even", "random"),
        ("even", "ophlp", "random"),
    ),
    Level(
        "hard",
        "Hard",
        "counts where the ships still fit",
        ("density", "greedy", "exact"),
        ("exact", "density", "greedy"),
    ),
    Level(
        "perfect",
        "Perfect",
        "the strongest player there is",
        ("optimal", "admiral:effort=normal", "exact"),
        ("optimal", "admiral:effort=normal", "exact"),
    ),
)
MEDIUM = "medium"
"""the usual level"""


def level_player(
    name: str, rules: Rules, reason: Callable[[str, Rules], str] = why_not
) -> str | None:
    """The player of a level under these rules; None if no candidate can play them. `reason`
    says why a player cannot play, and is empty if it can."""
    level = next((level for level in LEVELS if level.name == name.strip().lower()), None)
    if level is None:
        raise PlayerError(
            f"There is no level {name!r}; there are {', '.join(each.name for each in LEVELS)}."
        )
    for player in level.candidates if rules.contact == "any" else level.apart:
        if player == "optimal" and not is_solved_at_once(rules):
            continue
        if not reason(player, rules):
            return player
    return None


def is_level(text: str) -> bool:
    """Whether this is the name of a level, not of a player."""
    return any(level.name == text.strip().lower() for level in LEVELS)


def opponent_name(text: str, rules: Rules) -> str:
    """The player that a level or a player's name stands for."""
    if not is_level(text):
        return text.strip()
    player = level_player(text, rules)
    if player is None:
        raise PlayerError(f"No player of the level {text.strip()} can play these rules.")
    return player
