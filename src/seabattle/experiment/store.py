"""The results store: every game of an experiment in one SQLite file.

Games belong to a series: one player under one set of rules, with one seed and placer, in
one version of this package. Runs refer to series. So two runs with the same games share
their rows, a longer run reuses the rows of a shorter one, and no game in the file is
played again. Each batch of games is one transaction: a process that is killed loses only
the batches it was playing. Before a process plays a batch it claims the games, so that
several processes can share the work; the claims of a dead process expire.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..dealing.placement_numbers import placement_texts
from ..errors import StoreError
from ..game import Game
from ..layout import Layout
from ..players import Faults
from ..record import GameRecord
from ..rules import Rules
from .data_folder import data_folder
from .number_ranges import NumberRanges
from .results_log import Series, SeriesResult, label
from .stopping_rule import StoppingRule
from .workers import Played

FAULTS_TABLE = """
CREATE TABLE IF NOT EXISTS fault (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    example TEXT NOT NULL,
    PRIMARY KEY (series, kind)
)
"""
"""added to files that do not have it, in which no player has failed to choose"""

APPLICATION = 0x5EABA77E
"""marks a SQLite file as one of ours"""
SCHEMA_VERSION = 2
BUSY_SECONDS = 60.0
"""how long to wait for another process's transaction"""
MOST_IN_MEMORY = 1_000_000
"""games of a series whose shots are read into memory"""
BLOCK = 100_000
"""games whose shots are read from the file at a time"""
CLAIM_SECONDS = 60.0
"""a claim expires if it is not renewed for this long; used if the system cannot tell
whether its process is alive"""

