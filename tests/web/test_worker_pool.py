"""Pools of worker processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import anyio

from seabattle.rules import Rules
from seabattle.web.worker_pool import WorkerPool
from seabattle.web.worker_process import WorkerTask

from .helpers import quick_settings


def test_a_visitor_who_leaves_does_not_keep_a_worker(tmp_path: Path) -> None:
    async def leave_and_come_back() -> object:
        pool = WorkerPool(1, quick_settings(tmp_path, queue_seconds=10.0))
        task = WorkerTask("deal", rules=Rules(rows=3, columns=3, fleet=(2,)).to_text())
        try:
            # A response that ends early is cancelled again at every point where it waits.
            with anyio.move_on_after(0.2):
                await pool.ask(task, 60)
            return await pool.ask(task, 60)
        finally:
            await pool.close()

    assert asyncio.run(leave_and_come_back())
