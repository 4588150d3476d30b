"""Play the games of an experiment in this process or in worker processes.

Both are a `concurrent.futures.Executor`, like that of a cluster; they are given calls of
`play_numbered` with plain values. In this process it is a `ThreadExecutor`.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..compiled.jit import QUIET_VARIABLE
from ..dealing import UNIFORM
from ..engine.process import kill_all
from ..errors import ExperimentError, PlayerError, SeabattleError
from ..players import (
    NO_FAULTS,
    Faults,
    Player,
    all_players,
    make_player,
)
from ..rules import Rules
from .claim_owner import is_suspended
from .interruptible import ThreadExecutor
from .peak_memory import PeakMemory
from .play import play_batch
from .worker_start import take_environment, worker_context

T = TypeVar("T")

MOST_JOBS = 1_000
STOP_SECONDS = 0.5
"""how long workers have to end by themselves before they are killed"""


@dataclass(frozen=True)
class Played:
    """A batch of one player's games, as a worker returns it."""

    games: range
    shots: npt.NDArray[np.int32]
    """(games,) the number of shots in each game"""
    seconds: float
    """the player's own time"""
    elapsed: float
    """the same including dealing the layouts"""
    peak_memory_mb: float | None
    """see `peak_memory`"""
    cells: bytes = b""
    """the cells fired at, game after game, one byte each; if they were asked for"""
    placements: npt.NDArray[np.int32] | None = None
    """(games, ships) the layouts as placement numbers, if they were asked for"""
    faults: Faults = NO_FAULTS
    """how often the player failed to choose"""
    turns: npt.NDArray[np.int32] | None = None
    """(games,) the number of turns in each game, if a turn has several shots"""


def play_numbered(
    player: Player | str | bytes,
    name: str,
    rules: Rules,
    seed: int,
    games: range,
    placer: str = UNIFORM,
    cells: bool = False,
) -> Played:
    """Play these games. The player is an object, a name, or the bytes from `sendable`.

    With `cells`, the cells fired at and the layouts are returned too.
    """
    with named_in_errors(name):
        shooter = _warm(player, name, rules) if isinstance(player, (str, bytes)) else player
        began = time.perf_counter()
        memory = _memory[name, rules]
        with memory.measured():
            batch = play_batch(shooter, rules, seed, games, placer)
    played = Played(
        games,
        batch.shots,
        batch.seconds,
        time.perf_counter() - began,
        memory.peak,
        faults=_faults_of(shooter, games),
        turns=None if rules.salvo == 1 else batch.turns(rules),
    )
    if not cells:
        return played
    fired = batch.fired[np.arange(rules.cells) < batch.shots[:, None]].astype(np.uint8).tobytes()
    return replace(played, cells=fired, placements=batch.placements)


def _faults_of(player: Player, games: range) -> Faults:
    """The faults in these games, which the player knows by their place among them."""
    if not hasattr(player, "take_faults"):  # a `FaultCounter`
        return NO_FAULTS
    faults: Faults = player.take_faults()
    return replace(faults, lost=frozenset(games[row] for row in faults.lost))


def warm_up(player: Player, name: str, rules: Rules) -> float | None:
    """Play one untimed game, so that compiling and loading are not measured. Returns how many
    seconds it took, unless it was not a game under these rules."""
    with named_in_errors(name):
        _deal_untimed(rules)
        with _memory[name, rules].measured():
            return _play_untimed(player, name, rules)


def make_ready(player: str | bytes, name: str, rules: Rules) -> None:
    """`warm_up` in another process; compiled code goes into the cache that all share."""
    with named_in_errors(name):
        _warm(player, name, rules)


def sendable(player: Player, name: str) -> bytes:
    """A player that is not in the registry, pickled for other processes."""
    try:
        return pickle.dumps(player)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ExperimentError(
            f"{name} cannot be sent to other processes ({error}); define it in a module, or use "
            "jobs=1."
        ) from error


@lru_cache(maxsize=16)
def _warm(player: str | bytes, name: str, rules: Rules) -> Player:
    _deal_untimed(rules)
    with _memory[name, rules].measured():
        made: Player = make_player(player) if isinstance(player, str) else pickle.loads(player)
        _play_untimed(made, name, rules)
    return made


_memory: defaultdict[tuple[str, Rules], PeakMemory] = defaultdict(PeakMemory)
"""of the players of this process"""


@lru_cache(maxsize=16)
def _deal_untimed(rules: Rules) -> None:
    """Have everything in memory that no player is to be charged for."""
    play_batch(make_player("in-order"), rules, 0, range(1))


