"""Players and beliefs in worker processes, with a time limit.

A player is somebody's code: it may be slow, loop forever or crash the interpreter. So every
choice and every belief is computed in a worker process, which receives the observation and
nothing else (a worker never sees a layout) and is killed when its time is up. Slow players
and beliefs have their own workers, so that a quick player never waits behind them.

Whatever is used for the first time may have to be compiled first. `prepare` does that in the
background, `preparation` says how far it is, and `ready` whether a player can move at once.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import queue
import secrets
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ..belief import infer
from ..compiled.jit import compilation_watched
from ..errors import PlayerError, SeabattleError
from ..experiment.play import ask
from ..observation import Observation
from ..players import Player, SearchPlayer, all_players, make_player, player_info, why_not
from ..players.registry import forbid_programs, read_parameters
from ..report.consult import consult
from ..rules import Rules
from .preparation import Preparation, Step
from .refusals import NoAnswer, Refused
from .settings import ServerSettings

log = logging.getLogger("seabattle.web")

_context = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class WorkerTask:
    """A question to a worker; only text and numbers cross the pipe."""

    what: str
    """`check` a player's name, list the players that `cannot-play`, let one `choose`, `consult`
    it, or compute a `belief`"""
    player: str = ""
    rules: dict[str, Any] | None = None
    shots: str = ""
    seed: int = 0
    exact_seconds: float = 0.0
    """time limit for an exact belief; beyond it, the belief is sampled"""
    search_seconds: float = 0.0
    """the largest `seconds` that a search may be given per move"""

    @property
    def subject(self) -> str:
        """Who or what is to answer, for a sentence."""
        return self.player or "The heat map"

    @classmethod
    def about(
        cls,
        what: str,
        observation: Observation,
        player: str = "",
        *,
        exact_seconds: float = 0.0,
        search_seconds: float = 0.0,
    ) -> WorkerTask:
        rules = {k: v for k, v in observation.rules.to_json().items() if k not in ("name", "ships")}
        shots, seed = observation.to_text(), secrets.randbits(63)
        return cls(what, player, rules, shots, seed, exact_seconds, search_seconds)


class PlayerWorkers:
    """The worker processes of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._quick = _Pool(settings.quick_workers, settings)
        self._slow = _Pool(settings.slow_workers, settings)
        self._belief = _Pool(settings.belief_workers, settings)
        self._cannot_play: dict[str, dict[str, str]] = {}
        self.preparation = Preparation()
        self.closed = False

    def warm_up(self) -> None:
        """Start the processes that the first visitor needs, and compile what they run: first the
        opponent that the page suggests, which shares most of it with the heat maps."""
        self._quick.start()
        self._belief.start()
        step = self.prepare(USUAL_OPPONENT, Rules())
        self.preparation.step("belief", HEAT_MAPS)
        step.finished.wait()
        if not self.closed:
            self.belief(Observation(Rules()))

    def close(self) -> None:
        self.closed = True
        for pool in (self._quick, self._slow, self._belief):
            pool.close()

    def check(self, player: str, rules: Rules) -> None:
        """Raise an error if there is no such player, or it cannot play under these rules."""
        player_info(_name(player))
        task = WorkerTask.about("check", Observation(rules), player, search_seconds=self._most)
        self._quick.ask(task, self._settings.first_use_seconds)

    def cannot_play(self, rules: Rules) -> dict[str, str]:
        """The players that cannot play under these rules, with the reason."""
        key = rules.to_text()
        if key not in self._cannot_play:
            task = WorkerTask.about("cannot-play", Observation(rules))
            found = self._quick.ask(task, self._settings.first_use_seconds)
            if len(self._cannot_play) >= REMEMBERED_RULES:
                self._cannot_play.clear()
            self._cannot_play[key] = found
        return self._cannot_play[key]

    def prepare(self, player: str, rules: Rules) -> Step:
        """Use a player for the first time, in the background, unless that has begun already."""
        step, new = self.preparation.step(_variant(player), _name(player))
        if new:
            ask = threading.Thread(
                target=self._first_use, args=(step, player, Observation(rules)), daemon=True
            )
            ask.start()
        return step

    def _first_use(self, step: Step, player: str, observation: Observation) -> None:
        try:
            self._ask_player("choose", player, observation)
        except SeabattleError:
            pass  # its first move in a game says what is wrong
        except Exception:
            if not self.closed:  # a pipe that is closed under a waiting thread
                log.exception("A player could not be prepared.")
        finally:
            step.finish()

    def ready(self, player: str, rules: Rules) -> bool:
        """Whether a player can move at once; waits a moment for one whose first use has just
        begun."""
        step = self.prepare(player, rules)
        return step.finished.wait(max(0.0, self._settings.patience_seconds - step.seconds))

    def choose(self, player: str, observation: Observation) -> int:
        """The cell that a player shoots at next."""
        return int(self._ask_player("choose", player, observation))

    def consult(self, player: str, observation: Observation) -> dict[str, Any]:
        """The cell that a player would shoot at, and what its search found."""
        try:
            found = self._ask_player("consult", player, observation)
        except NoAnswer as error:
            if "iterations" not in player_info(_name(player)).parameters:
                raise
            raise NoAnswer(
                f"{error} Give it fewer iterations, or a time limit (seconds=5)."
            ) from None
        assert isinstance(found, dict)
        return found

    def _ask_player(self, what: str, player: str, observation: Observation) -> Any:
        pool = self._slow if player_info(_name(player)).slow else self._quick
        task = WorkerTask.about(what, observation, player, search_seconds=self._most)
        step, _ = self.preparation.step(_variant(player), _name(player))
        return self._ask_first(pool, task, step, self._settings.think_seconds)

    def belief(self, observation: Observation) -> dict[str, Any]:
        """How likely a ship is on each cell (see `Belief.to_json`)."""
        think = self._settings.think_seconds
        task = WorkerTask.about("belief", observation, exact_seconds=think / 2)
        step, _ = self.preparation.step("belief", HEAT_MAPS)
        if step.state == "waiting":
            # A player that is being prepared may be compiling the same functions.
            for other in self.preparation.running():
                other.finished.wait(self._settings.first_use_seconds)
        found = self._ask_first(self._belief, task, step, 3 * think)
        assert isinstance(found, dict)
        return found

    def _ask_first(self, pool: _Pool, task: WorkerTask, step: Step, seconds: float) -> Any:
        """Ask a pool; the time limit of the first use allows for a compilation."""
        if step.finished.is_set():
            return pool.ask(task, seconds)
        step.start()
        try:
            return pool.ask(task, seconds + self._settings.first_use_seconds, step.count_compiled)
        finally:
            step.finish()

    @property
    def _most(self) -> float:
        return self._settings.search_seconds


