"""Salvos over HTTP: a turn is fired whole or not at all."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from seabattle.record import DuelRecord, read_record
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


def test_a_solo_game_in_salvos(caller: Caller) -> None:
    rules = {"rows": 2, "columns": 3, "fleet": [2, 1], "salvo": "ships", "answers": "sunk"}
    made = caller.call("POST", "/api/solo", 201, rules=rules)
    caller.token, address = made["token"], f"/api/solo/{made['id']}"
    assert caller.call("GET", address, 200)["salvo"] == 2
    for wrong in (["A1"], ["A1", "A1"], ["A1", "A2", "A3"], ["A1", "Z9"]):
        caller.call("POST", f"{address}/shots", 422, cells=wrong)
    assert caller.call("GET", address, 200)["shots"] == []
    view = caller.call("POST", f"{address}/shots", 200, cells=["A1", "A2"])
    assert [shot["cell"] for shot in view["shots"]] == ["A1", "A2"]
    caller.call("POST", f"{address}/shots", 409, cells=["A1", "B1"][: view["salvo"]])
    left = ["A3", "B1", "B2", "B3"]
    while view["state"] != "over":
        turn, left = left[: view["salvo"]], left[view["salvo"] :]
        view = caller.call("POST", f"{address}/shots", 200, cells=turn)
        assert caller.call("GET", address, 200) == view
    record = read_record(caller.call("GET", f"{address}/record", 200))
    assert record.rules.salvo == "ships"
    assert len(record.moves) == len(view["shots"])
