"""A game over HTTP: what may be done, what may not, and that refusals change nothing."""

from __future__ import annotations

import hashlib
import socket
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from seabattle import Observation, Rules, analyze, make_player
from seabattle.record import DuelRecord
from seabattle.report.consult import consult
from seabattle.web import app as app_module
from seabattle.web.addresses import accepted_hosts
from seabattle.web.app import create_app
from seabattle.web.game_store import GameStore
from tests.web.helpers import Caller, quick_settings

FOUND = "A1 hit, A2 hit, A3 hit, C1 hit, D1 hit"
TINY: dict[str, Any] = {"rows": 3, "columns": 3, "fleet": [2], "contact": "any"}


def test_a_game_against_a_player_is_played_to_its_end(caller: Caller) -> None:
    caller.begin(rules="mini", opponent="random", name="Ann")
    assert caller.see()["state"] == "placing"
    assert caller.place()["state"] == "playing"
    end = caller.play_out()
    assert end["winner"] in (0, 1) or end["drawn"]
    record = caller.call("GET", f"/api/games/{caller.game}/record", 200)
    duel = DuelRecord.from_text(record)
    assert duel.players == ("Ann", "random")
    assert len(duel.cells) == len(end["moves"])
    replayed = caller.call("POST", "/api/replay", 200, record=record)
    assert [move["cell"] for move in replayed["moves"]] == [m["cell"] for m in end["moves"]]


@pytest.mark.parametrize("turns", ["alternate", "rounds", "again"])
@pytest.mark.parametrize("answers", ["hit-miss", "sunk", "sunk-named", "named"])
def test_every_kind_of_rules_can_be_played(client: TestClient, turns: str, answers: str) -> None:
    caller = Caller(client)
    rules = {"rows": 3, "columns": 4, "fleet": [2, 1], "turns": turns, "answers": answers}
    caller.begin(rules=rules, opponent="random", first="either")
    caller.place()
    assert caller.play_out()["state"] == "over"


def test_the_revealed_layout_is_the_one_that_was_committed_to(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="random")
    before = [seat["commitment"] for seat in caller.place()["seats"]]
    end = caller.play_out()
    for seat, published in zip(end["seats"], before, strict=True):
        text = f"{seat['layout']}\n{seat['nonce']}".encode()
        assert hashlib.sha256(text).hexdigest() == published == seat["commitment"]


def test_the_commitment_of_the_computer_is_published_before_the_person_places(
    caller: Caller,
) -> None:
    caller.begin(rules=TINY, opponent="random")
    placing = caller.see()["seats"]
    assert placing[0]["commitment"] is None
    assert placing[1]["commitment"] == caller.place()["seats"][1]["commitment"]


def test_the_opponent_shoots_first_if_asked(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="random", first="opponent")
    caller.place()
    view = caller.my_turn()
    assert view["you"] == 1
    assert view["moves"][0]["side"] == 0


def test_two_people_play_by_invitation(client: TestClient) -> None:
    ann, ben = Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=TINY, name="Ann")["invite"]
    ben.game = ann.game
    ben.token = ben.call("POST", f"/api/games/{ann.game}/join", 200, invite=invite, name="Ben")[
        "token"
    ]
    assert {ann.see()["you"], ben.see()["you"]} == {0, 1}
    ann.place()
    assert ann.see()["state"] == "placing"
    ben.place()
    people = {ann.see()["you"]: ann, ben.see()["you"]: ben}
    while (view := ann.see())["state"] != "over":
        mover = people[view["to_move"]]
        other = people[1 - view["to_move"]]
        fired = {m["cell"] for m in view["moves"] if m["side"] == view["to_move"]}
        cell = next(f"{r}{c}" for r in "ABC" for c in (1, 2, 3) if f"{r}{c}" not in fired)
        other.fire(cell, 409)
        mover.fire(cell)
    assert {seat["name"] for seat in view["seats"]} == {"Ann", "Ben"}
    first = ann.call("POST", f"/api/games/{ann.game}/rematch", 200)
    second = ben.call("POST", f"/api/games/{ann.game}/rematch", 200)
    assert first["id"] == second["id"]
    assert first["token"] != second["token"]
    sides = []
    for person, made in ((ann, first), (ben, second)):
        before = person.see()["you"]
        person.game, person.token = made["id"], made["token"]
        sides.append(person.see()["you"])
        assert sides[-1] == 1 - before
        person.place()
    assert ann.see()["state"] == "playing"