USUAL_OPPONENT = "exact"
"""The opponent that the page suggests."""

HEAT_MAPS = "heat maps"

REMEMBERED_RULES = 200
"""Rules for which is remembered who can play them."""


def _name(player: str) -> str:
    return player.partition(":")[0].strip()


def _variant(player: str) -> str:
    """A player's name; of a search, with the parameters that decide which kernels it runs, each
    of which may have to be compiled: the words, and whether threads share the work."""
    info = player_info(_name(player))
    if not info.searches:
        return info.name
    parameters, words = info.parameters, set()
    for entry in player.partition(":")[2].split(","):
        key, _, value = (part.strip() for part in entry.partition("="))
        if key in parameters and value in parameters[key].choices:
            words.add(f"{key}={value}")
        elif key == "threads" and key in parameters:
            words.add(key)
    return ":".join([info.name, *sorted(words)])


class _Pool:
    """Up to `size` workers, started when first needed and replaced when killed."""

    def __init__(self, size: int, settings: ServerSettings) -> None:
        self._settings = settings
        self._closed = False
        self._workers: set[_Worker] = set()
        self._free: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(size):
            self._free.put(None)

    def start(self) -> None:
        """Start the workers, before anybody needs them."""
        free: list[_Worker | None] = []
        with contextlib.suppress(queue.Empty):
            while True:
                free.append(self._free.get_nowait())
        for worker in free:
            self._free.put(worker or self._new())

    def ask(
        self, task: WorkerTask, seconds: float, compiled: Callable[[], None] = lambda: None
    ) -> Any:
        """A worker's answer to a task; `compiled` is called for every function it compiles."""
        try:
            worker = self._free.get(timeout=self._settings.queue_seconds)
        except queue.Empty:
            raise NoAnswer("All workers are busy; try again in a moment.") from None
        try:
            if worker is None:
                worker = self._new()
            return worker.ask(task, seconds, compiled)
        except NoAnswer:
            assert worker is not None
            self._workers.discard(worker)
            worker.kill()
            worker = None if self._closed else self._new()
            raise
        finally:
            self._free.put(worker)

    def close(self) -> None:
        self._closed = True
        for worker in list(self._workers):
            worker.kill()

    def _new(self) -> _Worker:
        worker = _Worker(self._settings)
        self._workers.add(worker)
        return worker


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._pipe, theirs = _context.Pipe()
        self._process = _context.Process(
            target=_work, args=(theirs, settings.imports, os.getpid()), daemon=True
        )
        self._process.start()
        theirs.close()
        self._ready = False
        self._ending = threading.Lock()

    def ask(self, task: WorkerTask, seconds: float, compiled: Callable[[], None]) -> Any:
        try:
            if not self._ready:
                self._receive(self._settings.first_use_seconds)
                self._ready = True
            self._pipe.send(task)
            end = time.monotonic() + seconds
            kind, value = self._receive(seconds)
            while kind == "compiled":
                compiled()
                kind, value = self._receive(max(0.0, end - time.monotonic()))
        except TimeoutError:
            raise NoAnswer(f"{task.subject} did not answer within {seconds:g} s.") from None
        except (EOFError, OSError):
            raise NoAnswer(f"{task.subject} crashed.") from None
        if kind == "refused":
            raise SeabattleError(value)
        if kind == "error":
            raise PlayerFailed(f"{task.subject} failed: {value}.")
        return value

    def kill(self) -> None:
        """End the process, once, even if two threads ask for it at the same time."""
        with self._ending:
            if not self._pipe.closed:
                self._process.kill()
                self._process.join()
                self._pipe.close()

    def _receive(self, seconds: float) -> Any:
        if not self._pipe.poll(seconds):
            raise TimeoutError
        return self._pipe.recv()


