"""Players that misbehave; the server under test imports them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal

import numba
import numpy as np

from seabattle.observation import Observation
from seabattle.players import make_player, register


@register("bad", source="tests", summary="does what a player should not do")
class Bad:
    def __init__(self, how: Literal["sleep", "crash", "raise", "cheat", "text"] = "raise") -> None:
        self.how = how

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        match self.how:
            case "sleep":
                time.sleep(3600)
            case "crash":
                os._exit(3)
            case "raise":
                raise ZeroDivisionError("division by zero")
            case "text":
                return "A1"  # type: ignore[return-value]
        return observation.rules.cells + 5


@register("slow-start", source="tests", summary="starts when it is told to")
class SlowStart:
    started = False

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        if not SlowStart.started:
            numba.njit(_add_one)(1)
            while not Path("go-on").exists():  # in the server's folder
                time.sleep(0.05)
            SlowStart.started = True
        return observation.unknown[0]


def _add_one(number: int) -> int:
    return number + 1


@register("slow-bad", source="tests", summary="the same, among the slow ones", slow=True)
class SlowBad(Bad):
    pass


@register("nested", source="tests", summary="makes the player that its parameter names")
class Nested:
    def __init__(self, inner: str = "random") -> None:
        self.player = make_player(inner)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.player.choose(observation, rng)
