"""The games in a results file, read without the package."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.forking import Seabattle

COMMAND = "compare even human-like --rules classic --games 30000 --seed 5 --store"


def start(path: Path, command: str = COMMAND, **options: object) -> subprocess.Popen[str]:
    """Run a command that ends with `--store` on this file."""
    return Seabattle(
        *command.split(),
        path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def rows(path: Path) -> list[tuple[object, ...]]:
    """Everything that does not depend on the machine."""
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = connection.execute(
            "SELECT player, rules, seed, placer, version, number, shots, ships, cells "
            "FROM game JOIN series ON series.id = game.series ORDER BY 1, 2, 3, 4, 5, 6"
        ).fetchall()
    connection.close()
    return found


def wait_for_games(path: Path, process: subprocess.Popen[str], count: int = 500) -> int:
    """Wait until some games are in the file, long before all are."""
    for _ in range(3000):
        if path.exists():
            try:
                connection = sqlite3.connect(path, timeout=30)
                (found,) = connection.execute("SELECT count(*) FROM game").fetchone()
                connection.close()
            except sqlite3.OperationalError:  # the tables are not made yet
                found = 0
            if found >= count:
                return int(found)
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.02)
    pytest.fail("no games were kept")
