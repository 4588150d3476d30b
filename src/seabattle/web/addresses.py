"""Addresses of this server: the one to print, the one for others, the host names to accept."""

from __future__ import annotations

import ipaddress
import socket

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
"""Hosts that mean every network interface."""

ELSEWHERE = "192.0.2.1"
"""An address of no machine (RFC 5737)."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on this host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_address() -> str | None:
    """This machine's address on its network, without asking anybody; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # A UDP socket that is connected has a source address and sends nothing.
            probe.connect((ELSEWHERE, 9))
            found = str(probe.getsockname()[0])
        except OSError:
            found = "0.0.0.0"
    if is_loopback(found) or found in EVERYWHERE:
        try:
            found = socket.gethostbyname(socket.gethostname())
        except OSError:
            return None
    return None if is_loopback(found) or found in EVERYWHERE else found


def url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def url_for_this_machine(host: str, port: int) -> str:
    """An address that this machine can open if the server listens on `host`."""
    if host in EVERYWHERE:
        host = "::1" if host == "::" else "127.0.0.1"
    return url(host, port)


def url_for_others(host: str, port: int) -> str | None:
    """An address that others can open if the server listens on `host`; None if there is none."""
    if is_loopback(host):
        return None
    reachable = network_address() if host in EVERYWHERE else host
    return None if reachable is None else url(reachable, port)


def accepted_hosts(host: str, allowed: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The host names to accept when the server listens on `host`, besides IP addresses.

    Another site can point its own name at this machine (DNS rebinding), but not an address.
    """
    names = {*LOOPBACK, *(name.lower() for name in allowed)}
    if not is_loopback(host):
        own = socket.gethostname().lower()
        names |= {host.lower(), own, f"{own.partition('.')[0]}.local"}
    return tuple(sorted(names - {""}))


def is_ip_address(host: str) -> bool:
    """Whether the host of a Host header, without its port, is an IP address."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
