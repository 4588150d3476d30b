"""The results store: every game of an experiment in one SQLite file.

Games belong to a series: one player under one set of rules, with one seed and placer, in
one version of this package. Runs refer to series. So two runs with the same games share
their rows, a longer run reuses the rows of a shorter one, and no game in the file is
played again. Each batch of games is one transaction: a process that is killed loses only
the batches it was playing. Before a process plays a batch it claims the games, so that
several processes can share the work; the claims of a dead process expire, and so do those
of a suspended one. A run that a process is playing cannot be deleted, and the number of a
deleted run or series is never given to another one.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..dealing.placement_numbers import placement_texts, placements_of
from ..errors import StoreError, reason
from ..game import Game
from ..layout import Layout
from ..players import Faults
from ..record import GameRecord, played_game
from ..rules import Rules
from .claim_owner import ClaimOwner, is_suspended
from .data_folder import create_private, data_folder
from .number_ranges import NumberRanges
from .results_log import PATIENCE_SECONDS, Series, SeriesResult, label
from .stopping_rule import StoppingRule
from .workers import Played

T = TypeVar("T")

APPLICATION = 0x5EABA77E
"""marks a SQLite file as one of ours"""
SCHEMA_VERSION = 4
SQLITE = b"SQLite format 3\0"
DAMAGED = "{path} is not a results file, or is damaged; choose another file."
BUSY_SECONDS = 60.0
"""how long to wait for another process's transaction"""
TEXT_OR_NONE = str | None
WAL_WRITE_LOCK = 120
"""the byte of the `-shm` file that a writer locks (https://sqlite.org/walformat.html)"""
MOST_LOADED = 1_000_000
"""games of a series whose shots are read into memory"""
BLOCK = 100_000
"""games whose shots are read from the file at a time"""
CLAIM_SECONDS = 60.0
"""a claim expires if it is not renewed for this long, unless the system says that its
process is alive and not suspended"""

RUN_TABLE = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,          -- comparison, tournament, ...
    settings TEXT NOT NULL,      -- JSON
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    stopping_rule TEXT,          -- JSON, if one decided the number of games
    UNIQUE (kind, settings, version)
)"""
SERIES_TABLE = """
CREATE TABLE series (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    player TEXT NOT NULL,
    rules TEXT NOT NULL,
    seed INTEGER NOT NULL,
    placer TEXT NOT NULL,
    version TEXT NOT NULL,
    peak_memory_mb REAL,
    UNIQUE (player, rules, seed, placer, version)
)"""
FAULT_TABLE = """
CREATE TABLE IF NOT EXISTS fault (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (series, kind)
)"""
LOST_GAME_TABLE = """
CREATE TABLE lost_game (         -- games that a fault has lost, whatever the opponent did
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    number INTEGER NOT NULL,
    PRIMARY KEY (series, number)
) WITHOUT ROWID"""
PROCESS_TABLE = """
CREATE TABLE process (           -- the processes that are playing a run
    run INTEGER NOT NULL REFERENCES run,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (run, owner)
)"""
SCHEMA = (
    RUN_TABLE,
    SERIES_TABLE,
    """
CREATE TABLE run_series (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    series INTEGER NOT NULL REFERENCES series,
    place INTEGER NOT NULL,      -- order within the run
    entrant TEXT NOT NULL,       -- in a tournament: who shoots
    opponent TEXT NOT NULL,      -- in a tournament: whose fleet is shot at
    games INTEGER NOT NULL,      -- games 0 to games - 1 belong to the run
    PRIMARY KEY (run, series)
)""",
    """
CREATE TABLE game (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    number INTEGER NOT NULL,
    shots INTEGER NOT NULL,
    seconds REAL NOT NULL,       -- the player's time: the mean of its batch
    ships TEXT NOT NULL,         -- the layout
    cells TEXT NOT NULL,         -- the cells fired at, in order
    PRIMARY KEY (series, number)
) WITHOUT ROWID""",
    """
