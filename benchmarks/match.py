"""A match of `learning-exact` against `dreadnought` on `classic`, on one core."""

from __future__ import annotations

import time

from seabattle.experiment.match import match

from .timing import Line, show

GAMES = 1000


def main() -> None:
    match("learning-exact", "dreadnought", "classic", 2, seed=1)  # compile
    began = time.process_time()
    match("learning-exact", "dreadnought", "classic", GAMES)
    seconds = time.process_time() - began
    show([Line(f"{GAMES:,} games of learning-exact against dreadnought", seconds, "s", 120.0)])
