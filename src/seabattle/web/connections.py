"""Connections that keep to limits: how many there are, and how long they may stay silent.

A connection must send its first request, and finish every request that it began, within a
time limit; whoever takes nothing of a response for as long is dropped. When the server has
as many connections as it can hold, the one that has been idle for longest makes room for a
new one, so that open but silent connections lock nobody out.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .addresses import client_key

REQUEST_SECONDS = 20.0
"""Time to send a whole request."""

WRITE_SECONDS = 30.0
"""Time after which a client that takes nothing of a response is dropped."""

HEAD_BYTES = 65_536
"""Largest request without its body."""

SPARE_DESCRIPTORS = 200
"""File descriptors kept for the store, the workers and files."""

MOST_DESCRIPTORS = 65_536


@dataclass
class Connections:
    """The open connections of a server."""

    most: int
    per_client: int
    trusted: Callable[[str], bool] = lambda _: False
    """whether an address is that of a proxy, which has connections for many"""
    request_seconds: float = REQUEST_SECONDS
    write_seconds: float = WRITE_SECONDS
    count: int = 0
    clients: Counter[str] = field(default_factory=Counter)
    idle: OrderedDict[Connection, None] = field(default_factory=OrderedDict)
    """connections without a request, the one that has been idle for longest first"""

    def protocol(self, *given: Any, **named: Any) -> Connection:
        """A new connection, for uvicorn."""
        connection = Connection(*given, **named)
        connection.all = self
        return connection

    def admits(self, client: str) -> bool:
        """Whether there is room for a connection from this address; makes room if need be."""
        if self.clients[client] >= self.per_client and not self.trusted(client):
            return False
        if self.count >= self.most:
            if not self.idle:
                return False
            oldest, _ = self.idle.popitem(last=False)
            oldest.transport.abort()
        return True


class _JoinedWrites:
    """A transport that sends together what is written in one step of the event loop: the head of
    a response and its body, which would cost two system calls and wake the client twice."""

    __slots__ = ("_loop", "_parts", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            parts, self._parts = self._parts, []
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Connection(HttpToolsProtocol):
    """One connection."""

    all: Connections
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _address = ""
    _counted = False
    _head_bytes = 0
    """received of a request whose head is not complete"""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(_JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
        self._address = client_key(self.client[0] if self.client else "")
        if not self.all.admits(self._address):
            transport.abort()
            return
        self._counted = True
        self.all.count += 1
        self.all.clients[self._address] += 1
        self.all.idle[self] = None
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._cancel_timers()
        self.all.idle.pop(self, None)
        if self._counted:
            self._counted = False
            self.all.count -= 1
            self.all.clients[self._address] -= 1
            if not self.all.clients[self._address]:
                del self.all.clients[self._address]

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.all.idle.pop(self, None)
        if self._deadline is None:
            self._await_request()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._head_bytes = -HEAD_BYTES  # the body has a limit of its own

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._head_bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.pipeline and not self.transport.is_closing():
            self.all.idle[self] = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.all.write_seconds, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _await_request(self) -> None:
        self._deadline = self.loop.call_later(self.all.request_seconds, self._drop)

    def _drop(self) -> None:
        self.transport.abort()

    def _cancel_timers(self) -> None:
        for timer in (self._deadline, self._stalled):
            if timer is not None:
                timer.cancel()
        self._deadline = self._stalled = None


def most_connections() -> int:
    """How many connections this process can hold, after raising its limit of descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    if soft == resource.RLIM_INFINITY:
        soft = MOST_DESCRIPTORS
    return max(50, soft - SPARE_DESCRIPTORS)
