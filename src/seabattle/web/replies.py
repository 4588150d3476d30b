"""The moves of computer players in games against people, made in background tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ..errors import SeabattleError
from .refusals import NoSuchGame
from .worker_pool import Closing

log = logging.getLogger("seabattle.web")


class Replies:
    """At most one task per game, which shoots for the computer until it is the person's turn."""

    def __init__(self, shoot: Callable[[str], Awaitable[bool]]) -> None:
        """`shoot(game_id)` fires one shot of the computer; False if it is not its turn."""
        self._shoot = shoot
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: dict[str, bool] = {}
        """games being replied in -> whether a reply has been asked for since it began"""
        self._failed: set[str] = set()
        self._closed = False

    async def close(self) -> None:
        """End all replies; the next start of the server makes them."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, game_id: str) -> None:
        """Let the computer move, if it is its turn."""
        if self._closed:
            return
        if game_id in self._running:
            # That task may have seen the game before its latest change.
            self._running[game_id] = True
            return
        self._running[game_id] = False
        self._failed.discard(game_id)
        task = asyncio.get_running_loop().create_task(self._reply(game_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def retry_failed(self) -> None:
        """Start the replies again that could not be made."""
        for game_id in list(self._failed):
            self.start(game_id)

    async def _reply(self, game_id: str) -> None:
        try:
            failed = await self._shoot_until_done(game_id)
            while self._running[game_id] and not failed:
                self._running[game_id] = False
                failed = await self._shoot_until_done(game_id)
            if failed:
                self._failed.add(game_id)
        finally:
            del self._running[game_id]

    async def _shoot_until_done(self, game_id: str) -> bool:
        """Whether it failed."""
        try:
            while await self._shoot(game_id):
                pass
        except (NoSuchGame, Closing):  # deleted in the meantime, or for the next start
            return False
        except SeabattleError as problem:
            log.warning("A reply could not be made: %s", problem)
            return True
        except Exception:
            log.exception("A reply could not be made.")
            return True
        return False
