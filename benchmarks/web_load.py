"""People play against the strongest quick player on a real server process: first one
alone, then 200 at once.

Each of them has a page open (a stream), places a fleet, shoots, sees the answer and the
reply arrive, and thinks for one to three seconds before the next shot. Finished
games are followed by new ones, so that 200 are under way all the time. Any refusal,
lost stream or fallback move is an error. `python -m benchmarks.web_load 20` takes
20 seconds instead of a minute.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any

import httpx2 as httpx

from .timing import Line, show

GAMES = 200
SECONDS = 60.0
OPPONENT = "exact"
ALONE = 3
"""games of the one who plays alone, without pauses"""
PAUSE = (1.0, 3.0)
TARGETS = {"alone: reply": 200.0}
"""milliseconds at the 95th percentile"""

Times = defaultdict[str, list[float]]


def main(seconds: float = SECONDS) -> None:
    with tempfile.TemporaryDirectory() as data:
        server, address = _start(data)
        try:
            times, errors = asyncio.run(_load(address, seconds))
        finally:
            server.terminate()
            server.wait(timeout=30)
    lines = [
        Line(f"{kind}, 95th percentile of {len(taken):,}", _p95(taken), "ms", TARGETS.get(kind))
        for kind, taken in times.items()
    ]
    show([*lines, Line(f"errors, with {GAMES} games for {seconds:g} s", len(errors), "errors", 0)])
    for error, how_often in sorted({e: errors.count(e) for e in errors}.items()):
        print(f"   {how_often} × {error}")


def _start(data: str) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "seabattle", "serve", "--no-browser", "--port", "0"]
    command += ["--data", data, "--games-per-client", "100000", "--requests-per-second", "100000"]
    environment = os.environ | {"SEABATTLE_QUIET": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found is not None, "the server did not start"
    return server, found[0].rstrip("/")


async def _load(address: str, seconds: float) -> tuple[Times, list[str]]:
    times: Times = defaultdict(list)
    errors: list[str] = []
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=3 * GAMES)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as http:
        # One game first, so that compiling is not measured.
        await _Person(http, defaultdict(list), errors, 0).play_game(time.monotonic() + 120, 0)
        alone: Times = defaultdict(list)
        for seed in range(ALONE):
            await _Person(http, alone, errors, seed).play_game(time.monotonic() + 120, 0)
        times["alone: shot"], times["alone: reply"] = alone["shot"], alone["reply"]
        end = time.monotonic() + seconds
        people = [_Person(http, times, errors, seed) for seed in range(GAMES)]
        await asyncio.gather(*(person.stay(end) for person in people))
    return times, errors


class _Person:
    def __init__(self, http: Any, times: Times, errors: list[str], seed: int) -> None:
        self.http, self.times, self.errors = http, times, errors
        self.rng = random.Random(seed)

    async def stay(self, end: float) -> None:
        await asyncio.sleep(self.rng.uniform(0, PAUSE[1]))
        while time.monotonic() < end:
            try:
                await self.play_game(end)
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}")
                await asyncio.sleep(1)

    async def play_game(self, end: float, pause: float = 1.0) -> None:
        made = await self.call("create", "POST", "/api/games", {"opponent": OPPONENT})
        game, self.headers = made["id"], {"Authorization": f"Bearer {made['token']}"}
        layout = await self.call("layout", "POST", "/api/layouts", {})
        await self.call("place", "PUT", f"/api/games/{game}/layout", {"ships": layout["ships"]})
        cells = [f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)]
        self.rng.shuffle(cells)
        began = time.perf_counter()
        stream = self.http.stream("GET", f"/api/games/{game}/events", headers=self.headers)
        async with stream as response:
            events = _events(response)
            view = await anext(events)
            self.times["open"].append(time.perf_counter() - began)
            while view["state"] == "playing" and time.monotonic() < end:
                await asyncio.sleep(self.rng.uniform(*PAUSE) * pause)
                path = f"/api/games/{game}/shots"
                view = await self.call("shot", "POST", path, {"cell": cells.pop()})
                fired = time.perf_counter()
                while view["state"] == "playing" and view["to_move"] != view["you"]:
                    seen = await anext(events)
                    view = seen if seen["version"] >= view["version"] else view
                self.times["reply"].append(time.perf_counter() - fired)
                if view["moves"][-1]["note"]:
                    self.errors.append(view["moves"][-1]["note"])

    async def call(self, kind: str, method: str, path: str, body: dict[str, Any]) -> Any:
        began = time.perf_counter()
        headers = getattr(self, "headers", {})
        response = await self.http.request(method, path, json=body, headers=headers)
        self.times[kind].append(time.perf_counter() - began)
        if response.status_code >= 400:
            raise RuntimeError(response.json()["error"])
        return response.json()


async def _events(response: Any) -> Any:
    async for line in response.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line[6:])
    raise RuntimeError("the stream ended")


def _p95(taken: list[float]) -> float:
    return 1000 * sorted(taken)[int(0.95 * (len(taken) - 1))]


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
