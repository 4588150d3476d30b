"""What strangers may try on a server, and what an operator may get wrong."""

from __future__ import annotations

import asyncio
import json
import math
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient

from seabattle.cli.serve import serve
from seabattle.errors import SeabattleError
from seabattle.layout import Layout
from seabattle.rules import Rules
from seabattle.web import app as app_module
from seabattle.web import game_store
from seabattle.web.addresses import accepted_hosts, client_key
from seabattle.web.app import create_app
from seabattle.web.connections import Connections
from seabattle.web.folder_lock import only_server_of
from seabattle.web.game_store import GameStore, Seat
from seabattle.web.refusals import NoSuchGame, NotPossibleNow, TooMany
from seabattle.web.settings import DAY
from seabattle.web.solo_store import SoloGames
from seabattle.web.web_server import WebServer, listening_socket, server_config
from seabattle.web.worker_pool import PlayerFailed
from seabattle.web.worker_process import TIGHT as TIGHT_ANSWER
from seabattle.web.worker_process import WorkerTask
from tests.web.helpers import Caller, ServerProcess, quick_settings, until

TINY: dict[str, Any] = {"rows": 3, "columns": 3, "fleet": [2]}
TIGHT: dict[str, Any] = {
    "rows": 16,
    "columns": 16,
    "fleet": [8, 8, 7, 7, 7, 6, 6, 6, 6, 5, 5, 5],
    "contact": "none",
}
SEATS = (Seat("a", None, None, None, None), Seat("b", None, None, None, None))
JSON = {"Content-Type": "application/json"}


def at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))


# Descriptors, processes, memory


