"""Ctrl-C ends the program even while compiled code runs.

Python handles Ctrl-C only when the main thread returns from compiled code. The operating
system's signal, however, also wakes a thread that waits for it. If the main thread has not
noticed it after a moment, that thread ends the program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

GRACE_SECONDS = 1.0
"""how long the main thread has to notice Ctrl-C"""


class Interrupted(Exception):
    """Ctrl-C during a command; the message says how far it got."""


def end_on_interrupt() -> None:
    """Make sure that Ctrl-C ends this process soon, with code 130."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or os.name != "posix":
        return
    noticed = threading.Event()

    def handle(number: int, frame: object) -> None:
        noticed.set()
        raise KeyboardInterrupt

    def watch(wake: int) -> None:
        while True:
            numbers = os.read(wake, 1)
            if numbers[0] != signal.SIGINT:
                continue
            # A command with a handler of its own, such as a server, knows what to do.
            if signal.getsignal(signal.SIGINT) is handle and not noticed.wait(GRACE_SECONDS):
                print("\nseabattle: Stopped.", file=sys.stderr, flush=True)
                _end_programs()
                os._exit(130)
            noticed.clear()

    signal.signal(signal.SIGINT, handle)
    wake, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    threading.Thread(target=watch, args=(wake,), daemon=True).start()


def leave(code: int) -> None:
    """End the process without waiting for compiled code that was abandoned."""
    sys.stdout.flush()
    sys.stderr.flush()
    _end_programs()
    os._exit(code)


def _end_programs() -> None:
    """End the engines of `exec:COMMAND`, if there are any."""
    running = sys.modules.get("seabattle.engine.process")
    if running is not None:
        running.kill_all()
