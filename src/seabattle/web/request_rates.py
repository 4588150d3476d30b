"""How often an address may ask for something."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator

from .refusals import TooManyNow

MOST_CLIENTS = 10_000
"""Addresses whose request rate is remembered."""


class RateLimiter:
    """A token bucket per address, filled at a steady rate."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second, self._burst = per_second, float(burst)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> bool:
        """Whether one more request from this address may pass."""
        moment = time.monotonic()
        left, then = self._buckets.pop(client, (self._burst, moment))
        left = min(self._burst, left + (moment - then) * self._per_second)
        passes = left >= 1
        self._buckets[client] = (left - passes, moment)
        while len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return passes


class PendingThoughts:
    """Computations that an address waits for: a few at a time, and at once refused beyond."""

    def __init__(self, per_client: int) -> None:
        self._per_client = per_client
        self._pending: Counter[str] = Counter()

    @contextlib.contextmanager
    def one_more(self, client: str) -> Iterator[None]:
        if self._pending[client] >= self._per_client:
            raise TooManyNow(
                f"Your address is already waiting for {self._per_client} computations; "
                "try again when one is finished."
            )
        self._pending[client] += 1
        try:
            yield
        finally:
            self._pending[client] -= 1
            if not self._pending[client]:
                del self._pending[client]
