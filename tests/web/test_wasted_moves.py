"""Shots at known cells over HTTP: only where the game allows them, and only on purpose."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from seabattle.record import DuelRecord
from seabattle.web.game_view import LoadedGame
from tests.web.helpers import Caller

TINY = {"rows": 3, "columns": 3, "fleet": [2], "answers": "sunk"}


def fire(caller: Caller, cell: str, status: int, *, waste: bool) -> dict[str, Any]:
    path = f"/api/games/{caller.game}/shots"
    return caller.call("POST", path, status, cell=cell, waste=waste)


def test_a_wasted_move_is_stored_told_and_replayed(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="in-order", first="me", repeats=True)
    assert caller.place()["repeats"] is True
    fire(caller, "B2", 200, waste=False)
    caller.my_turn()
    assert "already shot at B2" in fire(caller, "B2", 409, waste=False)["error"]
    assert fire(caller, "B2", 200, waste=True)["moves"][2]["told"] == "wasted"
    view = caller.my_turn()
    assert [move["side"] for move in view["moves"]] == [0, 1, 0, 1]
    # What the server keeps is the same as what it reads from the disk.
    service = caller.client.app.state.service  # type: ignore[attr-defined]
    cached = service._cache[caller.game]
    again = LoadedGame.replayed(service._store.game(caller.game))
    assert again.seen == cached.seen
    assert again.view_text(0) == cached.view_text(0)
    end = caller.play_out()
    record = DuelRecord.from_text(caller.call("GET", f"/api/games/{caller.game}/record", 200))
    assert record.repeats == (0,)
    assert len(record.moves) == len(end["moves"])
    rematch = caller.call("POST", f"/api/games/{caller.game}/rematch", 200)
    caller.game, caller.token = rematch["id"], rematch["token"]
    assert caller.see()["repeats"] is True


def test_without_the_option_nothing_is_wasted(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="random", first="me")
    assert caller.place()["repeats"] is False
    fire(caller, "B2", 200, waste=True)
    caller.my_turn()
    assert "already shot at B2" in fire(caller, "B2", 409, waste=True)["error"]


def test_two_people_agree_on_it_by_the_invitation(client: TestClient) -> None:
    ann, ben = Caller(client), Caller(client)
    made = ann.begin(kind="people", rules=TINY, repeats=True)
    told = ben.call("POST", f"/api/games/{made['id']}/invitation", 200, invite=made["invite"])
    assert told["repeats"] is True
    joined = ben.call("POST", f"/api/games/{made['id']}/join", 200, invite=made["invite"])
    ben.game, ben.token = made["id"], joined["token"]
    ann.place()
    view = ben.place()
    first, second = (ben, ann) if view["to_move"] == view["you"] else (ann, ben)
    for caller in (first, second):
        fire(caller, "B2", 200, waste=False)
    fire(first, "B2", 200, waste=True)
    assert second.see()["moves"][2]["told"] == "wasted"
