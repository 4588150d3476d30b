"""Run the application on a socket."""

from __future__ import annotations

import socket
import threading
import webbrowser

import uvicorn

from ..errors import SeabattleError
from .app import create_app
from .settings import ServerSettings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class _Server(uvicorn.Server):
    """Closes open streams when it is told to stop, instead of waiting for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.event_stream.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def run(settings: ServerSettings, host: str, port: int, *, browser: bool) -> None:
    """Serve until stopped."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SeabattleError(
            f"Cannot listen on {host} port {port}: {reason}; try another --port."
        ) from None
    port = listening.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    print(f"seabattle: {address} (press Ctrl-C to stop)", flush=True)
    if browser:
        # Opening a browser can block until it is closed.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _Server(config).run(sockets=[listening])


def accepted_hosts(host: str) -> tuple[str, ...]:
    """The host names to accept when the server listens on `host`; none means any."""
    if host in ("127.0.0.1", "localhost", "::1"):
        return LOOPBACK
    return ()