def test_an_invitation_is_good_once(client: TestClient) -> None:
    ann, ben, eve = Caller(client), Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=TINY)["invite"]
    eve.call("POST", f"/api/games/{ann.game}/join", 403, invite="guess")
    ben.call("POST", f"/api/games/{ann.game}/join", 200, invite=invite)
    eve.call("POST", f"/api/games/{ann.game}/join", 409, invite=invite)


def test_two_players_are_watched_step_by_step(caller: Caller) -> None:
    caller.begin(kind="watch", rules=TINY, players=["random", "random"])
    view = caller.see()
    assert view["you"] is None
    assert all(seat["ships"] for seat in view["seats"])
    for number in range(1, 19):
        view = caller.call("POST", f"/api/games/{caller.game}/step", 200)
        assert len(view["moves"]) == number
        if view["state"] == "over":
            break
    caller.call("POST", f"/api/games/{caller.game}/step", 409)
    caller.call("POST", f"/api/games/{caller.game}/shots", 409, cell="A1")
    caller.call("GET", f"/api/games/{caller.game}/record", 200)


def test_resigning_ends_the_game_and_a_rematch_swaps_sides(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="random")
    caller.call("POST", f"/api/games/{caller.game}/rematch", 409)
    caller.place()
    end = caller.call("POST", f"/api/games/{caller.game}/resign", 200)
    assert (end["winner"], end["resigned"], end["state"]) == (1, 0, "over")
    assert end["seats"][1]["ships"]
    caller.fire("A1", 409)
    caller.call("POST", f"/api/games/{caller.game}/resign", 409)
    again = caller.call("POST", f"/api/games/{caller.game}/rematch", 200)
    caller.game, caller.token = again["id"], again["token"]
    assert caller.see()["you"] == 1


def test_the_tally_counts_finished_games_of_people_and_says_nothing_else(tmp_path: Path) -> None:
    with TestClient(create_app(quick_settings(tmp_path)), base_url="http://127.0.0.1") as client:
        ann = Caller(client)
        assert ann.call("GET", "/api/tally", 200) == {"opponents": []}
        ann.begin(rules=TINY, opponent="random", name="Ann")
        ann.call("POST", f"/api/games/{ann.game}/resign", 200)  # before the battle: no game
        ann.begin(rules=TINY, opponent="even:colour=odd", name="Ann")
        ann.place()
        assert ann.call("GET", "/api/tally", 200) == {"opponents": []}  # not yet finished
        ann.call("POST", f"/api/games/{ann.game}/resign", 200)
        ann.begin(rules=TINY, opponent="random", name="Ann")
        ann.place()
        end = ann.play_out()
        won = int(end["winner"] == end["you"])
        ann.begin(kind="watch", rules=TINY, players=["random", "random"])
        ann.call("POST", f"/api/games/{ann.game}/step", 200)
    # It outlives the server.
    with TestClient(create_app(quick_settings(tmp_path)), base_url="http://127.0.0.1") as client:
        assert Caller(client).call("GET", "/api/tally", 200)["opponents"] == [
            {"opponent": "even", "won": 0, "drawn": 0, "lost": 1},
            {"opponent": "random", "won": won, "drawn": 0, "lost": 1 - won},
        ]


def test_nobody_plays_in_a_game_of_others(client: TestClient) -> None:
    ann, eve = Caller(client), Caller(client)
    ann.begin(rules=TINY, opponent="random")
    ann.place()
    before = ann.my_turn()
    eve.begin(rules=TINY, opponent="random")
    for token in (eve.token, "", "x" * 32, "\x7f"):
        eve.token = token
        for method, path in (
            ("GET", ""),
            ("GET", "/events"),
            ("PUT", "/layout"),
            ("POST", "/shots"),
            ("POST", "/step"),
            ("POST", "/resign"),
            ("POST", "/rematch"),
        ):
            body = {"/shots": {"cell": "A1"}, "/layout": {"ships": []}}.get(path, {})
            refusal = eve.call(method, f"/api/games/{ann.game}{path}", 403, **body)
            assert refusal["error"].startswith("This game is not yours")
    eve.call("GET", "/api/games/nothing/record", 404)
    eve.call("GET", f"/api/games/{ann.game}/record", 409)
    assert ann.see() == before