def test_bursts_of_clients_leave_no_descriptor_open(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--requests-per-second", "100000")
    request = b"GET /api/games/none HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n"

    def burst() -> int:
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
        for client in clients:
            client.sendall(request)
        assert all(client.recv(20).startswith(b"HTTP/1.1 404") for client in clients)
        for client in clients:
            client.close()
        time.sleep(0.2)
        return len(os.listdir(f"/proc/{server.process.pid}/fd"))

    try:
        first = burst()
        assert [burst(), burst()] == [first, first]
    finally:
        server.stop()


def test_a_fleet_that_takes_long_to_deal_is_refused_and_holds_up_nobody(tmp_path: Path) -> None:
    settings = quick_settings(tmp_path, deal_seconds=0.3, thoughts_per_client=2)
    with TestClient(create_app(settings)) as client:
        client.post("/api/layouts", json={"rules": TINY})
        statuses = at_once(4, lambda _: client.post("/api/layouts", json={"rules": TIGHT}))
        found = sorted((answer.status_code, answer.json()["error"]) for answer in statuses)
        assert {status for status, _ in found} <= {422, 429}
        assert "so tightly" in found[0][1]
        Caller(client).call("POST", "/api/layouts", 200, rules=TINY)
        workers = client.app.state.workers  # type: ignore[attr-defined]
        assert len(workers._tight_dealer.processes) <= 1


def test_a_fleet_that_did_not_fit_into_memory_is_refused_at_once(tmp_path: Path) -> None:
    with TestClient(create_app(quick_settings(tmp_path))) as client:
        workers = client.app.state.workers  # type: ignore[attr-defined]
        tasks: list[str] = []

        async def dealer(task: WorkerTask, *_: object) -> str:
            return TIGHT_ANSWER

        async def no_memory(task: WorkerTask, *_: object) -> str:
            tasks.append(task.what)
            raise PlayerFailed("it needs more memory than there is for one task")

        workers._dealer.ask, workers._tight_dealer.ask = dealer, no_memory
        for _ in range(3):
            refusal = Caller(client).call("POST", "/api/layouts", 422, rules=TIGHT)
            assert "so tightly" in refusal["error"]
        assert tasks == ["deal"]


def test_measurements_take_nobodys_turn_and_end_with_whoever_asked(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    try:
        address = urlsplit(server.address)
        asking = []
        for columns in range(6, 14):
            rules = {"rows": 10, "columns": columns, "fleet": [4, 3, 3, 2]}
            connection = HTTPConnection(address.hostname or "", address.port)
            body = json.dumps({"player": "exact", "rules": rules})
            connection.request("POST", "/api/strength", body, JSON)
            asking.append(connection)
        with httpx.Client(base_url=server.address, timeout=60) as client:
            tiny = {"player": "random", "rules": TINY}
            until(lambda: client.post("/api/strength", json=tiny).status_code == 429)
            assert client.post("/api/strength", json=tiny).headers["Retry-After"] == "1"
            belief = client.post("/api/belief", json={"rules": TINY, "shots": ""})
            assert belief.status_code == 200
            for connection in asking:
                connection.close()
            until(lambda: client.post("/api/strength", json=tiny).status_code == 200)
    finally:
        server.stop()


def test_slow_thoughts_hold_up_neither_the_site_nor_quick_players(tmp_path: Path) -> None:
    settings = quick_settings(
        tmp_path,
        imports=("tests.web.bad_players",),
        think_seconds=30.0,
        first_use_seconds=60.0,
        thoughts_per_client=3,
    )
    with TestClient(create_app(settings)) as client:
        for _ in range(12):
            slow = Caller(client)
            slow.begin(rules=TINY, opponent="slow-bad:how=sleep", first="opponent")
            slow.place()
        body = {"rules": TINY, "player": "slow-bad:how=sleep"}
        waiting = [
            threading.Thread(target=client.post, args=("/api/choice",), kwargs={"json": body})
            for _ in range(3)
        ]
        for thread in waiting:
            thread.start()
        workers = client.app.state.workers  # type: ignore[attr-defined]
        while sum(workers.thoughts._pending.values()) < 3:
            time.sleep(0.01)
        refusal = Caller(client).call("POST", "/api/choice", 429, **body)
        assert "waiting for 3 computations" in refusal["error"]
        assert client.get("/").status_code == 200
        quick = Caller(client)
        quick.begin(rules=TINY, opponent="in-order")
        quick.place()
        quick.fire("A1")
        assert quick.my_turn()["moves"][-1]["note"] == ""
        assert client.portal is not None
        client.portal.call(client.app.state.stop)  # type: ignore[attr-defined]
        for thread in waiting:  # they are told that the server stops
            thread.join(10)
            assert not thread.is_alive()


# Connections


def test_small_answers_are_not_held_back() -> None:
    with listening_socket("127.0.0.1", 0) as listening:
        client = socket.create_connection(listening.getsockname())
        accepted, _ = listening.accept()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        accepted.close()
        client.close()


def test_silent_connections_are_dropped_and_lock_nobody_out(tmp_path: Path) -> None:
    config = server_config(quick_settings(tmp_path))
    connections: Connections = config.http_protocol_class.__self__  # type: ignore[union-attr]
    connections.request_seconds, connections.most = 0.5, 3

    async def use(port: int) -> None:
        writers: list[asyncio.StreamWriter] = []

        async def connect(data: bytes = b"") -> asyncio.StreamReader:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            writer.write(data)
            return reader

        silent = [await connect() for _ in range(3)]
        reader = await connect(b"GET /api/preparation HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        assert await _is_closed(silent[0])  # it made room
        partial = await connect(b"POST /api/rules HTTP/1.1\r\nHost: localhost\r\nContent-Length")
        large = await connect(b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000)
        for each in (*silent, partial, large):
            assert await _is_closed(each)
        for writer in writers:
            writer.close()
        await asyncio.sleep(0.1)
        assert (connections.count, dict(connections.clients), len(connections.idle)) == (0, {}, 0)

    async def run() -> None:
        with listening_socket("127.0.0.1", 0) as listening:
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            try:
                await use(listening.getsockname()[1])
            finally:
                server.should_exit = True
                await serving

    asyncio.run(run())


async def _is_closed(reader: asyncio.StreamReader) -> bool:
    try:
        return not await asyncio.wait_for(reader.read(), 5)
    except ConnectionResetError:
        return True


def test_no_connection_becomes_a_websocket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would leave the limits of connections, whose count it would stay in for ever."""
    monkeypatch.setattr("uvicorn.protocols.websockets.auto.AutoWebSocketsProtocol", object)
    assert server_config(quick_settings(tmp_path)).ws_protocol_class is None


def test_one_address_cannot_hold_all_connections() -> None:
    connections = Connections(10, 2, lambda client: client == "10.0.0.1")
    connections.clients.update({"192.0.2.1": 2, "10.0.0.1": 5})
    assert not connections.admits("192.0.2.1")
    assert connections.admits("192.0.2.2")
    assert connections.admits("10.0.0.1")


def test_forwarded_addresses_are_believed_from_proxies_only(tmp_path: Path) -> None:
    for proxies, statuses in (((), [200, 429, 429]), (("10.0.0.0/8",), [200, 200, 429])):
        limits = {"burst": 1, "requests_per_second": 0.001, "proxies": proxies}
        config = server_config(quick_settings(tmp_path, **limits))
        client = TestClient(config.loaded_app, client=("10.0.0.1", 5))
        answers = [
            client.get("/static/icon.svg", headers={"X-Forwarded-For": f"9.9.9.9, {visitor}"})
            for visitor in ("192.0.2.1", "192.0.2.2", "192.0.2.2")
        ]
        assert [answer.status_code for answer in answers] == statuses


def test_an_ipv6_visitor_counts_once_whatever_address_they_choose() -> None:
    assert client_key("2001:db8:1:2::7") == client_key("2001:db8:1:2:ffff::9")
    assert client_key("2001:db8:1:2::7") != client_key("2001:db8:1:3::7")
    assert client_key("::ffff:192.0.2.7") == client_key("192.0.2.7") == "192.0.2.7"


@pytest.mark.parametrize(
    ("host", "headers", "status"),
    [
        ("127.0.0.2:8017", {}, 200),
        ("127.9.9.9", {}, 200),
        ("localhost.", {}, 200),
        ("sea.localhost:8017", {}, 200),
        ("[::1]:8017", {}, 200),
        ("localhost.evil.example", {}, 400),
        ("127.0.0.1.evil.example", {}, 400),
        ("10.0.0.1", {}, 400),
        ("localhost:8017", {"Origin": "http://localhost:8017"}, 200),
        ("localhost:8017", {"Origin": "http://evil.example"}, 403),
        ("localhost:8017", {"Origin": "null"}, 403),
        ("localhost:8017", {"Sec-Fetch-Site": "same-site"}, 403),
        ("localhost:8017", {"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_only_this_machine_and_this_site_are_answered(
    tmp_path: Path, host: str, headers: dict[str, str], status: int
) -> None:
    client = TestClient(create_app(quick_settings(tmp_path, hosts=accepted_hosts("127.0.0.2"))))
    answer = client.get("/static/icon.svg", headers={"Host": host, **headers})
    assert answer.status_code == status


# Storing


def test_only_the_owner_can_read_the_games(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "games.sqlite").touch(0o644)
    store = GameStore(tmp_path / "games.sqlite")
    asyncio.run(store.create("g", "people", Rules(), SEATS, "here", {}))
    files = list(tmp_path.glob("games.sqlite*"))
    assert len(files) == 3
    solo = SoloGames(quick_settings(tmp_path))
    files += tmp_path.glob("solo.sqlite*")
    assert len(files) > 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    solo.close()
    store.close()


def test_finished_games_and_new_ones_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "SWEEP_SECONDS", 0.05)
    settings = quick_settings(tmp_path, kept_games=2, games_per_day=5)
    with TestClient(create_app(settings)) as client:
        callers = [Caller(client) for _ in range(5)]
        for caller in callers:
            caller.begin(kind="people", rules=TINY)
        for caller in callers[:4]:
            caller.call("POST", f"/api/games/{caller.game}/resign", 200)
        time.sleep(0.3)
        statuses = [
            client.get(
                f"/api/games/{caller.game}", headers={"Authorization": f"Bearer {caller.token}"}
            ).status_code
            for caller in callers
        ]
        assert statuses == [404, 404, 200, 200, 200]
        refusal = Caller(client).call("POST", "/api/games", 429, kind="people", rules=TINY)
        assert "today" in refusal["error"]


def test_solo_games_have_the_limits_of_others(tmp_path: Path) -> None:
    clock = 1e9
    layout = Layout.from_text("destroyer A1 across", Rules(3, 3, (2,)))
    solo = SoloGames(quick_settings(tmp_path, kept_games=1, games_per_day=4), lambda: clock)

    def played() -> tuple[str, str]:
        made = solo.create(layout, "here")
        for cell in ("A1", "A2"):
            solo.fire(made["id"], made["token"], [cell])
        return made["id"], made["token"]

    games = []
    for _ in range(3):
        games.append(played())
        clock += 1
    solo.create(layout, "here")
    with pytest.raises(NoSuchGame):
        solo.game(*games[0])
    assert solo.game(*games[2]).cells == (0, 1)
    with pytest.raises(TooMany, match="today"):
        solo.create(layout, "here")
    solo.close()


def test_limits_hold_when_many_ask_at_once(tmp_path: Path) -> None:
    with TestClient(create_app(quick_settings(tmp_path, games_per_client=3))) as client:
        body = {"kind": "people", "rules": TINY}
        answers = at_once(9, lambda _: client.post("/api/games", json=body).status_code)
        assert sorted(answers) == [201] * 3 + [429] * 6


def test_a_game_that_has_just_been_stored_counts_once(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "games.sqlite")
    asyncio.run(store.create("g", "people", Rules(), SEATS, "here", {}))
    assert store.open_games("here", ()) == 1
    assert store.open_games("here", {"g"}) == 0
    assert store.open_games("elsewhere", ()) == 0
    store.close()


@pytest.mark.parametrize("kind", ["computer", "watch"])
def test_a_rematch_is_made_once_and_again_when_it_has_expired(tmp_path: Path, kind: str) -> None:
    with TestClient(create_app(quick_settings(tmp_path))) as client:
        caller = Caller(client)
        caller.begin(kind=kind, rules=TINY, opponent="random", players=["random", "random"])
        if kind == "computer":
            caller.call("POST", f"/api/games/{caller.game}/resign", 200)
        else:
            while caller.call("POST", f"/api/games/{caller.game}/step", 200)["state"] != "over":
                pass
        path = f"/api/games/{caller.game}/rematch"
        first, second = (caller.call("POST", path, 200) for _ in range(2))
        assert first["id"] == second["id"]
        other = Caller(client)
        other.game, other.token = second["id"], second["token"]
        assert other.see()["state"] in ("placing", "playing")
        db = sqlite3.connect(tmp_path / "games.sqlite")
        db.execute("delete from games where id = ?", (first["id"],))
        db.commit()
        db.close()
        third = caller.call("POST", path, 200)
        assert third["id"] != first["id"]
        other.game, other.token = third["id"], third["token"]
        other.see()


def test_a_second_server_on_a_folder_refuses_to_start(tmp_path: Path) -> None:
    second = only_server_of(tmp_path)
    with only_server_of(tmp_path), pytest.raises(SeabattleError, match="Another server is using"):
        second.__enter__()
    with only_server_of(tmp_path):
        pass


def test_a_change_that_somebody_else_made_is_not_overwritten(tmp_path: Path) -> None:
    stores = [GameStore(tmp_path / "games.sqlite") for _ in range(2)]
    asyncio.run(stores[0].create("g", "people", Rules(), SEATS, "here", {}))
    asyncio.run(stores[0].place("g", 0, "first", "nonce"))
    with pytest.raises(NotPossibleNow):
        asyncio.run(stores[1].place("g", 0, "second", "nonce"))
    asyncio.run(stores[0].resign("g", 0))
    with pytest.raises(NotPossibleNow):
        asyncio.run(stores[1].resign("g", 1))
    saved = stores[1].game("g")
    assert (saved.seats[0].layout, saved.resigned) == ("first", 0)
    for store in stores:
        store.close()


def test_setting_the_clock_deletes_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = time.time()
    for shift in (0, -3000 * DAY, 3000 * DAY, 0):
        monkeypatch.setattr(game_store.time, "time", lambda shift=shift: today + shift)
        store = GameStore(tmp_path / "games.sqlite")
        name = f"g{shift}{len(store.unfinished('people'))}"
        asyncio.run(store.create(name, "people", Rules(), SEATS, "here", {}))
        asyncio.run(store.forget(idle_seconds=2 * DAY, keep_seconds=90 * DAY, most=10))
        store.close()
    store = GameStore(tmp_path / "games.sqlite")
    assert len(store.unfinished("people")) == 4
    store._clock += 3 * DAY
    asyncio.run(store.forget(idle_seconds=2 * DAY, keep_seconds=90 * DAY, most=10))
    assert store.unfinished("people") == []
    store.close()


# Starting and stopping


@pytest.fixture
def does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that starts all the same fails the test, instead of serving for ever."""

    def started(*arguments: object, **options: object) -> None:
        raise AssertionError("the server has started")

    monkeypatch.setattr(WebServer, "run", started)


def _file_in_its_place(folder: Path) -> Path:
    (folder / "file").write_text("hello")
    return folder / "file"


def _database(content: bytes, name: str = "games.sqlite") -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder

    return make


def _pipe(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        os.mkfifo(folder / name)
        return folder

    return make


def _foreign(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        db = sqlite3.connect(folder / name)
        db.execute("create table recipes (name text)")
        db.commit()
        db.close()
        return folder

    return make


def _truncated(folder: Path) -> Path:
    path = folder / "games.sqlite"
    GameStore(path).close()
    path.write_bytes(path.read_bytes()[:6000])
    return folder


def _damaged(folder: Path) -> Path:
    """Pages beyond those that a start reads anyway are overwritten."""
    path = folder / "games.sqlite"
    store = GameStore(path)
    for number in range(60):
        asyncio.run(store.create(f"g{number}", "people", Rules(), SEATS, "here", {}))
    store.close()
    whole = path.read_bytes()
    page = int.from_bytes(whole[16:18], "big")
    path.write_bytes(whole[: -2 * page] + b"x" * (2 * page))
    return folder


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: Path("/proc/nowhere"), "Cannot store games"),
        (lambda _: Path("/proc"), "Cannot store games"),  # where not even root may write
        (_file_in_its_place, "Cannot store games"),
        (_database(b"not a database" * 500), "not a database"),
        (_foreign("games.sqlite"), "a database of something else"),
        (_foreign("solo.sqlite"), "a database of something else"),
        (_truncated, "Cannot use"),
        (_damaged, "it is damaged"),
        (_pipe("games.sqlite"), "Cannot use"),
        (_pipe("solo.sqlite"), "Cannot use"),
        (_pipe("server.lock"), "Cannot store games"),
        (_database(b"not a database" * 500, "solo.sqlite"), "the database of solo games"),
    ],
)
@pytest.mark.usefixtures("does_not_start")
def test_a_folder_that_cannot_be_used_is_explained(
    tmp_path: Path, make: Callable[[Path], Path], said: str
) -> None:
    with pytest.raises(SeabattleError, match=said) as refusal:
        serve(data=make(tmp_path), port=0, no_browser=True)
    assert "\n" not in str(refusal.value)


def test_a_full_disk_at_the_start_is_explained(tmp_path: Path) -> None:
    """No file can grow beyond a few pages, as on a full disk: the tables do not fit."""
    serving = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, 2**14)); "
    serving += "sys.argv[0] = 'seabattle'; from seabattle.cli import main; main()"
    command = [sys.executable, "-c", serving, "serve", "--no-browser", "--port", "0"]
    done = subprocess.run(
        [*command, "--data", str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"seabattle: Cannot use {tmp_path / 'games.sqlite'}")
    assert done.stderr.count("\n") == 1


def test_a_file_of_games_that_cannot_be_created_is_explained(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").mkdir()
    with pytest.raises(SeabattleError, match=r"Cannot store games in .*: is a directory"):
        GameStore(tmp_path / "games.sqlite")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"requests_per_second": math.nan}, "--requests-per-second must be above 0"),
        ({"think_seconds": math.nan}, "--think-seconds must be above 0"),
        ({"think_seconds": math.inf}, "--think-seconds must be above 0"),
        ({"games_per_client": 10**20}, "--games-per-client must be above 0"),
        ({"modules": ["nosuch"]}, "Cannot import 'nosuch'"),
        ({"modules": [""]}, "Cannot import ''"),
        ({"proxies": ["proxy.example"]}, "--proxy is an IP address"),
        ({"host": "x" * 300}, "Cannot listen"),
        ({"host": "a..b"}, "Cannot listen"),
        ({"host": "192.0.2.1"}, "cannot assign requested address; try another --host."),
        ({"port": 99999}, "--port must be from 0 to 65535, not 99999."),
    ],
)
@pytest.mark.usefixtures("does_not_start")
def test_options_that_make_no_sense_are_explained(
    tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(SeabattleError, match=said):
        serve(**({"data": tmp_path, "port": 0, "no_browser": True} | options))


def test_a_server_that_is_told_to_stop_ends_its_analyses_and_says_nothing(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, "--import", "tests.web.bad_players")
    body = b'{"rules": {"rows": 2, "columns": 3, "fleet": [2]}, "player": "bad:how=sleep"}'
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(b"HEAD /api/rules HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(10_000).startswith(b"HTTP/1.1 ")  # it listens
        head = f"POST /api/choice HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        client.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        time.sleep(0.5)
        server.process.terminate()
        client.settimeout(10)
        answer = client.recv(10_000)
    assert answer.startswith(b"HTTP/1.1 503")
    assert server.process.wait(timeout=20) == -15
    assert server.process.stdout is not None
    assert server.process.stdout.read() == ""
    server.stop()


# Numbers


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/replay", '{"record": "{\\"game\\": NUMBER}"}'),
        ("/api/replay", '{"record": "game: seabattle-game 1\\nrules: 10x10 fleet=NUMBER"}'),
        ("/api/rules", '{"rules": {"rows": NUMBER}}'),
        ("/api/rules", '{"rules": {"rows": Infinity}}'),
        ("/api/rules", '{"rules": {"fleet": [1e999]}}'),
        ("/api/belief", '{"shots": "ANUMBER miss"}'),
        ("/api/belief", '{"shots": "A1 sunk NUMBER"}'),
        ("/api/choice", '{"player": "exact:seconds=inf"}'),
        ("/api/choice", '{"player": "mcts:seconds=nan"}'),
    ],
)
def test_absurd_numbers_are_refused(client: TestClient, path: str, body: str) -> None:
    answer = client.post(path, content=body.replace("NUMBER", "9" * 5000), headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"].endswith(".")
