"""The API does what its OpenAPI description says, for whatever is thrown at it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.web.helpers import ServerProcess

RULES = {"rows": 4, "columns": 4, "fleet": [2, 2]}
SHORT = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    options = ("--games-per-client", "10000", "--requests-per-second", "100000")
    server = ServerProcess(tmp_path_factory.mktemp("schema"), *options, "--think-seconds", "1.5")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def described(server: ServerProcess) -> Any:
    return schemathesis.openapi.from_url(f"{server.address}api/openapi.json")


@pytest.fixture(scope="module")
def seat(server: ServerProcess) -> tuple[str, dict[str, str]]:
    """A game and the right to move in it."""
    body = {"kind": "computer", "rules": RULES, "opponent": "random"}
    made = httpx.post(f"{server.address}api/games", json=body, timeout=60).json()
    return made["id"], {"Authorization": f"Bearer {made['token']}"}


def _check(case: Any, response: Any) -> None:
    # A schema cannot say which texts are rules, players or records.
    excluded = [positive_data_acceptance]
    if response.status_code == 503:
        # A belief or a player may run out of time; that is described, and says so.
        assert "did not answer" in response.json()["error"]
        excluded.append(not_a_server_error)
    case.validate_response(response, excluded_checks=excluded)
    if response.status_code >= 400 and case.method != "HEAD":
        assert response.json()["error"].endswith((".", "!", "?"))


def _operations(described: Any) -> dict[str, Any]:
    found = {}
    for result in described.get_all_operations():
        operation = result.ok()
        found[operation.label] = operation
    return found


def test_requests_without_a_seat_are_answered_as_described(described: Any) -> None:
    operations = _operations(described)
    assert len(operations) > 12
    for operation in operations.values():

        @SHORT
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            _check(case, case.call(timeout=60))

        ask()


def test_requests_with_a_seat_are_answered_as_described(
    described: Any, seat: tuple[str, dict[str, str]]
) -> None:
    game, headers = seat
    for label, operation in _operations(described).items():
        if "{game}" not in label or label.endswith("/events"):  # a stream does not end
            continue

        @SHORT
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            case.path_parameters["game"] = game
            _check(case, case.call(headers=headers, timeout=60))

        ask()