CREATE TABLE claim (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    owner TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (series, start)
)""",
    FAULT_TABLE,
    LOST_GAME_TABLE,
    PROCESS_TABLE,
)
FROM_VERSION_3 = (LOST_GAME_TABLE,)
FROM_VERSION_2 = (
    RUN_TABLE.replace("TABLE run", "TABLE newer_run"),
    "INSERT INTO newer_run SELECT * FROM run",
    "DROP TABLE run",
    "ALTER TABLE newer_run RENAME TO run",
    SERIES_TABLE.replace("TABLE series", "TABLE newer_series"),
    "INSERT INTO newer_series SELECT * FROM series",
    "DROP TABLE series",
    "ALTER TABLE newer_series RENAME TO series",
    FAULT_TABLE,
    PROCESS_TABLE,
    *FROM_VERSION_3,
)
"""version 2 could give the number of a deleted run or series to another one"""


@dataclass(frozen=True)
class StoredRun:
    """A run, without its games."""

    id: int
    kind: str
    settings: dict[str, Any]
    version: str
    started: str
    finished: str | None
    stopping_rule: StoppingRule | None
    games: int
    played: int
    """the number of its games that are in the file"""

    def to_json(self) -> dict[str, Any]:
        rule = self.stopping_rule
        return {**vars(self), "stopping_rule": rule and rule.to_json()}


@dataclass(frozen=True)
class StoredGame:
    """One game of a run."""

    entrant: str
    opponent: str
    player: str
    rules: Rules
    seed: int
    placer: str
    number: int
    shots: int
    seconds: float
    ships: str
    cells: str
    lost: bool = False
    """a fault has lost it, whatever the opponent did"""

    @property
    def label(self) -> str:
        """The player, or in a tournament the entrant and its opponent."""
        return label(self.player, self.entrant, self.opponent)

    def record(self) -> GameRecord:
        """The record of the game, with every answer recomputed."""
        return GameRecord.of(self._game(), self.player)

    @property
    def turns(self) -> int:
        """How many turns the game took: shots, or salvos."""
        return self._game().turns_taken

    def _game(self) -> Game:
        cells = list(map(self.rules.cell, self.cells.split()))
        return played_game(Layout.from_text(self.ships, self.rules), cells)


def default_path() -> Path:
    """The file in the user's data folder."""
    return data_folder() / "results.sqlite"


