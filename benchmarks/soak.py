"""Mixed traffic for ten minutes, and what the server has left of it.

People play games and leave them, ask for heat maps and searches, open streams and break them
off; slow clients dribble requests and never read their answers; idle workers are killed; and
half-way the server itself is killed and started again. Afterwards it must have as many file
descriptors and threads as after the first minute and, within 10%, as much memory; no call may
fail with a 500, and every acknowledged shot must still be in its game.

`python -m benchmarks.soak 120` takes two minutes instead of ten.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .timing import Line, show
from .web_load import Http, Server, workers

SECONDS = 600.0
PLAYERS, VISITORS, SLOW = 12, 4, 4
"""how many of each kind at a time"""
OPPONENTS = ("exact", "density", "random", "even", "mcts:iterations=200")
RULES = ("classic", "mini", "russian", {"rows": 6, "columns": 6, "fleet": [3, 2, 2]})
KILL_SECONDS = 7.0
"""between two killed workers"""
PATIENCE = 300.0
"""seconds: the server itself gives up sooner, after waiting for a worker and a compilation"""
CELLS = [f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)]


@dataclass
class Soak:
    """One run."""

    server: Server
    end: float
    answers: Counter[str] = field(default_factory=Counter)
    games: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """the token and the acknowledged moves of every game"""
    starts: int = 1
    """how often the server was started"""

    async def call(self, http: Http, method: str, path: str, body: Any, token: str = "") -> Any:
        status, answer = await asyncio.wait_for(http.call(method, path, body, token), PATIENCE)
        self.answers[str(status)] += 1
        if status in (500, 502):
            self.answers[f"{path}: {answer}"] += 1
        return answer if status < 400 else None

    async def repeat(self, action: Any, seed: int) -> None:
        """Do something again and again; only a killed server may break a connection."""
        rng = random.Random(seed)
        while time.monotonic() < self.end:
            http, starts = Http(self.server.host, self.server.port), self.starts
            try:
                await action(http, rng)
            except (OSError, EOFError, RuntimeError) as error:
                if starts == self.starts:
                    self.answers[f"broken: {action.__name__}: {error!r}"] += 1
                await asyncio.sleep(1)
            finally:
                await http.close()
            await asyncio.sleep(rng.uniform(0, 0.2))

    async def play(self, http: Http, rng: random.Random) -> None:
        """A game, now and then broken off or given up, with its page open."""
        rules = rng.choice(RULES)
        wanted = {"rules": rules, "opponent": rng.choice(OPPONENTS)}
        made = await self.call(http, "POST", "/api/games", wanted)
        layout = await self.call(http, "POST", "/api/layouts", {"rules": rules})
        if made is None or layout is None:
            return
        path, token = f"/api/games/{made['id']}", made["token"]
        self.games[made["id"]] = (token, [])
        await self.call(http, "PUT", f"{path}/layout", {"ships": layout["ships"]}, token)
        stream = Http(self.server.host, self.server.port)
        try:
            await stream.ask("GET", f"{path}/events", token=token)
            view = await stream.event()
            cells = [cell for cell in CELLS if _on_board(cell, view["rules"])]
            rng.shuffle(cells)
            while view["state"] == "playing" and rng.random() > 0.03:
                if time.monotonic() > self.end:
                    return
                if view["to_move"] != view["you"]:
                    seen = await stream.event()
                    view = seen if seen["version"] > view["version"] else view
                    continue
                shot = {"cell": cells.pop()}
                answer = await self.call(http, "POST", f"{path}/shots", shot, token)
                if answer is not None:
                    view = answer
                    moves = [move["cell"] for move in view["moves"]]
                    self.games[made["id"]] = (token, moves)
                await asyncio.sleep(rng.uniform(0, 0.1))
            if view["state"] == "playing" and rng.random() < 0.5:
                await self.call(http, "POST", f"{path}/resign", {}, token)
        finally:
            await stream.close()

    async def visit(self, http: Http, rng: random.Random) -> None:
        """Pages, heat maps and searches; the last of them is refused."""
        shots = ", ".join(f"{cell} miss" for cell in rng.sample(CELLS, 20))
        await self.call(http, "GET", "/api/about", None)
        await self.call(http, "POST", "/api/belief", {"rules": "blind", "shots": shots})
        player = rng.choice(("mcts:iterations=300", "density"))
        await self.call(http, "POST", "/api/choice", {"rules": "mini", "player": player})
        await self.call(http, "POST", "/api/choice", {"rules": "mini", "player": "nobody"})

    async def dribble(self, http: Http, rng: random.Random) -> None:
        """A request that never ends, or an answer that nobody reads."""
        reader, writer = await asyncio.open_connection(self.server.host, self.server.port)
        try:
            writer.write(b"POST /api/rules HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n")
            for _ in range(rng.randint(1, 60)):
                if reader.at_eof() or time.monotonic() > self.end:  # the server has had enough
                    break
                writer.write(b"X: y\r\n")
                await asyncio.sleep(0.5)
        finally:
            writer.close()

    async def kill_workers(self) -> None:
        """Kill one worker after the other, as a machine that is short of memory would."""
        while time.monotonic() + KILL_SECONDS < self.end:
            await asyncio.sleep(KILL_SECONDS)
            for worker in workers(self.server.process.pid)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, 9)

    async def lost(self) -> int:
        """How many acknowledged moves are missing."""
        http, missing = Http(self.server.host, self.server.port), 0
        for game, (token, moves) in self.games.items():
            status, view = await http.call("GET", f"/api/games/{game}", None, token)
            now = [move["cell"] for move in view["moves"]] if status == 200 else []
            missing += sum(a != b for a, b in zip(moves, now, strict=False))
            missing += max(0, len(moves) - len(now))
        await http.close()
        return missing


def main(seconds: float = SECONDS) -> int:
    lines, errors = asyncio.run(soak(seconds))
    show(lines)
    for answer, count in sorted(errors.items()):
        print(f"   {count} × {answer}")
    return int(not all(line.met for line in lines))


async def soak(seconds: float, *options: str) -> tuple[list[Line], Counter[str]]:
    """The lines to show, and how often each kind of answer came."""
    settle = min(60.0, seconds / 4)
    with Server(*options) as server:
        run = Soak(server, 0.0)
        first = Http(server.host, server.port)
        await run.call(first, "POST", "/api/games", {"rules": "mini", "opponent": "random"})
        await first.close()
        run.end = time.monotonic() + seconds
        tasks = [asyncio.create_task(run.repeat(run.play, seed)) for seed in range(PLAYERS)]
        tasks += [asyncio.create_task(run.repeat(run.visit, 50 + k)) for k in range(VISITORS)]
        tasks += [asyncio.create_task(run.repeat(run.dribble, 90 + k)) for k in range(SLOW)]
        tasks.append(asyncio.create_task(run.kill_workers()))
        await asyncio.sleep(settle)
        early = await _used(server)
        await asyncio.sleep(seconds / 2 - settle)
        server.kill()
        server.start()
        run.starts += 1
        await asyncio.gather(*tasks)
        late = await _used(server)
        lost = await run.lost()
    shots = sum(len(moves) for _, moves in run.games.values())
    bad = sum(n for answer, n in run.answers.items() if answer == "500" or "broken" in answer)
    lines = [
        Line("calls", sum(n for key, n in run.answers.items() if key.isdigit()), "calls"),
        Line(f"games ({shots:,} acknowledged moves)", len(run.games), "games"),
        Line("acknowledged moves lost", lost, "moves", 0),
        Line("answers 500 and broken connections", bad, "errors", 0),
        *(
            Line(f"{what}: {early[what]:,.0f} early, late", late[what], unit, most)
            for what, unit, most in (
                ("descriptors", "open", early["descriptors"] + 2),
                ("threads", "running", early["threads"] + 2),
                ("memory", "MB", 1.1 * early["memory"]),
            )
        ),
    ]
    return lines, run.answers


async def _used(server: Server) -> dict[str, float]:
    """What the server process uses when nobody is connected: the fewest of some moments, since
    traffic goes on."""
    found: list[tuple[float, float, float]] = []
    for _ in range(20):
        folder = Path(f"/proc/{server.process.pid}")
        sockets = 0
        for descriptor in folder.joinpath("fd").iterdir():
            with contextlib.suppress(OSError):
                sockets += os.readlink(descriptor).startswith("socket:")
        descriptors = len(list(folder.joinpath("fd").iterdir())) - sockets
        threads = len(list(folder.joinpath("task").iterdir()))
        found.append((descriptors, threads, server.megabytes()))
        await asyncio.sleep(0.05)
    descriptors_, threads_, memory = (min(each) for each in zip(*found, strict=True))
    return {"descriptors": descriptors_, "threads": threads_, "memory": memory}


def _on_board(cell: str, rules: dict[str, Any]) -> bool:
    row, column = ord(cell[0]) - ord("A"), int(cell[1:])
    return bool(row < rules["rows"] and column <= rules["columns"])


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS))
