"""A queue for something scarce, in which addresses take turns.

Whoever asks for a hundred things at once waits for ninety-nine of them; everybody else waits for
one thing of each address that is waiting, too.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Things that are taken, used and put back."""

    def __init__(self, things: Iterable[T]) -> None:
        self._free = list(things)
        self._waiting: OrderedDict[str, deque[asyncio.Future[T]]] = OrderedDict()
        """by address; the one whose turn is next comes first"""

    async def take(self, client: str, seconds: float) -> T:
        """A thing for this address; the one that was put back last, if there are several. Raises
        `TimeoutError` after `seconds`."""
        if self._free:
            return self._free.pop()
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            async with asyncio.timeout(seconds):
                return await turn
        except BaseException:
            if turn.done() and not turn.cancelled():  # its turn came just as it gave up
                self.put(turn.result())
            raise

    def put(self, thing: T) -> None:
        """Give it to the next address, or keep it until one asks."""
        while self._waiting:
            client, turns = self._waiting.popitem(last=False)
            while turns:
                turn = turns.popleft()
                if turn.done():  # it gave up
                    continue
                if turns:
                    self._waiting[client] = turns  # behind all others
                turn.set_result(thing)
                return
        self._free.append(thing)

    def take_free(self) -> list[T]:
        """All that are free."""
        free, self._free = self._free, []
        return free
