"""Middleware: checks the host, origin, rate and size of every request, and adds security
headers to every response."""

from __future__ import annotations

import time
from collections import OrderedDict

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .addresses import is_ip_address, is_loopback
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

MOST_CLIENTS = 10_000
"""Addresses whose request rate is remembered."""


class Middleware:
    """Refuses requests that no call should have to deal with."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._settings = settings
        self._rates = RateLimiter(settings.requests_per_second, settings.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if _is_trustworthy(scope):
                    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
                if scope["path"].startswith("/api/"):
                    headers["Cache-Control"] = "no-store"
                else:
                    headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        limit = self._settings.body_bytes
        if int(Headers(scope=scope).get("content-length", "0") or 0) > limit:
            await _too_large(limit)(scope, receive, send_with_headers)
            return
        # A chunked body does not say how long it is, so it is read up to the limit first.
        received: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            received.append(message)
            if message["type"] != "http.request":
                break
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
            if size > limit:
                await _too_large(limit)(scope, receive, send_with_headers)
                return
        received.reverse()

        async def replay() -> Message:
            return received.pop() if received else await receive()

        await self._app(scope, replay, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = _name(headers.get("host", ""))
        if not self._accepts(host):
            # DNS rebinding: another site may have pointed its own name at this machine.
            return _refuse(
                400, "This server does not accept that host name; start it with --allow-host NAME."
            )
        if headers.get("sec-fetch-site", "none") == "cross-site" and scope["path"] != "/":
            return _refuse(403, "Requests from other sites are refused.")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            return _refuse(400, "Content-Length is not a number.")
        client = scope["client"][0] if scope.get("client") else "unknown"
        if not self._rates.take(client):
            refusal = _refuse(429, "Too many requests; wait a moment.")
            refusal.headers["Retry-After"] = "1"
            return refusal
        return None

    def _accepts(self, host: str) -> bool:
        settings = self._settings
        if not settings.hosts or host in settings.hosts:
            return True
        return settings.ip_hosts and is_ip_address(host)


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


def _is_trustworthy(scope: Scope) -> bool:
    """Whether browsers take this origin for secure; elsewhere they complain about some headers."""
    host = _name(Headers(scope=scope).get("host", ""))
    return scope["scheme"] == "https" or is_loopback(host.strip("[]"))


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


def _too_large(limit: int) -> JSONResponse:
    return _refuse(413, f"The request is larger than {limit} bytes.")
