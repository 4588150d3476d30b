"""Games in SQLite: every acknowledged move is on disk.

The database is in WAL mode with `synchronous=FULL`, so a committed move survives a crash
of the process or of the machine. Many games share one wait for the disk (see `writer`).
A game is always rebuilt from its stored moves, so a restart is nothing special.

Reading is quick and is done on the spot. Changes are awaited: they are on disk afterwards.

Ages are measured by a clock of the store's own, which goes on while a server runs and is
stored with the games: setting the machine's clock deletes nothing.

All SQL of the browser game is in this module.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import SeabattleError, reason
from ..game import Duel
from ..layout import Layout
from ..record import fire_turns
from ..rules import Rules
from .refusals import NoSuchGame, NotPossibleNow
from .writer import Statement, Writer

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
create table if not exists tally (
    player text primary key,
    won integer not null,
    drawn integer not null,
    lost integer not null
) without rowid;
create table if not exists clock (seconds real not null);
"""

DELETED_AT_ONCE = 20
"""Games deleted in one transaction, so that moves do not wait long behind it."""


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
    client: str
    """the address that started it; forgotten when it is finished"""
    invite: str | None
    """hash of the secret that the second person joins with; None once used"""
    resigned: int | None
    rematch: str | None
    settings: dict[str, Any]
    """of a watched game `token`, the hash of the secret that steps it; of a game between people
    `hints`, whether they may ask for hints, and `spectators`, whether others may watch; of both
    other kinds `repeats`, whether people may waste moves on known cells; of a game against the
    computer `memory`, the earlier games that it knows, if it learns"""
    seats: tuple[Seat, Seat]
    cells: tuple[int, ...]
    notes: tuple[str, ...]
    hints: tuple[int, int] = (0, 0)
    """how many positions each side has asked for a hint in"""

    @property
    def allows_hints(self) -> bool:
        return self.kind != "people" or bool(self.settings.get("hints"))

    @property
    def allows_spectators(self) -> bool:
        return self.kind == "people" and bool(self.settings.get("spectators"))

    @property
    def memory(self) -> list[dict[str, Any]] | None:
        """The person's earlier games that the computer knows; None if it does not learn."""
        return self.settings.get("memory")

    @property
    def repeats(self) -> tuple[int, ...]:
        """The sides that may shoot at a known cell again, as a wasted move: only people."""
        allowed = bool(self.settings.get("repeats"))
        return tuple(side for side in (0, 1) if allowed and self.seats[side].player is None)

    def duel(self) -> Duel | None:
        """The game replayed from its moves; None before both fleets are placed."""
        first, second = (seat.layout for seat in self.seats)
        if first is None or second is None:
            return None
        duel = Duel(
            Layout.from_text(first, self.rules),
            Layout.from_text(second, self.rules),
            repeats=self.repeats,
        )
        fire_turns(duel, self.cells)
        if self.resigned is not None:
            duel.resign(self.resigned)
        return duel


@dataclass(frozen=True)
class OpponentResults:
    """Finished games of people against one player."""

    opponent: str
    """its name, without parameters"""
    won: int = 0
    drawn: int = 0
    lost: int = 0


class GamesFileError(SeabattleError):
    """The games cannot be stored there."""


