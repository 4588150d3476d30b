"""Bits are counted and found as a string of them shows."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seabattle.compiled.bits import ONE, lowest, popcount

WORDS = st.integers(0, 2**64 - 1)


@numba.njit
def counted(word: np.uint64) -> int:
    return popcount(word)


@numba.njit
def found(word: np.uint64) -> int:
    return lowest(word)


@given(WORDS)
@example(2**64 - 1)
@settings(deadline=None)
def test_set_bits_are_counted(word: int) -> None:
    assert counted(np.uint64(word)) == f"{word:b}".count("1")


@given(WORDS.filter(bool))
@example(2**63)
@settings(deadline=None)
def test_the_lowest_set_bit_is_found(word: int) -> None:
    text = f"{word:b}"
    assert found(np.uint64(word)) == len(text) - 1 - text.rindex("1")


def test_a_word_without_bits_has_none_to_count_or_find() -> None:
    assert (counted(np.uint64(0)), found(np.uint64(0))) == (0, 64)


@pytest.mark.parametrize("bit", [0, 1, 31, 32, 62, 63])
def test_a_single_bit_is_where_it_was_put(bit: int) -> None:
    word = ONE << np.uint64(bit)
    assert (counted(word), found(word)) == (1, bit)