def _play_untimed(player: Player, name: str, rules: Rules) -> float | None:
    """Play one game; for a slow player on the smallest board. A full game would double the
    time of a short run, and compiled code is the same for all boards. Returns the seconds of a
    full game."""
    if hasattr(player, "prepare"):  # a `PreparedPlayer`
        player.prepare(rules)
        return None
    info = all_players().get(name.partition(":")[0])
    if info is not None and info.slow:
        play_batch(player, replace(rules, rows=2, columns=2, fleet=(1,), salvo=1), 0, range(1))
        return None
    return play_batch(player, rules, 0, range(1)).seconds


@contextmanager
def named_in_errors(name: str) -> Iterator[None]:
    """Turn any error into a `PlayerError` that names the player and survives pickling."""
    try:
        yield
    except SeabattleError as error:
        raise PlayerError(f"{name}: {error}") from error
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise PlayerError(
            f"{name} failed with {type(error).__name__}: {error} "
            f"({Path(where.filename).name}, line {where.lineno})."
        ) from error


class Workers(ProcessPoolExecutor):
    """Worker processes that end when this process ends, for whatever reason."""

    def __init__(self, jobs: int) -> None:
        if jobs > MOST_JOBS:
            raise ExperimentError(
                f"The number of jobs must be at most {MOST_JOBS:,}, not {jobs:,}; each is a "
                "process on this machine."
            )
        context = worker_context()
        held, self._lifeline = context.Pipe(duplex=False)
        initial = (held, dict(os.environ))
        super().__init__(jobs, context, initializer=_start_worker, initargs=initial)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        # Submitting may start a worker, which inherits the blocked signal. So Ctrl-C never
        # shows a worker's traceback, and is never lost here.
        with _interrupts_blocked():
            return super().submit(fn, *args, **kwargs)

    def trouble(self) -> str | None:
        """A worker that was suspended keeps everybody waiting."""
        stopped = [pid for pid in self._processes or {} if is_suspended(pid)]
        if not stopped:
            return None
        numbers = " ".join(map(str, stopped))
        return f"Waiting for a suspended worker process; 'kill -CONT {numbers}' resumes it."

    def stop(self) -> None:
        """End the workers at once, even in the middle of a game."""
        processes = list((self._processes or {}).values())
        self._lifeline.close()
        wait([process.sentinel for process in processes], STOP_SECONDS)
        for process in processes:  # those that are still starting, for example
            process.kill()
        # A worker may have ended in the middle of sending a result. Whoever reads the pipe would
        # wait for the rest for ever, because this process could still write to it, too.
        results = self._result_queue
        if results is not None:
            results._writer.close()  # type: ignore[attr-defined]
        # Not cancelling: the pool fails all its calls, and it cannot fail a cancelled one.
        self.shutdown(wait=True)


@contextmanager
def executor_for(jobs: int, given: Executor | None = None) -> Iterator[Executor]:
    """The given executor, or one of this many jobs that ends with the `with` block."""
    with failures_explained():
        if given is not None:
            yield given
        elif jobs == 1:
            yield ThreadExecutor()
        else:
            workers = Workers(jobs)
            try:
                yield workers
            finally:
                workers.stop()


@contextmanager
def failures_explained(latest: Callable[[], str] | None = None) -> Iterator[None]:
    """Say in a sentence that a worker process or the cluster has ended. `latest` tells whose
    games were handed out last."""
    try:
        yield
    except BrokenProcessPool:
        doing = f" while playing {latest()}" if latest else ""
        raise ExperimentError(
            f"A worker process ended unexpectedly{doing}, possibly because memory ran out; try "
            "fewer jobs. (A script that uses more than one job must make its call under "
            "if __name__ == '__main__'.)"
        ) from None
    except CancelledError:
        raise ExperimentError(
            "The cluster cancelled calls that were running; is its scheduler still running?"
        ) from None


def results_in_order(
    executor: Executor,
    jobs: int,
    function: Callable[..., T],
    arguments: Iterable[tuple[Any, ...]],
) -> Iterator[T]:
    """Call a function with each of these arguments on an executor; the results in order."""
    # Each worker has a second call waiting, so that it never idles.
    most = 1 if isinstance(executor, ThreadExecutor) else 2 * jobs
    underway: deque[Future[T]] = deque()
    try:
        for each in arguments:
            underway.append(executor.submit(function, *each))
            if len(underway) == most:
                yield underway.popleft().result()
        while underway:
            yield underway.popleft().result()
    finally:
        cancel_all(executor, underway)


def cancel_all(executor: Executor, futures: Iterable[Future[Any]]) -> None:
    """Cancel calls that nobody waits for any more."""
    if not isinstance(executor, Workers):  # which are stopped, with all their calls
        for future in futures:
            future.cancel()


def _start_worker(lifeline: Connection, environment: Mapping[str, str]) -> None:
    take_environment(environment)
    os.environ[QUIET_VARIABLE] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        try:
            lifeline.recv_bytes()
        except (EOFError, OSError):
            kill_all()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
