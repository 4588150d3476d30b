"""Games a second of the rule-based players, dealing included, on one core; and the
time that a fresh clone compiles."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from seabattle import Rules, make_player
from seabattle.experiment.play import play_batch

from .timing import Line, best_of, show

TARGETS = [
    ("thesis", "random", 300_000),
    ("thesis", "human-like", 300_000),
    ("thesis", "even", 300_000),
    ("classic", "hlp", 150_000),
    ("classic", "ohlp", 150_000),
    ("classic", "phlp", 150_000),
    ("classic", "ophlp", 150_000),
    ("classic", "density", 10_000),
    ("classic", "greedy", None),
    ("named", "n-parity-hunt", None),
    ("named", "game-tree", None),
]


def main() -> None:
    show(
        [
            Line(f"{name} on {rules}", speed(rules, name), "games/s", target, at_least=True)
            for rules, name, target in TARGETS
        ]
        + [Line("compiling all of them on a fresh clone", compilation(), "s", 60)]
    )


def speed(rules: str, name: str, games: int = 20_000) -> float:
    player, chosen = make_player(name), Rules.from_text(rules)
    play_batch(player, chosen, 1, range(1))
    return games / best_of(5, lambda: play_batch(player, chosen, 1, range(games)))


def compilation() -> float:
    """Seconds until every player has chosen a cell and played a game, from an empty cache."""
    program = (
        "from seabattle import Rules, make_player\n"
        "from seabattle.experiment.play import play, play_batch\n"
        f"for name in {sorted({name for _, name, _ in TARGETS})!r}:\n"
        "    play(name, 'mini'); play_batch(make_player(name), Rules(), 1, range(1))\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "SEABATTLE_QUIET": "1"}
        return best_of(
            1,
            lambda: subprocess.run([sys.executable, "-c", program], check=True, env=environment),
        )
