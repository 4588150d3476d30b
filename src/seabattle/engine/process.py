"""A program that is talked to line by line, and cannot hang or flood its host.

It runs in a session of its own, so Ctrl-C in the terminal does not reach it; its host ends it,
with everything it has started. Pipes are never waited on without a deadline: a program that
does not read, does not write or writes without end costs its host only the time limit. The last
of its standard error is kept.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from ..errors import PlayerError, reason
from .protocol import LONGEST_LINE

CHUNK = 65_536
MOST_UNREAD = 1_000_000
"""bytes that a program may have written before its host asks for them"""
STDERR_KEPT = 16_384
"""bytes of standard error that are kept"""
EXIT_SECONDS = 1.0
"""how long a program may take to exit at the end of its input"""


class ProgramEnded(Exception):
    """The program has exited, or has closed its standard output."""


class TooMuchOutput(Exception):
    """The program wrote a line that is too long, or more than anybody asked for."""


_running: set[subprocess.Popen[bytes]] = set()


class Program:
    """A running program. `send` and `receive` raise `ProgramEnded` or `TooMuchOutput`."""

    def __init__(self, command: Sequence[str]) -> None:
        if not hasattr(os, "killpg"):
            raise PlayerError("Engines can be run on Linux and macOS only.")
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = reason(error)
            raise PlayerError(f"Cannot run {command[0]!r}: {why}.") from None
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for number in (self._in, self._out, self._err):
            os.set_blocking(number, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._to_send = bytearray()
        self._part = b""
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._stderr = b""
        self._ended = False
        _running.add(self._popen)
        # A program does not outlive its object, nor this process.
        self._finish = weakref.finalize(self, _end, self._popen, _guard(self._popen.pid))

    def send(self, data: bytes) -> None:
        """Send lines; they leave with the next `flush`, or when `receive` has to wait."""
        self._to_send += data
        if len(self._to_send) > CHUNK:
            self._write()

    def flush(self) -> None:
        """Let what was sent leave now."""
        self._write()

    def receive(self, deadline: float) -> bytes | None:
        """The next line, or None if there is none by the deadline (of `time.monotonic`)."""
        while not self._lines:
            if self._ended:
                raise ProgramEnded
            self._write()
            wait = deadline - time.monotonic()
            self._ready(max(wait, 0))
            if wait <= 0 and not self._lines:
                return None
        line = self._lines.popleft()
        self._unread -= len(line)
        return line

    def end_input(self) -> None:
        """Close its standard input, which tells it to exit."""
        with suppress(OSError):
            self._write()
        self._stop_writing()
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None if it still runs after this time."""
        deadline = time.monotonic() + seconds
        while (code := self.exit_code) is None and time.monotonic() < deadline:
            # Whatever it still writes is read, or it might wait for that for ever.
            with suppress(ProgramEnded, TooMuchOutput):
                if not self._ended:
                    self._ready(0.01)
                    self._lines.clear()
                    self._unread = 0
                    continue
            time.sleep(0.005)
        return code

    def close(self, last_words: bytes = b"") -> None:
        """Let it exit by itself, for a moment; then end it."""
        with suppress(ProgramEnded, TooMuchOutput):
            self.send(last_words)
        self.end_input()
        self.wait(EXIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it at once, with everything it has started."""
        with suppress(OSError):
            self._keep_stderr()
        self._ended = True
        self._finish()

    @property
    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        if self._popen.returncode is not None:
            return self._popen.returncode
        if not hasattr(os, "waitid"):
            return self._popen.poll()
        # It is not reaped, so that its group keeps its id until `kill`.
        how = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if how is None:
            return None
        return how.si_status if how.si_code == os.CLD_EXITED else -how.si_status

    @property
    def stderr(self) -> str:
        """The last of its standard error."""
        return self._stderr.decode("utf-8", "backslashreplace")

    def _ready(self, seconds: float) -> bool:
        """Move whatever can be moved, waiting for something at most this long."""
        events = self._poll.poll(seconds * 1000)
        for pipe, _ in events:
            if pipe == self._in:
                self._write()
            elif pipe == self._out:
                self._read()
            else:
                self._keep_stderr()
        return bool(events)

    def _write(self) -> None:
        while self._to_send:
            try:
                written = os.write(self._in, self._to_send[:CHUNK])
            except BlockingIOError:
                self._poll.register(self._in, select.POLLOUT)
                return
            except OSError:  # it reads no more; its last words may still be unread
                break
            del self._to_send[:written]
        self._stop_writing()

    def _stop_writing(self) -> None:
        self._to_send.clear()
        with suppress(KeyError, OSError, ValueError):
            self._poll.unregister(self._in)

    def _read(self) -> None:
        try:
            data = os.read(self._out, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._ended = True
            self._poll.unregister(self._out)
            with suppress(OSError):
                self._keep_stderr()
            return
        *lines, self._part = (self._part + data).split(b"\n")
        if len(self._part) >= LONGEST_LINE or any(len(line) >= LONGEST_LINE for line in lines):
            raise TooMuchOutput(f"it wrote a line of more than {LONGEST_LINE:,} bytes")
        self._lines.extend(lines)
        self._unread += sum(map(len, lines))
        if self._unread > MOST_UNREAD:
            raise TooMuchOutput(f"it wrote more than {MOST_UNREAD:,} bytes that nobody asked for")

    def _keep_stderr(self) -> None:
        try:
            data = os.read(self._err, CHUNK)
        except BlockingIOError:
            return
        if not data:
            with suppress(KeyError):
                self._poll.unregister(self._err)
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]


GUARD = 'read end; kill -s KILL -- "-$1"'
"""waits for the end of its input, then ends a process group"""


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """A shell that ends this group if this process is killed: its input ends then."""
    with suppress(OSError):  # there is no shell
        return subprocess.Popen(
            ("/bin/sh", "-c", GUARD, "guard", str(group)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def _end(popen: subprocess.Popen[bytes], guard: subprocess.Popen[bytes] | None) -> None:
    if guard is not None:
        guard.kill()
        guard.communicate()
    # The process is reaped here, after its group was ended: later, the id may be another's.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)
    popen.wait()
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    _running.discard(popen)


def kill_all() -> None:
    """End every program of this process: for one that ends without the usual clean-up."""
    for popen in list(_running):
        with suppress(Exception):
            os.killpg(popen.pid, signal.SIGKILL)
