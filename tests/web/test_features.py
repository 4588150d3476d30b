"""Solo games, puzzles, reviews, spectators and a person's own games over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from seabattle.experiment.play import play_duel
from seabattle.layout import Layout
from seabattle.observation import Observation
from seabattle.record import read_record
from seabattle.review import review_record
from seabattle.rules import Rules
from seabattle.web.app import create_app
from seabattle.web.commitment import commitment
from seabattle.web.game_store import GameStore
from seabattle.web.reviews import review_routes
from seabattle.web.schemas import RecordRequest
from tests.web.helpers import Caller, quick_settings

SMALL = {"rows": 4, "columns": 4, "fleet": [3, 2]}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("features")


@pytest.fixture(scope="module")
def client(data: Path) -> Any:
    with TestClient(create_app(quick_settings(data, games_per_client=3))) as client:
        yield client


def forms_of(layout: Layout, nonce: str) -> list[str]:
    """Everything that would give a layout away."""
    return [layout.to_text(), nonce, *(json.dumps(ship)[1:-1] for ship in layout.to_json())]


def test_a_solo_game_hides_its_fleet_until_it_is_found(client: TestClient, data: Path) -> None:
    caller = Caller(client)
    made = caller.call("POST", "/api/solo", 201, rules=SMALL)
    caller.token, address = made["token"], f"/api/solo/{made['id']}"
    db = sqlite3.connect(data / "solo.sqlite")
    row = db.execute("select layout, nonce, token from solo_games where id = ?", [made["id"]])
    text, nonce, token = row.fetchone()
    db.close()
    assert made["token"] not in token
    layout = Layout.from_text(text, Rules.from_json(SMALL))
    view = caller.call("GET", address, 200)
    assert view["ships"] is view["nonce"] is view["layout"] is None
    caller.call("GET", f"{address}/record", 409)
    caller.call("POST", f"{address}/shots", 422, cell="Z9")
    caller.call("POST", f"{address}/shots", 200, cell="A1")
    caller.call("POST", f"{address}/shots", 409, cell="A1")
    water = [cell for cell in range(16) if cell not in layout.ship_at and cell != 0]
    order = [*water[:3], *(cell for cell in sorted(layout.ship_at) if cell != 0)]
    for cell in order:
        view = caller.call("POST", f"{address}/shots", 200, cell=layout.rules.cell_name(cell))
    *before, _ = (text for text in caller.responses if '"shots"' in text)
    for response in before:
        shown = response.split('"sunk":')[0] + response.split('"commitment":')[-1]
        assert not any(form in shown for form in forms_of(layout, nonce))
    assert view["state"] == "over"
    assert view["layout"] == layout.to_text()
    assert view["commitment"] == commitment(view["layout"], view["nonce"])
    caller.call("POST", f"{address}/shots", 409, cell=layout.rules.cell_name(water[-1]))
    record = read_record(caller.call("GET", f"{address}/record", 200))
    assert len(record.moves) == len(view["shots"]) == len(order) + 1
    # Somebody else learns nothing of it, and changes nothing.
    stranger = Caller(client)
    for method, path in (("GET", address), ("POST", f"{address}/shots")):
        stranger.token = ""
        stranger.call(method, path, 403, cell="A1")
        stranger.token = "guess"
        stranger.call(method, path, 403, cell="A1")
    stranger.call("GET", "/api/solo/none", 404)


def test_an_address_has_room_for_a_few_solo_games(client: TestClient) -> None:
    caller = Caller(client)
    for _ in range(3):
        caller.call("POST", "/api/solo", 201, rules=SMALL)
    assert "unfinished" in caller.call("POST", "/api/solo", 429, rules=SMALL)["error"]


def test_spectators_see_only_public_shots(client: TestClient, data: Path) -> None:
    host, guest, spectator = Caller(client), Caller(client), Caller(client)
    closed = host.begin(kind="people", rules=SMALL)
    spectator.call("GET", f"/api/games/{closed['id']}/public", 409)
    spectator.call("GET", f"/api/games/{closed['id']}/public/events", 409)
    spectator.call("GET", "/api/games/none/public", 404)
    made = host.begin(kind="people", rules=SMALL, spectators=True, name="Ann")
    asked = guest.call("POST", f"/api/games/{made['id']}/invitation", 200, invite=made["invite"])
    assert asked["spectators"] is True
    joined = guest.call(
        "POST", f"/api/games/{made['id']}/join", 200, invite=made["invite"], name="Bob"
    )
    guest.game, guest.token = joined["id"], joined["token"]
    for person in (host, guest):
        person.place()
    store = GameStore(data / "games.sqlite")
    seats = store.game(made["id"]).seats
    store.close()
    address = f"/api/games/{made['id']}/public"

    def look() -> dict[str, Any]:
        view: dict[str, Any] = spectator.call("GET", address, 200)
        return view

    secrets = [text for seat in seats for text in (seat.layout, seat.nonce, seat.token) if text]
    assert len(secrets) == 6
    while (view := look())["state"] != "over":
        assert not any(secret in spectator.responses[-1] for secret in secrets)
        assert view["you"] is None
        assert [seat["ships"] for seat in view["seats"]] == [None, None]
        assert [seat["nonce"] for seat in view["seats"]] == [None, None]
        mover = host if host.see()["to_move"] == host.see()["you"] else guest
        side = mover.see()["you"]
        fired = {move["cell"] for move in view["moves"] if move["side"] == side}
        cells = (f"{row}{column}" for row in "ABCD" for column in range(1, 5))
        mover.fire(next(cell for cell in cells if cell not in fired))
        assert look()["moves"] == mover.see()["moves"]
    assert view["seats"][0]["layout"] == seats[0].layout
    # A spectator cannot act, whatever token they make up.
    spectator.token = "spectator"
    spectator.call("POST", f"/api/games/{made['id']}/shots", 403, cell="A1")


def test_a_review_is_streamed_and_is_that_of_the_package(client: TestClient) -> None:
    record = play_duel("even", "random", "mini", seed=3)
    response = client.post("/api/review", json={"record": record.to_text()})
    *shots, last = (json.loads(line) for line in response.text.splitlines())
    assert [line["shot"]["number"] for line in shots] == list(range(1, len(record.cells) + 1))
    expected = review_record(record)
    for found, side in zip(last["review"]["sides"], expected.sides, strict=True):
        assert found["accuracy"] == pytest.approx(side.accuracy)
        assert found["costliest"] == [shot.position.number for shot in side.costliest]
    assert client.post("/api/review", json={"record": "nonsense"}).status_code == 422


def test_reviews_of_one_address_refuse_nobody_elses() -> None:
    async def waits(observation: Observation, client: str) -> dict[str, object]:
        await asyncio.sleep(3600)
        return {}

    workers = SimpleNamespace(belief=waits)
    (route,) = review_routes(workers).routes  # type: ignore[arg-type]
    record = RecordRequest(record=play_duel("even", "random", "mini", seed=3).to_text())

    async def first_line(client: str) -> str:
        response = await route.endpoint(record, client)  # type: ignore[attr-defined]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                return str(await anext(response.body_iterator))
        return "being computed"

    async def ask() -> list[str]:
        busy = [asyncio.create_task(first_line("a")) for _ in range(3)]
        busy.append(asyncio.create_task(first_line("b")))
        return await asyncio.gather(*busy)

    *two, third, other = asyncio.run(ask())
    assert [*two, other] == ["being computed"] * 3
    assert "waiting for 2 computations" in third


def test_a_puzzle_keeps_its_solution_until_it_is_answered(client: TestClient) -> None:
    caller = Caller(client)
    assert set(caller.call("GET", "/api/puzzles", 200)["kinds"]) == {"best", "certain"}
    puzzle = caller.call("GET", "/api/puzzles/best-mini-3", 200)
    assert "solution" not in puzzle
    answer = "/api/puzzles/best-mini-3/answer"
    given_up = caller.call("POST", answer, 200, cells=[])
    assert given_up["right"] is False
    right = caller.call("POST", answer, 200, cells=given_up["solution"])
    assert right["right"] is True
    assert "Right" in right["sentence"]
    caller.call("POST", answer, 422, cells=["Z9"])
    for wrong in ("nonsense", "daily-0000-00-00", "best-classic-99999999999"):
        caller.call("GET", f"/api/puzzles/{wrong}", 422)


def test_levels_have_strengths_and_games_are_added_up(client: TestClient) -> None:
    caller = Caller(client)
    offered = caller.call("POST", "/api/opponents", 200, rules="mini")
    assert [level["name"] for level in offered["levels"]] == ["easy", "medium", "hard", "perfect"]
    assert all(level["strength"] for level in offered["levels"])
    assert "random" in offered["strengths"]
    measured = caller.call("POST", "/api/strength", 200, player="random", rules=SMALL)
    assert 10 < measured["strength"]["mean"] < 16
    caller.call("POST", "/api/strength", 422, player="nobody")
    games = [
        ["ophlp", "classic", "won", 40, 91.5, True, False],
        ["ophlp", "classic", "lost", 38, None, False, False],
        ["Bob", "classic", "won", 44, 80, True, True],
        ["", "mini", "solo", 12, 99, True, False],
        ["nobody", "no such rules", "won", 12, 99, True, False],
    ]
    found = caller.call("POST", "/api/my-games", 200, games=games)
    first = found["opponents"][0]
    assert (first["opponent"], first["won"], first["lost"]) == ("ophlp", 1, 1)
    assert found["history"][0] == 1520
    assert found["history"][2:] == [None] * 3
    caller.call("POST", "/api/my-games", 422, games=[["a", "classic", "cheated", 1, 0, True, True]])
    caller.call("POST", "/api/my-games", 422, games=games * 200)


def test_the_page_can_be_installed(client: TestClient) -> None:
    manifest = client.get("/manifest.webmanifest").json()
    worker = client.get("/service-worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert "SHELL_" not in worker.text
    listed = [icon["src"] for icon in manifest["icons"]]
    for address in [*listed, "/static/main.js", "/static/texts.js"]:
        assert client.get(address).status_code == 200
        assert address in worker.text
    assert "unsafe" not in client.get("/").headers["content-security-policy"]
