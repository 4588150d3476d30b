"""People play against the strongest quick player on a real server process: one alone, then
hundreds at once; and thousands of pages are left open.

Each person has a page open (a stream), places a fleet, shoots, sees the answer and the reply
arrive, and thinks for one to three seconds, two on average, before the next shot: people who
wait for an answer do not shoot in the meantime. A time is that from sending a request to having
the whole answer. Finished games are followed by
new ones, so that all games are under way all the time; the first ones begin one after the other
during a sixth of the run. Any refusal, lost stream or fallback
move is an error. The one who plays alone shoots again as soon as the reply is there, over one
connection, so that a response that waits for the receipt of the one before shows.

`python -m benchmarks.web_load 20` takes 20 seconds per number of games instead of a minute;
`python -m benchmarks.web_load 20 400` plays 400 games alone.
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
from pathlib import Path
from typing import Any

from .timing import Line, show

GAMES = (200, 400, 800)
SECONDS = 60.0
OPPONENT = "exact"
ALONE = 3
"""games of the one who plays alone, without pauses"""
QUICK, QUICK_SECONDS = 12, 10.0
"""games without pauses, and for how long"""
PAUSE = (1.0, 3.0)
IDLE = 2000
"""games that are open and wait"""
TARGETS = {
    "alone: shot": 20.0,
    "alone: reply": 200.0,
    "400 games: shot": 100.0,
    "800 games: shot": 500.0,
}
"""milliseconds at the 95th percentile"""
IDLE_MEGABYTES = 300.0

Times = defaultdict[str, list[float]]


def main(seconds: float = SECONDS, games: tuple[int, ...] = GAMES) -> None:
    lines: list[Line] = []
    errors: list[str] = []
    with Server() as server:
        asyncio.run(_alone(server, lines, errors))
        asyncio.run(_at_full_speed(server, lines, errors))
        for number in games:
            asyncio.run(_together(server, number, seconds, lines, errors))
    with Server() as server:
        asyncio.run(_left_open(server, lines, errors))
    show([*lines, Line("errors", len(errors), "errors", 0)])
    for error, how_often in sorted({e: errors.count(e) for e in errors}.items()):
        print(f"   {how_often} × {error}")


class Server:
    """A server process with limits that one address does not reach."""

    def __init__(self, *options: str) -> None:
        self._options = options

    def __enter__(self) -> Server:
        self._data, self.port = tempfile.TemporaryDirectory(), 0
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(timeout=30)
        self._close_output()
        self._data.cleanup()

    def start(self) -> None:
        """Start it, on the same port as before."""
        command = [sys.executable, "-m", "seabattle", "serve", "--no-browser"]
        command += ["--port", str(self.port), "--data", self._data.name]
        command += ["--games-per-client", "100000", "--games-per-day", "1000000"]
        command += ["--requests-per-second", "1000000"]
        environment = os.environ | {"SEABATTLE_QUIET": "1"}
        self.process = subprocess.Popen(
            [*command, *self._options], stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        found = re.search(r"http://([\d.]+):(\d+)", self.process.stdout.readline())
        assert found is not None, "the server did not start"
        self.host, self.port = found[1], int(found[2])

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.process.wait()
        self._close_output()

    def _close_output(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()

    def processor_seconds(self) -> float:
        """Processor time of the server, without its workers."""
        return _processor_seconds(self.process.pid)

    def worker_seconds(self) -> float:
        """Processor time of its workers."""
        return sum(map(_processor_seconds, workers(self.process.pid)))

    def megabytes(self) -> float:
        """Memory of the server that no other process shares, without its workers."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def _processor_seconds(process: int) -> float:
    """User and system time; 0 for a process that has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def workers(server: int) -> list[int]:
    """The process ids of a server's workers, the children of the one that they are forked from."""
    return [worker for template in _children(server) for worker in _children(template)]


def _children(process: int) -> list[int]:
    """The process ids of the processes that any thread of a process has started."""
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for file in found for each in file.read_text().split()]


async def _alone(server: Server, lines: list[Line], errors: list[str]) -> None:
    # One game first, so that compiling is not measured.
    await _Person(server, defaultdict(list), errors, 0).play_until_prepared()
    times: Times = defaultdict(list)
    for seed in range(ALONE):
        await _Person(server, times, errors, seed).play_game(time.monotonic() + 120, 0)
    lines += [_line("alone: ", kind, times[kind]) for kind in ("shot", "reply")]


async def _at_full_speed(server: Server, lines: list[Line], errors: list[str]) -> None:
    """A few people who never pause: the processor time of a shot, also on a busy machine."""
    times: Times = defaultdict(list)
    people = [_Person(server, times, errors, seed) for seed in range(QUICK)]
    before, end = _used(server), time.monotonic() + QUICK_SECONDS
    await asyncio.gather(*(person.stay(end, 0) for person in people))
    lines += _per_shot(f"{QUICK} games without pauses", server, before, times)


async def _together(
    server: Server, games: int, seconds: float, lines: list[Line], errors: list[str]
) -> None:
    times: Times = defaultdict(list)
    end = time.monotonic() + seconds
    people = [_Person(server, times, errors, seed) for seed in range(games)]
    before = _used(server)
    await asyncio.gather(*(person.stay(end, arrival=seconds / 6) for person in people))
    lines += [_line(f"{games} games: ", kind, taken) for kind, taken in times.items()]
    offered = games / (sum(PAUSE) / 2)
    fired = len(times["shot"]) / seconds
    lines.append(Line(f"{games} games: shots, of {offered:,.0f} if none waited", fired, "per s"))
    lines += _per_shot(f"{games} games", server, before, times)


