"""Compiled code that Ctrl-C can stop.

Python handles Ctrl-C in the main thread, and only between two of its own instructions. A
search that runs for a minute inside compiled code would delay it by a minute. So such calls
run in a daemon thread, while the main thread waits where Ctrl-C reaches it at once. The
thread cannot be stopped; it is abandoned, and ends with its call or with the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class ThreadExecutor(Executor):
    """An executor that runs each call in a daemon thread of its own."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=call, daemon=True).start()
        return future


def interruptible(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in such a way that Ctrl-C need not wait for its end."""
    return ThreadExecutor().submit(function, *args, **kwargs).result()
