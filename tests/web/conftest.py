from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from seabattle.web.app import create_app
from tests.web.helpers import Caller, ServerProcess, quick_settings


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with TestClient(create_app(quick_settings(tmp_path_factory.mktemp("data")))) as client:
        yield client


@pytest.fixture
def caller(client: TestClient) -> Caller:
    return Caller(client)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    options = ("--games-per-client", "10000", "--requests-per-second", "100000")
    server = ServerProcess(tmp_path_factory.mktemp("server"), *options)
    yield server
    server.stop()
