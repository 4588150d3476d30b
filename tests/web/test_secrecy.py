"""Before the end, nothing that a seat receives depends on what it may not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from seabattle.dealing.uniform import random_layout
from seabattle.layout import Layout
from seabattle.rules import Rules
from seabattle.web.app import create_app
from seabattle.web.game_service import GameService
from seabattle.web.game_store import GameStore
from tests.web.helpers import Caller, quick_settings

RULES: list[dict[str, Any]] = [
    {"rows": 5, "columns": 5, "fleet": [3, 2], "contact": "none", "answers": "hit-miss"},
    {"rows": 4, "columns": 6, "fleet": [3, 2, 2], "answers": "sunk", "turns": "again"},
    {"rows": 6, "columns": 4, "fleet": [3, 1, 1], "contact": "corners", "turns": "rounds"},
    {"rows": 5, "columns": 5, "fleet": [4, 2], "answers": "named"},
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secrecy")


@pytest.fixture(scope="module")
def client(data: Path) -> Any:
    with TestClient(create_app(quick_settings(data))) as client:
        yield client


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.get("answers", "sunk-named"))
def test_no_response_before_the_end_holds_the_enemy_layout(
    client: TestClient, data: Path, rules: dict[str, Any]
) -> None:
    store = GameStore(data / "games.sqlite")
    while True:
        caller = Caller(client)
        caller.begin(rules=rules, opponent="random")
        caller.place()
        mine, hidden = store.game(caller.game).seats
        if mine.layout != hidden.layout:  # once in some thousand games both are the same
            break
    store.close()
    assert hidden.layout is not None
    assert hidden.nonce is not None
    layout = Layout.from_text(hidden.layout, Rules.from_json(rules))
    forms = [hidden.layout, hidden.nonce, json.dumps(layout.to_json())]
    forms += [entry.strip() for entry in hidden.layout.split(",")]
    forms += [json.dumps(ship)[1:-1] for ship in layout.to_json()]
    own = own_ships(caller)
    client.get("/")
    for path in ("record", "nothing"):
        caller.call("GET", f"/api/games/{caller.game}/{path}")
    caller.call("POST", "/api/games/" + caller.game + "/shots", 422, cell="Z9")
    caller.play_out()
    before_end = [
        without_known_hulls(text) for text in caller.responses if '"state":"over"' not in text
    ]
    assert len(before_end) > 5
    for text in before_end:
        for form in forms:
            if form not in own:  # both fleets may have a ship in the same place
                assert form not in text
                assert form.replace(" ", "") not in text.replace(" ", "")
    revealed = [text for text in caller.responses if '"state":"over"' in text]
    assert hidden.layout in revealed[-1]


def without_known_hulls(response: str) -> str:
    """A response without the sunk ships, once each of their cells is seen to have been hit."""
    headers, _, body = response.partition("} ")
    try:
        view = json.loads(body)
    except json.JSONDecodeError:
        return response
    if not isinstance(view, dict) or "sunk" not in view:
        return response
    for side, sunk in enumerate(view.pop("sunk")):
        hit = {m["cell"] for m in view["moves"] if m["side"] == side and m["told"] != "miss"}
        assert hit.issuperset(sunk["cells"])
        for hull in sunk["hulls"]:
            row, column = ord(hull["cell"][0]), int(hull["cell"][1:])
            down = hull["direction"] == "down"
            for k in range(hull["length"]):
                assert f"{chr(row + k * down)}{column + k * (not down)}" in hit
    return f"{headers}}} {json.dumps(view)}"


def own_ships(caller: Caller) -> list[str]:
    """The text forms of the ships of one's own fleet."""
    view = caller.see()
    ships = view["seats"][view["you"]]["ships"]
    texts = [f"{ship['ship']} {ship['cell']} {ship['direction']}" for ship in ships]
    return texts + [json.dumps(ship)[1:-1] for ship in ships]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.get("answers", "sunk-named"))
def test_a_view_depends_on_nothing_but_what_was_told(
    client: TestClient, data: Path, rules: dict[str, Any]
) -> None:
    """Exchange the hidden layout for another that answers the same: only the commitment,
    which no layout can be read from, is different."""
    read = Rules.from_json(rules)
    layouts = [random_layout(read, np.random.default_rng(seed)) for seed in (1, 2)]
    assert layouts[0] != layouts[1]
    empty = set(range(read.cells)) - set(layouts[0].ship_at) - set(layouts[1].ship_at)
    caller = Caller(client)
    caller.begin(rules=rules, opponent="random")
    store = GameStore(data / "games.sqlite")

    def hide(layout: Layout) -> None:
        change = "update seats set layout = ? where game = ? and side = 1"
        store._writing.execute(change, (layout.to_text(), caller.game))
        service: GameService = client.app.state.service  # type: ignore[attr-defined]
        service._uncache(caller.game)

    hide(layouts[0])
    caller.place()
    for cell in sorted(empty)[:3]:
        if caller.my_turn()["state"] == "playing":
            caller.fire(read.cell_name(cell))
    views = [caller.my_turn()]
    assert views[0]["state"] == "playing"
    hide(layouts[1])
    views.append(caller.see())
    store.close()
    for view in views:
        view.pop("version")
    commitments = [view["seats"][1].pop("commitment") for view in views]
    assert views[0] == views[1]
    assert commitments[0] != commitments[1]


def test_both_people_see_only_their_own_fleet(client: TestClient) -> None:
    ann, ben = Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=RULES[0])["invite"]
    ben.game = ann.game
    ben.token = ben.call("POST", f"/api/games/{ann.game}/join", 200, invite=invite)["token"]
    ann.place()
    ben.place()
    for person in (ann, ben):
        view = person.see()
        you = view["you"]
        assert view["seats"][you]["ships"]
        assert view["seats"][1 - you]["ships"] is None
        assert view["seats"][1 - you]["layout"] is None
        assert view["seats"][1 - you]["nonce"] is None


def test_secrets_are_not_kept_in_the_open(client: TestClient, data: Path) -> None:
    ann = Caller(client)
    invite = ann.begin(kind="people", rules=RULES[0])["invite"]
    kept = b"".join(path.read_bytes() for path in data.glob("games.sqlite*"))
    assert ann.game.encode() in kept
    assert ann.token.encode() not in kept
    assert invite.encode() not in kept
