from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page

from seabattle.web.app import create_app
from tests.web.browsing import new_context
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


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = new_context(browser)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    yield page
    # Refused calls are logged by the browser itself; anything else is a defect of the page.
    lost = re.compile("Failed to load resource|net::ERR")
    assert [text for text in wrong if not lost.search(text)] == []
