"""Run the application on a socket."""

from __future__ import annotations

import errno
import gc
import socket
import threading
import webbrowser
from dataclasses import replace

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from ..errors import SeabattleError, reason
from .addresses import url_for_others, url_for_this_machine
from .app import create_app
from .connections import Connections, most_connections
from .folder_lock import only_server_of
from .settings import ServerSettings

KEEP_ALIVE_SECONDS = 75
"""How long a connection stays open between requests: longer than proxies keep theirs, since one
that is closed just as the next request comes is an error to its visitor."""


LARGEST_PORT = 65535


class WebServer(uvicorn.Server):
    """Ends open streams and analyses when it is told to stop, instead of waiting for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.config.app.state.stop()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def run(settings: ServerSettings, host: str, port: int, *, browser: bool) -> None:
    """Serve until stopped."""
    with only_server_of(settings.data), listening_socket(host, port) as listening:
        port = listening.getsockname()[1]
        address = url_for_this_machine(host, port)
        others = url_for_others(host, port)
        server = WebServer(server_config(replace(settings, address=others)))
        print(f"seabattle: {others or address} (press Ctrl-C to stop)", flush=True)
        if browser:
            # Opening a browser can block until it is closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        _spare_the_collector()
        server.run(sockets=[listening])


def _spare_the_collector() -> None:
    """Collect garbage seldom: looking through some thousand games takes tenths of a second, and
    nearly all that a request leaves behind is freed without a search."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTION_THRESHOLDS)


COLLECTION_THRESHOLDS = (20_000, 20, 100)
"""Objects that wait for a collection of the youngest, and how many of those come before one of
the next generation, and of the last."""


def listening_socket(host: str, port: int) -> socket.socket:
    if not 0 <= port <= LARGEST_PORT:
        raise SeabattleError(f"--port must be from 0 to {LARGEST_PORT}, not {port}.")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        both = host == "::" and socket.has_dualstack_ipv6()
        listening = socket.create_server((host, port), family=family, dualstack_ipv6=both)
    except (OSError, OverflowError, UnicodeError) as error:
        # Python adds the address again.
        told = reason(error).partition(" (while ")[0]
        taken = getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES)
        option = "--port" if taken else "--host"
        raise SeabattleError(
            f"Cannot listen on {host} port {port}: {told}; try another {option}."
        ) from None
    # Accepted sockets inherit it. asyncio would set it only if the protocol were named, and
    # without it the second of two small responses waits some 40 ms for the first one's receipt.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def server_config(settings: ServerSettings) -> uvicorn.Config:
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        ws="none",  # upgraded connections would be outside the limits
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=3,
    )
    config.load()
    trusted = ProxyHeadersMiddleware(config.loaded_app, list(settings.proxies)).trusted_hosts
    connections = Connections(
        most_connections(), settings.connections_per_client, trusted.__contains__
    )
    config.http_protocol_class = connections.protocol  # type: ignore[assignment]
    return config