def make_private(path: Path) -> None:
    """Create a database file if there is none, that only its owner can read."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # SQLite gives its other files the permissions of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise GamesFileError(f"Cannot store games in {path}: {reason(error)}.") from None


def hashed(secret: str) -> str:
    """The form in which secrets are stored: nobody can take a seat by reading the file."""
    return hashlib.sha256(secret.encode()).hexdigest()


class GameStore:
    """The games of one server."""

    def __init__(self, path: Path) -> None:
        self._path = path
        make_private(path)
        try:
            self._writing, self._reading = self._connect(), self._connect()
            _prepare(self._writing, path)
            self._clock, self._started = self._read_clock(), time.monotonic()
        except sqlite3.Error as error:
            raise GamesFileError(f"Cannot use {path} as the database of games: {error}.") from None
        self._writer = Writer(self._writing)

    def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(sqlite3.Error):
            self._writing.execute(*self._save_clock())
        self._writing.close()
        self._reading.close()

    def now(self) -> float:
        """The time by the store's own clock, in seconds."""
        return self._clock + time.monotonic() - self._started

    def _read_clock(self) -> float:
        row = self._reading.execute("select seconds from clock").fetchone()
        latest = self._reading.execute("select max(touched) from games").fetchone()[0]
        return max(row[0] if row else time.time(), latest or 0.0)

    async def create(
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
        values = (game_id, kind, rules.to_text(), time.time(), self.now(), client, invite)
        await self._commit(
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

    async def take_seat(self, game_id: str, side: int, token: str, name: str) -> None:
        """Give a person's seat to the holder of a token (its hash); this uses up the
        invitation."""
        await self._commit(
            self._touch(game_id),
            (
                "update seats set token = ?, name = ? where game = ? and side = ? "
                "and player is null",
                (token, name, game_id, side),
            ),
            ("update games set invite = null where id = ?", (game_id,)),
        )

    async def take_watch(self, game_id: str, token: str) -> None:
        """Let the holder of a token (its hash) step a watched game."""
        await self._commit(
            self._touch(game_id),
            ("update games set settings = ? where id = ?", (json.dumps({"token": token}), game_id)),
        )

    async def place(self, game_id: str, side: int, layout: str, nonce: str) -> None:
        """Store the fleet of one side; refused if it has one."""
        await self._commit(
            self._touch(game_id),
            (
                "update seats set layout = ?, nonce = ? where game = ? and side = ? "
                "and layout is null",
                (layout, nonce, game_id, side),
            ),
        )

    async def add_turn(
        self,
        game: SavedGame,
        cells: Sequence[int],
        note: str = "",
        *,
        finished: bool,
        result: OpponentResults | None = None,
    ) -> None:
        """Store the turn after those of `game`, whole or not at all; refused if the stored game
        has more. The note is on its last shot. `result` is what it adds to the tally."""
        first, last = len(game.cells), len(game.cells) + len(cells) - 1
        await self._commit(
            self._touch(game.id, finished=finished),
            *_counted(result),
            *(
                (
                    "insert into moves values (?, ?, ?, ?)",
                    (game.id, place, cell, note if place == last else ""),
                )
                for place, cell in enumerate(cells, first)
            ),
        )

    async def add_hint(self, game_id: str, side: int, shots: int) -> None:
        """Store that one side asked for a hint after `shots` shots of its own; refused if that
        is stored already."""
        await self._commit(
            self._touch(game_id),
            ("insert into hints values (?, ?, ?)", (game_id, side, shots)),
        )

    async def resign(self, game_id: str, side: int, result: OpponentResults | None = None) -> None:
        """Store that one side gave up; refused if one has. `result` is what it adds to the
        tally."""
        await self._commit(
            self._touch(game_id, finished=True),
            *_counted(result),
            (
                "update games set resigned = ? where id = ? and resigned is null",
                (side, game_id),
            ),
        )

    async def link_rematch(self, game_id: str, rematch: str) -> None:
        """Store which game is the rematch of a finished one."""
        await self._commit(
            self._touch(game_id, finished=True),
            ("update games set rematch = ? where id = ?", (rematch, game_id)),
        )

    async def forget(self, *, idle_seconds: float, keep_seconds: float, most: int) -> list[str]:
        """Delete unfinished games that have been idle for too long, and finished ones that are
        too old or beyond the latest `most`; returns their ids."""
        moment = self.now()
        old = self._reading.execute(
            "select id, touched from games where (finished = 0 and touched < ?1) "
            "or (finished = 1 and touched < ?2) "
            "union select id, touched from (select id, touched from games where finished = 1 "
            "order by touched desc limit -1 offset ?3)",
            (moment - idle_seconds, moment - keep_seconds, most),
        )
        found = [tuple(row) for row in old]
        for start in range(0, len(found), DELETED_AT_ONCE):
            await self._commit(
                *(
                    # Not if it has changed since.
                    ("delete from games where id = ? and touched = ?", (game_id, touched))
                    for game_id, touched in found[start : start + DELETED_AT_ONCE]
                )
            )
        await self._commit(self._save_clock())
        return [game_id for game_id, _ in found]

    def _save_clock(self) -> Statement:
        return "update clock set seconds = ?", (self.now(),)

    def game(self, game_id: str) -> SavedGame:
        """The game with this id."""
        with self._snapshot() as db:
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
            row["client"],
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
        query = "select version from games where id = ?"
        row = self._reading.execute(query, (game_id,)).fetchone()
        if row is None:
            raise NoSuchGame
        return int(row[0])

    def open_games(self, client: str, besides: Collection[str]) -> int:
        """The number of unfinished games started from this address, besides those with these
        ids."""
        query = (
            "select count(*) from games where client = ? and finished = 0 "
            "and id not in (select value from json_each(?))"
        )
        return int(self._reading.execute(query, (client, json.dumps(list(besides)))).fetchone()[0])

    def tally(self) -> list[OpponentResults]:
        """The finished games of people against each player, also those that are deleted since;
        most games first."""
        query = "select * from tally order by won + drawn + lost desc, player"
        return [OpponentResults(*row) for row in self._reading.execute(query)]

    def unfinished(self, kind: str) -> list[str]:
        """The ids of all unfinished games of a kind."""
        query = "select id from games where finished = 0 and kind = ?"
        return [row["id"] for row in self._reading.execute(query, (kind,))]

    async def _commit(self, *statements: Statement) -> None:
        """Execute all of these or none; return when they are on disk. Refused if an update
        changes nothing: the game is not the one that the caller knows."""
        try:
            await self._writer.write(*statements)
        except sqlite3.IntegrityError:
            raise NotPossibleNow("The game has changed in the meantime; reload it.") from None

    def _touch(self, game_id: str, *, finished: bool = False) -> Statement:
        """Count one more change; a finished game also forgets the address that started it."""
        ended = ", finished = 1, client = ''" if finished else ""
        return (
            f"update games set version = version + 1, touched = ?{ended} where id = ?",
            (self.now(), game_id),
        )

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=30)
        db.row_factory = sqlite3.Row
        for pragma in ("journal_mode=wal", "synchronous=full", "foreign_keys=on"):
            db.execute(f"pragma {pragma}")
        return db

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """A consistent view of all tables."""
        self._reading.execute("begin")
        try:
            yield self._reading
        finally:
            self._reading.execute("commit")


def _counted(result: OpponentResults | None) -> tuple[Statement, ...]:
    """Add a game to the tally."""
    if result is None:
        return ()
    return (
        (
            "insert into tally values (?, ?, ?, ?) on conflict (player) do update set "
            "won = won + excluded.won, drawn = drawn + excluded.drawn, lost = lost + excluded.lost",
            (result.opponent, result.won, result.drawn, result.lost),
        ),
    )


def create_tables(db: sqlite3.Connection, path: Path, schema: str, table: str) -> None:
    """Create the tables of a schema, unless the file is damaged, or the database of something
    else: one without this table."""
    tables = {row[0] for row in db.execute("select name from sqlite_master where type = 'table'")}
    if tables and table not in tables:
        raise GamesFileError(
            f"{path} is a database of something else; choose another --data folder."
        )
    db.executescript(schema)
    found = db.execute("pragma quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(f"it is damaged ({' '.join(found.split())})")


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    create_tables(db, path, SCHEMA, "games")
    for query in ("select * from games", "select * from seats", "select * from moves"):
        db.execute(f"{query} limit 1").fetchone()
    if db.execute("select count(*) from clock").fetchone()[0] == 0:
        db.execute("insert into clock values (?)", (time.time(),))
