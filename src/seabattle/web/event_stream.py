"""Send a game to the pages that show it, whenever it changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from .refusals import NoSuchGame, TooMany
from .requests import disconnected

HEARTBEAT_SECONDS = 15.0
"""Time between signs of life in an event stream."""

View = Callable[[], Awaitable[tuple[int, str]]]
"""The version of a game, and the game as JSON."""


class EventStream:
    """The open streams of a server."""

    def __init__(self, per_client: int) -> None:
        self._watching: dict[str, set[asyncio.Event]] = {}
        self._clients: Counter[str] = Counter()
        self._per_client = per_client
        self.closing = False

    def close(self) -> None:
        """End every stream."""
        self.closing = True
        for game in list(self._watching):
            self.changed(game)

    def changed(self, game: str) -> None:
        """Wake the streams of this game."""
        for event in self._watching.get(game, ()):
            event.set()

    def response(self, game: str, client: str, view: View) -> Response:
        """The stream of a game to one page."""
        if self._clients[client] >= self._per_client:
            raise TooMany("Too many games are open from your address; close some pages.")
        return _GameEvents(self, game, client, view)

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


class _GameEvents(Response):
    """One stream; it ends with the connection, the game or the server."""

    media_type = "text/event-stream"

    def __init__(self, streams: EventStream, game: str, client: str, view: View) -> None:
        self._streams, self._game, self._address, self._view = streams, game, client, view
        self.status_code, self.background = 200, None
        self.init_headers({"X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.watching(self._game, self._address) as changed:
            # Not a task group and an iterator per stream: thousands of streams may be open.
            leaving = asyncio.create_task(disconnected(receive))
            leaving.add_done_callback(lambda _: changed.set())
            try:
                headers = self.raw_headers
                await send({"type": "http.response.start", "status": 200, "headers": headers})
                await self._send_events(changed, leaving, send)
                await send(_chunk("", more=False))
            finally:
                leaving.cancel()

    async def _send_events(
        self, changed: asyncio.Event, leaving: asyncio.Task[None], send: Send
    ) -> None:
        seen = None
        while not (self._streams.closing or leaving.done()):
            changed.clear()
            try:
                version, view = await self._view()
            except NoSuchGame:
                await send(_chunk("event: gone\ndata: {}\n\n"))
                return
            if version != seen:
                seen = version
                await send(_chunk(f"id: {version}\nevent: game\ndata: {view}\n\n"))
            try:
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await changed.wait()
            except TimeoutError:
                await send(_chunk(": still here\n\n"))


def _chunk(text: str, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": text.encode(), "more_body": more}
