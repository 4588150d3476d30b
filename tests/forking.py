"""Real `seabattle` processes that need no start-up.

A new interpreter imports for a second or two before a command begins, and the tests start
hundreds. So each test process has one process that imports everything once and is then forked
for each command. The fork has the arguments, environment, folder, standard streams, session and
parent that a new interpreter would have had: it can be killed, interrupted and waited for.
Where this is not possible, a new interpreter is started.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import inspect
import json
import os
import pty
import runpy
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pexpect
from ptyprocess import PtyProcess

ROOT = Path(__file__).parents[1]
COMMAND = (sys.executable, "-m", "seabattle")
POSSIBLE = sys.platform == "linux"
LONGEST_REQUEST = 1 << 18
"""bytes"""


class Seabattle(subprocess.Popen[Any]):
    """`subprocess.Popen` of a command, given as its arguments."""

    def __init__(self, *arguments: object, **options: Any) -> None:
        super().__init__([*COMMAND, *map(str, arguments)], **options)

    if POSSIBLE:

        def _execute_child(self, *given: Any) -> None:
            names = inspect.signature(subprocess.Popen._execute_child).parameters  # type: ignore[attr-defined]
            options = dict(zip(names, (self, *given), strict=True))
            if options["preexec_fn"] is not None:
                super()._execute_child(*given)  # type: ignore[misc]
                return
            streams = [options[name] for name in ("p2cread", "c2pwrite", "errwrite")]
            self.pid = _forked(
                [str(each) for each in options["args"][len(COMMAND) :]],
                options["env"],
                options["cwd"],
                [own if theirs == -1 else theirs for own, theirs in enumerate(streams)],
                session=options["start_new_session"],
            )
            self._child_created = True
            self._close_pipe_fds(*(options[name] for name in names if name in _PIPES))  # type: ignore[attr-defined]


_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def seabattle(
    *arguments: object, input: Any = None, timeout: float = 120, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """`subprocess.run` of a command, with its output as text unless told otherwise."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    if input is not None:
        pipes["stdin"] = subprocess.PIPE
    with Seabattle(*arguments, **({"text": True} | pipes | options)) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        assert done.returncode == 0, err
    return done


class SeabattleTerminal(pexpect.spawn):  # type: ignore[misc]
    """`pexpect.spawn` of a command, given as its arguments."""

    def __init__(self, arguments: list[str], **options: Any) -> None:
        super().__init__(COMMAND[0], [*COMMAND[1:], *arguments], **options)

    def _spawnpty(self, args: list[str], **options: Any) -> PtyProcess:
        if not POSSIBLE:
            return super()._spawnpty(args, **options)
        ours, theirs = pty.openpty()
        rows, columns = options["dimensions"]
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        arguments = [os.fsdecode(each) for each in args[len(COMMAND) :]]
        pid = _forked(arguments, options["env"], options["cwd"], [theirs] * 3, session=True)
        os.close(theirs)
        return PtyProcess(pid, ours)


def _forked(
    arguments: list[str],
    environment: dict[str, str] | None,
    folder: str | os.PathLike[str] | None,
    streams: list[int],
    *,
    session: bool,
) -> int:
    """The process id of a command with these standard streams, a child of this process."""
    request = {
        "arguments": arguments,
        "environment": dict(os.environ if environment is None else environment),
        "folder": os.fspath(folder or os.getcwd()),
        "session": session,
    }
    with _adopting():
        socket.send_fds(_template(), [json.dumps(request).encode()], streams)
        return int(_template().recv(100))


@contextmanager
def _adopting() -> Iterator[None]:
    """Become the parent of descendants whose own parent ends."""
    child_subreaper = 36
    prctl = ctypes.CDLL(None).prctl
    prctl(child_subreaper, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(child_subreaper, 0, 0, 0, 0)


@cache
def _template() -> socket.socket:
    """To the process that commands are forked from."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(requests: socket.socket) -> dict[str, Any]:
    """In the template: fork for each request. Returns the request, in the fork."""
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        received, streams, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 3)
        if not received:
            os._exit(0)
        # Forked twice: the one in between ends at once, so whoever asked adopts the other.
        read, write = os.pipe()
        between = os.fork()
        if not between:
            forked = os.fork()
            if not forked:
                requests.close()
                os.close(read)
                os.close(write)
                signal.signal(signal.SIGINT, usual)
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                for stream in streams:
                    os.close(stream)
                request: dict[str, Any] = json.loads(received)
                return request
            os.write(write, str(forked).encode())
            os._exit(0)
        os.waitpid(between, 0)
        requests.send(os.read(read, 100))
        for number in (read, write, *streams):
            os.close(number)


def _become(request: dict[str, Any]) -> None:
    """Have what a new interpreter would have had."""
    if request["session"]:
        os.setsid()
        if os.isatty(0):
            os.close(os.open(os.ttyname(0), os.O_RDWR))  # the terminal of the session
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    named = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    sys.path[:] = [os.getcwd(), *named, *(each for each in sys.path[1:] if each not in named)]
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        old = getattr(sys, name)
        number = old.fileno()
        new = open(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        new.reconfigure(line_buffering=name == "stderr" or os.isatty(number))
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _import_everything() -> None:
    import seabattle.cli
    import seabattle.web.app
    from seabattle.experiment.worker_start import preload

    seabattle.cli._commands()
    preload()


if __name__ == "__main__":
    _import_everything()
    _become(_serve(socket.socket(fileno=int(sys.argv[1]))))
    runpy.run_module("seabattle", run_name="__main__", alter_sys=True)
