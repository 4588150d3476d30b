"""Comparisons that nobody played."""

from __future__ import annotations

from seabattle import Comparison, Rules
from seabattle.experiment import PlayerResult


def made_up(*names: str) -> Comparison:
    """Players with results that nobody played."""
    rules = Rules.from_text("classic")
    players = [
        PlayerResult(name, (40 + k, 50 + k, 61 + k, 100), 12.5**-k, 99.0)
        for k, name in enumerate(names)
    ]
    return Comparison(rules, 4, 0, tuple(players))
