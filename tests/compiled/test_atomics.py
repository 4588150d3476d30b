"""Threads that change one array element lose nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from seabattle.compiled.atomics import atomic_add, atomic_load, atomic_swap_if, wait_while

THREADS, TIMES = 4, 100_000


@numba.njit(nogil=True)
def add_often(array: np.ndarray, index: int, amount: float, times: int) -> None:
    for _ in range(times):
        atomic_add(array, index, amount)


@numba.njit(nogil=True)
def claim_often(array: np.ndarray, times: int) -> int:
    """Count up by swapping; the number of swaps that took."""
    taken = 0
    while taken < times:
        old = atomic_load(array, 0)
        if atomic_swap_if(array, 0, old, old + 1) == old:
            taken += 1
    return taken


@numba.njit
def add_once(array: np.ndarray, index: int, amount: float) -> float:
    return atomic_add(array, index, amount)


@numba.njit
def swap_once(array: np.ndarray, index: int, old: int, new: int) -> int:
    return atomic_swap_if(array, index, old, new)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_no_addition_is_lost(kind: type[np.generic]) -> None:
    array = np.zeros(3, dtype=kind)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: add_often(array, 1, kind(2), TIMES), range(THREADS)))
    assert array.tolist() == [0, 2 * THREADS * TIMES, 0]


def test_no_two_threads_swap_the_same_value() -> None:
    array = np.zeros(1, dtype=np.int64)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: claim_often(array, 10_000), range(THREADS)))
    assert array[0] == THREADS * 10_000


def test_adding_and_swapping_tell_what_was_there_before() -> None:
    array = np.array([5, 6], dtype=np.int64)
    assert add_once(array, 1, 10) == 6
    assert swap_once(array, 0, 5, 7) == 5
    assert array.tolist() == [7, 16]


def test_a_swap_of_another_value_changes_nothing() -> None:
    array = np.array([5], dtype=np.int64)
    assert swap_once(array, 0, 4, 9) == 5
    assert array[0] == 5


def test_waiting_ends_when_another_thread_changes_the_value() -> None:
    signal = np.zeros(1, dtype=np.int64)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_while, signal, 0, 0)
        wait_while(signal, 0, 1)  # not its value: returns at once
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.05)
        signal[0] = 1
        assert waiting.result(timeout=20) is None
