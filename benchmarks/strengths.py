"""How many shots every quick player needs under every preset: the table that people see.

Writes `src/seabattle/opponents/strengths.json`. A player whose games take long gets fewer.
`python -m benchmarks.strengths NAME... [--rules PRESET] [--seconds S]` measures only these
players, for so long each, and keeps the rest.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import seabattle.opponents
from seabattle.opponents import LEVELS
from seabattle.opponents.strength import TABLE, measure_strength, read_table, write_table
from seabattle.players import all_players, player_info, why_not
from seabattle.rules import PRESETS

GAMES = 1000
SECONDS = 10.0
TOO_SLOW = {"russian": ("exact", "heat-map")}
"""Counting the layouts of ten ships takes seconds per move."""


def main(
    wanted: Sequence[str] = (), presets: Sequence[str] = tuple(PRESETS), seconds: float = SECONDS
) -> None:
    table = read_table() if wanted else {}
    for name in presets:
        rules = PRESETS[name]
        row = table.setdefault(name, {})
        for player in wanted or measured_players():
            info = player_info(player.partition(":")[0])
            solved = player == "optimal" and name == "mini"
            if (info.slow and not solved) or player in TOO_SLOW.get(name, ()):
                continue
            if info.runs_programs or why_not(player, rules):
                continue
            row[player] = found = measure_strength(player, rules, games=GAMES, seconds=seconds)
            print(
                f"{name:8} {player:22} {found.mean:6.2f} ± {found.error:.2f} shots, "
                f"{found.games} games",
                flush=True,
            )
        path = Path(seabattle.opponents.__file__).parent / TABLE
        path.write_text(write_table(table), encoding="utf-8")


def measured_players() -> list[str]:
    """All players, and the forms of them that a level of difficulty uses."""
    levels = [player for level in LEVELS for player in (*level.candidates, *level.apart)]
    return list(dict.fromkeys([*all_players(), *levels]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--rules", nargs="+", choices=PRESETS, default=list(PRESETS))
    arguments = parser.parse_args()
    main(arguments.players, arguments.rules, arguments.seconds)
