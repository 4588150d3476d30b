"""The one writer of a database: many changes share one wait for the disk.

Statements are executed on the event loop, where each takes some microseconds; a thread waits
for the disk at the end of the transaction. Changes that come in the meantime go into the next
one. A thread that also executed the statements would have to win the interpreter back from the
event loop after each of them, which takes milliseconds when the server is busy.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from dataclasses import dataclass
from typing import Any

Statement = tuple[str, tuple[Any, ...]]


class Writer:
    """Changes of a database, all of them through one connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """The connection is in autocommit mode, and may be used in any thread."""
        self._db = db
        db.execute("pragma busy_timeout = 0")  # the event loop does not wait
        self._waiting: list[_Change] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        """the event loop that a transaction is under way on"""
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; the connection is the caller's again."""
        self._tasks.put(None)
        self._thread.join()
        if self._db.in_transaction:  # the event loop ended in the middle of it
            self._db.execute("rollback")

    async def write(self, *statements: Statement) -> None:
        """Execute all of these or none; return when they are on disk. An update that changes
        nothing is an `IntegrityError`."""
        loop = asyncio.get_running_loop()
        change = _Change(statements, loop.create_future())
        self._waiting.append(change)
        if self._loop is None or self._loop.is_closed():
            self._loop = loop
            loop.call_soon(self._begin, loop)  # with what others are about to write
        await change.done

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a transaction of all that waits, if anything does."""
        batch, self._waiting = self._waiting, []
        if not batch:
            self._loop = None
            return
        try:
            self._db.execute("begin immediate")
        except sqlite3.OperationalError:  # for example, another program is writing
            self._tasks.put(_Task("wait", batch, loop))
        else:
            self._execute(batch, loop)

    def _execute(self, batch: list[_Change], loop: asyncio.AbstractEventLoop) -> None:
        """Execute the statements of a transaction that has begun."""
        failures: dict[_Change, sqlite3.Error] = {}
        try:
            for change in batch:
                self._db.execute("savepoint change")
                try:
                    for sql, values in change.statements:
                        changed = self._db.execute(sql, values).rowcount
                        if not changed and sql.startswith("update"):
                            raise sqlite3.IntegrityError("nothing has changed")
                except sqlite3.Error as error:
                    self._db.execute("rollback to change")
                    failures[change] = error
                self._db.execute("release change")
        except sqlite3.Error as error:
            self._roll_back()
            self._end(batch, dict.fromkeys(batch, error), loop)
        else:
            self._tasks.put(_Task("commit", batch, loop, failures))

    def _end(
        self,
        batch: list[_Change],
        failures: dict[_Change, sqlite3.Error],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Tell those who wait what became of their changes, and write the next ones."""
        for change in batch:
            if change.done.done():  # whoever waited was cancelled
                continue
            if change in failures:
                change.done.set_exception(failures[change])
            else:
                change.done.set_result(None)
        self._begin(loop)

    def _work(self) -> None:
        """The thread: what takes long."""
        while (task := self._tasks.get()) is not None:
            batch, failures = task.batch, task.failures or {}
            waits = task.what == "wait"
            try:
                if waits:
                    self._begin_patiently()
                else:
                    self._db.execute("commit")
            except sqlite3.Error as error:
                failures, waits = dict.fromkeys(batch, error), False
                self._roll_back()
            with contextlib.suppress(RuntimeError):  # that loop has ended
                if waits:
                    task.loop.call_soon_threadsafe(self._execute, batch, task.loop)
                else:
                    task.loop.call_soon_threadsafe(self._end, batch, failures, task.loop)

    def _begin_patiently(self) -> None:
        self._db.execute(f"pragma busy_timeout = {BUSY_MILLISECONDS}")
        try:
            self._db.execute("begin immediate")
        finally:
            self._db.execute("pragma busy_timeout = 0")

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("rollback")


BUSY_MILLISECONDS = 30_000
"""How long a change waits for another program that is writing."""


@dataclass(frozen=True, eq=False)
class _Change:
    statements: tuple[Statement, ...]
    done: asyncio.Future[None]


@dataclass(frozen=True)
class _Task:
    """For the thread: to `commit` a batch, or to `wait` until it can begin."""

    what: str
    batch: list[_Change]
    loop: asyncio.AbstractEventLoop
    failures: dict[_Change, sqlite3.Error] | None = None
