"""How many shots every quick player needs under every preset: the table that people see.

Writes `src/seabattle/opponents/strengths.json`. A player whose games take long gets fewer.
"""

from __future__ import annotations

from pathlib import Path

import seabattle.opponents
from seabattle.opponents.strength import TABLE, Strength, measure_strength, write_table
from seabattle.players import all_players, why_not
from seabattle.rules import PRESETS

GAMES = 1000
SECONDS = 10.0
TOO_SLOW = {"russian": ("exact", "heat-map", "admiral")}
"""Counting the layouts of ten ships takes up to a second per move."""


def main() -> None:
    table: dict[str, dict[str, Strength]] = {}
    for name, rules in PRESETS.items():
        row = table.setdefault(name, {})
        for player, info in all_players().items():
            solved = player == "optimal" and name == "mini"
            if (info.slow and not solved) or player in TOO_SLOW.get(name, ()):
                continue
            if info.runs_programs or why_not(player, rules):
                continue
            row[player] = found = measure_strength(player, rules, games=GAMES, seconds=SECONDS)
            print(
                f"{name:8} {player:22} {found.mean:6.2f} ± {found.error:.2f} shots, "
                f"{found.games} games",
                flush=True,
            )
        path = Path(seabattle.opponents.__file__).parent / TABLE
        path.write_text(write_table(table), encoding="utf-8")


if __name__ == "__main__":
    main()
