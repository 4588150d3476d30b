"""Wake the pages that show a game when it changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator

from .refusals import TooMany


class EventStream:
    """The open streams of a server."""

    def __init__(self, per_client: int) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watching: dict[str, set[asyncio.Event]] = {}
        self._clients: Counter[str] = Counter()
        self._per_client = per_client
        self.closing = False

    def attach(self) -> None:
        """Use the running event loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """End every stream."""
        self.closing = True
        for watching in self._watching.values():
            for event in watching:
                event.set()

    def changed(self, game: str) -> None:
        """Wake the streams of this game; may be called from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the streams with it
                self._loop.call_soon_threadsafe(self._wake, game)

    def _wake(self, game: str) -> None:
        for event in self._watching.get(game, ()):
            event.set()

    def check_room(self, client: str) -> None:
        """Refuse a stream to an address that has too many open."""
        if self._clients[client] >= self._per_client:
            raise TooMany("Too many games are open from your address; close some pages.")

    @contextlib.contextmanager
    def watching(self, game: str, client: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the game changes."""
        event = asyncio.Event()
        self._clients[client] += 1
        self._watching.setdefault(game, set()).add(event)
        try:
            yield event
        finally:
            self._watching[game].discard(event)
            if not self._watching[game]:
                del self._watching[game]
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]
