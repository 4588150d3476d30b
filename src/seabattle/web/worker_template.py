"""The process that workers of the server are forked from, on Linux.

A worker needs a second or two of imports. This process has done them, so another worker is there
in a few milliseconds, also in the place of one that was killed, and all of them share the memory of
what was imported. It has no threads, is started with the first worker and ends with the server.
It alone collects the exit status of a worker, so a process id never means another process.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache

LONGEST_REQUEST = 1 << 18
"""bytes; it contains the environment"""

START = "from seabattle.web.worker_template import main; main()"


class WorkerTemplate:
    """That process, as the server sees it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        atexit.register(self.close)

    def make_ready(self) -> None:
        """Start the process and wait until it has imported everything."""
        with self._lock, suppress(OSError):
            if self._requests is None:
                self._start()

    def fork(self, talk: socket.socket) -> int:
        """The process id of a new worker, which talks over this socket."""
        request = {"environment": dict(os.environ), "path": sys.path, "folder": os.getcwd()}
        message = json.dumps(request).encode()
        streams = [talk.fileno(), 2]
        with self._lock:
            for _ in range(2):  # the first one may have been killed
                with suppress(OSError):
                    requests = self._requests or self._start()
                    socket.send_fds(requests, [message], streams)
                    if answer := requests.recv(100):
                        return int(answer)
                self._end()
        raise OSError("no worker process could be started")

    def end(self, worker: int) -> None:
        """Kill a worker, if it has not ended already."""
        with suppress(OSError):
            if self._requests is not None:
                self._requests.send(json.dumps({"end": worker}).encode())

    def close(self) -> None:
        """End this process, and the workers with it."""
        with self._lock:
            self._end()

    def _start(self) -> socket.socket:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", START, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                pass_fds=[theirs.fileno()],
            )
        self._requests.recv(100)  # it is ready, or has ended
        return self._requests

    def _end(self) -> None:
        if self._requests is not None and self._process is not None:
            self._requests.close()
            self._process.wait()
        self._requests = self._process = None


@cache
def worker_template() -> WorkerTemplate | None:
    """That of this process; None where each worker is a new interpreter."""
    return WorkerTemplate() if sys.platform == "linux" else None


def main() -> None:
    """Be that process, or a worker forked from it."""
    from ..experiment.worker_start import preload
    from . import worker_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    preload()
    template = os.getpid()
    requests = socket.socket(fileno=int(sys.argv[1]))
    with suppress(BrokenPipeError):  # the server may be gone already
        requests.send(b"ready")
    _serve(requests)
    worker_process.main(template)


def _serve(requests: socket.socket) -> None:
    """Do what the server asks for until it is gone. Returns in a forked worker."""
    workers: set[int] = set()
    while True:
        message, streams, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 2)
        if not message:
            os._exit(0)
        request = json.loads(message)
        if "end" in request:
            if request["end"] in workers:
                os.kill(request["end"], signal.SIGKILL)
                _collect(workers, request["end"])
            continue
        for worker in list(workers):
            _collect(workers, worker, os.WNOHANG)
        forked = os.fork()
        if not forked:
            requests.close()
            _become(request, *streams)
            return
        workers.add(forked)
        requests.send(str(forked).encode())
        for stream in streams:
            os.close(stream)


def _collect(workers: set[int], worker: int, options: int = 0) -> None:
    """Forget a worker that has ended."""
    if os.waitpid(worker, options)[0]:
        workers.discard(worker)


def _become(request: dict[str, object], talk: int, errors: int) -> None:
    """In a worker: have what a new interpreter would have had."""
    from ..experiment.worker_start import take_environment

    for number, stream in ((0, talk), (1, talk), (2, errors)):
        os.dup2(stream, number)
    os.close(talk)
    os.close(errors)
    take_environment(request["environment"])  # type: ignore[arg-type]
    sys.path[:] = request["path"]  # type: ignore[call-overload]
    os.chdir(request["folder"])  # type: ignore[arg-type]
