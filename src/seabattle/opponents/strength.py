"""How many shots a player needs on average under some rules.

The presets have a table, which `python -m benchmarks strengths` plays and writes. Under
other rules a player is measured when somebody asks, with as many games as fit the time.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ..experiment.play import play_batch
from ..experiment.statistics import Moments, half_width
from ..players import make_player
from ..rules import PRESETS, Rules

TABLE = "strengths.json"

SEED = 20_011
"""of the games that are played to measure a player"""
FIRST_BATCH = 4


@dataclass(frozen=True)
class Strength:
    """The shots that a player needs to find the whole fleet."""

    mean: float
    sd: float
    """standard deviation from game to game"""
    error: float
    """half the width of the mean's 95% confidence interval"""
    games: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))

    def to_text(self) -> str:
        """`44.8 shots`; `about 45 shots` if few games were played."""
        return f"{self.mean:.1f} shots" if self.error < 1 else f"about {self.mean:.0f} shots"


def measure_strength(
    player: str, rules: Rules, *, games: int = 200, seconds: float | None = None
) -> Strength:
    """Play games until there are enough, or the time is up; at least a few are played."""
    made, moments = make_player(player), Moments()
    played, size = 0, min(FIRST_BATCH, games)
    play_batch(made, rules, SEED, range(1))  # whatever has to be compiled takes no time below
    began = time.perf_counter()
    while played < games:
        batch = play_batch(made, rules, SEED, range(played, min(games, played + size)))
        moments.add(batch.shots.astype("int64"))
        played += len(batch.shots)
        spent = time.perf_counter() - began
        if seconds is not None and spent >= seconds:
            break
        # Twice as many, or as many as fit the rest of the time.
        room = played if seconds is None else int((seconds - spent) / spent * played)
        size = max(1, min(2 * size, room))
    deviation = moments.standard_deviation
    return Strength(moments.mean, deviation, half_width(moments.mean_interval()), played)


def shipped_strength(player: str, rules: Rules) -> Strength | None:
    """The strength in the table; None for other rules, and for players that are too slow."""
    name = rules.name
    found = None if name is None else _table().get(name, {}).get(player)
    return None if found is None else Strength(**found)


def read_table() -> dict[str, dict[str, Strength]]:
    """The table: rules, player, strength."""
    return {
        rules: {player: Strength(**found) for player, found in row.items()}
        for rules, row in _table().items()
    }


def write_table(strengths: dict[str, dict[str, Strength]]) -> str:
    """The text of the table."""
    rows = {
        rules: {player: _rounded(found) for player, found in sorted(row.items())}
        for rules, row in strengths.items()
        if rules in PRESETS
    }
    return json.dumps(rows, indent=1) + "\n"


def _rounded(strength: Strength) -> dict[str, Any]:
    return {
        key: round(value, 3) if isinstance(value, float) else value
        for key, value in vars(strength).items()
    }


@cache
def _table() -> dict[str, dict[str, dict[str, Any]]]:
    file = resources.files(__package__) / TABLE
    loaded: dict[str, dict[str, dict[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    return loaded
