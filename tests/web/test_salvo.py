"""Salvos over HTTP: a turn is fired whole or not at all."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from seabattle.record import DuelRecord
from tests.web.helpers import Caller

RULES = {"rows": 4, "columns": 4, "fleet": [2, 1, 1], "salvo": "ships", "answers": "sunk"}


def fire(caller: Caller, cells: list[str], status: int = 200) -> dict[str, Any]:
    return caller.call("POST", f"/api/games/{caller.game}/shots", status, cells=cells)


def unknown(view: dict[str, Any]) -> list[str]:
    fired = {move["cell"] for move in view["moves"] if move["side"] == view["you"]}
    cells = [f"{row}{column}" for row in "ABCD" for column in range(1, 5)]
    return [cell for cell in cells if cell not in fired]


def test_a_game_in_salvos_is_played_to_its_end(caller: Caller) -> None:
    caller.begin(rules=RULES, opponent="density", first="me")
    view = caller.place()
    assert view["salvo"] == 3
    while (view := caller.my_turn())["state"] != "over":
        before = len(view["moves"])
        view = fire(caller, unknown(view)[: view["salvo"]])
        assert len(view["moves"]) >= before + 1
    record = DuelRecord.from_text(caller.call("GET", f"/api/games/{caller.game}/record", 200))
    assert record.replay(len(record.cells)).finished


def test_a_wrong_salvo_fires_nothing(caller: Caller) -> None:
    caller.begin(rules=RULES, opponent="random", first="me")
    caller.place()
    fire(caller, ["A1", "A2", "A3"])
    before = caller.my_turn()
    size = before["salvo"]
    good = unknown(before)[: size - 1]
    for cells, words in (
        ([*good, "A1"], "already shot at A1"),
        ([*good, "Z9"], "not a cell"),
        ([*good, good[0]] if good else ["A1"], "twice" if good else "already"),
        (unknown(before)[: size + 1], f"not {size + 1}"),
        ([], "one cell"),
    ):
        refused = caller.call("POST", f"/api/games/{caller.game}/shots", cells=cells)
        assert words in refused["error"]
        assert caller.see()["moves"] == before["moves"]
    both = caller.call("POST", f"/api/games/{caller.game}/shots", cell="B1", cells=["B2"])
    assert "error" in both


def test_two_people_and_watched_players_fire_salvos(client: TestClient) -> None:
    host, guest = Caller(client), Caller(client)
    made = host.begin(kind="people", rules=RULES)
    guest.game = made["id"]
    joined = guest.call("POST", f"/api/games/{made['id']}/join", 200, invite=made["invite"])
    guest.token = joined["token"]
    host.place()
    view = guest.place()
    first = host if view["to_move"] == host.see()["you"] else guest
    after = fire(first, ["A1", "B2", "C3"])
    assert len(after["moves"]) == 3
    assert after["to_move"] != first.see()["you"]
    watcher = Caller(client)
    watcher.begin(kind="watch", rules={**RULES, "salvo": 5}, players=["random", "in-order"])
    view = watcher.call("POST", f"/api/games/{watcher.game}/step", 200)
    assert [move["side"] for move in view["moves"]] == [0] * 5
