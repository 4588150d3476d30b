"""The moves of computer players in games against people, made in background threads."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ..errors import SeabattleError
from .refusals import NoSuchGame

log = logging.getLogger("seabattle.web")


class Replies:
    """At most one thread per game, which shoots for the computer until it is the person's turn."""

    def __init__(self, shoot: Callable[[str], bool], threads: int) -> None:
        """`shoot(game_id)` fires one shot of the computer; False if it is not its turn."""
        self._shoot = shoot
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="reply")
        self._lock = threading.Lock()
        self._running: dict[str, bool] = {}
        """games being replied in -> whether a reply has been asked for since it began"""
        self._failed: set[str] = set()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def start(self, game_id: str) -> None:
        """Let the computer move, if it is its turn."""
        with self._lock:
            if game_id in self._running:
                # That thread may have seen the game before its latest change.
                self._running[game_id] = True
                return
            self._running[game_id] = False
            self._failed.discard(game_id)
        try:
            self._threads.submit(self._reply, game_id)
        except RuntimeError:  # the server is closing
            with self._lock:
                del self._running[game_id]

    def retry_failed(self) -> None:
        """Start the replies again that could not be made."""
        with self._lock:
            failed = list(self._failed)
        for game_id in failed:
            self.start(game_id)

    def _reply(self, game_id: str) -> None:
        while True:
            failed = self._shoot_until_done(game_id)
            with self._lock:
                if self._running[game_id] and not failed:
                    self._running[game_id] = False
                    continue
                del self._running[game_id]
                if failed:
                    self._failed.add(game_id)
                return

    def _shoot_until_done(self, game_id: str) -> bool:
        """Whether it failed."""
        try:
            while self._shoot(game_id):
                pass
        except NoSuchGame:  # deleted in the meantime
            return False
        except SeabattleError as problem:
            log.warning("A reply could not be made: %s", problem)
            return True
        except Exception:
            log.exception("A reply could not be made.")
            return True
        return False
