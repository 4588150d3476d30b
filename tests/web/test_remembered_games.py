"""An opponent who learns from a person's earlier games, over HTTP."""

from __future__ import annotations

import json
from typing import Any

from seabattle.learners.person_memory import MOST_GAMES
from seabattle.rules import Rules
from tests.learners.people import game_of
from tests.web.helpers import Caller

RULES = Rules.from_text("4x4 fleet=3,2 contact=any answers=hit-miss")
TOP = game_of(RULES, "cruiser A1 across, destroyer D1 across").to_json()


def begin(caller: Caller, **more: Any) -> None:
    caller.begin(rules=RULES.to_text(), first="me", **more)


def test_a_game_is_played_with_memory_and_its_rematch_knows_one_game_more(caller: Caller) -> None:
    begin(caller, opponent="dreadnought", memory=[TOP] * 3)
    assert caller.see()["remembers"] == 3
    caller.place()
    view = caller.play_out()
    # The game did not tell anybody what its opponent knows.
    assert "cruiser A1 across" not in json.dumps({**view, "seats": []})
    rematch = caller.call("POST", f"/api/games/{caller.game}/rematch", 200)
    caller.game, caller.token = rematch["id"], rematch["token"]
    assert caller.see()["remembers"] == 4


def test_who_is_remembered_is_shot_at_where_they_hide(caller: Caller) -> None:
    for memory, found in (([TOP] * 12, True), (None, False)):
        begin(caller, opponent="learning-exact", memory=memory)
        ships = [
            {"ship": "cruiser", "cell": "A1", "direction": "across"},
            {"ship": "destroyer", "cell": "D1", "direction": "across"},
        ]
        caller.call("PUT", f"/api/games/{caller.game}/layout", 200, ships=ships)
        caller.fire("D4")
        first = caller.my_turn()["moves"][1]
        assert not first["note"]
        assert (first["told"] == "hit") is found


def test_what_is_sent_is_checked(caller: Caller) -> None:
    path, rules = "/api/games", RULES.to_text()
    for wrong, status, said in (
        ({"opponent": "density", "memory": []}, 422, "does not learn"),
        ({"memory": [{"person": 0, "record": "x"}]}, 422, "record"),
        ({"memory": [{**TOP, "person": 2}]}, 422, ""),
        ({"rules": "mini", "memory": [TOP]}, 422, "other rules"),
        ({"memory": [TOP] * (MOST_GAMES + 1)}, 422, str(MOST_GAMES)),
    ):
        body = {"rules": rules, "opponent": "learning-exact", **wrong}
        assert said in caller.call("POST", path, status, **body)["error"]


def test_habits_are_told_in_words(caller: Caller) -> None:
    told = caller.call("POST", "/api/habits", 200, rules=RULES.to_text(), games=[TOP] * 6)
    assert (told["games"], told["threshold"]) == (6, 3.0)
    assert "You like the top edge" in [habit["words"] for habit in told["habits"]]
    told = caller.call("POST", "/api/habits", 200, rules=RULES.to_text(), games=[TOP])
    assert told["habits"] == []
