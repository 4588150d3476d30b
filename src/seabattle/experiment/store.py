"""The results store: every game of an experiment in one SQLite file.

Games belong to a series (a player, under rules, with a seed, against a placer, of one
version of this package); runs refer to series. So two runs that share games share
their rows, a longer run begins with the rows of a shorter one, and nothing that is in
the file is played again. Each batch of games is one transaction: a process that is
killed loses at most the batches it was playing. Before it plays a batch it claims the
games, so that several processes on one file share the work; a claim of a process that
has died is void.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..dealing.placement_numbers import placement_texts
from ..errors import StoreError
from ..game import Game
from ..layout import Layout
from ..record import GameRecord
from ..rules import Rules
from .data_folder import data_folder
from .results_log import Series, Tally
from .workers import Played

APPLICATION = 0x5EABA77E
"""marks a SQLite file as one of ours"""
SCHEMA_VERSION = 1
BUSY_SECONDS = 60.0
"""how long to wait for another process's transaction"""
CLAIM_SECONDS = 60.0
"""a claim that is not renewed for so long is void, where the system does not tell
whether its process lives"""

SCHEMA = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,          -- comparison, tournament, ...
    settings TEXT NOT NULL,      -- JSON: what was asked for
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    UNIQUE (kind, settings, version)
);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    player TEXT NOT NULL,
    rules TEXT NOT NULL,
    seed INTEGER NOT NULL,
    placer TEXT NOT NULL,
    version TEXT NOT NULL,
    peak_memory_mb REAL,
    UNIQUE (player, rules, seed, placer, version)
);
CREATE TABLE run_series (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    series INTEGER NOT NULL REFERENCES series,
    place INTEGER NOT NULL,      -- order within the run
    label TEXT NOT NULL,
    games INTEGER NOT NULL,      -- numbers 0 to games - 1 belong to the run
    PRIMARY KEY (run, series)
);
CREATE TABLE game (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    number INTEGER NOT NULL,
    shots INTEGER NOT NULL,
    seconds REAL NOT NULL,       -- the player's time: the mean of the batch it was played in
    ships TEXT NOT NULL,         -- the layout
    cells TEXT NOT NULL,         -- the cells fired at, in order
    PRIMARY KEY (series, number)
) WITHOUT ROWID;
CREATE TABLE claim (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (series, start)
);
"""


@dataclass(frozen=True)
class StoredRun:
    """One run as the store lists it."""

    id: int
    kind: str
    settings: dict[str, Any]
    version: str
    started: str
    finished: str | None
    games: int
    """that belong to it"""
    played: int
    """of which are kept"""


@dataclass(frozen=True)
class StoredGame:
    """One game of a run: a row."""

    label: str
    player: str
    rules: Rules
    seed: int
    placer: str
    number: int
    shots: int
    seconds: float
    ships: str
    cells: str

    def record(self) -> GameRecord:
        """The whole game, replayed."""
        game = Game(Layout.from_text(self.ships, self.rules))
        for cell in self.cells.split():
            game.fire(self.rules.cell(cell))
        return GameRecord.of(game, self.player)


def default_path() -> Path:
    """The file in the user's data folder."""
    return data_folder() / "results.sqlite"


