"""Ranges of game numbers, against a plain set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seabattle.experiment.number_ranges import NumberRanges

RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)


@given(RANGES, st.integers(1, 50), st.integers(0, 50))
def test_ranges_are_a_set_of_numbers(added: list[tuple[int, int]], most: int, end: int) -> None:
    ranges, numbers = NumberRanges(), set()
    for start, stop in added:
        before = ranges.copy()
        size = len(before)
        ranges.add(start, stop)
        numbers |= set(range(start, stop))
        assert len(before) == size
    assert len(ranges) == len(numbers)
    missing = [number for number in range(end) if number not in numbers]
    gap = ranges.first_gap(most, end)
    if not missing:
        assert gap is None
        return
    expected = [missing[0]]
    while len(expected) < most and expected[-1] + 1 in missing:
        expected.append(expected[-1] + 1)
    assert gap is not None
    assert list(gap) == expected
