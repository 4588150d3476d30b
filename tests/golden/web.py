"""Recorded responses of the web API."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from fastapi.testclient import TestClient

from seabattle import play, play_duel
from tests.golden.entry_points import create_app
from tests.golden.recording import Recording
from tests.web.helpers import quick_settings, wait_for_turn

TINY = {"rows": 3, "columns": 4, "fleet": [2, 1], "contact": "any", "answers": "sunk-named"}
TINY_FLEETS = (
    [("destroyer", "A1", "across"), ("boat", "C4", "down")],
    [("destroyer", "B2", "down"), ("boat", "A4", "across")],
)
MINI_FLEET = [("cruiser", "B2", "across"), ("destroyer", "D5", "down")]

Exchange = tuple[str, int, Any]
"""A call, the status and the body of its response."""


class Visitor:
    """Somebody who calls the API, with a list of what was answered."""

    def __init__(self, client: TestClient, log: list[Exchange] | None = None) -> None:
        self.client = client
        self.log: list[Exchange] = [] if log is None else log
        self.game, self.token = "", ""

    def call(self, method: str, path: str, keep: bool = True, **body: Any) -> Any:
        response = self.client.request(
            method,
            path.replace("GAME", self.game),
            headers={"Authorization": f"Bearer {self.token}"} if self.token else {},
            json=body if method != "GET" else None,
        )
        json = response.headers["content-type"].startswith("application/json")
        answer = response.json() if json else response.text.splitlines()
        if keep:
            self.log.append((f"{method} {path}", response.status_code, answer))
        return answer

    def begin(self, **wanted: Any) -> Any:
        made = self.call("POST", "/api/games", **wanted)
        self.game, self.token = made["id"], made["token"]
        return made

    def place(self, fleet: list[tuple[str, str, str]]) -> None:
        ships = [dict(zip(("ship", "cell", "direction"), ship, strict=True)) for ship in fleet]
        self.call("PUT", "/api/games/GAME/layout", ships=ships)

    def fire(self, cell: str) -> Any:
        return self.call("POST", "/api/games/GAME/shots", cell=cell)

    def see(self) -> Any:
        return self.call("GET", "/api/games/GAME")

    def wait_for_turn(self) -> Any:
        """The view once the computer has moved. Not kept: how often it takes to look is random."""
        return wait_for_turn(lambda: self.call("GET", "/api/games/GAME", keep=False))


def game_of_people(client: TestClient) -> list[Exchange]:
    ann = Visitor(client)
    ben = Visitor(client, ann.log)
    invite = ann.begin(kind="people", rules=TINY, name="Ann")["invite"]
    ben.game = ann.game
    ben.token = ben.call("POST", "/api/games/GAME/join", invite=invite, name="Ben")["token"]
    people = {person.see()["you"]: person for person in (ann, ben)}
    people[0].place(TINY_FLEETS[0])
    people[1].fire("A1")
    people[1].place(TINY_FLEETS[1])
    people[1].fire("A1")
    for cells in (("A1", "C4"), ("B2", "A1"), ("C2", "A3"), ("C3", "A2"), ("A4", "B1")):
        people[0].fire(cells[0])
        people[0].see()
        people[1].fire(cells[1])
    ann.see()
    record = "\n".join(ann.call("GET", "/api/games/GAME/record"))
    ann.call("POST", "/api/replay", record=record)
    for person in (ann, ben):
        made = person.call("POST", "/api/games/GAME/rematch")
        person.game, person.token = made["id"], made["token"]
        person.see()
    ann.call("POST", "/api/games/GAME/resign")
    return ann.log


def game_against(opponent: str, **wanted: Any) -> Callable[[TestClient], list[Exchange]]:
    def game(client: TestClient) -> list[Exchange]:
        visitor = Visitor(client)
        visitor.begin(rules="mini", opponent=opponent, name="Ann", **wanted)
        visitor.see()
        visitor.place(MINI_FLEET)
        cells = iter(f"{row}{column}" for row in "ABCDE" for column in range(1, 6))
        while visitor.wait_for_turn()["state"] != "over":
            visitor.fire(next(cells))
        visitor.see()
        visitor.call("GET", "/api/games/GAME/record")
        return visitor.log

    return game


def resigned_game(client: TestClient) -> list[Exchange]:
    visitor = Visitor(client)
    visitor.begin(rules=TINY, opponent="in-order")
    visitor.call("POST", "/api/games/GAME/rematch")
    visitor.place(TINY_FLEETS[0])
    visitor.call("GET", "/api/games/GAME/record")
    visitor.call("POST", "/api/games/GAME/resign")
    visitor.fire("A1")
    return visitor.log


def watched_game(client: TestClient) -> list[Exchange]:
    visitor = Visitor(client)
    visitor.begin(kind="watch", rules=TINY, players=["density", "even"])
    while visitor.call("POST", "/api/games/GAME/step")["state"] != "over":
        pass
    visitor.call("POST", "/api/games/GAME/step")
    visitor.call("GET", "/api/games/GAME/record")
    return visitor.log


def replays(client: TestClient) -> list[Exchange]:
    visitor = Visitor(client)
    for record in (play("even", "mini", seed=1), play_duel("even", "hlp", "trio", seed=1)):
        visitor.call("POST", "/api/replay", record=record.to_text())
    return visitor.log


def calls(*bodies: tuple[str, dict[str, Any]]) -> Callable[[TestClient], list[Exchange]]:
    """Calls that need no game."""

    def make(client: TestClient) -> list[Exchange]:
        visitor = Visitor(client)
        for path, body in bodies:
            visitor.call("POST", path, **body)
        return visitor.log

    return make


def look(path: str) -> Callable[[TestClient], list[Exchange]]:
    def make(client: TestClient) -> list[Exchange]:
        visitor = Visitor(client)
        visitor.call("GET", path)
        return visitor.log

    return make


SHOTS = "C3 hit, C4 miss"

SCENES: dict[str, Callable[[TestClient], list[Exchange]]] = {
    "about": look("/api/about"),
    "reports": look("/api/reports"),
    "rules": calls(
        ("/api/rules", {}), ("/api/rules", {"rules": "mini"}), ("/api/rules", {"rules": TINY})
    ),
    "layouts": calls(("/api/layouts", {}), ("/api/layouts", {"rules": "russian"})),
    "belief": calls(
        ("/api/belief", {"rules": "mini", "shots": SHOTS}),
        ("/api/belief", {"rules": "classic", "shots": "E5 hit, E6 miss, F5 hit, D5 miss"}),
        ("/api/belief", {"rules": "thesis", "shots": "A1 hit, A2 miss, E5 miss"}),
    ),
    "choice": calls(
        *(
            ("/api/choice", {"rules": "mini", "shots": SHOTS, "player": player})
            for player in (
                "random", "density", "exact", "neat", "mcts:iterations=50",
                "ismcts:iterations=200", "pomcp:iterations=100", "branch-mcts:nodes=500",
            )
        )
    ),
    "replay": replays,
    "refusals": calls(
        ("/api/rules", {"rules": "chess"}),
        ("/api/rules", {"rules": {"rows": 2, "columns": 2, "fleet": [3]}}),
        ("/api/games", {"opponent": "nobody"}),
        ("/api/games", {"opponent": "random:x=1"}),
        ("/api/games", {"kind": "solitaire"}),
        ("/api/belief", {"shots": "E5 sank"}),
        ("/api/belief", {"rules": "mini", "shots": "A1 hit, A3 hit, A5 hit, C3 hit"}),
        ("/api/choice", {"player": "nobody"}),
        ("/api/choice", {"rules": "mini", "player": "cnn"}),
        ("/api/choice", {"rules": "mini", "player": "mcts:iterations=0"}),
        ("/api/choice", {"rules": "mini", "player": "mcts:seconds=60"}),
        ("/api/choice", {"rules": "blind", "player": "cnn:model=other.onnx"}),
        ("/api/replay", {"record": "hello"}),
        ("/api/games/nothing/join", {"invite": "guess"}),
        ("/api/games/nothing/shots", {"cell": "A1"}),
    ),
    "game of people": game_of_people,
    "game against density": game_against("density:ties=first"),
    "game against exact, which moves first": game_against("exact", first="opponent"),
    "game against random": game_against("random", first="either"),
    "resigned game": resigned_game,
    "watched game": watched_game,
}  # fmt: skip


@contextmanager
def server() -> Iterator[TestClient]:
    """A server whose games repeat.

    It takes its seeds, and who moves first, from `secrets`, and deals by `SystemRandom`; they are
    fixed here. Each draw gives the same number, so that the order of the draws does not matter.
    """
    with (
        TemporaryDirectory() as folder,
        patch("secrets.randbits", lambda bits: 2026 % 2**bits),
        patch("secrets.randbelow", return_value=0),
        patch("secrets.choice", lambda cells: cells[0]),
        patch("random.SystemRandom", lambda: random.Random(2026)),
        TestClient(create_app(quick_settings(Path(folder)))) as client,
    ):
        yield client


def exchanges(case: str) -> list[Exchange]:
    with server() as client:
        return SCENES[case](client)


RECORDING = Recording("web", tuple(SCENES), exchanges)
