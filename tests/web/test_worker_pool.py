"""Pools of worker processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import anyio
import pytest

from seabattle.rules import Rules
from seabattle.web.fair_queue import FairQueue
from seabattle.web.worker_pool import WorkerPool
from seabattle.web.worker_process import WorkerTask
from tests.web.helpers import quick_settings


@pytest.fixture(params=["forked", "new interpreter"])
def either_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers as on Linux, and as elsewhere."""
    if request.param == "new interpreter":
        monkeypatch.setattr("seabattle.web.worker_pool.worker_template", lambda: None)


@pytest.mark.usefixtures("either_kind")
def test_a_visitor_who_leaves_does_not_keep_a_worker(tmp_path: Path) -> None:
    async def leave_and_come_back() -> object:
        pool = WorkerPool(1, quick_settings(tmp_path, queue_seconds=10.0))
        task = WorkerTask("deal", rules=Rules(rows=3, columns=3, fleet=(2,)).to_text())
        try:
            # A response that ends early is cancelled again at every point where it waits.
            with anyio.move_on_after(0.2):
                await pool.ask(task, 60, "")
            return await pool.ask(task, 60, "")
        finally:
            await pool.close()

    assert asyncio.run(leave_and_come_back())


def test_addresses_take_turns(tmp_path: Path) -> None:
    async def ask_for_much_and_for_little() -> list[str]:
        pool = WorkerPool(1, quick_settings(tmp_path))
        answered: list[str] = []

        async def ask(client: str) -> None:
            await pool.ask(WorkerTask("deal", rules="3x3 fleet=2"), 60, client)
            answered.append(client)

        try:
            await asyncio.gather(*(ask(client) for client in ["much"] * 9 + ["little"]))
        finally:
            await pool.close()
        return answered

    assert asyncio.run(ask_for_much_and_for_little()).index("little") == 2


@pytest.mark.skipif(sys.platform != "linux", reason="workers are new interpreters")
def test_workers_outlive_neither_their_template_nor_its_end(tmp_path: Path) -> None:
    """And the next one finds another template."""
    task = WorkerTask("deal", rules="3x3 fleet=2")

    async def lose_the_template() -> None:
        pool = WorkerPool(1, quick_settings(tmp_path))
        try:
            assert await pool.ask(task, 60, "")
            (pid,) = pool.processes
            template = int(Path(f"/proc/{pid}/stat").read_text().split()[3])
            os.kill(template, signal.SIGKILL)
            while Path(f"/proc/{pid}").exists():
                await asyncio.sleep(0.05)
            assert await pool.ask(task, 60, "")
            assert pool.processes != [pid]
        finally:
            await pool.close()

    asyncio.run(lose_the_template())


def test_whoever_gives_up_as_the_turn_comes_loses_nothing() -> None:
    async def give_up() -> str:
        queue = FairQueue(["worker"])
        worker = await queue.take("first", 10)
        waiting = [asyncio.create_task(queue.take(client, 10)) for client in ("a", "b", "c")]
        await asyncio.sleep(0)
        waiting[0].cancel()
        queue.put(worker)  # for b, who gives up before it hears of it
        waiting[1].cancel()
        return await waiting[2]

    assert asyncio.run(give_up()) == "worker"


def test_the_wait_for_a_turn_ends() -> None:
    async def wait() -> None:
        await FairQueue[str]([]).take("a", 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(wait())


def test_the_exit_status_of_a_worker_is_left_to_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker that dies just before it is ended has a status that can be read only once. (That of
    one that was forked is its template's.)"""
    monkeypatch.setattr("seabattle.web.worker_pool.worker_template", lambda: None)
    collect = os.waitpid

    def collect_late(pid: int, options: int) -> tuple[int, int]:
        if not options:  # the event loop's wait
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            time.sleep(0.2)
        return collect(pid, options)

    async def end_a_dead_worker() -> None:
        pool = WorkerPool(1, quick_settings(tmp_path))
        await pool.start()
        (pid,) = pool.processes
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        await pool.close()

    monkeypatch.setattr(os, "waitpid", collect_late)
    asyncio.run(end_a_dead_worker())
    assert caplog.text == ""
