"""Run the application on a socket."""

from __future__ import annotations

import socket
import threading
import webbrowser
from dataclasses import replace

import uvicorn

from ..errors import SeabattleError
from .addresses import url_for_others, url_for_this_machine
from .app import create_app
from .settings import ServerSettings


class _Server(uvicorn.Server):
    """Closes open streams when it is told to stop, instead of waiting for them."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.event_stream.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def run(settings: ServerSettings, host: str, port: int, *, browser: bool) -> None:
    """Serve until stopped."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        both = host == "::" and socket.has_dualstack_ipv6()
        listening = socket.create_server((host, port), family=family, dualstack_ipv6=both)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SeabattleError(
            f"Cannot listen on {host} port {port}: {reason}; try another --port."
        ) from None
    port = listening.getsockname()[1]
    address = url_for_this_machine(host, port)
    others = url_for_others(host, port)
    config = uvicorn.Config(
        create_app(replace(settings, address=others)),
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    print(f"seabattle: {others or address} (press Ctrl-C to stop)", flush=True)
    if browser:
        # Opening a browser can block until it is closed.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    _Server(config).run(sockets=[listening])
