"""Pools of worker processes, as the server sees them (see `worker_process`).

Nothing here blocks: a call waits for a free worker and for its answer while the server goes
on. Addresses take turns. A worker that does not answer in time is killed and replaced. One that
died, for whatever reason, is replaced and its task is given to the next one, once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from ..errors import SeabattleError
from .fair_queue import FairQueue
from .refusals import NoAnswer, Refused
from .settings import ServerSettings
from .worker_process import WorkerTask
from .worker_template import WorkerTemplate, worker_template

LONGEST_REPLY = 1 << 22
"""bytes"""

START = "from seabattle.web.worker_process import main; main({server})"


class PlayerFailed(Refused):
    """A player raised an error; its worker is unharmed."""

    status = 503


class Closing(NoAnswer):
    """The server is being stopped."""

    def __init__(self) -> None:
        super().__init__("The server is being restarted; try again in a moment.")


class _Crashed(Exception):
    """The worker ended in the middle of a task."""


class WorkerPool:
    """Up to `size` workers, started when first needed."""

    def __init__(
        self,
        size: int,
        settings: ServerSettings,
        *,
        imports: tuple[str, ...] = (),
        memory_bytes: int = 0,
        niceness: int = 0,
    ) -> None:
        """A worker may use at most `memory_bytes`; 0 for no limit. Workers with a
        higher `niceness` leave the processor to the others."""
        self._settings = settings
        self._configuration = {
            "imports": imports,
            "memory": memory_bytes,
            "niceness": niceness,
        }
        self._closed = asyncio.Event()
        self._workers: set[_Worker] = set()
        self._free: FairQueue[_Worker | None] = FairQueue([None] * size)

    @property
    def processes(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.pid for worker in self._workers]

    async def start(self) -> None:
        """Start the workers, before anybody needs them."""
        for worker in self._free.take_free():
            self._free.put(worker or await self._new())

    async def ask(
        self,
        task: WorkerTask,
        seconds: float,
        client: str,
        *,
        compiled: Callable[[], None] = lambda: None,
        took: Callable[[float], None] = lambda _: None,
    ) -> Any:
        """A worker's answer to a task for this address; `compiled` is called for every function it
        compiles, and `took` with the seconds that it worked on the task."""
        try:
            worker = await self._free.take(client, self._settings.queue_seconds)
        except TimeoutError:
            raise NoAnswer("All workers are busy; try again in a moment.") from None
        kept, began = None, time.monotonic()
        try:
            for attempt in (1, 2):
                if worker is None or worker.ended:
                    await self._end(worker)
                    worker = await self._new()
                began = time.monotonic()
                try:
                    answer = await worker.ask(task, seconds, compiled)
                    kept = worker
                    return answer
                except (SeabattleError, PlayerFailed) as error:
                    if not isinstance(error, NoAnswer):
                        kept = worker
                    raise
                except _Crashed:
                    if self._closed.is_set():
                        raise Closing from None
                    if attempt == 2:
                        raise NoAnswer(f"{task.subject} crashed.") from None
            raise AssertionError
        finally:
            took(time.monotonic() - began)
            try:
                if kept is None:
                    await self._end(worker)
            finally:
                # Also if whoever asked is gone and the wait for the end is cancelled, too.
                self._free.put(kept)

    async def close(self) -> None:
        """End the workers; whoever waits for one is told that the server is being stopped."""
        self._closed.set()
        for worker in list(self._workers):
            await self._end(worker)

    async def _new(self) -> _Worker:
        await self._template_ready()
        if self._closed.is_set():
            raise Closing
        worker = await _Worker.start(self._configuration, self._settings.first_use_seconds)
        self._workers.add(worker)
        if self._closed.is_set():
            await self._end(worker)
            raise Closing
        return worker

    async def _template_ready(self) -> None:
        """Wait until workers can be forked, or the pool is closed."""
        template = worker_template()
        if template is None:
            return
        waits = (
            asyncio.create_task(self._closed.wait()),
            asyncio.create_task(asyncio.to_thread(template.make_ready)),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    async def _end(self, worker: _Worker | None) -> None:
        if worker is not None:
            self._workers.discard(worker)
            await worker.kill()


class _Worker:
    """A worker process and the streams to it."""

    def __init__(self, process: _Process, start_seconds: float) -> None:
        self._process = process
        self._start_seconds = start_seconds
        self._ready = False

    @classmethod
    async def start(cls, configuration: dict[str, Any], start_seconds: float) -> _Worker:
        template = worker_template()
        process = await (_NewProcess.start() if template is None else _Fork.start(template))
        process.tasks.write(json.dumps(configuration).encode() + b"\n")
        return cls(process, start_seconds)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._process.ended

    async def ask(self, task: WorkerTask, seconds: float, compiled: Callable[[], None]) -> Any:
        try:
            if not self._ready:
                async with asyncio.timeout(self._start_seconds):
                    await self._receive()
                self._ready = True
            self._process.tasks.write(task.to_line())
            async with asyncio.timeout(seconds):
                kind, value = await self._receive()
                while kind == "compiled":
                    compiled()
                    kind, value = await self._receive()
        except TimeoutError:
            raise NoAnswer(f"{task.subject} did not answer within {seconds:g} s.") from None
        except (OSError, ValueError):
            raise _Crashed from None
        if kind == "refused":
            raise SeabattleError(value)
        if kind == "error":
            raise PlayerFailed(f"{task.subject} failed: {value}.")
        return value

    async def _receive(self) -> tuple[str, Any]:
        line = await self._process.replies.readline()
        if not line.endswith(b"\n"):
            raise _Crashed
        kind, value = json.loads(line)
        return kind, value

    async def kill(self) -> None:
        """End the process."""
        await self._process.kill()


class _Process(Protocol):
    """A process that reads tasks and writes replies."""

    pid: int
    tasks: asyncio.StreamWriter
    replies: asyncio.StreamReader

    @property
    def ended(self) -> bool: ...

    async def kill(self) -> None: ...


class _Fork:
    """A worker that was forked from the template."""

    def __init__(
        self,
        template: WorkerTemplate,
        pid: int,
        tasks: asyncio.StreamWriter,
        replies: asyncio.StreamReader,
    ) -> None:
        self._template, self.pid, self.tasks, self.replies = template, pid, tasks, replies

    @classmethod
    async def start(cls, template: WorkerTemplate) -> _Fork:
        ours, theirs = socket.socketpair()

        def fork() -> int:
            with theirs:
                return template.fork(theirs)

        try:
            # If nobody waits any more, the worker finds its input closed, and ends.
            pid = await asyncio.to_thread(fork)
            replies, tasks = await asyncio.open_connection(sock=ours, limit=LONGEST_REPLY)
            return cls(template, pid, tasks, replies)
        except BaseException:
            ours.close()
            raise

    @property
    def ended(self) -> bool:
        # The socket also closes when a task cannot be written.
        return self.replies.at_eof() or self.tasks.is_closing()

    async def kill(self) -> None:
        self._template.end(self.pid)
        self.tasks.close()
        with contextlib.suppress(OSError):
            await self.tasks.wait_closed()


class _NewProcess:
    """A worker that is a new interpreter."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid
        assert process.stdin is not None
        assert process.stdout is not None
        self.tasks, self.replies = process.stdin, process.stdout

    @classmethod
    async def start(cls) -> _NewProcess:
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-c",
                START.format(server=os.getpid()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                limit=LONGEST_REPLY,
            )
        )

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None or self.replies.at_eof()

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._process.kill()
            elif self._process.returncode is None:
                # Not by `kill`, which before Python 3.12.8 may collect the exit status that the
                # event loop is waiting for ("Unknown child process pid").
                os.kill(self.pid, signal.SIGKILL)
        self.tasks.close()
        await self._process.wait()