SCHEMA = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,          -- comparison, tournament, ...
    settings TEXT NOT NULL,      -- JSON
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    stopping_rule TEXT,          -- JSON, if one decided the number of games
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
    entrant TEXT NOT NULL,       -- in a tournament: who shoots
    opponent TEXT NOT NULL,      -- in a tournament: whose fleet is shot at
    games INTEGER NOT NULL,      -- games 0 to games - 1 belong to the run
    PRIMARY KEY (run, series)
);
CREATE TABLE game (
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    number INTEGER NOT NULL,
    shots INTEGER NOT NULL,
    seconds REAL NOT NULL,       -- the player's time: the mean of its batch
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

    @property
    def label(self) -> str:
        """The player, or in a tournament the entrant and its opponent."""
        return label(self.player, self.entrant, self.opponent)

    def record(self) -> GameRecord:
        """The record of the game, with every answer recomputed."""
        game = Game(Layout.from_text(self.ships, self.rules))
        for cell in self.cells.split():
            game.fire(self.rules.cell(cell))
        return GameRecord.of(game, self.player)


def default_path() -> Path:
    """The file in the user's data folder."""
    return data_folder() / "results.sqlite"


class Store:
    """An open results file. Use it in a `with` statement."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise StoreError(f"There is no results file {self.path}.")
        with self._explained_errors():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreError(
                    f"Cannot create the folder of {self.path}: {(error.strerror or '').lower()}."
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
        return [
            StoredRun(
                id_, kind, json.loads(settings), version, started, finished, _rule(rule), *counts
            )
            for id_, kind, settings, version, started, finished, rule, *counts in rows
        ]

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
        return [Series(player, Rules.from_text(rules), *more) for player, rules, *more in rows]

    def games_of(self, run: int) -> Iterator[StoredGame]:
        """The games of a run: series by series, in order of their numbers."""
        self.run(run)
        rows = self.query(
            """SELECT entrant, opponent, player, rules,
                      seed, placer, number, shots, seconds, ships, cells
               FROM run_series JOIN series ON series.id = run_series.series
               JOIN game ON game.series = series.id AND number < games
               WHERE run = ? ORDER BY place, number""",
            run,
        )
        for entrant, opponent, player, rules, *rest in rows:
            yield StoredGame(entrant, opponent, player, _rules(rules), *rest)

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
            "SELECT count(*) FROM game WHERE series = ? AND number < ?", key, series.games
        ).fetchone()
        if count != series.games:
            raise StoreError(
                f"{self.path} has {count:,} of {series.games:,} games of {series.name}; "
                "run the same command again to play the rest."
            )
        shots: npt.NDArray[np.int32] | StoredShots
        if count > MOST_IN_MEMORY:
            shots = StoredShots(self.path, key, count, series.rules.cells)
        else:
            shots = np.concatenate(list(self.shot_blocks(key, count))).astype(np.int32)
        return SeriesResult(shots, *self._seconds_and_peak(key, count), self._faults(key))

    def so_far(self, key: int, series: Series) -> SeriesResult:
        """The same of the games that are in the file; a game that is missing has 0 shots."""
        rows = self.query(
            "SELECT number, shots FROM game WHERE series = ? AND number < ?", key, series.games
        )
        shots = np.zeros(series.games, dtype=np.int32)
        while block := rows.fetchmany(BLOCK):
            numbers, values = np.array(block, dtype=np.int64).T
            shots[numbers] = values
        seconds = self._seconds_and_peak(key, series.games)
        return SeriesResult(shots, *seconds, self._faults(key))

    def _seconds_and_peak(self, key: int, games: int) -> tuple[float, float | None]:
        found: tuple[float, float | None] = self.query(
            "SELECT (SELECT total(seconds) FROM game WHERE series = id AND number < ?), "
            "peak_memory_mb FROM series WHERE id = ?",
            *(games, key),
        ).fetchone()
        return found

    def shot_blocks(self, key: int, games: int, start: int = 0) -> Iterator[npt.NDArray[np.int64]]:
        """The shots of games `start` to `games` - 1 of a series, in blocks."""
        rows = self.query(
            "SELECT shots FROM game WHERE series = ? AND number >= ? AND number < ? "
            "ORDER BY number",
            *(key, start, games),
        )
        while block := rows.fetchmany(BLOCK):
            yield np.array(block, dtype=np.int64)[:, 0]

    def _faults(self, key: int) -> Faults:
        rows = self.query("SELECT kind, count, example FROM fault WHERE series = ?", key).fetchall()
        return Faults(
            {kind: count for kind, count, _ in sorted(rows)},
            next((example for *_, example in rows if example), ""),
        )

    def delete(self, run: int) -> None:
        """Delete a run and the games that no other run uses."""
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
        with self._explained_errors():
            return self._connection.execute(sql, values)

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
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != APPLICATION and tables:
            raise StoreError(f"{self.path} belongs to another program; choose another file.")
        if version > SCHEMA_VERSION:
            raise StoreError(f"{self.path} needs a newer version of seabattle.")
        if tables and version < SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by an earlier version of seabattle and cannot be read; "
                "delete it or choose another file."
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        if not tables:
            self._create()
        self._connection.execute(FAULTS_TABLE)

    def _create(self) -> None:
        with self.transaction():
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if tables:  # another process was faster
                return
            for statement in SCHEMA.split(";"):
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


class StoredShots(Sequence[int]):
    """The shots of so many games that they stay in the file; only their counts are in memory."""

    def __init__(self, path: Path, key: int, games: int, cells: int) -> None:
        self._path, self._key, self._games = path, key, games
        self.counts: npt.NDArray[np.int64] = np.zeros(cells + 1, dtype=np.int64)
        """how many games took 0, 1, ... shots"""
        for block in self.blocks():
            self.counts += np.bincount(block, minlength=cells + 1)

    def blocks(self, start: int = 0) -> Iterator[npt.NDArray[np.int64]]:
        """The shots from a game on, in blocks."""
        with Store(self._path, create=False) as store:
            yield from store.shot_blocks(self._key, self._games, start)

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
        self._owner = f"{socket.gethostname()} {os.getpid()} {_birth(os.getpid())} {uuid.uuid4()}"
        self._keys: dict[Series, int] = {}
        self._have: dict[Series, NumberRanges] = {}
        self._tended = 0.0
        self.run: int | None = None

    def release(self) -> None:
        """Give up the claims on games that were not played."""
        self._store.query("DELETE FROM claim WHERE owner = ?", self._owner)

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
            taken = have.copy()
            for start, stop, owner, until in self._store.query(
                "SELECT start, stop, owner, until FROM claim WHERE series = ?", key
            ).fetchall():
                if owner == self._owner or _alive(owner, until):
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
            for kind, count in played.faults.counts.items():
                self._store.query(
                    "INSERT INTO fault VALUES (?, ?, ?, ?) "
                    "ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    *(key, kind, count, played.faults.example),
                )
            self._store.query(
                "DELETE FROM claim WHERE series = ? AND start = ? AND owner = ?",
                *(key, played.games.start, self._owner),
            )
        self._have[series].add(played.games.start, played.games.stop)

    def played(self, series: Series) -> int:
        return len(self._have[series])

    def tend(self) -> None:
        """Renew the claims."""
        if time.time() < self._tended + CLAIM_SECONDS / 4:
            return
        self._tended = time.time()
        self._store.query(
            "UPDATE claim SET until = ? WHERE owner = ?",
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
        for (number,) in rows:
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


def _rule(text: str | None) -> StoppingRule | None:
    return None if text is None else StoppingRule.from_json(json.loads(text))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _birth(pid: int) -> str:
    """When a process started, or `?` if the system does not say; ids are reused."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "?"


def _alive(owner: str, until: float) -> bool:
    """Whether the process that made a claim may still be playing."""
    host, pid, birth, _ = owner.split()
    if host == socket.gethostname() and birth != "?":
        return _birth(int(pid)) == birth
    return time.time() < until


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
            return f"{path} is locked by another program. {kept}"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return f"{path} is not a results file, or is damaged; choose another file."
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return f"Cannot open {path} for writing; choose a file in a folder you can write to."
    return f"{path} cannot be used as a results file: {told}."
