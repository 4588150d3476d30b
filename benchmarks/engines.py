"""Shots per second through the engine protocol: many games at a time, and one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from seabattle import Rules, make_player
from seabattle.engine.exec_player import ExecPlayer
from seabattle.experiment.play import play_batch

from .timing import Line, show

EXAMPLES = Path(__file__).parents[1] / "examples" / "engines"
GAMES = 200


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "hunter.py": f"{sys.executable} {EXAMPLES / 'hunter.py'}",
            "seabattle engine random": f"{sys.executable} -m seabattle engine random",
        }
        if shutil.which("node"):
            commands["diagonal.js"] = f"node {EXAMPLES / 'diagonal.js'}"
        if shutil.which("cc"):
            built = Path(folder) / "sweep"
            subprocess.run(["cc", "-O2", "-o", built, EXAMPLES / "sweep.c"], check=True)
            commands["sweep.c"] = str(built)
        lines = []
        for name, command in commands.items():
            target = 5_000 if name == "sweep.c" else None
            many = speed(f"exec:{command}", GAMES)
            lines.append(
                Line(f"{name}, 64 games at a time", many, "shots/s", target, at_least=True)
            )
            lines.append(Line(f"{name}, one game", speed(f"exec:{command},games=1", 20), "shots/s"))
    show(lines)


def speed(name: str, games: int) -> float:
    player = make_player(name)
    assert isinstance(player, ExecPlayer)
    player.prepare(Rules())
    best = 0.0
    for seed in range(5):
        began = time.perf_counter()
        batch = play_batch(player, Rules(), seed, range(games))
        best = max(best, float(batch.shots.sum()) / (time.perf_counter() - began))
    assert not player.take_faults()
    player.close()
    return best
