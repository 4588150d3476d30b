"""A worker process: computes what the server must not compute itself.

A player is somebody's code: it may be slow, loop forever or crash the interpreter. A worker
receives tasks and returns replies as lines of JSON on its standard input and output. It sees
observations and rules, finished games that a player may learn from, and a layout only when it
deals one (see `worker_pool` for the server's
side). It ends when the server is gone.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TextIO

import numpy as np

from ..belief import infer
from ..belief.sunk_cells import sunk_ships
from ..compiled.jit import compilation_watched
from ..dealing import checked_layout, make_placer
from ..dealing.uniform import random_layout, tries_worth
from ..equilibrium.hide_advice import advise
from ..errors import PlayerError, SeabattleError
from ..experiment.play import ask
from ..layout import Layout
from ..learners.person_habits import habits
from ..learners.person_memory import learned, read_games
from ..naming.parameters import read_parameters
from ..observation import Observation
from ..opponents import measure_strength
from ..players import Player, SearchPlayer, all_players, make_player, player_info, why_not
from ..players.registry import forbid_programs
from ..puzzles import find_puzzle
from ..report.consult import consult
from ..rules import Rules
from ..shots import Answer, Shot

MEASURING_SECONDS = 1.0
"""for the strength of one player"""

ADVICE_GAMES, ADVICE_MOVES = 40, 6
"""Random layouts, and other places of each ship, that advice in the browser is based on."""

TIGHT = "tight"
"""The answer to `deal-loose` for a fleet that random placements almost never fit."""


@dataclass(frozen=True)
class WorkerTask:
    """A question to a worker; only text and numbers cross the pipe."""

    what: str
    """`check` a player's name, list the players that `cannot-play`, let one `choose`, `consult`
    it, measure its `strength`, compute a `belief` or the `sunk-ships`, make a `puzzle`, `advise`
    on a layout, say what somebody's `habits` are, or make a layout: `hide` as a player does,
    `deal`, or `deal-loose` if that is easy"""
    player: str = ""
    rules: str = ""
    shots: tuple[tuple[int, int], ...] = ()
    """the cell of each shot, and the code of its answer"""
    pending: tuple[int, ...] = ()
    """cells chosen so far in a salvo"""
    seed: int = 0
    exact_seconds: float = 0.0
    """time limit for an exact belief; beyond it, the belief is sampled"""
    search_seconds: float = 0.0
    """the largest `seconds` that a search may be given per move"""
    puzzle: str = ""
    """the id of a puzzle"""
    answer: list[str] | None = None
    """cells that may solve it; none of them to give up"""
    layout: str = ""
    memory: list[dict[str, Any]] | None = None
    """earlier games with the person, for a player that learns"""

    @property
    def subject(self) -> str:
        """Who or what is to answer, for a sentence."""
        if self.puzzle:
            return "The puzzle"
        if self.what == "advise":
            return "The advice"
        if self.what == "habits":
            return "The search for habits"
        return self.player or ("The dealer" if self.what.startswith("deal") else "The heat map")

    def to_line(self) -> bytes:
        return json.dumps(vars(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: str) -> WorkerTask:
        return cls(**json.loads(line))


def main(parent: int) -> None:
    """Answer tasks until the server is gone, and with it the parent of this process. The first
    line of the input is the configuration: the modules to import, the niceness and, if there is
    one, a memory limit."""
    # What a player prints must not be taken for a reply.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    tasks = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configuration = json.loads(tasks.readline())
    if hasattr(os, "nice"):  # not on Windows
        os.nice(configuration["niceness"])
    forbid_programs()  # in any spelling, and as a parameter of another player
    threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
    for module in configuration["imports"]:
        importlib.import_module(module)

    def reply(kind: str, value: Any = None) -> None:
        replies.write(json.dumps([kind, value]) + "\n")
        replies.flush()

    if configuration["memory"]:
        _limit_memory(configuration["memory"])
    with contextlib.suppress(BrokenPipeError), compilation_watched(lambda _: reply("compiled")):
        reply("ready")
        _answer_all(tasks, reply)
    os._exit(0)  # whatever threads a player left behind


def _answer_all(tasks: TextIO, reply: Callable[..., None]) -> None:
    for line in tasks:
        try:
            answer = ("done", _answer(WorkerTask.from_line(line)))
        except SeabattleError as error:
            answer = ("refused", str(error))
        except MemoryError:
            answer = ("error", "it needs more memory than there is for one task")
        except Exception as error:
            answer = ("error", f"{type(error).__name__}: {error}")
        reply(*answer)


def _exit_with(parent: int) -> None:
    """Exit when the server is gone, even in the middle of a task."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _limit_memory(size: int) -> None:
    """Let a task fail that needs more than this, where the system can do so."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _answer(task: WorkerTask) -> Any:
    if task.what == "puzzle":
        return _puzzle(task)
    if task.what in ("deal", "deal-loose"):
        return _deal(task)
    if task.what == "advise":
        layout = Layout.from_text(task.layout, _rules(task.rules))
        return advise(layout, games=ADVICE_GAMES, moves=ADVICE_MOVES, seed=task.seed).to_json()
    if task.what == "habits":
        games = read_games(task.memory or (), _rules(task.rules))
        return [habit.to_json() for habit in habits(games)]
    if task.what == "hide":
        return _hide(task)
    shots = tuple(_shot(cell, code) for cell, code in task.shots)
    observation = Observation(_rules(task.rules), shots, tuple(task.pending))
    if task.what == "check":
        _check(task, observation.rules)
        return None
    if task.what == "cannot-play":
        offered = [name for name, info in all_players().items() if not info.runs_programs]
        reasons = {name: why_not(name, observation.rules) for name in offered}
        return {name: reason for name, reason in reasons.items() if reason}
    if task.what == "sunk-ships":
        return sunk_ships(observation).to_json(observation.rules)
    if task.what == "strength":
        _check(task, observation.rules)
        found = measure_strength(task.player, observation.rules, seconds=MEASURING_SECONDS)
        return found.to_json()
    rng = np.random.default_rng(task.seed)
    if task.what == "choose":
        return int(ask(_learned_player(task), observation, rng))
    if task.what == "consult":
        return _consult(task, observation, rng)
    return infer(observation, seconds=task.exact_seconds, rng=rng).to_json()


@lru_cache(maxsize=256)
def _rules(text: str) -> Rules:
    return Rules.from_text(text)


@lru_cache(maxsize=4096)
def _shot(cell: int, code: int) -> Shot:
    return Shot(cell, Answer.from_code(code))


def _deal(task: WorkerTask) -> str:
    """A random layout as text."""
    rules = _rules(task.rules)
    if task.what == "deal-loose" and not tries_worth(rules):
        return TIGHT
    return random_layout(rules, np.random.default_rng(task.seed)).to_text()


def _check(task: WorkerTask, rules: Rules) -> None:
    """Refuse a player that cannot play under these rules, or that a visitor may not name."""
    _player(task)
    reason = why_not(task.player, rules)
    if reason:
        raise PlayerError(reason)


def _hide(task: WorkerTask) -> str:
    """The layout of a player with a placer of its own, after the games that it knows."""
    rules = _rules(task.rules)
    name = player_info(task.player.partition(":")[0].strip()).placer
    placer = learned(make_placer(name), read_games(task.memory or (), rules))
    layout = placer.place(rules, np.random.default_rng(task.seed))
    return checked_layout(layout, rules, name).to_text()


def _learned_player(task: WorkerTask) -> Player:
    """The player that a task names, after the games that it knows."""
    player = _player(task)
    if not task.memory:
        return player
    return _taught(task.player, task.rules, json.dumps(task.memory))


@lru_cache(maxsize=16)
def _taught(name: str, rules: str, memory: str) -> Player:
    """A player after some games; every move of a game asks for the same."""
    games = read_games(json.loads(memory), _rules(rules))
    return learned(make_player(name), games)


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


def _puzzle(task: WorkerTask) -> dict[str, Any]:
    puzzle = find_puzzle(task.puzzle)
    if task.answer is None:
        return puzzle.to_json()
    if not task.answer:
        return {**puzzle.to_json(solution=True), "right": False, "sentence": ""}
    verdict = puzzle.check(puzzle.rules.cell(cell) for cell in task.answer)
    return {**puzzle.to_json(), **verdict.to_json(puzzle.rules)}


def _consult(
    task: WorkerTask, observation: Observation, rng: np.random.Generator
) -> dict[str, Any]:
    finding = consult(task.player, _player(task), observation, rng)
    return {
        "player": task.player,
        "cell": observation.rules.cell_name(finding.cell),
        "search": finding.search_json(),
        "numbers": finding.maps_json(),
    }