def test_refused_moves_change_nothing(caller: Caller) -> None:
    caller.begin(rules=TINY, opponent="random")
    caller.fire("A1", 409)
    ships = [{"ship": "destroyer", "cell": "A3", "direction": "across"}]
    refusal = caller.call("PUT", f"/api/games/{caller.game}/layout", 422, ships=ships)
    assert "leaves the board" in refusal["error"]
    caller.place()
    caller.call("PUT", f"/api/games/{caller.game}/layout", 409, ships=ships)
    caller.fire("A1")
    before = caller.my_turn()
    for cell, status in (("A1", 409), ("D1", 422), ("", 422), ("A1 and more", 422)):
        assert caller.fire(cell, status)["error"]
    assert caller.see() == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"cell": 5}',
        b'{"cell": "A1", "side": 1}',
        b"\xff\xfe",
        b'{"cell": ["A1"]}',
    ],
)
def test_a_malformed_body_is_refused_with_a_sentence(caller: Caller, body: bytes) -> None:
    caller.begin(rules=TINY, opponent="random")
    caller.place()
    response = caller.client.post(
        f"/api/games/{caller.game}/shots",
        content=body,
        headers={"Authorization": f"Bearer {caller.token}", "Content-Type": "application/json"},
    )
    assert 400 <= response.status_code < 500
    assert response.json()["error"]
    assert caller.see()["moves"] == []


def test_an_oversized_body_is_refused_whether_or_not_it_says_its_size(caller: Caller) -> None:
    large = b'{"rules": "' + b"x" * 100_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    for content in (large, iter([large[:50_000], large[50_000:]])):
        response = caller.client.post("/api/rules", content=content, headers=headers)
        assert response.status_code == 413
        assert "larger" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/api/rules", {"rules": "chess"}, "Unknown rules"),
        ("/api/rules", {"rules": {"rows": 2, "columns": 2, "fleet": [3]}}, "does not fit"),
        ("/api/layouts", {"rules": {"rows": 2, "columns": 2, "fleet": [3]}}, "does not fit"),
        ("/api/games", {"opponent": "nobody"}, "Unknown player"),
        ("/api/games", {"opponent": "random:x=1"}, "has no parameters"),
        ("/api/games", {"name": "a\x00b"}, "printable"),
        ("/api/belief", {"shots": "E5 sank"}, "Cannot read the shot"),
        ("/api/belief", {"shots": "E5 miss, E5 hit"}, "already"),
        ("/api/choice", {"player": "nobody"}, "Unknown player"),
        ("/api/replay", {"record": "hello"}, "Cannot read the line"),
    ],
)
def test_invalid_requests_are_explained(
    caller: Caller, path: str, body: dict[str, Any], said: str
) -> None:
    assert said in caller.call("POST", path, 422, **body)["error"]


def test_a_belief_is_the_object_that_analyze_prints(caller: Caller) -> None:
    for rules, shots in (("mini", "C3 hit, C4 miss"), ("mini", FOUND), ("classic", "E5 miss")):
        answer = caller.call("POST", "/api/belief", 200, rules=rules, shots=shots)
        expected = analyze(rules, shots).to_json()
        assert answer.pop("milliseconds") > 0
        assert expected.pop("milliseconds") > 0
        assert answer == expected
        assert (answer["suggestion"] is None) == (shots == FOUND)


def test_a_search_reports_what_it_found(caller: Caller) -> None:
    body = {"rules": "mini", "shots": "C3 hit, C4 miss"}
    player = "branch-mcts:nodes=500,threads=256"
    answer = caller.call("POST", "/api/choice", 200, **body, player=player)
    search = answer["search"]
    assert answer["player"] == search["player"] == player
    assert answer["cell"] == search["suggestion"]
    assert search["simulations"] > 0
    assert search["unit"] == "shots to the end, negated"
    assert search["note"].startswith("256 threads share")
    tried = [visits > 0 for row in search["visits"] for visits in row]
    assert tried == [value is not None for row in search["values"] for value in row]
    assert sum(tried) == 10
    assert not tried[12]
    assert not tried[13]
    assert caller.call("POST", "/api/choice", 200, **body, player="random")["search"] is None
    searching = {p["name"]: p["searches"] for p in caller.call("GET", "/api/about")["players"]}
    assert searching["pomcp"]
    assert not searching["random"]


@pytest.mark.parametrize(
    ("player", "shots", "said"),
    [
        ("mcts:iterations=0", "", "iterations of 'mcts' must be 1 or more"),
        ("mcts:iterations=1000000000", "", "GiB"),
        ("mcts:seconds=7200", "", "A search may take at most 8 seconds per move here, not 7200."),
        ("branch-mcts", FOUND, "branch-mcts has nothing left to shoot at"),
    ],
)
def test_an_impossible_search_is_refused(
    caller: Caller, player: str, shots: str, said: str
) -> None:
    refusal = caller.call("POST", "/api/choice", 422, rules="mini", shots=shots, player=player)
    assert said in refusal["error"]


