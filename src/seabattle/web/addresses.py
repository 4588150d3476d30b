"""Addresses of this server: the one to print, the one for others, the host names to accept."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache

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
    """The host names to accept when the server listens on `host`, besides those of this machine
    itself (see `is_accepted`).

    Another site can point its own name at this machine (DNS rebinding), but not an address.
    """
    names = {host, *allowed}
    if not is_loopback(host):
        own = socket.gethostname()
        names |= {own, f"{own.partition('.')[0]}.local"}
    return tuple(sorted({plain_host(name) for name in names} - {""}))


def is_accepted(host: str, hosts: tuple[str, ...], *, ip_addresses: bool) -> bool:
    """Whether to answer a request for this host, as `plain_host` writes it: one of `hosts`, a name
    or an address that only this machine can reach or, if so wished, any IP address."""
    if host in hosts or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return ip_addresses or address.is_loopback


def plain_host(host: str) -> str:
    """The name or address in a Host header or URL, without port, brackets and final dot."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    if colon and ":" not in name and (port.isdigit() or not port):
        host = name
    return host.removesuffix(".")


@lru_cache(maxsize=10_000)
def client_key(address: str) -> str:
    """What counts as one address: of IPv6 the first 64 bits, since the rest is a visitor's own."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