class Store:
    """A results file, open. Use it in a `with` statement."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise StoreError(f"There is no results file {self.path}.")
        with self._plainly():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"Cannot make the folder of {self.path}: {(error.strerror or '').lower()}."
                ) from error
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None
            )
            self._prepare()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def book(self, kind: str, settings: dict[str, Any]) -> StoreLog:
        """The book of a run with these settings: a new one, or one that goes on."""
        return StoreLog(self, kind, settings)

    def runs(self) -> list[StoredRun]:
        """Every run, oldest first."""
        rows = self.query(
            """SELECT run.id, kind, settings, version, started, finished,
                      coalesce(sum(run_series.games), 0), coalesce(sum((
                          SELECT count(*) FROM game
                          WHERE game.series = run_series.series AND number < run_series.games
                      )), 0)
               FROM run LEFT JOIN run_series ON run_series.run = run.id
               GROUP BY run.id ORDER BY run.id"""
        )
        return [StoredRun(row[0], row[1], json.loads(row[2]), *row[3:]) for row in rows]

    def run(self, number: int) -> StoredRun:
        for run in self.runs():
            if run.id == number:
                return run
        raise StoreError(f"{self.path} has no run {number}; 'seabattle runs list' shows them.")

    def series_of(self, run: int) -> list[Series]:
        """The series of a run, in order."""
        self.run(run)
        rows = self.query(
            """SELECT player, rules, seed, games, placer, label
               FROM run_series JOIN series ON series.id = series
               WHERE run = ? ORDER BY place""",
            run,
        )
        return [
            Series(player, Rules.from_text(rules), seed, games, placer, player, label)
            for player, rules, seed, games, placer, label in rows
        ]

    def games_of(self, run: int) -> Iterator[StoredGame]:
        """The rows of a run: series after series, in order of their numbers."""
        self.run(run)
        rows = self.query(
            """SELECT label, player, rules, seed, placer, number, shots, seconds, ships, cells
               FROM run_series JOIN series ON series.id = run_series.series
               JOIN game ON game.series = series.id AND number < games
               WHERE run = ? ORDER BY place, number""",
            run,
        )
        for label, player, rules, *rest in rows:
            yield StoredGame(label, player, _rules(rules), *rest)

    def tallies(self, run: int) -> list[tuple[Series, Tally]]:
        """The series of a finished run with their results."""
        keys = self.query("SELECT series FROM run_series WHERE run = ? ORDER BY place", run)
        return [
            (series, self.tally(key, series))
            for series, (key,) in zip(self.series_of(run), keys.fetchall(), strict=True)
        ]

    def tally(self, key: int, series: Series) -> Tally:
        """The result of the series with this key; every game must be there."""
        rows = self.query(
            "SELECT shots, seconds FROM game WHERE series = ? AND number < ? ORDER BY number",
            *(key, series.games),
        )
        values = np.array(rows.fetchall(), dtype=np.float64).reshape(-1, 2)
        if len(values) != series.games:
            raise StoreError(
                f"{self.path} has {len(values):,} of {series.games:,} games of {series.name}; "
                "run the same command again to play the rest."
            )
        (peak,) = self.query("SELECT peak_memory_mb FROM series WHERE id = ?", key).fetchone()
        return Tally(values[:, 0].astype(np.int32), float(values[:, 1].sum()), peak)

    def delete(self, run: int) -> None:
        """Forget a run, and the games that no other run refers to."""
        self.run(run)
        with self.transaction():
            self.query("DELETE FROM run WHERE id = ?", run)
            self.query("DELETE FROM series WHERE id NOT IN (SELECT series FROM run_series)")
            self.query(
                """DELETE FROM game WHERE number >= (
                       SELECT max(games) FROM run_series WHERE run_series.series = game.series
                   )"""
            )

    def query(self, sql: str, *values: Any) -> sqlite3.Cursor:
        with self._plainly():
            return self._connection.execute(sql, values)

    def query_many(self, sql: str, rows: Iterator[tuple[Any, ...]]) -> None:
        with self._plainly():
            self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and no other process in between."""
        self.query("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # a full disk has ended it already
                self._connection.rollback()
            raise
        self.query("COMMIT")

    def _prepare(self) -> None:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != APPLICATION and tables:
            raise StoreError(f"{self.path} is a database of another program; name another file.")
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a later version of seabattle; use that one."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if not tables:
            self._create()

    def _create(self) -> None:
        with self.transaction():
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables:  # another process was quicker
                return
            for statement in SCHEMA.split(";"):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """What SQLite says, in a sentence that helps."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, error)) from error


class StoreLog:
    """The games of one run, in a store (see `experiment.book.Book`)."""

    keeps_cells = True

    def __init__(self, store: Store, kind: str, settings: dict[str, Any]) -> None:
        self._store = store
        self._kind = kind
        self._settings = json.dumps(settings, sort_keys=True)
        self._owner = f"{socket.gethostname()} {os.getpid()} {_birth(os.getpid())} {uuid.uuid4()}"
        self._keys: dict[Series, int] = {}
        self._have: dict[Series, npt.NDArray[np.bool_]] = {}
        self._tended = 0.0
        self.run: int | None = None

    def __enter__(self) -> StoreLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give back what was claimed and not played; note the end of a whole run."""
        try:
            with self._store.transaction():
                self._store.query("DELETE FROM claim WHERE owner = ?", self._owner)
                if kind is None and self.run is not None:
                    self._store.query(
                        "UPDATE run SET finished = ? WHERE id = ? AND finished IS NULL",
                        _now(),
                        self.run,
                    )
        except StoreError:
            if kind is None:
                raise

    def begin(self, series: Sequence[Series]) -> None:
        query = self._store.query
        with self._store.transaction():
            self.run = self._run()
            for each in series:
                if not isinstance(each.player, str):
                    raise StoreError(
                        f"{each.name} has no name that would find it again; register it to keep "
                        "its games."
                    )
                query(
                    "INSERT INTO series (player, rules, seed, placer, version) "
                    "VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    *_key(each),
                )
                (key,) = query(
                    "SELECT id FROM series WHERE player = ? AND rules = ? AND seed = ? "
                    "AND placer = ? AND version = ?",
                    *_key(each),
                ).fetchone()
                self._keys[each] = key
                query(
                    "INSERT INTO run_series SELECT ?, ?, coalesce(max(place), -1) + 1, ?, ? "
                    "FROM run_series WHERE run = ? "
                    "ON CONFLICT DO UPDATE SET games = max(games, excluded.games)",
                    *(self.run, key, each.label or each.name, each.games, self.run),
                )
        for each in series:
            self._have[each] = np.zeros(each.games, dtype=np.bool_)
            self._look(each, 0, each.games)

    def reserve(self, series: Series, most: int) -> range | None:
        have, key = self._have[series], self._keys[series]
        with self._store.transaction():
            taken = have.copy()
            for start, stop, owner, until in self._store.query(
                "SELECT start, stop, owner, until FROM claim WHERE series = ?", key
            ).fetchall():
                if owner == self._owner or _alive(owner, until):
                    taken[start:stop] = True
                else:
                    self._store.query(
                        "DELETE FROM claim WHERE series = ? AND start = ?", key, start
                    )
            while (batch := _first_gap(taken, most)) is not None:
                if self._look(series, batch.start, batch.stop):
                    taken |= have
                    continue
                self._store.query(
                    "INSERT INTO claim VALUES (?, ?, ?, ?, ?)",
                    *(key, batch.start, batch.stop, self._owner, time.time() + CLAIM_SECONDS),
                )
                return batch
        # What is missing is played by others, who may have finished since the last look.
        self._look(series, 0, series.games)
        return None

    def keep(self, series: Series, played: Played) -> None:
        key = self._keys[series]
        with self._store.transaction():
            self._store.query_many(
                "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                ((key, *row) for row in _rows(series.rules, played)),
            )
            self._store.query(
                "UPDATE series SET peak_memory_mb = max(coalesce(peak_memory_mb, 0), ?) "
                "WHERE id = ? AND ? IS NOT NULL",
                *(played.peak_memory_mb, key, played.peak_memory_mb),
            )
            self._store.query(
                "DELETE FROM claim WHERE series = ? AND start = ? AND owner = ?",
                *(key, played.games.start, self._owner),
            )
        self._have[series][played.games.start : played.games.stop] = True

    def played(self, series: Series) -> int:
        return int(self._have[series].sum())

    def tend(self) -> None:
        """Renew the claims."""
        if time.time() < self._tended + CLAIM_SECONDS / 4:
            return
        self._tended = time.time()
        self._store.query(
            "UPDATE claim SET until = ? WHERE owner = ?",
            *(time.time() + CLAIM_SECONDS, self._owner),
        )

    def tally(self, series: Series) -> Tally:
        return self._store.tally(self._keys[series], series)

    def _run(self) -> int:
        key = (self._kind, self._settings, __version__)
        self._store.query(
            "INSERT INTO run (kind, settings, version, started) VALUES (?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            *(*key, _now()),
        )
        (run,) = self._store.query(
            "SELECT id FROM run WHERE kind = ? AND settings = ? AND version = ?", *key
        ).fetchone()
        return int(run)

    def _look(self, series: Series, start: int, stop: int) -> bool:
        """Mark the games in this range that are in the file; whether there were any."""
        rows = self._store.query(
            "SELECT number FROM game WHERE series = ? AND number >= ? AND number < ?",
            *(self._keys[series], start, stop),
        ).fetchall()
        self._have[series][[number for (number,) in rows]] = True
        return bool(rows)


def _key(series: Series) -> tuple[str, str, int, str, str]:
    return series.name, series.rules.to_text(), series.seed, series.placer, __version__


def _first_gap(taken: npt.NDArray[np.bool_], most: int) -> range | None:
    """The first games in a row, at most `most`, that are not taken."""
    free = np.flatnonzero(~taken)
    if not free.size:
        return None
    start = int(free[0])
    after = np.flatnonzero(taken[start : start + most])
    return range(start, start + int(after[0]) if after.size else min(start + most, taken.size))


def _rows(rules: Rules, played: Played) -> Iterator[tuple[int, int, float, str, str]]:
    """number, shots, seconds, ships and cells of each game."""
    assert played.placements is not None
    names, texts = _cell_names(rules), placement_texts(rules)
    seconds = played.seconds / len(played.games)
    at = 0
    for row, number in enumerate(played.games):
        shots = int(played.shots[row])
        cells = " ".join([names[cell] for cell in played.cells[at : at + shots]])
        at += shots
        placements = played.placements[row].tolist()
        ships = ", ".join(
            [f"{name} {texts[p]}" for name, p in zip(rules.ship_names, placements, strict=True)]
        )
        yield number, shots, seconds, ships, cells


@lru_cache(maxsize=16)
def _cell_names(rules: Rules) -> list[str]:
    return [rules.cell_name(cell) for cell in range(rules.cells)]


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    return Rules.from_text(text)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _birth(pid: int) -> str:
    """When a process started, where the system tells; a number may be used again."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "?"


def _alive(owner: str, until: float) -> bool:
    """Whether the process that made a claim may still fulfil it."""
    host, pid, birth, _ = owner.split()
    if host == socket.gethostname() and birth != "?":
        return _birth(int(pid)) == birth
    return time.time() < until


def _sentence(path: Path, error: sqlite3.Error) -> str:
    told = str(error)
    code = getattr(error, "sqlite_errorcode", None)
    kept = "What is finished is kept; the same command goes on from there."
    match (code or 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return f"The disk is full: {path} cannot grow. {kept}"
        case sqlite3.SQLITE_IOERR:
            return f"{path} cannot be written to ({told}); is the disk full? {kept}"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path} is in use by another program that does not let go of it. {kept}"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return f"{path} is not a results file, or it is damaged; name another file."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"Cannot open {path} for writing; name a file in a folder that you may write to."
    return f"{path} cannot be used as a results file: {told}."
