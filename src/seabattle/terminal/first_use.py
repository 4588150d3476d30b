"""Compiling an opponent in the background, so that a first game need not wait for it.

Compiled code is cached on disk. A second process fills the cache while the person places ships;
until it is done, a stand-in that needs no compilation shoots in the opponent's place. A marker
in the cache tells that a player has been compiled from the present sources, so later games
start no process. Run as a program, this module is that second process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ..compiled.jit import QUIET_VARIABLE
from ..compiled.kernel_cache import cache_root, state_of_all_sources
from ..errors import SeabattleError
from ..rules import Rules


class FirstUse:
    """The first use of a player, under way in another process."""

    def __init__(self, player: str, rules: Rules) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, player, rules.to_text()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {QUIET_VARIABLE: "1"},
            start_new_session=True,  # Ctrl-C at the prompt is not for it
        )

    @property
    def under_way(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process; what it has compiled stays in the cache."""
        if self.under_way:
            self._process.kill()
        self._process.wait()


def is_first_use(player: str) -> bool:
    """Whether a player may have to be compiled."""
    return not _marker(player).exists()


def _marker(player: str) -> Path:
    """Exists once a player, whatever its parameters, has been used with the present sources."""
    return cache_root() / f"used-{state_of_all_sources()}" / player.partition(":")[0]


def main(player: str, rules: str) -> None:
    """Choose one shot, and leave the marker.

    The player has its default parameters if it can: with those of the game, it may think for
    minutes after it has been compiled.
    """
    import numpy as np

    from ..experiment.play import ask
    from ..observation import Observation
    from ..players import make_player

    try:
        chosen = make_player(player.partition(":")[0])
    except SeabattleError:  # it has parameters without a default
        chosen = make_player(player)
    ask(chosen, Observation(Rules.from_text(rules), ()), np.random.default_rng())
    _marker(player).parent.mkdir(parents=True, exist_ok=True)
    _marker(player).touch()


if __name__ == "__main__":
    main(*sys.argv[1:])
