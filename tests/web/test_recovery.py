"""What was acknowledged is on disk, also when the server is killed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from seabattle.rules import Rules
from seabattle.web.game_store import GameStore, Seat
from seabattle.web.refusals import NotPossibleNow
from tests.forking import seabattle
from tests.web.helpers import ServerProcess, wait_for_turn


class Person:
    """Somebody with a game on a real server."""

    def __init__(self, server: ServerProcess, **wanted: Any) -> None:
        self.server = server
        made = self.call("POST", "/api/games", wanted)
        self.game, self.headers = made["id"], {"Authorization": f"Bearer {made['token']}"}
        ships = self.call("POST", "/api/layouts", {"rules": wanted["rules"]})["ships"]
        self.call("PUT", f"/api/games/{self.game}/layout", {"ships": ships})

    headers: dict[str, str] = {}  # noqa: RUF012

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        address = self.server.address.rstrip("/") + path
        response = httpx.request(method, address, json=body, headers=self.headers, timeout=30)
        assert response.is_success, response.text
        return response.json()

    def see(self) -> dict[str, Any]:
        return self.call("GET", f"/api/games/{self.game}")

    def turn(self) -> dict[str, Any]:
        return wait_for_turn(self.see)

    def fire_next(self, view: dict[str, Any]) -> dict[str, Any]:
        fired = {move["cell"] for move in view["moves"] if move["side"] == view["you"]}
        rows, columns = view["rules"]["rows"], view["rules"]["columns"]
        cells = [f"{chr(65 + r)}{c + 1}" for r in range(rows) for c in range(columns)]
        cell = next(cell for cell in cells if cell not in fired)
        return self.call("POST", f"/api/games/{self.game}/shots", {"cell": cell})


@pytest.fixture
def server(tmp_path: Path) -> Any:
    server = ServerProcess(tmp_path)
    yield server
    server.stop()


def test_every_acknowledged_move_survives_a_killed_server(server: ServerProcess) -> None:
    rules = {"rows": 4, "columns": 4, "fleet": [3, 2], "contact": "any"}
    person = Person(server, rules=rules, opponent="random")
    before = person.see()["seats"][1]["commitment"]
    for _ in range(2):
        acknowledged = person.fire_next(person.turn())["moves"]
        server.kill()
        server.start()
        found = person.see()["moves"]
        assert found[: len(acknowledged)] == acknowledged
        if person.see()["state"] == "over":
            break
    while (view := person.turn())["state"] != "over":
        person.fire_next(view)
    assert view["seats"][1]["commitment"] == before


def test_a_stopped_server_ends_its_streams_which_held_no_secret(server: ServerProcess) -> None:
    person = Person(server, rules="mini", opponent="random")
    received: list[str] = []

    def listen() -> None:
        address = f"{server.address}api/games/{person.game}/events"
        with httpx.stream("GET", address, headers=person.headers, timeout=30) as stream:
            received.extend(line for line in stream.iter_lines() if line.startswith("data:"))

    listener = threading.Thread(target=listen)
    listener.start()
    person.fire_next(person.turn())
    person.turn()
    for _ in range(500):
        if received and len(json.loads(received[-1][5:])["moves"]) == 2:
            break
        time.sleep(0.01)
    moves = [len(json.loads(line[5:])["moves"]) for line in received]
    assert moves == sorted(moves)
    assert moves[-1] == 2
    began = time.monotonic()
    server.process.terminate()
    server.process.wait(timeout=20)
    listener.join(timeout=10)
    assert not listener.is_alive()
    assert time.monotonic() - began < 10
    store = GameStore(server.data / "games.sqlite")
    hidden = store.game(person.game).seats[1]
    store.close()
    assert server.process.stdout is not None
    printed = server.process.stdout.read()
    token = person.headers["Authorization"].split()[1]
    for text in (*received, printed):
        assert str(hidden.layout) not in text
        assert str(hidden.nonce) not in text
        assert token not in text


def test_a_port_that_is_taken_is_explained(server: ServerProcess, tmp_path: Path) -> None:
    command = ["serve", "--no-browser"]
    command += ["--port", str(server.port), "--data", str(tmp_path / "other")]
    done = seabattle(*command, timeout=60)
    assert done.returncode == 2
    assert "address already in use; try another --port." in done.stderr
    assert "Traceback" not in done.stderr


def _seats() -> tuple[Seat, Seat]:
    return Seat("a", None, None, None, None), Seat("b", None, None, None, None)


def test_a_change_is_stored_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")
    asyncio.run(store.create("g", "people", Rules(), _seats(), "here", {}))
    game = store.game("g")
    asyncio.run(store.add_turn(game, [5], finished=False))
    with pytest.raises(NotPossibleNow):  # there is a first move already
        asyncio.run(store.add_turn(game, [6], finished=True))
    after = store.game("g")
    assert after.cells == (5,)
    assert after.version == game.version + 1
    assert store.unfinished("people") == ["g"]
    store.close()


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")
    games = [f"g{number}" for number in range(20)]

    async def play(name: str) -> None:
        await store.create(name, "people", Rules(), _seats(), "here", {})
        for cell in range(20):
            await store.add_turn(store.game(name), [cell], finished=False)

    async def play_all() -> None:
        await asyncio.gather(*map(play, games))

    asyncio.run(play_all())
    assert all(store.game(name).cells == tuple(range(20)) for name in games)
    assert store.open_games("here", besides=()) == 20
    store.close()


def test_a_move_waits_for_another_program_that_writes_and_nobody_else_does(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")
    asyncio.run(store.create("g", "people", Rules(), _seats(), "here", {}))
    other = sqlite3.connect(tmp_path / "games.sqlite", isolation_level=None)

    async def move_meanwhile() -> None:
        other.execute("begin immediate")
        move = asyncio.create_task(store.add_turn(store.game("g"), [5], finished=False))
        await asyncio.sleep(0.2)  # it would take 30 s if the event loop waited
        assert not move.done()
        other.execute("rollback")
        await move

    began = time.monotonic()
    asyncio.run(move_meanwhile())
    assert time.monotonic() - began < 20
    assert store.game("g").cells == (5,)
    other.close()
    store.close()


def test_changes_that_fail_leave_the_others_alone(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")

    async def write_together() -> list[object]:
        await store.create("g", "people", Rules(), _seats(), "here", {})
        game = store.game("g")
        moves = (store.add_turn(game, [cell], finished=False) for cell in (5, 6, 7))
        others = (store.create(name, "people", Rules(), _seats(), "here", {}) for name in "hgi")
        return await asyncio.gather(*moves, *others, return_exceptions=True)

    outcomes = [outcome is None for outcome in asyncio.run(write_together())]
    assert outcomes == [True, False, False, True, False, True]
    assert store.game("g").cells == (5,)
    assert sorted(store.unfinished("people")) == ["g", "h", "i"]
    store.close()


def test_the_file_is_written_through(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")
    db = store._connect()
    assert db.execute("pragma journal_mode").fetchone()[0] == "wal"
    assert db.execute("pragma synchronous").fetchone()[0] == 2
    db.close()
    store.close()