def _used(server: Server) -> dict[str, float]:
    """Processor time so far, in seconds."""
    return {
        "server": server.processor_seconds(),
        "workers": server.worker_seconds(),
        "client": time.process_time(),
    }


def _per_shot(what: str, server: Server, before: dict[str, float], times: Times) -> list[Line]:
    """Processor time per shot, with its reply and what it sends to the page."""
    shots = max(1, len(times["shot"]))
    return [
        Line(f"{what}: processor time of {who}, per shot", 1000 * (now - before[who]) / shots, "ms")
        for who, now in _used(server).items()
    ]


async def _left_open(server: Server, lines: list[Line], errors: list[str]) -> None:
    people = [_Person(server, defaultdict(list), errors, seed) for seed in range(IDLE)]
    for start in range(0, IDLE, 50):
        await asyncio.gather(*(person.open_game() for person in people[start : start + 50]))
    await asyncio.sleep(2)
    lines.append(Line(f"memory with {IDLE:,} idle games", server.megabytes(), "MB", IDLE_MEGABYTES))
    for person in people:
        await person.leave()


class _Person:
    """Somebody with two connections: one for calls, one for the stream."""

    def __init__(self, server: Server, times: Times, errors: list[str], seed: int) -> None:
        self.calls, self.stream = Http(server.host, server.port), Http(server.host, server.port)
        self.times, self.errors = times, errors
        self.rng = random.Random(seed)
        self.token = ""

    async def stay(self, end: float, pause: float = 1.0, arrival: float = 0.0) -> None:
        """Play until the end; the first game begins within `arrival` seconds."""
        await asyncio.sleep(self.rng.uniform(0, arrival))
        while time.monotonic() < end:
            try:
                await self.play_game(end, pause)
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}")
                await asyncio.sleep(1)
            finally:
                await self.leave()

    async def leave(self) -> None:
        await self.calls.close()
        await self.stream.close()

    async def open_game(self) -> dict[str, Any]:
        """A game with its fleet placed, and its page open."""
        self.token = ""
        made = await self.call("create", "POST", "/api/games", {"opponent": OPPONENT})
        self.game, self.token = made["id"], made["token"]
        layout = await self.call("layout", "POST", "/api/layouts", {})
        ships = {"ships": layout["ships"]}
        await self.call("place", "PUT", f"/api/games/{self.game}/layout", ships)
        began = time.perf_counter()
        await self.stream.ask("GET", f"/api/games/{self.game}/events", token=self.token)
        view = await self.stream.event()
        self.times["open"].append(time.perf_counter() - began)
        return view

    async def play_until_prepared(self) -> None:
        noted = True
        while noted:
            errors, self.errors = self.errors, []
            await self.play_game(time.monotonic() + 120, 0)
            noted, self.errors = bool(self.errors), errors

    async def play_game(self, end: float, pause: float = 1.0) -> None:
        view = await self.open_game()
        cells = [f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)]
        self.rng.shuffle(cells)
        while view["state"] == "playing" and time.monotonic() < end:
            await asyncio.sleep(self.rng.uniform(*PAUSE) * pause)
            path = f"/api/games/{self.game}/shots"
            view = await self.call("shot", "POST", path, {"cell": cells.pop()})
            fired = time.perf_counter()
            while view["state"] == "playing" and view["to_move"] != view["you"]:
                seen = await self.stream.event()
                view = seen if seen["version"] >= view["version"] else view
            self.times["reply"].append(time.perf_counter() - fired)
            if view["moves"][-1]["note"]:
                self.errors.append(view["moves"][-1]["note"])
        await self.stream.close()

    async def call(self, kind: str, method: str, path: str, body: dict[str, Any]) -> Any:
        began = time.perf_counter()
        status, answer = await self.calls.call(method, path, body, self.token)
        self.times[kind].append(time.perf_counter() - began)
        if status >= 400:
            raise RuntimeError(answer["error"])
        return answer


class Http:
    """One connection, kept open: as little of HTTP as it takes to measure a server and not the
    client."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """The status and the JSON of an answer."""
        status, headers = await self.ask(method, path, body, token)
        content = await self._reader.readexactly(int(headers["content-length"]))
        return status, json.loads(content)

    async def ask(
        self, method: str, path: str, body: Any = None, token: str = ""
    ) -> tuple[int, dict[str, str]]:
        """The status and headers of an answer."""
        if self._writer is not None and self._reader.at_eof():
            await self.close()  # the server closes connections that are silent for long
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(
                self._host, self._port, limit=1 << 20
            )
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            "Content-Type: application/json",
            f"Content-Length: {len(content)}",
            *([f"Authorization: Bearer {token}"] if token else []),
        ]
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = (line.partition(": ") for line in head[1:-2])
        return int(head[0].split()[1]), {name: value for name, _, value in fields}

    async def event(self) -> Any:
        """The next event of a stream."""
        while True:
            size = int(await self._reader.readuntil(b"\r\n"), 16)
            if size == 0:
                raise RuntimeError("the stream ended")
            chunk = await self._reader.readexactly(size + 2)
            found = chunk.partition(b"\ndata: ")[2]
            if found:
                return json.loads(found)

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _line(prefix: str, kind: str, taken: list[float]) -> Line:
    name = f"{prefix}{kind}"
    return Line(f"{name}, p95 of {len(taken):,}", _p95(taken), "ms", TARGETS.get(name))


def _p95(taken: list[float]) -> float:
    return 1000 * sorted(taken)[int(0.95 * (len(taken) - 1))] if taken else 0.0


if __name__ == "__main__":
    main(
        float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS,
        tuple(map(int, sys.argv[2:])) or GAMES,
    )
