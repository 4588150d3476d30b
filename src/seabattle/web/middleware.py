"""Middleware: checks the host, origin, rate and size of every request, and adds security
headers to every response."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .addresses import client_key, is_accepted, is_loopback, plain_host
from .request_rates import RateLimiter
from .settings import ServerSettings

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

Headers = list[tuple[bytes, bytes]]

_ALWAYS: Headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_ADDED: dict[tuple[bool, bool], Headers] = {
    (api, secure): [
        *_ALWAYS,
        (b"cache-control", b"no-store" if api else b"no-cache"),
        *([(b"cross-origin-opener-policy", b"same-origin")] if secure else []),
    ]
    for api in (False, True)
    for secure in (False, True)
}
"""for calls of the API or pages, of origins that are secure or not"""

KNOWN_HOSTS = 256
"""Host headers that need not be read again."""

BODY_SECONDS = 20.0
"""Time to send a request's body."""


class Middleware:
    """Refuses requests that no call should have to deal with."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._rates = RateLimiter(settings.requests_per_second, settings.burst)
        self._host = lru_cache(maxsize=KNOWN_HOSTS)(self._read_host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["client"]:
            host, port = scope["client"]
            scope["client"] = (client_key(host), port)
        headers = dict(scope["headers"])
        host = self._host(headers.get(b"host", b""))
        api = scope["path"].startswith("/api/")
        # Elsewhere browsers do not take the origin for secure, and complain about this policy.
        added = _ADDED[api, scope["scheme"] == "https" or host.loopback]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message["headers"]
                if api:
                    message["headers"] = [*given, *added]
                else:  # a report page has a stricter policy of its own
                    names = {name for name, _ in given}
                    message["headers"] = [*given, *(each for each in added if each[0] not in names)]
            await send(message)

        refusal = self._refusal(scope, headers, host)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        body = await self._body(receive)
        if isinstance(body, JSONResponse):
            await body(scope, receive, send_with_headers)
            return
        messages = [body] if body is not None else []

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, replay, send_with_headers)

    async def _body(self, receive: Receive) -> Message | JSONResponse | None:
        """The whole body as one message; a refusal if it is too large or takes too long; None if
        the client has gone."""
        # A chunked body does not say how long it is, so it is read up to the limit first.
        limit = self._settings.body_bytes
        message = await receive()
        if message["type"] == "http.request" and not message.get("more_body", False):
            return _too_large(limit) if len(message.get("body", b"")) > limit else message
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while message["type"] == "http.request":
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        return _too_large(limit)
                    if not message.get("more_body", False):
                        return {"type": "http.request", "body": b"".join(parts), "more_body": False}
                    message = await receive()
        except TimeoutError:
            return _refuse(408, "The request took too long to arrive.")
        return None

    def _read_host(self, header: bytes) -> _Host:
        name, settings = plain_host(header.decode("latin-1")), self._settings
        accepted = not settings.hosts or is_accepted(
            name, settings.hosts, ip_addresses=settings.ip_hosts
        )
        return _Host(name, accepted, is_loopback(name))

    def _refusal(
        self, scope: Scope, headers: dict[bytes, bytes], host: _Host
    ) -> JSONResponse | None:
        settings = self._settings
        if not host.accepted:
            # DNS rebinding: another site may have pointed its own name at this machine.
            return _refuse(
                400, "This server does not accept that host name; start it with --allow-host NAME."
            )
        if scope["path"] != "/" and _is_from_elsewhere(headers, host.name):
            return _refuse(403, "Requests from other sites are refused.")
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 20:
            return _refuse(400, "Content-Length is not a number.")
        if int(length) > settings.body_bytes:
            return _too_large(settings.body_bytes)
        client = scope["client"][0] if scope.get("client") else "unknown"
        if not self._rates.take(client):
            refusal = _refuse(429, "Too many requests; wait a moment.")
            refusal.headers["Retry-After"] = "1"
            return refusal
        return None


@dataclass(frozen=True)
class _Host:
    """The host that a request is for."""

    name: str
    accepted: bool
    loopback: bool


def _is_from_elsewhere(headers: dict[bytes, bytes], host: str) -> bool:
    """Whether a page of another origin makes this request, as far as the browser says."""
    if headers.get(b"sec-fetch-site", b"none") in (b"cross-site", b"same-site"):
        return True
    origin = headers.get(b"origin")
    if origin is None:
        return False
    try:
        return plain_host(urlsplit(origin.decode("latin-1")).netloc) != host
    except ValueError:
        return True


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


def _too_large(limit: int) -> JSONResponse:
    return _refuse(413, f"The request is larger than {limit} bytes.")
