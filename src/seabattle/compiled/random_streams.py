"""Random numbers for compiled code: SplitMix64 on a one-word array.

A generator is `np.array([seed], dtype=np.uint64)`, always passed as an argument. The
same seed gives the same numbers on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .jit import kernel

Rng = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32, _11 = (np.uint64(n) for n in (30, 27, 31, 32, 11))


_WHOLE_WORDS = (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)
"""NumPy's generators of 64 random bits at a time"""


def words_from(rng: np.random.Generator) -> Callable[[], int]:
    """A function that draws the next 64 random bits from NumPy's generator.

    They are those of `rng.integers(0, 2**64, dtype=np.uint64)`, ten times as fast.
    """
    source = rng.bit_generator
    if isinstance(source, _WHOLE_WORDS):
        return source.random_raw
    return lambda: int(rng.integers(0, 2**64, dtype=np.uint64))


def random_words(rng: np.random.Generator, count: int) -> Rng:
    """The next `count` words of `words_from`."""
    source = rng.bit_generator
    if isinstance(source, _WHOLE_WORDS):
        return source.random_raw(count)
    return rng.integers(0, 2**64, size=count, dtype=np.uint64)


def compiled_rng(rng: np.random.Generator) -> Rng:
    """A generator for compiled code, seeded with the next 64 bits of NumPy's."""
    return np.array([words_from(rng)()], dtype=np.uint64)


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Scramble one word (the output function of SplitMix64)."""
    word = (word ^ (word >> _30)) * _MIX1
    word = (word ^ (word >> _27)) * _MIX2
    return word ^ (word >> _31)


@kernel
def draw(rng: Rng) -> np.uint64:
    """The next 64 random bits."""
    rng[0] += _STEP
    return mix(rng[0])


@kernel
def below(rng: Rng, bound: int) -> int:
    """A whole number from 0 to `bound` - 1 (bias below `bound` / 2**32)."""
    return np.int64(((draw(rng) >> _32) * np.uint64(bound)) >> _32)


@kernel
def fraction(rng: Rng) -> float:
    """A float in [0, 1)."""
    return np.float64(np.int64(draw(rng) >> _11)) * 1.1102230246251565e-16


@kernel
def stream(seed: np.uint64, index: int, purpose: int) -> np.uint64:
    """The seed of one game's generator: a function of its three arguments alone.

    `purpose` separates the streams of one game (its layout, each shooter).
    """
    word = mix(seed + _STEP)
    word = mix(word ^ np.uint64(index) + _STEP)
    return mix(word ^ np.uint64(purpose) + _STEP)


@kernel
def streams(seed: np.uint64, start: int, count: int, purpose: int) -> Rng:
    """The seeds of games `start`, `start` + 1, ... for one purpose."""
    seeds = np.empty(count, dtype=np.uint64)
    for row in range(count):
        seeds[row] = stream(seed, start + row, purpose)
    return seeds