@pytest.mark.parametrize("file", ["/etc/passwd", "/nowhere"])
def test_visitors_may_not_name_files_of_the_server(caller: Caller, file: str) -> None:
    player = f"cnn:model={file}"
    for path, body in (("/api/choice", {"player": player}), ("/api/games", {"opponent": player})):
        refusal = caller.call("POST", path, 422, rules="blind", **body)
        assert "is a file on the server; visitors cannot set it" in refusal["error"]
    known = {player["name"]: player for player in caller.call("GET", "/api/about", 200)["players"]}
    assert known["cnn"]["parameters"] == []


@pytest.mark.parametrize(
    "player",
    [
        "exec:touch {file}", " exec:touch {file}", "exec :touch {file}", "EXEC:touch {file}",
        "exec:touch {file},seconds=1", "exec: 'touch' {file}", "exec\t:touch {file}", "exec",
        "random,exec:touch {file}", "random:exec:touch {file}",
    ],
)  # fmt: skip
def test_visitors_may_not_run_programs_in_any_spelling(
    caller: Caller, player: str, tmp_path: Path
) -> None:
    name = player.format(file=tmp_path / "touched")
    for path, body in (("/api/choice", {"player": name}), ("/api/games", {"opponent": name})):
        refusal = caller.call("POST", path, 422, rules="blind", **body)
        assert refusal["error"].endswith((".", "?"))
    assert not (tmp_path / "touched").exists()
    assert "exec" not in {each["name"] for each in caller.call("GET", "/api/about", 200)["players"]}


def test_no_game_is_started_with_a_search_that_would_take_too_long(caller: Caller) -> None:
    refusal = caller.call("POST", "/api/games", 422, rules=TINY, opponent="ismcts:seconds=60")
    assert "A search may take at most 8 seconds" in refusal["error"]


def test_there_is_a_limit_of_games_per_address(tmp_path: Path) -> None:
    with TestClient(create_app(quick_settings(tmp_path, games_per_client=2))) as client:
        callers = [Caller(client) for _ in range(3)]
        for caller in callers[:2]:
            caller.begin(rules=TINY, kind="people")
        callers[2].call("POST", "/api/games", 429, rules=TINY, kind="people")
        callers[0].call("POST", f"/api/games/{callers[0].game}/resign", 200)
        callers[2].begin(rules=TINY, kind="people")


def test_there_is_a_limit_of_requests_per_address(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path, burst=5, requests_per_second=0.001)
    with TestClient(create_app(settings)) as client:
        statuses = [client.get("/api/reports").status_code for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2


def test_idle_games_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "SWEEP_SECONDS", 0.05)
    with TestClient(create_app(quick_settings(tmp_path, idle_seconds=0.5))) as client:
        caller = Caller(client)
        caller.begin(rules=TINY, kind="people")
        caller.see()
        time.sleep(0.7)
        caller.call("GET", f"/api/games/{caller.game}", 404)


