"""Random numbers are those of SplitMix64, and streams for different uses do not meet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.compiled.random_streams import below, draw, fraction, mix, stream, streams

WORD = 2**64
STEP = 0x9E3779B97F4A7C15


def slow_mix(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def slow_stream(seed: int, index: int, purpose: int) -> int:
    word = slow_mix((seed + STEP) % WORD)
    for part in (index, purpose):
        word = slow_mix(word ^ (part + STEP) % WORD)
    return word


def new(seed: int) -> np.ndarray:
    return np.array([seed], dtype=np.uint64)


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [
        # what Sebastiano Vigna's splitmix64.c prints
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423]),
    ],
)
def test_the_numbers_are_those_of_splitmix64(seed: int, numbers: list[int]) -> None:
    rng = new(seed)
    assert [int(draw(rng)) for _ in numbers] == numbers


@given(st.integers(0, WORD - 1))
@settings(deadline=None)
def test_words_are_mixed_as_in_plain_python(word: int) -> None:
    assert int(mix(np.uint64(word))) == slow_mix(word)


@given(st.integers(0, WORD - 1), st.integers(0, 2**40), st.integers(0, 20))
@settings(deadline=None)
def test_a_stream_is_a_function_of_seed_index_and_purpose(
    seed: int, index: int, purpose: int
) -> None:
    assert int(stream(np.uint64(seed), index, purpose)) == slow_stream(seed, index, purpose)


def test_streams_are_numbered_from_the_start_given() -> None:
    some = streams(np.uint64(5), 100, 20, 1)
    assert some.tolist() == [slow_stream(5, index, 1) for index in range(100, 120)]


def test_no_two_streams_of_a_seed_start_alike() -> None:
    starts = {
        int(start)
        for seed in range(5)
        for purpose in range(10)
        for start in streams(np.uint64(seed), 0, 1000, purpose)
    }
    assert len(starts) == 5 * 10 * 1000


@pytest.mark.parametrize("bound", [1, 2, 7, 100, 256])
def test_numbers_below_a_bound_come_equally_often(bound: int) -> None:
    """Chi-square; the limit is five standard deviations of its law."""
    rng = new(bound)
    counts = np.bincount([below(rng, bound) for _ in range(200 * bound)], minlength=bound)
    assert counts.size == bound
    square = ((counts - 200) ** 2 / 200).sum()
    assert abs(square - (bound - 1)) <= 5 * (2 * (bound - 1)) ** 0.5


def test_fractions_fill_the_interval_from_0_to_1() -> None:
    rng = new(3)
    drawn = np.array([fraction(rng) for _ in range(20_000)])
    assert 0.0 <= drawn.min() < 0.001
    assert 0.999 < drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 5 / (12 * drawn.size) ** 0.5
    # The largest word makes the largest fraction, and it is still below 1.
    assert (2**64 - 1 >> 11) * 1.1102230246251565e-16 < 1.0
