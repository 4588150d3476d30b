"""A match of `learning-exact` against `dreadnought` on `classic`, on one core.

The target is for 1,000 games; the processor time of fewer is scaled up.
"""

from __future__ import annotations

import time

from seabattle.experiment.match import match

from .timing import Line, show

GAMES = 100


def main() -> None:
    match("learning-exact", "dreadnought", "classic", 2, seed=1)  # compile
    began = time.process_time()
    match("learning-exact", "dreadnought", "classic", GAMES)
    seconds = (time.process_time() - began) * 1000 / GAMES
    show([Line("1,000 games of learning-exact against dreadnought", seconds, "s", 120.0)])