def test_every_response_carries_the_strict_policy(client: TestClient) -> None:
    for path in ("/", "/static/main.js", "/api/about", "/api/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_other_sites_and_other_names_are_refused(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path, hosts=("127.0.0.1", "localhost", "[::1]"))
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8017") as client:
        assert client.get("/api/reports").status_code == 200
        assert client.get("/api/reports", headers={"Host": "[::1]:8017"}).status_code == 200
        assert client.get("/api/reports", headers={"Host": "evil.example"}).status_code == 400
        cross = {"Sec-Fetch-Site": "cross-site"}
        assert client.get("/api/reports", headers=cross).status_code == 403


def test_reports_are_listed_and_served_apart(tmp_path: Path) -> None:
    out = tmp_path / "out" / "leaderboard"
    out.mkdir(parents=True)
    (out / "index.html").write_text("<title>Board &amp; table</title><p>hello")
    (tmp_path / "secret.html").write_text("secret")
    (out / "leak.html").symlink_to(tmp_path / "secret.html")
    with TestClient(create_app(quick_settings(tmp_path))) as client:
        (report,) = client.get("/api/reports").json()["reports"]
        assert report["title"] == "Board & table"
        page = client.get(report["address"])
        assert "hello" in page.text
        assert page.headers["content-security-policy"].startswith("sandbox")
        for path in (
            "/reports/0/leaderboard/leak.html",
            "/reports/0/../secret.html",
            "/reports/0/%2e%2e/secret.html",
            "/reports/0/leaderboard/%2e%2e%2f%2e%2e%2fsecret.html",
            "/reports/0//etc/passwd",
            "/reports/1/../games.sqlite",
            "/reports/7/index.html",
            "/reports/-1/index.html",
            "/reports/0/leaderboard",
        ):
            refused = client.get(path)
            assert refused.status_code in (404, 422), path
            assert "secret" not in refused.text


def test_a_store_that_fails_is_an_error_that_changes_nothing(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.begin(rules=TINY, opponent="random")

    async def fails(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    before = caller.see()
    with monkeypatch.context() as patch:
        patch.setattr(GameStore, "resign", fails)
        path = f"/api/games/{caller.game}/resign"
        answer = caller.client.post(path, headers={"Authorization": f"Bearer {caller.token}"})
    assert answer.status_code == 503
    assert "disk" not in answer.text
    assert caller.see() == before


def test_an_invitation_says_who_invites_to_what_before_it_is_used(client: TestClient) -> None:
    ann, ben = Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=TINY, name="Ann", hints=True)["invite"]
    path = f"/api/games/{ann.game}/invitation"
    told = ben.call("POST", path, 200, invite=invite)
    assert (told["name"], told["hints"], told["rules"]["fleet"]) == ("Ann", True, [2])
    assert told["spectators"] is False
    assert set(told) == {"name", "hints", "repeats", "rules", "spectators"}
    ben.call("POST", path, 403, invite="guess")
    ben.call("POST", "/api/games/nothing/invitation", 404, invite=invite)
    ben.call("POST", f"/api/games/{ann.game}/join", 200, invite=invite)
    assert "already been used" in ben.call("POST", path, 409, invite=invite)["error"]


def test_an_invitation_to_a_game_that_was_given_up_is_refused(client: TestClient) -> None:
    ann, ben = Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=TINY)["invite"]
    ann.call("POST", f"/api/games/{ann.game}/resign", 200)
    for path in ("invitation", "join"):
        refusal = ben.call("POST", f"/api/games/{ann.game}/{path}", 409, invite=invite)
        assert "called off" in refusal["error"]


def people(client: TestClient, **wanted: Any) -> tuple[Caller, Caller]:
    """Two people whose battle begins; the first one shoots."""
    ann, ben = Caller(client), Caller(client)
    invite = ann.begin(kind="people", rules=TINY, **wanted)["invite"]
    ben.game = ann.game
    ben.token = ben.call("POST", f"/api/games/{ann.game}/join", 200, invite=invite)["token"]
    ann.place()
    ben.place()
    return (ann, ben) if ann.see()["you"] == 0 else (ben, ann)


def test_people_get_no_hints_unless_they_agreed_to_them(client: TestClient) -> None:
    first, _ = people(client)
    assert first.see()["hints"] is False
    refusal = first.call("POST", f"/api/games/{first.game}/hint", 409)
    assert "without hints" in refusal["error"]
    assert [seat["hints"] for seat in first.see()["seats"]] == [0, 0]


def test_hints_are_counted_once_per_position_and_both_see_it(client: TestClient) -> None:
    first, second = people(client, hints=True)
    for _ in range(3):
        hint = first.call("POST", f"/api/games/{first.game}/hint", 200)
    assert hint["layouts"] == 12
    first.fire("A1")
    first.call("POST", f"/api/games/{first.game}/hint", 200)
    for person in (first, second):
        assert [seat["hints"] for seat in person.see()["seats"]] == [2, 0]
    second.call("POST", f"/api/games/{first.game}/resign", 200)
    first.call("POST", f"/api/games/{first.game}/hint", 409)
    again = first.call("POST", f"/api/games/{first.game}/rematch", 200)
    first.game, first.token = again["id"], again["token"]
    view = first.see()
    assert view["hints"] is True
    assert [seat["hints"] for seat in view["seats"]] == [0, 0]


def test_hints_are_only_for_those_who_play(client: TestClient, caller: Caller) -> None:
    first, _ = people(client, hints=True)
    caller.token = "x" * 32
    caller.call("POST", f"/api/games/{first.game}/hint", 403)
    caller.begin(kind="watch", rules=TINY, players=["random", "random"])
    caller.call("POST", f"/api/games/{caller.game}/hint", 409)
    caller.begin(rules=TINY, opponent="random")
    caller.call("POST", f"/api/games/{caller.game}/hint", 409)
    caller.place()
    caller.call("POST", f"/api/games/{caller.game}/hint", 200)


def test_players_that_cannot_play_some_rules_are_listed_and_refused(caller: Caller) -> None:
    classic = caller.call("POST", "/api/players", 200, rules="classic")["cannot_play"]
    assert set(classic) == {"minimax", "neat", "optimal"}
    assert "trained for" in classic["neat"]
    mini = caller.call("POST", "/api/players", 200, rules="mini")["cannot_play"]
    assert {"cnn", "policy-gradient"} <= set(mini)
    assert not {"neat", "optimal", "exact"} & set(mini)
    for body in (
        {"opponent": "neat"},
        {"opponent": "optimal:seconds=1"},
        {"kind": "watch", "players": ["random", "neat"]},
    ):
        refusal = caller.call("POST", "/api/games", 422, rules="classic", **body)
        assert "10x10" in refusal["error"] or "trained for" in refusal["error"]


def test_what_is_known_of_sunk_ships_is_in_every_view(caller: Caller) -> None:
    rules = {"rows": 3, "columns": 4, "fleet": [2, 1]}
    caller.begin(rules=rules, opponent="random")
    caller.place()
    while (view := caller.my_turn())["state"] != "over":
        mine = [move for move in view["moves"] if move["side"] == view["you"]]
        shots = ", ".join(" ".join(filter(None, (m["cell"], m["told"], m["ship"]))) for m in mine)
        known = caller.call("POST", "/api/sunk-ships", 200, rules=rules, shots=shots)
        assert view["sunk"][view["you"]] == known
        boats = [m["cell"] for m in mine if m["told"] == "sunk" and m["ship"] == "boat"]
        assert [hull["cell"] for hull in known["hulls"] if hull["ship"] == "boat"] == boats
        fired = {move["cell"] for move in mine}
        cells = (f"{row}{column}" for row in "ABC" for column in range(1, 5))
        caller.fire(next(cell for cell in cells if cell not in fired))


def test_a_link_becomes_a_qr_code(caller: Caller) -> None:
    link = "http://192.0.2.7:8017/#/join/game/secret"
    code = caller.call("POST", "/api/qr-code", 200, link=link)
    assert code.startswith("<svg")
    assert code != caller.call("POST", "/api/qr-code", 200, link=link + "x")
    caller.call("POST", "/api/qr-code", 200, link="<é>" * 160)
    caller.call("POST", "/api/qr-code", 422, link="x" * 501)
    caller.call("POST", "/api/qr-code", 422, link="")


def test_ip_addresses_and_own_names_are_accepted_as_hosts(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path, hosts=accepted_hosts("0.0.0.0", ("Sea.Example",)))
    open_to_all = TestClient(create_app(replace(settings, ip_hosts=True)))
    local = TestClient(create_app(replace(settings, hosts=accepted_hosts("127.0.0.1"))))
    for host, everywhere, here in (
        ("127.0.0.1:8017", 200, 200),
        ("[::1]:8017", 200, 200),
        ("localhost", 200, 200),
        ("192.0.2.7:8017", 200, 400),
        ("[2001:db8::7]:80", 200, 400),
        ("sea.example", 200, 400),
        (socket.gethostname(), 200, 400),
        ("evil.example", 400, 400),
        ("192.0.2.7.evil.example", 400, 400),
        ("", 400, 400),
    ):
        assert open_to_all.get("/", headers={"Host": host}).status_code == everywhere, host
        assert local.get("/", headers={"Host": host}).status_code == here, host


def test_a_player_shows_the_numbers_that_the_command_shows(caller: Caller) -> None:
    body = {"rules": "mini", "shots": "C3 hit"}
    told = caller.call("POST", "/api/choice", 200, **body, player="density")["numbers"]
    seen = Observation.from_text("C3 hit", Rules.from_text("mini"))
    rng = np.random.default_rng(0)
    assert told == consult("density", make_player("density"), seen, rng).maps_json()
    assert [each["title"] for each in told["maps"]] == ["cruiser", "destroyer", "all ships"]
    assert caller.call("POST", "/api/choice", 200, **body, player="random")["numbers"] is None
    shown = {p["name"] for p in caller.call("GET", "/api/about")["players"] if p.get("numbers")}
    assert shown >= {"greedy", "density", "game-tree"}
