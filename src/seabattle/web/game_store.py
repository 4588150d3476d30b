"""Games in SQLite: every acknowledged move is on disk.

The database is in WAL mode with `synchronous=FULL`, so a committed move survives a crash
of the process or of the machine. One thread writes, and puts everything that queued up
while it waited for the disk into its next transaction, so that many games share one wait.
A game is always rebuilt from its stored moves, so a restart is nothing special.

All SQL of the browser game is in this module.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..game import Duel
from ..layout import Layout
from ..rules import Rules
from .refusals import NoSuchGame, NotPossibleNow

SCHEMA = """
create table if not exists games (
    id text primary key,
    kind text not null,
    rules text not null,
    version integer not null,
    created real not null,
    touched real not null,
    client text not null,
    finished integer not null default 0,
    invite text,
    resigned integer,
    rematch text,
    settings text not null
) without rowid;
create index if not exists games_of_client on games (client) where finished = 0;
create index if not exists games_by_age on games (finished, touched);
create table if not exists seats (
    game text not null references games on delete cascade,
    side integer not null,
    name text not null,
    player text,
    token text,
    layout text,
    nonce text,
    primary key (game, side)
) without rowid;
create table if not exists moves (
    game text not null references games on delete cascade,
    number integer not null,
    cell integer not null,
    note text not null,
    primary key (game, number)
) without rowid;
create table if not exists hints (
    game text not null references games on delete cascade,
    side integer not null,
    shots integer not null,
    primary key (game, side, shots)
) without rowid;
"""

Statement = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Seat:
    """One side of a stored game."""

    name: str
    player: str | None
    """the registered player that sits here; None for a person"""
    token: str | None
    """hash of the secret that moves for this seat; None while the seat is free"""
    layout: str | None
    nonce: str | None


@dataclass(frozen=True)
class SavedGame:
    """A game as it stands on disk."""

    id: str
    kind: str
    """`computer`, `people` or `watch`"""
    rules: Rules
    version: int
    """grows with every change"""
    invite: str | None
    """hash of the secret that the second person joins with; None once used"""
    resigned: int | None
    rematch: str | None
    settings: dict[str, Any]
    """of a watched game `token`, the hash of the secret that steps it; of a game between people
    `hints`, whether they may ask for hints"""
    seats: tuple[Seat, Seat]
    cells: tuple[int, ...]
    notes: tuple[str, ...]
    hints: tuple[int, int] = (0, 0)
    """how many positions each side has asked for a hint in"""

    @property
    def allows_hints(self) -> bool:
        return self.kind != "people" or bool(self.settings.get("hints"))

    def duel(self) -> Duel | None:
        """The game replayed from its moves; None before both fleets are placed."""
        first, second = (seat.layout for seat in self.seats)
        if first is None or second is None:
            return None
        duel = Duel(Layout.from_text(first, self.rules), Layout.from_text(second, self.rules))
        for cell in self.cells:
            duel.fire(cell)
        if self.resigned is not None:
            duel.resign(self.resigned)
        return duel


def hashed(secret: str) -> str:
    """The form in which secrets are stored: nobody can take a seat by reading the file."""
    return hashlib.sha256(secret.encode()).hexdigest()


class GameStore:
    """The games of one server."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = path
        self._readers = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        with contextlib.closing(self._connect()) as db:
            db.executescript(SCHEMA)
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def close(self) -> None:
        self._jobs.put(None)
        self._writer.join()
        for db in self._open:
            db.close()

    def create(
        self,
        game_id: str,
        kind: str,
        rules: Rules,
        seats: tuple[Seat, Seat],
        client: str,
        settings: dict[str, Any],
        invite: str | None = None,
    ) -> None:
        """Add a game before its first move."""
        moment = time.time()
        values = (game_id, kind, rules.to_text(), moment, moment, client, invite)
        self._commit(
            (
                "insert into games (id, kind, rules, version, created, touched, client, invite, "
                "settings) values (?, ?, ?, 1, ?, ?, ?, ?, ?)",
                (*values, json.dumps(settings)),
            ),
            *(
                (
                    "insert into seats values (?, ?, ?, ?, ?, ?, ?)",
                    (game_id, side, seat.name, seat.player, seat.token, seat.layout, seat.nonce),
                )
                for side, seat in enumerate(seats)
            ),
        )

    def take_seat(self, game_id: str, side: int, token: str, name: str) -> None:
        """Give a free seat to the holder of a token (its hash); this uses up the invitation."""
        self._commit(
            _touch(game_id),
            (
                "update seats set token = ?, name = ? where game = ? and side = ?",
                (token, name, game_id, side),
            ),
            ("update games set invite = null where id = ?", (game_id,)),
        )

    def place(self, game_id: str, side: int, layout: str, nonce: str) -> None:
        """Store the fleet of one side."""
        self._commit(
            _touch(game_id),
            (
                "update seats set layout = ?, nonce = ? where game = ? and side = ?",
                (layout, nonce, game_id, side),
            ),
        )

    def add_move(self, game: SavedGame, cell: int, note: str = "", *, finished: bool) -> None:
        """Store the move after those of `game`; refused if the stored game has more."""
        self._commit(
            _touch(game.id, finished=finished),
            ("insert into moves values (?, ?, ?, ?)", (game.id, len(game.cells), cell, note)),
        )

    def add_hint(self, game_id: str, side: int, shots: int) -> None:
        """Store that one side asked for a hint after so many shots of its own, once."""
        self._commit(
            _touch(game_id),
            ("insert or ignore into hints values (?, ?, ?)", (game_id, side, shots)),
        )

    def resign(self, game_id: str, side: int) -> None:
        """Store that one side gave up."""
        self._commit(
            _touch(game_id, finished=True),
            ("update games set resigned = ? where id = ?", (side, game_id)),
        )

    def link_rematch(self, game_id: str, rematch: str) -> None:
        """Store which game is the rematch of a finished one."""
        self._commit(
            _touch(game_id, finished=True),
            ("update games set rematch = ? where id = ?", (rematch, game_id)),
        )

    def forget(self, idle_before: float, finished_before: float) -> None:
        """Delete games that have been idle for too long."""
        self._commit(
            ("delete from games where finished = 0 and touched < ?", (idle_before,)),
            ("delete from games where finished = 1 and touched < ?", (finished_before,)),
        )

    def game(self, game_id: str) -> SavedGame:
        """The game with this id."""
        with self._reading() as db:
            row = db.execute("select * from games where id = ?", (game_id,)).fetchone()
            if row is None:
                raise NoSuchGame
            seats = db.execute(
                "select name, player, token, layout, nonce from seats where game = ? order by side",
                (game_id,),
            ).fetchall()
            moves = db.execute(
                "select cell, note from moves where game = ? order by number", (game_id,)
            ).fetchall()
            hints = dict(
                db.execute(
                    "select side, count(*) from hints where game = ? group by side", (game_id,)
                ).fetchall()
            )
        return SavedGame(
            row["id"],
            row["kind"],
            Rules.from_text(row["rules"]),
            row["version"],
            row["invite"],
            row["resigned"],
            row["rematch"],
            json.loads(row["settings"]),
            (Seat(*seats[0]), Seat(*seats[1])),
            tuple(move["cell"] for move in moves),
            tuple(move["note"] for move in moves),
            (hints.get(0, 0), hints.get(1, 0)),
        )

    def version(self, game_id: str) -> int:
        """The version of a game: it grows with every change."""
        with self._reading() as db:
            row = db.execute("select version from games where id = ?", (game_id,)).fetchone()
        if row is None:
            raise NoSuchGame
        return int(row[0])

    def open_games(self, client: str) -> int:
        """The number of unfinished games started from this address."""
        with self._reading() as db:
            query = "select count(*) from games where client = ? and finished = 0"
            return int(db.execute(query, (client,)).fetchone()[0])

    def unfinished(self, kind: str) -> list[str]:
        """The ids of all unfinished games of a kind."""
        with self._reading() as db:
            query = "select id from games where finished = 0 and kind = ?"
            return [row["id"] for row in db.execute(query, (kind,))]

    def _commit(self, *statements: Statement) -> None:
        """Execute all of these or none; return when they are on disk."""
        job = _Job(statements, Future())
        self._jobs.put(job)
        try:
            job.done.result()
        except sqlite3.IntegrityError:
            raise NotPossibleNow("The game has changed in the meantime; reload it.") from None

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=30)
        db.row_factory = sqlite3.Row
        for pragma in ("journal_mode=wal", "synchronous=full", "foreign_keys=on"):
            db.execute(f"pragma {pragma}")
        return db

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A consistent snapshot of all tables."""
        if not hasattr(self._readers, "db"):
            self._readers.db = self._connect()
            self._open.append(self._readers.db)
        db: sqlite3.Connection = self._readers.db
        db.execute("begin")
        try:
            yield db
        finally:
            db.execute("commit")

    def _write(self) -> None:
        db = self._connect()
        while (job := self._jobs.get()) is not None:
            batch = [job]
            while not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    self._jobs.put(None)
                    break
                batch.append(following)
            self._write_batch(db, batch)
        db.close()

    def _write_batch(self, db: sqlite3.Connection, batch: list[_Job]) -> None:
        failures: dict[int, Exception] = {}
        try:
            db.execute("begin immediate")
            for number, job in enumerate(batch):
                db.execute("savepoint job")
                try:
                    for sql, values in job.statements:
                        db.execute(sql, values)
                except sqlite3.Error as error:
                    db.execute("rollback to job")
                    failures[number] = error
                db.execute("release job")
            db.execute("commit")
        except sqlite3.Error as error:
            failures = dict.fromkeys(range(len(batch)), error)
            with contextlib.suppress(sqlite3.Error):
                db.execute("rollback")
        for number, job in enumerate(batch):
            if number in failures:
                job.done.set_exception(failures[number])
            else:
                job.done.set_result(None)


@dataclass(frozen=True)
class _Job:
    statements: tuple[Statement, ...]
    done: Future[None]


def _touch(game_id: str, *, finished: bool = False) -> Statement:
    """Count one more change; a finished game also forgets the address that started it."""
    ended = ", finished = 1, client = ''" if finished else ""
    return (
        f"update games set version = version + 1, touched = ?{ended} where id = ?",
        (time.time(), game_id),
    )