class PlayerFailed(Refused):
    """A player raised an error; its worker is unharmed."""

    status = 503


def _work(pipe: Connection, imports: tuple[str, ...], parent: int) -> None:
    """A worker: answers tasks until the server is gone."""
    forbid_programs()  # in any spelling, and as a parameter of another player
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
    for module in imports:
        importlib.import_module(module)
    pipe.send(("ready", None))
    with compilation_watched(lambda functions: pipe.send(("compiled", functions))):
        _answer_all(pipe)


def _answer_all(pipe: Connection) -> None:
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            reply = ("done", _answer(task))
        except SeabattleError as error:
            reply = ("refused", str(error))
        except Exception as error:
            reply = ("error", f"{type(error).__name__}: {error}")
        pipe.send(reply)


def _exit_with(parent: int) -> None:
    """Exit when the server is gone, even in the middle of a task."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _answer(task: WorkerTask) -> Any:
    observation = Observation.from_json({"rules": task.rules, "shots": task.shots})
    if task.what == "check":
        _player(task)
        reason = why_not(task.player, observation.rules)
        if reason:
            raise PlayerError(reason)
        return None
    if task.what == "cannot-play":
        offered = [name for name, info in all_players().items() if not info.runs_programs]
        reasons = {name: why_not(name, observation.rules) for name in offered}
        return {name: reason for name, reason in reasons.items() if reason}
    rng = np.random.default_rng(task.seed)
    if task.what == "choose":
        return ask(_player(task), observation, rng)
    if task.what == "consult":
        return _consult(task, observation, rng)
    return infer(observation, seconds=task.exact_seconds, rng=rng).to_json()


def _player(task: WorkerTask) -> Player:
    """The player that a task names, if it names no file or program and its search fits the time
    limit."""
    name, _, rest = task.player.strip().partition(":")
    if player_info(name).runs_programs:
        raise PlayerError(f"{name!r} runs a program on the server; visitors cannot name one.")
    known = player_info(name).parameters
    for key in read_parameters(rest, name, known):
        if known[key].names_a_file:
            raise PlayerError(f"{key} of {name!r} is a file on the server; visitors cannot set it.")
    player = make_player(task.player)
    seconds = getattr(player, "seconds", None)
    if not isinstance(player, SearchPlayer) or not isinstance(seconds, int | float):
        return player
    if seconds > task.search_seconds:
        raise PlayerError(
            f"A search may take at most {task.search_seconds:g} seconds per move here, "
            f"not {seconds:g}."
        )
    return player


def _consult(
    task: WorkerTask, observation: Observation, rng: np.random.Generator
) -> dict[str, Any]:
    finding = consult(task.player, _player(task), observation, rng)
    return {
        "player": task.player,
        "cell": observation.rules.cell_name(finding.cell),
        "search": finding.search_json(),
    }
