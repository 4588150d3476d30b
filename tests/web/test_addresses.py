"""The address that is printed can be opened, by others too if the server listens for them."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest

from seabattle.web.addresses import (
    accepted_hosts,
    is_loopback,
    network_address,
    url_for_others,
    url_for_this_machine,
)
from tests.web.helpers import ServerProcess


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.7", "localhost", "::1"])
def test_loopback_is_for_this_machine_alone(host: str) -> None:
    assert is_loopback(host)
    assert url_for_others(host, 8017) is None
    assert accepted_hosts(host) == (host,)


def test_an_address_of_this_machine_is_for_others() -> None:
    assert url_for_others("192.0.2.7", 80) == "http://192.0.2.7:80/"
    assert url_for_others("2001:db8::7", 80) == "http://[2001:db8::7]:80/"
    assert "192.0.2.7" in accepted_hosts("192.0.2.7")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_nobody_is_told_to_open_every_interface(host: str) -> None:
    for url in (url_for_this_machine(host, 80), url_for_others(host, 80) or ""):
        assert "//0.0.0.0" not in url
        assert "//[::]" not in url
        assert "//:" not in url


def test_a_server_for_the_network_prints_an_address_that_opens(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--host", "0.0.0.0")
    try:
        own = network_address()
        assert server.address == f"http://{own or '127.0.0.1'}:{server.port}/"
        with urlopen(server.address, timeout=30) as answer:
            assert b"seabattle" in answer.read()
    finally:
        server.stop()
