"""A player that is late, breaks down or cheats never stops a game."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from seabattle.observation import Observation
from seabattle.web.app import create_app
from seabattle.web.game_store import GameStore
from tests.web.helpers import Caller, quick_settings

TINY = {"rows": 2, "columns": 3, "fleet": [2]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = quick_settings(
        tmp_path_factory.mktemp("bad"), imports=("tests.web.bad_players",), think_seconds=0.4
    )
    with TestClient(create_app(settings)) as client:
        # Room for a first compilation is not given twice.
        Caller(client).call("POST", "/api/choice", rules=TINY, player="bad:how=cheat")
        Caller(client).call("POST", "/api/choice", rules=TINY, player="slow-bad:how=cheat")
        yield client


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("sleep", "did not answer within 0.4 s"),
        ("crash", "crashed"),
        ("raise", "ZeroDivisionError"),
        ("cheat", "not one of the cells"),
        ("text", "not one of the cells"),
    ],
)
def test_a_bad_player_gets_a_random_move_and_the_person_is_told(
    client: TestClient, how: str, said: str
) -> None:
    caller = Caller(client)
    caller.begin(rules=TINY, opponent=f"bad:how={how}", first="opponent")
    caller.place()
    end = caller.play_out()
    assert end["state"] == "over"
    theirs = [move for move in end["moves"] if move["side"] != end["you"]]
    assert theirs
    for move in theirs:
        assert said in move["note"]
        assert "A random cell was shot at instead." in move["note"]


def test_a_quick_player_does_not_wait_behind_a_slow_one(client: TestClient) -> None:
    slow, quick = Caller(client), Caller(client)
    slow.begin(rules=TINY, opponent="slow-bad:how=sleep", first="opponent")
    slow.place()
    quick.begin(rules=TINY, opponent="random")
    quick.place()
    assert quick.play_out()["state"] == "over"
    assert slow.play_out()["state"] == "over"


def test_a_player_that_does_not_answer_is_an_error(client: TestClient) -> None:
    body = {"rules": TINY, "player": "bad:how=sleep"}
    response = client.post("/api/choice", json=body)
    assert response.status_code == 503
    assert "did not answer" in response.json()["error"]


def test_an_endless_search_is_stopped(client: TestClient) -> None:
    """At its first use, too, which has time for a compilation."""
    body = {"rules": TINY, "player": "branch-mcts:iterations=1000000000"}
    response = client.post("/api/choice", json=body)
    assert response.status_code == 503
    said = "did not answer within 0.4 s. Give it fewer iterations, or a time limit (seconds=5)."
    assert said in response.json()["error"]


def test_a_move_counts_for_the_address_that_started_the_game(client: TestClient) -> None:
    """Games from one address wait for each other, not the games of others for them."""
    workers = client.app.state.workers  # type: ignore[attr-defined]
    asked: list[str] = []

    async def choose(player: str, observation: Observation, client: str, memory: object) -> int:
        asked.append(client)
        return observation.unknown[0]

    usual, workers.choose = workers.choose, choose
    try:
        caller = Caller(client)
        caller.begin(rules=TINY, opponent="in-order", first="opponent")
        caller.place()
        caller.my_turn()
    finally:
        workers.choose = usual
    assert set(asked) == {"testclient"}


def test_a_stand_in_shoots_until_a_player_is_ready(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path, imports=("tests.web.bad_players",), patience_seconds=0.2)
    with TestClient(create_app(settings)) as client:
        caller = Caller(client)
        caller.begin(rules=TINY, opponent="bad:how=sleep", first="opponent")
        caller.place()
        view = caller.my_turn()
        assert "a simple stand-in chose this shot" in view["moves"][0]["note"]
        (step,) = caller.call("GET", "/api/preparation", 200)["steps"]
        assert (step["what"], step["state"]) == ("bad", "running")


def test_preparing_reports_what_was_used_first(tmp_path: Path) -> None:
    with TestClient(create_app(quick_settings(tmp_path))) as client:
        caller = Caller(client)
        assert caller.call("GET", "/api/preparation", 200) == {"steps": []}
        caller.begin(rules=TINY, opponent="in-order")
        caller.place()
        caller.fire("A1")
        caller.my_turn()
        caller.call("POST", "/api/belief", 200, rules=TINY)
        steps = caller.call("GET", "/api/preparation", 200)["steps"]
        assert [(step["what"], step["state"]) for step in steps] == [
            ("in-order", "done"),
            ("heat maps", "done"),
        ]
        assert all(step["seconds"] > 0 for step in steps)


def test_no_player_can_make_one_that_runs_a_program(client: TestClient, tmp_path: Path) -> None:
    """Not even through a parameter: the workers' `make_player` refuses it."""
    Caller(client).call("POST", "/api/choice", 200, rules=TINY, player="nested:inner=random")
    touched = tmp_path / "touched"
    for inner in (f"exec:touch {touched}", f" exec:touch {touched}"):
        refusal = Caller(client).call(
            "POST", "/api/choice", 422, rules=TINY, player=f"nested:inner={inner}"
        )
        assert "'exec' runs a program and cannot be used here" in refusal["error"]
    assert not touched.exists()


def test_a_server_that_stops_leaves_its_moves_to_the_next_start(tmp_path: Path) -> None:
    """It does not shoot at random because its workers are gone."""
    settings = quick_settings(tmp_path, imports=("tests.web.bad_players",))
    with TestClient(create_app(settings)) as client:
        caller = Caller(client)
        caller.begin(rules=TINY, opponent="bad:how=sleep", first="opponent")
        caller.place()
        time.sleep(0.3)
    store = GameStore(tmp_path / "games.sqlite")
    assert store.game(caller.game).cells == ()
    store.close()


def test_a_killed_worker_costs_nobody_a_move(tmp_path: Path) -> None:
    """As the system kills processes when memory is short."""
    with TestClient(create_app(quick_settings(tmp_path, think_seconds=100))) as client:
        caller = Caller(client)
        caller.begin(rules={"rows": 3, "columns": 3, "fleet": [2]}, opponent="in-order")
        caller.place()
        caller.fire("A1")
        caller.my_turn()
        for worker in client.app.state.workers.processes:  # type: ignore[attr-defined]
            os.kill(worker, signal.SIGKILL)
        caller.fire("C3")  # no ship of two cells lies on both
        last = caller.my_turn()["moves"][-1]
        assert (last["cell"], last["note"]) == ("A2", "")
        caller.call("POST", "/api/layouts", 200, rules="mini")