class Store:
    """An open results file. Use it in a `with` statement."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise StoreError(f"There is no results file {self.path}.")
        if self.path.exists() and not self.path.is_file():
            raise StoreError(f"{self.path} is not a file; choose another one.")
        if not _may_be_sqlite(self.path):
            raise self._damaged()
        with self._explained_errors():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"Cannot create the folder of {self.path}: {reason(error)}."
                ) from error
            create_private(self.path)
            self._connection = sqlite3.connect(
                self.path, timeout=PATIENCE_SECONDS, isolation_level=None
            )
            self._patiently(self._prepare)

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

    @contextmanager
    def log(self, kind: str, settings: dict[str, Any]) -> Iterator[StoreLog]:
        """The log of the run with these settings, which is new or is resumed."""
        log = StoreLog(self, kind, settings)
        try:
            yield log
        except BaseException:
            with suppress(StoreError):
                log.release()
            raise
        log.finish()

    def runs(self) -> list[StoredRun]:
        """Every run, oldest first."""
        rows = self.query(
            """SELECT run.id, kind, settings, version, started, finished, stopping_rule,
                      coalesce(sum(run_series.games), 0), coalesce(sum((
                          SELECT count(*) FROM game
                          WHERE game.series = run_series.series AND number < run_series.games
                      )), 0)
               FROM run LEFT JOIN run_series ON run_series.run = run.id
               GROUP BY run.id ORDER BY run.id"""
        )
        found = []
        for row in rows:
            row = self.checked(row, int, str, str, str, str, TEXT_OR_NONE, TEXT_OR_NONE, int, int)
            id_, kind, settings, version, started, finished, rule, *counts = row
            values = self._settings(settings), version, started, finished, self._rule(rule)
            found.append(StoredRun(id_, kind, *values, *counts))
        return found

    def run(self, number: int) -> StoredRun:
        for run in self.runs():
            if run.id == number:
                return run
        raise StoreError(f"{self.path} has no run {number}; see 'seabattle runs list'.")

    def series_of(self, run: int) -> list[Series]:
        """The series of a run, in order."""
        self.run(run)
        rows = self.query(
            """SELECT player, rules, seed, games, placer, player, entrant, opponent
               FROM run_series JOIN series ON series.id = series
               WHERE run = ? ORDER BY place""",
            run,
        )
        kinds = (str, str, int, int, str, str, str, str)
        checked = (self.checked(row, *kinds) for row in rows)
        return [Series(player, _rules(rules), *more) for player, rules, *more in checked]

    def games_of(self, run: int) -> Iterator[StoredGame]:
        """The games of a run: series by series, in order of their numbers."""
        self.run(run)
        rows = self.query(
            """SELECT entrant, opponent, player, rules,
                      seed, placer, game.number, shots, seconds, ships, cells,
                      lost_game.number IS NOT NULL
               FROM run_series JOIN series ON series.id = run_series.series
               JOIN game ON game.series = series.id AND game.number < games
               LEFT JOIN lost_game ON lost_game.series = series.id
                   AND lost_game.number = game.number
               WHERE run = ? ORDER BY place, game.number""",
            run,
        )
        kinds = (str, str, str, str, int, str, int, int, float, str, str, int)
        for row in rows:
            entrant, opponent, player, rules, *rest, lost = self.checked(row, *kinds)
            game = (entrant, opponent, player, _rules(rules), *rest, bool(lost))
            yield StoredGame(*game)

    def results(self, run: int) -> list[tuple[Series, SeriesResult]]:
        """The series of a finished run with their results."""
        keys = self.query("SELECT series FROM run_series WHERE run = ? ORDER BY place", run)
        return [
            (series, self.result(key, series))
            for series, (key,) in zip(self.series_of(run), keys.fetchall(), strict=True)
        ]

    def result(self, key: int, series: Series) -> SeriesResult:
        """The result of the series with this key; all its games must be in the file."""
        (count,) = self.query(
            "SELECT count(*) FROM game WHERE series = ? AND number >= 0 AND number < ?",
            *(key, series.games),
        ).fetchone()
        if count != series.games:
            raise StoreError(
                f"{self.path} has {count:,} of {series.games:,} games of {series.name}; "
                "run the same command again to play the rest."
            )
        shots: npt.NDArray[np.int32] | StoredShots
        if count > MOST_LOADED:
            shots = StoredShots(self.path, key, count, series.rules.cells)
        else:
            blocks = list(self.shot_blocks(key, count, series.rules.cells))
            shots = np.concatenate(blocks).astype(np.int32)
        turns = self._turns(key, series, shots)
        return SeriesResult(shots, *self._seconds_and_peak(key, count), self._faults(key), turns)

    def so_far(self, key: int, series: Series) -> SeriesResult:
        """The same of the games that are in the file; a game that is missing has 0 shots."""
        rows = self.query(
            "SELECT number, shots FROM game WHERE series = ? AND number < ?", key, series.games
        )
        shots = np.zeros(series.games, dtype=np.int32)
        while block := rows.fetchmany(BLOCK):
            numbers, values = self._whole_numbers(block, series.rules.cells).T
            shots[numbers] = values
        seconds = self._seconds_and_peak(key, series.games)
        turns = self._turns(key, series, shots)
        return SeriesResult(shots, *seconds, self._faults(key), turns)

    def _turns(
        self, key: int, series: Series, shots: npt.NDArray[np.int32] | StoredShots
    ) -> npt.NDArray[np.int32] | None:
        """(games,) the turns of each game, if a turn has several shots."""
        salvo = series.rules.salvo
        if salvo == 1 or isinstance(shots, StoredShots):
            return None
        if salvo != "ships":
            return -(-shots // salvo)
        turns = np.zeros_like(shots)
        rows = self.query(
            "SELECT number, shots, seconds, ships, cells FROM game WHERE series = ? AND number < ?",
            key,
            series.games,
        )
        for row in rows:
            number, *rest = self.checked(row, int, int, float, str, str)
            game = StoredGame(
                "", "", series.name, series.rules, series.seed, series.placer, number, *rest
            )
            turns[number] = game.turns
        return turns

    def _seconds_and_peak(self, key: int, games: int) -> tuple[float, float | None]:
        found = self.query(
            "SELECT (SELECT total(seconds) FROM game WHERE series = id AND number < ?), "
            "peak_memory_mb FROM series WHERE id = ?",
            *(games, key),
        ).fetchone()
        seconds, peak = self.checked(found or (), float, float | None)
        return seconds, peak

    def shot_blocks(
        self, key: int, games: int, cells: int, start: int = 0
    ) -> Iterator[npt.NDArray[np.int64]]:
        """The shots of games `start` to `games` - 1 of a series, in blocks."""
        rows = self.query(
            "SELECT shots FROM game WHERE series = ? AND number >= ? AND number < ? "
            "ORDER BY number",
            *(key, start, games),
        )
        while block := rows.fetchmany(BLOCK):
            yield self._whole_numbers(block, cells)[:, -1]

    def _whole_numbers(self, rows: list[Any], most: int) -> npt.NDArray[np.int64]:
        """Rows as an array. SQLite would let anything stand in these columns."""
        try:
            found = np.array(rows, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            raise self._damaged() from None
        if found[:, -1].min() < 0 or found[:, -1].max() > most:
            raise self._damaged()
        return found

    def checked(self, row: tuple[Any, ...], *kinds: Any) -> tuple[Any, ...]:
        """The row, if its values are of these types; SQLite would let anything stand there."""
        if len(row) != len(kinds):
            raise self._damaged()
        for value, kind in zip(row, kinds, strict=True):
            if not isinstance(value, (kind | int) if kind is float else kind):
                raise self._damaged()
        return row

    def _settings(self, text: str) -> dict[str, Any]:
        settings = self._json(text)
        if not isinstance(settings, dict):
            raise self._damaged()
        return settings

    def _json(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self._damaged() from None

    def _rule(self, text: str | None) -> StoppingRule | None:
        try:
            return None if text is None else StoppingRule.from_json(self._json(text))
        except (TypeError, KeyError, ValueError):
            raise self._damaged() from None

    def _damaged(self) -> StoreError:
        return StoreError(DAMAGED.format(path=self.path))

    def _faults(self, key: int) -> Faults:
        query = "SELECT kind, count, example FROM fault WHERE series = ?"
        rows = [self.checked(row, str, int, str) for row in self.query(query, key)]
        lost = self.query("SELECT number FROM lost_game WHERE series = ? AND number >= 0", key)
        return Faults(
            {kind: count for kind, count, _ in sorted(rows)},
            next((example for *_, example in rows if example), ""),
            frozenset(self.checked(row, int)[0] for row in lost),
        )

    def delete(self, run: int) -> None:
        """Delete a run and the games that no other run uses; not while it is being played."""
        self.run(run)
        with self.transaction():
            for owner, until in self.query("SELECT owner, until FROM process WHERE run = ?", run):
                process = ClaimOwner.from_text(owner)
                if process.alive(until):
                    raise StoreError(f"Run {run} is being played by {process.name}; stop it first.")
            self.query("DELETE FROM process WHERE run = ?", run)
            self.query("DELETE FROM run WHERE id = ?", run)
            self.query("DELETE FROM series WHERE id NOT IN (SELECT series FROM run_series)")
            self.query(
                """DELETE FROM game WHERE number >= (
                       SELECT max(games) FROM run_series WHERE run_series.series = game.series
                   )"""
            )

    def query(self, sql: str, *values: Any) -> Rows:
        with self._explained_errors():
            cursor = self._patiently(lambda: self._connection.execute(sql, values))
            return Rows(cursor, self._explained_errors)

    def _patiently(self, call: Callable[[], T]) -> T:
        """Wait for another process's transaction, and say so if it takes long."""
        began, told = time.monotonic(), False
        while True:
            try:
                return call()
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY)
                if not busy or time.monotonic() > began + BUSY_SECONDS:
                    raise
                if not told:
                    told = True
                    holder = _who_writes(self.path)
                    print(
                        f"seabattle: Waiting for {holder} to finish writing to {self.path}.",
                        file=sys.stderr,
                        flush=True,
                    )

    def query_many(self, sql: str, rows: Iterator[tuple[Any, ...]]) -> None:
        with self._explained_errors():
            self._connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything or nothing; other processes wait."""
        self.query("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # a full disk has ended it already
                self._connection.rollback()
            raise
        self.query("COMMIT")

    def _prepare(self) -> None:
        self._connection.execute("BEGIN")  # another process may be creating the tables just now
        try:
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        finally:
            self._connection.rollback()
        if application != APPLICATION and tables:
            raise StoreError(f"{self.path} belongs to another program; choose another file.")
        if version > SCHEMA_VERSION:
            raise StoreError(f"{self.path} needs a newer version of seabattle.")
        if tables and version < 2:
            raise StoreError(
                f"{self.path} was written by an earlier version of seabattle and cannot be read; "
                "delete it or choose another file."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if version < SCHEMA_VERSION:
            self._create_or_update()
        self._connection.execute("PRAGMA foreign_keys = ON")

    def _create_or_update(self) -> None:
        with self.transaction():
            # Another process may have been faster.
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version == SCHEMA_VERSION:
                return
            for statement in {0: SCHEMA, 2: FROM_VERSION_2, 3: FROM_VERSION_3}[version]:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def _explained_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into sentences that help."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(_sentence(self.path, error)) from error


class Rows:
    """The rows of a query. A damaged page shows only when its rows are read."""

    def __init__(
        self, cursor: sqlite3.Cursor, explained: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._cursor, self._explained = cursor, explained
        self.rowcount = cursor.rowcount

    def fetchone(self) -> Any:
        with self._explained():
            return self._cursor.fetchone()

    def fetchmany(self, most: int) -> list[Any]:
        with self._explained():
            return self._cursor.fetchmany(most)

    def fetchall(self) -> list[Any]:
        with self._explained():
            return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        while block := self.fetchmany(1000):
            yield from block


class StoredShots(Sequence[int]):
    """The shots of so many games that they stay in the file; only their counts are in memory."""

    def __init__(self, path: Path, key: int, games: int, cells: int) -> None:
        self._path, self._key, self._games, self._cells = path, key, games, cells
        self.counts: npt.NDArray[np.int64] = np.zeros(cells + 1, dtype=np.int64)
        """how many games took 0, 1, ... shots"""
        for block in self.blocks():
            self.counts += np.bincount(block, minlength=cells + 1)

    def blocks(self, start: int = 0) -> Iterator[npt.NDArray[np.int64]]:
        """The shots from a game on, in blocks."""
        with Store(self._path, create=False) as store:
            yield from store.shot_blocks(self._key, self._games, self._cells, start)

    def __len__(self) -> int:
        return self._games

    def __iter__(self) -> Iterator[int]:
        for block in self.blocks():
            yield from block.tolist()

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[int, ...]: ...

    def __getitem__(self, place: int | slice) -> int | tuple[int, ...]:
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(self._games)))
        number = range(self._games)[place]
        return int(next(self.blocks(number))[0])

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.concatenate(list(self.blocks())).astype(dtype or np.int64)


class StoreLog:
    """The `ResultsLog` of one run in a store."""

    keeps_cells = True

    def __init__(self, store: Store, kind: str, settings: dict[str, Any]) -> None:
        self._store = store
        self._kind = kind
        self._settings = json.dumps(settings, sort_keys=True)
        self._owner = ClaimOwner.text_of_this_process()
        self._keys: dict[Series, int] = {}
        self._have: dict[Series, NumberRanges] = {}
        self._tended = 0.0
        self.run: int | None = None

    def release(self) -> None:
        """Give up the claims on games that were not played."""
        self._store.query("DELETE FROM claim WHERE owner = ?", self._owner)
        self._store.query("DELETE FROM process WHERE owner = ?", self._owner)

    def finish(self) -> None:
        """Note that the run is complete."""
        with self._store.transaction():
            self.release()
            self._store.query(
                "UPDATE run SET finished = ? WHERE id = ? AND finished IS NULL", _now(), self.run
            )

    def begin(self, series: Sequence[Series]) -> None:
        query = self._store.query
        with self._store.transaction():
            self.run = self._run()
            query(
                "INSERT INTO process VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                *(self.run, self._owner, time.time() + CLAIM_SECONDS),
            )
            for each in series:
                if not isinstance(each.player, str):
                    raise StoreError(
                        f"{each.name} is not a registered player; register it to store its games."
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
                    "INSERT INTO run_series SELECT ?, ?, coalesce(max(place), -1) + 1, ?, ?, ? "
                    "FROM run_series WHERE run = ? "
                    "ON CONFLICT DO UPDATE SET games = max(games, excluded.games)",
                    *(self.run, key, each.entrant, each.opponent, each.games, self.run),
                )
        for each in series:
            self._have[each] = NumberRanges()
            self._look(each, 0, each.games)

    def reserve(self, series: Series, most: int) -> range | None:
        have, key = self._have[series], self._keys[series]
        with self._store.transaction():
            self._check(series)
            taken = have.copy()
            for start, stop, owner, until in self._store.query(
                "SELECT start, stop, owner, until FROM claim WHERE series = ?", key
            ).fetchall():
                if owner == self._owner or ClaimOwner.from_text(owner).alive(until):
                    taken.add(start, stop)
                else:
                    self._store.query(
                        "DELETE FROM claim WHERE series = ? AND start = ?", key, start
                    )
            while (batch := taken.first_gap(most, series.games)) is not None:
                if found := self._look(series, batch.start, batch.stop):
                    for start, stop in found:
                        taken.add(start, stop)
                    continue
                self._store.query(
                    "INSERT INTO claim VALUES (?, ?, ?, ?, ?)",
                    *(key, batch.start, batch.stop, self._owner, time.time() + CLAIM_SECONDS),
                )
                return batch
        # Other processes play the missing games and may have finished some by now.
        self._look(series, 0, series.games)
        return None

    def waiting_for(self, series: Series) -> str | None:
        """Which other process plays the games that are missing, in words."""
        found = self._store.query(
            "SELECT owner FROM claim WHERE series = ? AND owner != ? ORDER BY start",
            *(self._keys[series], self._owner),
        ).fetchone()
        if found is None:
            return None
        process = ClaimOwner.from_text(found[0])
        if not process.suspended:
            return process.name
        return f"{process.name}, which is suspended"

    def keep(self, series: Series, played: Played) -> None:
        key = self._keys[series]
        with self._store.transaction():
            self._check(series)
            claimed = self._store.query(
                "DELETE FROM claim WHERE series = ? AND start = ? AND owner = ?",
                *(key, played.games.start, self._owner),
            ).rowcount
            # A game is kept once, with the mark of whoever was first.
            self._store.query_many(
                "INSERT INTO lost_game SELECT ?1, ?2 WHERE NOT EXISTS "
                "(SELECT * FROM game WHERE series = ?1 AND number = ?2)",
                ((key, number) for number in played.faults.lost),
            )
            self._store.query_many(
                "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                ((key, *row) for row in _rows(series.rules, played)),
            )
            self._store.query(
                "UPDATE series SET peak_memory_mb = max(coalesce(peak_memory_mb, 0), ?) "
                "WHERE id = ? AND ? IS NOT NULL",
                *(played.peak_memory_mb, key, played.peak_memory_mb),
            )
            # Whoever took over an expired claim counts the faults of its games.
            for kind, count in played.faults.counts.items() if claimed else ():
                self._store.query(
                    "INSERT INTO fault VALUES (?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    *(key, kind, count, played.faults.example),
                )
        self._have[series].add(played.games.start, played.games.stop)

    def played(self, series: Series) -> int:
        return len(self._have[series])

    def kept(self, series: Series, most: int) -> int:
        rows = self._store.query(
            "SELECT number FROM game WHERE series = ? AND number < ? ORDER BY number",
            *(self._keys[series], most),
        )
        count = 0
        for (number,) in rows:
            if number != count:
                break
            count += 1
        return count

    def tend(self) -> None:
        """Renew the claims."""
        if time.time() < self._tended + CLAIM_SECONDS / 4:
            return
        self._tended = time.time()
        for table in ("claim", "process"):
            self._store.query(
                f"UPDATE {table} SET until = ? WHERE owner = ?",
                *(time.time() + CLAIM_SECONDS, self._owner),
            )

    def result(self, series: Series) -> SeriesResult:
        return self._store.result(self._keys[series], series)

    def so_far(self, series: Series) -> SeriesResult:
        return self._store.so_far(self._keys[series], series)

    def keep_stopping_rule(self, rule: StoppingRule) -> None:
        self._store.query(
            "UPDATE run SET stopping_rule = ? WHERE id = ?", json.dumps(rule.to_json()), self.run
        )

    def _check(self, series: Series) -> None:
        """Make sure that the file still has this series under its number."""
        found = self._store.query(
            "SELECT player, rules, seed, placer, version FROM series WHERE id = ?",
            self._keys[series],
        ).fetchone()
        if found != _key(series):
            raise StoreError(
                f"The games of {series.label} were deleted from {self._store.path} while they were "
                "being played; run the same command again to play them."
            )

    def kept_games(
        self, series: Series, games: int
    ) -> tuple[npt.NDArray[np.int32], tuple[bytes, ...]]:
        """The layouts (games, ships) and the cells fired at in the first games of a series."""
        rules = series.rules
        rows = self._store.query(
            "SELECT ships, cells FROM game WHERE series = ? AND number < ? ORDER BY number",
            *(self._keys[series], games),
        ).fetchall()
        if len(rows) != games:
            raise StoreError(f"{self._store.path} does not have every game of {series.label}.")
        rows = [self._store.checked(row, str, str) for row in rows]
        layouts = [placements_of(Layout.from_text(ships, rules)) for ships, _ in rows]
        placements = np.array(layouts, dtype=np.int32).reshape(games, len(rules.fleet))
        return placements, tuple(bytes(map(rules.cell, cells.split())) for _, cells in rows)

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

    def _look(self, series: Series, start: int, stop: int) -> list[tuple[int, int]]:
        """Note the games of this range that are in the file; the ranges that they form."""
        rows = self._store.query(
            "SELECT number FROM game WHERE series = ? AND number >= ? AND number < ? "
            "ORDER BY number",
            *(self._keys[series], start, stop),
        )
        found: list[tuple[int, int]] = []
        for row in rows:
            (number,) = self._store.checked(row, int)
            if found and found[-1][1] == number:
                found[-1] = (found[-1][0], number + 1)
            else:
                found.append((number, number + 1))
        for each in found:
            self._have[series].add(*each)
        return found


def _key(series: Series) -> tuple[str, str, int, str, str]:
    return series.name, series.rules.to_text(), series.seed, series.placer, __version__


def _rows(rules: Rules, played: Played) -> Iterator[tuple[int, int, float, str, str]]:
    """The number, shots, seconds, ships and cells of each game."""
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


def _may_be_sqlite(path: Path) -> bool:
    """False for another kind of file; SQLite takes a very short one for an empty database."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) in (b"", SQLITE)
    except OSError:
        return True  # whoever opens it next says what is wrong


