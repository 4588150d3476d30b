"""Sets of game numbers that take little memory, because games are played in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class NumberRanges:
    """Whole numbers, kept as disjoint ranges in order.

    >>> played = NumberRanges()
    >>> played.add(0, 5)
    >>> played.add(8, 10)
    >>> played.first_gap(100, 20), len(played)
    (range(5, 8), 7)
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def copy(self) -> NumberRanges:
        other = NumberRanges()
        other._starts, other._stops = self._starts.copy(), self._stops.copy()
        other._count = self._count
        return other

    def add(self, start: int, stop: int) -> None:
        """Add the numbers from `start` to `stop` - 1."""
        if start >= stop:
            return
        # Ranges that touch or meet the new one become one with it.
        first, last = bisect_left(self._stops, start), bisect_right(self._starts, stop)
        if first < last:
            start = min(start, self._starts[first])
            stop = max(stop, self._stops[last - 1])
        for place in range(first, last):
            self._count -= self._stops[place] - self._starts[place]
        self._starts[first:last], self._stops[first:last] = [start], [stop]
        self._count += stop - start

    def first_gap(self, most: int, end: int) -> range | None:
        """The first numbers below `end` that are missing, at most `most` and in a row."""
        start, stop = 0, end
        if self._starts:
            if self._starts[0] == 0:
                start = self._stops[0]
                stop = self._starts[1] if len(self._starts) > 1 else end
            else:
                stop = self._starts[0]
        stop = min(stop, start + most, end)
        return range(start, stop) if start < stop else None
