"""People and servers for the tests of the browser game."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx

from seabattle.web.settings import ServerSettings
from tests.forking import Seabattle

ROOT = Path(__file__).parents[2]


def quick_settings(data: Path, **changes: Any) -> ServerSettings:
    """Settings for tests: limits that no test reaches, few processes."""
    given: dict[str, Any] = {
        "data": data,
        "reports": (data / "out",),
        "quick_workers": 1,
        "warm_up": False,
        "patience_seconds": 600.0,
        "games_per_client": 10_000,
        "requests_per_second": 1e6,
        "burst": 1_000_000,
    }
    return ServerSettings(**(given | changes))


def wait_for_turn(see: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The view of a game once its viewer is to move, or it is over."""
    for _ in range(6000):
        view = see()
        if view["state"] == "over" or view["to_move"] == view["you"]:
            return view
        time.sleep(0.01)
    raise AssertionError("the computer did not move")


class Caller:
    """A person who calls the API and keeps every response."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.token = ""
        self.game = ""
        self.responses: list[str] = []

    def call(self, method: str, path: str, status: int | None = None, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = {"json": body} if method in ("POST", "PUT") else {}
        response = self.client.request(method, path, headers=headers, **content)
        self.responses.append(f"{dict(response.headers)} {response.text}")
        assert status is None or response.status_code == status, response.text
        assert response.status_code < 500, response.text
        kind = response.headers["content-type"]
        return response.json() if kind.startswith("application/json") else response.text

    def begin(self, **wanted: Any) -> dict[str, Any]:
        """Create a game and take a seat."""
        made = self.call("POST", "/api/games", 201, **wanted)
        self.game, self.token = made["id"], made["token"]
        return made

    def see(self) -> dict[str, Any]:
        return self.call("GET", f"/api/games/{self.game}", 200)

    def place(self) -> dict[str, Any]:
        """Place a random fleet."""
        rules = {k: v for k, v in self.see()["rules"].items() if k not in ("name", "ships")}
        ships = self.call("POST", "/api/layouts", 200, rules=rules)["ships"]
        return self.call("PUT", f"/api/games/{self.game}/layout", 200, ships=ships)

    def fire(self, cell: str, status: int = 200) -> dict[str, Any]:
        return self.call("POST", f"/api/games/{self.game}/shots", status, cell=cell)

    def my_turn(self) -> dict[str, Any]:
        """The game once it is this seat's turn, or over."""
        return wait_for_turn(self.see)

    def play_out(self) -> dict[str, Any]:
        """Shoot in reading order until the game is over."""
        while (view := self.my_turn())["state"] != "over":
            fired = {move["cell"] for move in view["moves"] if move["side"] == view["you"]}
            cells = (
                f"{chr(65 + row)}{column + 1}"
                for row in range(view["rules"]["rows"])
                for column in range(view["rules"]["columns"])
            )
            self.fire(next(cell for cell in cells if cell not in fired))
        return view


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


class ServerProcess:
    """A real `seabattle serve`, which can be killed and started again."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data, self.options, self.port = data, options, 0
        self.start()

    def start(self) -> None:
        command = ["serve", "--no-browser", "--no-warm-up", "--port", self.port]
        command += ["--data", self.data, *self.options]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
            "SEABATTLE_QUIET": "1",
        }
        self.process = Seabattle(
            *command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=self.data,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"http://[\d.]+:(\d+)/", line)
        assert match, line + self.process.stdout.read()
        self.port = int(match[1])
        self.address = match[0]

    def kill(self) -> None:
        """As a power cut would: nothing gets a chance to tidy up."""
        self.process.kill()
        self.process.wait()
        self._close_output()

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait(timeout=20)
        self._close_output()

    def _close_output(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()