def _who_writes(path: Path) -> str:
    """The process that is writing to a results file, in words."""
    try:
        number = Path(f"{path}-shm").stat().st_ino
        # Not by opening the file: closing it again would give up this process's own locks.
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        locks, number = [], 0
    for lock in locks:
        if lock[1] == "->":  # a process that waits for the lock
            continue
        kind, pid, file, first, last = lock[3:8]
        end = sys.maxsize if last == "EOF" else int(last)
        if kind == "WRITE" and file.endswith(f":{number}") and int(first) <= WAL_WRITE_LOCK <= end:
            if not is_suspended(int(pid)):
                return f"process {pid}"
            return f"process {pid}, which is suspended ('kill -CONT {pid}' resumes it),"
    return "another process"


def _sentence(path: Path, error: sqlite3.Error) -> str:
    told = str(error)
    code = getattr(error, "sqlite_errorcode", None)
    kept = "Finished games are kept; the same command resumes from there."
    match (code or 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return f"The disk is full: {path} cannot grow. {kept}"
        case sqlite3.SQLITE_IOERR:
            return f"{path} cannot be written to ({told}); is the disk full? {kept}"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path} is locked by {_who_writes(path)}. {kept}"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return DAMAGED.format(path=path)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"Cannot open {path} for writing; choose a file in a folder you can write to."
    return f"{path} cannot be used as a results file: {told}."
