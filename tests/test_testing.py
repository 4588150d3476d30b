"""`check_player` finds what is unlawful."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from seabattle import Observation
from seabattle.errors import PlayerError
from seabattle.testing import check_player


class Cheat:
    """Shoots at the same cell again and again."""

    def __init__(self, cell: object) -> None:
        self.cell = cell

    def choose(self, observation: Observation, rng: np.random.Generator) -> object:
        return self.cell


class Forgetful:
    """Its choice depends on how often it was asked."""

    calls = 0

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        self.calls += 1
        return observation.unknown[self.calls % len(observation.unknown)]


class Global:
    """Draws from a generator that belongs to everybody."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        self.draw = draw

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[self.draw(len(observation.unknown))]


class Crash:
    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        raise KeyError("lost")


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Cheat(3), "A4 a second time"),
        (Cheat(99), "which is not a cell of the board"),
        (Cheat("A1"), "whole number"),
        (Cheat(None), "whole number"),
        (Forgetful(), "chose differently"),
        (Global(np.random.randint), "NumPy's global generator"),
        (Global(random.randrange), "Python's global generator"),
        (Crash(), "KeyError"),
        (object(), "has no choose"),
    ],
)
def test_check_player_finds_what_is_unlawful(player: object, message: str) -> None:
    np.random.random()  # NumPy refills its table of numbers now, not during the check
    with pytest.raises(PlayerError, match=message):
        check_player(player, rules=["mini"])  # type: ignore[arg-type]


def test_a_slow_player_is_asked_in_fewer_positions() -> None:
    class Counting:
        calls = 0

        def choose(self, observation: Observation, rng: np.random.Generator) -> int:
            self.calls += 1
            return observation.unknown[0]

    player = Counting()
    check_player(player, rules=["mini", "russian"], games=1, seconds=0)
    # Twice in the first position of the game and of the one with random shots.
    assert player.calls == 2 * 2 * 2
