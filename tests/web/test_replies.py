"""The computer's moves: who starts them, and that none is forgotten."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from fastapi.testclient import TestClient

from seabattle.errors import SeabattleError
from seabattle.observation import Observation
from seabattle.web import app as app_module
from seabattle.web.app import create_app
from seabattle.web.game_store import GameStore
from seabattle.web.player_workers import PlayerWorkers
from seabattle.web.replies import Replies
from tests.web.helpers import Caller, quick_settings, until

TINY: dict[str, Any] = {"rows": 3, "columns": 3, "fleet": [2], "contact": "any"}
FLEET = "destroyer A1 across"


def leave_waiting(caller: Caller, store: GameStore) -> None:
    """A game whose computer is to move and has not been asked, as a crash would leave it."""
    caller.begin(rules=TINY, opponent="in-order", first="opponent")
    asyncio.run(store.place(caller.game, 1, FLEET, "nonce"))


def test_reading_a_game_starts_and_writes_nothing(tmp_path: Path) -> None:
    asked: list[str] = []
    client = TestClient(create_app(quick_settings(tmp_path)))
    caller = Caller(client)
    store = GameStore(tmp_path / "games.sqlite")

    async def choose(
        workers: PlayerWorkers, player: str, observation: Observation, *_: object
    ) -> int:
        asked.append(player)
        return observation.unknown[0]

    with patch.object(PlayerWorkers, "choose", choose), client:
        leave_waiting(caller, store)
        version = store.version(caller.game)
        views = [caller.see() for _ in range(20)]
        caller.call("GET", f"/api/games/{caller.game}/record", 409)
        time.sleep(0.2)
        assert views[0]["thinking"]
        assert all(view == views[0] for view in views)
        assert asked == []
        assert store.version(caller.game) == version
        # A change starts the reply: here, the first shot of a game where the person begins.
        caller.begin(rules=TINY, opponent="in-order", first="me")
        caller.place()
        assert asked == []
        caller.fire("A1")
        until(lambda: store.game(caller.game).cells == (0, 0))
        assert asked == ["in-order"]
    store.close()


def test_a_restarted_server_makes_the_moves_that_are_due(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path)
    store = GameStore(tmp_path / "games.sqlite")
    with TestClient(create_app(settings)) as client:
        waiting, placing, watched = Caller(client), Caller(client), Caller(client)
        leave_waiting(waiting, store)
        placing.begin(rules=TINY, opponent="in-order", first="opponent")
        watched.begin(kind="watch", rules=TINY, players=["in-order", "in-order"])
        assert store.game(waiting.game).cells == ()
    with TestClient(create_app(settings)):
        until(lambda: store.game(waiting.game).cells == (0,))
        time.sleep(0.2)
    assert store.game(placing.game).cells == ()
    assert store.game(watched.game).cells == ()
    store.close()


def test_a_reply_that_could_not_be_stored_is_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "RETRY_SECONDS", 0.05)
    full = threading.Event()
    store_move = GameStore.add_turn

    async def add_turn(store: GameStore, *given: Any, **named: Any) -> None:
        if full.is_set():
            raise sqlite3.OperationalError("database or disk is full")
        await store_move(store, *given, **named)

    monkeypatch.setattr(GameStore, "add_turn", add_turn)
    with TestClient(create_app(quick_settings(tmp_path))) as client:
        caller = Caller(client)
        caller.begin(rules=TINY, opponent="in-order", first="opponent")
        full.set()
        caller.place()
        time.sleep(0.3)
        assert caller.see()["moves"] == []
        full.clear()
        assert [move["cell"] for move in caller.my_turn()["moves"]] == ["A1"]


def test_a_change_during_a_reply_is_not_missed() -> None:
    """A person may shoot after the computer's turn has ended but before its task has."""
    looked: list[bool] = []

    async def play() -> None:
        first_look, go_on = asyncio.Event(), asyncio.Event()

        async def shoot(game_id: str) -> bool:
            looked.append(go_on.is_set())
            first_look.set()
            await go_on.wait()
            return False

        replies = Replies(shoot)
        replies.start("g")
        await first_look.wait()
        replies.start("g")
        go_on.set()
        await asyncio.gather(*replies._tasks)

    asyncio.run(play())
    assert looked == [False, True]


def test_only_failed_replies_are_tried_again() -> None:
    calls: list[str] = []

    async def shoot(game_id: str) -> bool:
        calls.append(game_id)
        if game_id == "bad" and calls.count("bad") == 1:
            raise SeabattleError("not now")
        return False

    async def play() -> None:
        replies = Replies(shoot)
        replies.start("good")
        replies.start("bad")
        for _ in range(3):
            await asyncio.gather(*replies._tasks)
            replies.retry_failed()

    asyncio.run(play())
    assert calls == ["good", "bad", "bad"]
