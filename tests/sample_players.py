"""Simple and faulty players, in a module so that worker processes can import them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seabattle import Observation


@dataclass(frozen=True)
class Backwards:
    """From the last cell to the first."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[-1]


@dataclass(frozen=True)
class Dice:
    """Any unknown cell, in plain Python."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return int(rng.choice(observation.unknown))


@dataclass(frozen=True)
class Stuck:
    """Shoots at the first cell for ever."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return 0


@dataclass(frozen=True)
class Faulty:
    """Divides by zero on its third shot."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return observation.unknown[0] + 0 // (2 - len(observation.shots))


@dataclass(frozen=True)
class Deadly:
    """Takes its process with it."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        import os

        os._exit(9)
