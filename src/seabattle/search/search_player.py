"""What tree-searching players share: budgets, threads, and the report of the root.

A budget is `iterations` or `seconds` for each move. Threads are real ones: compiled code
runs without the GIL. Three ways to share the work:

`leaf`   one thread walks the tree, and all roll out from the leaf that it reaches
`root`   each thread grows a tree of its own; their roots are added up
`tree`   all threads grow one tree, without locks, kept apart by virtual loss

For the same seed and number of threads `leaf` and `root` give the same result. `tree`
does not: its threads see each other's work as it comes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Floats
from ..compiled.knowledge import Knowledge, clear, fire, lay, new_knowledge, tell
from ..compiled.random_streams import stream
from ..compiled.rules_tables import board_of
from ..compiled.seeds import THREAD_STREAM
from ..compiled.structs import struct_type
from ..errors import PlayerError
from ..observation import Observation
from ..players.base import SearchReport
from ..rules import Rules
from .expansion_kernels import add_root
from .simulation_kernels import SIMULATION, STOP, SearchKernels, Worlds, begin, best_cell
from .tree_kernels import BLOCK, SLOT_BYTES, Tree, large_tree

MEMORY_LIMIT = 2 * 2**30
"""Bytes that the trees of one search may take."""

TIMED_SLOTS = 2**22
"""Slots of a tree whose budget is a time. A full tree is still searched, but not grown."""

CHUNK = 500
"""Simulations between looks at the clock."""

MOST_SIMULATIONS = 2**31 - 2**20
"""Where a search ends even if its time is not over: a node counts no more visits."""

SHARES = 16
"""Parts of a search that a thread takes one after the other, where threads share a tree."""

APART = 16
"""Words between what two threads write to: two cache lines."""

State = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class SearchTask:
    """One search to be run."""

    kit: SearchKernels
    values_by_cell: Callable[..., None]
    """(board, walk, visits, worth, task, cell visits, values): what the sums say about each cell"""
    task: Floats
    """the player's parameters as its compiled functions want them"""
    simulations: int
    """0 if `seconds` is the budget"""
    slots: int
    """that so many simulations need; without a number of them, those of each tree"""
    layouts: int
    """how many `draw_worlds` will draw"""
    draw_worlds: Callable[[list[State]], Worlds]
    """with one generator for each thread"""
    unit: str
    ways: int = 1
    """actions for each cell"""
    by_visits: bool = False
    """the most visited cell is chosen, not the one of highest value"""
    seconds: float = 0.0
    parallel: str = "root"
    threads: int = 1

    @property
    def trees(self) -> int:
        return self.threads if self.parallel == "root" else 1

    @property
    def slots_each(self) -> int:
        """Room in each tree, with what its threads may have claimed and not used."""
        parts = self.trees if self.simulations > 0 else 1
        return -(-self.slots // parts) + self.threads // self.trees * BLOCK


def check_budget(player: str, iterations: int, seconds: float, threads: int) -> None:
    """Raise an error for a budget or a number of threads that makes no search."""
    if iterations < 1:
        raise PlayerError(f"iterations of {player!r} is 1 or more, not {iterations}.")
    if not 0.0 <= seconds < float("inf"):
        raise PlayerError(
            f"seconds of {player!r} is a positive time for each move, or 0 to count "
            f"iterations; not {seconds}."
        )
    if not 1 <= threads <= 256:
        raise PlayerError(f"threads of {player!r} is 1 to 256, not {threads}.")


def check_memory(player: str, rules: Rules, search: SearchTask) -> None:
    """Raise an error if the trees and layouts of a search would not fit, with the estimate."""
    needed = search.trees * search.slots_each * SLOT_BYTES
    needed += search.layouts * (2 * rules.cells + 4 * len(rules.fleet))
    if needed > MEMORY_LIMIT:
        raise PlayerError(
            f"This search of {player!r} would take about {needed / 2**30:,.1f} GiB and the "
            f"limit is {MEMORY_LIMIT / 2**30:,.0f} GiB; take fewer iterations, or give seconds "
            "instead."
        )


def run_search(
    player: str,
    position: Position,
    search: SearchTask,
    rng: State,
) -> SearchReport:
    """Search from what a shooter knows; draws from `rng`, a compiled generator."""
    rules = position.rules
    check_memory(player, rules, search)
    began = time.perf_counter()
    board = board_of(rules)
    threads = search.threads
    rngs = [rng, *_streams(rng, threads)]
    worlds = search.draw_worlds(rngs)
    walks = np.zeros(threads, dtype=SIMULATION)
    for thread, walk in enumerate(walks):
        walk["thread"] = thread
        walk["turn"] = thread * search.layouts // threads
        begin(board, position.knowledge, walk)
    trees = [large_tree(search.slots_each) for _ in range(search.trees)]
    deadline = began + search.seconds if search.simulations == 0 else None
    if threads == 1:
        alone = iter([search.simulations])
        _grow(search, board, walks, 0, trees[0], worlds, alone, rng, deadline)
    elif search.parallel == "leaf":
        _grow_leaves(search, board, walks, trees[0], worlds, rngs, deadline)
    else:
        _grow_apart(search, board, walks, trees, worlds, rngs, deadline)
    visits, worth = (np.zeros(search.ways * rules.cells) for _ in range(2))
    for thread, walk in enumerate(walks):
        add_root(trees[thread % len(trees)], walk, search.ways, visits, worth)
    cell_visits, values = np.zeros(rules.cells), np.full(rules.cells, np.nan)
    search.values_by_cell(board, walks[0], visits, worth, search.task, cell_visits, values)
    scores = cell_visits if search.by_visits else values
    return SearchReport(
        suggestion=int(best_cell(walks[0], scores, rng)),
        visits=cell_visits,
        values=np.where(cell_visits > 0, values, np.nan),
        unit=search.unit,
        simulations=_simulations(walks),
        seconds=time.perf_counter() - began,
        note=note_on(threads),
    )


def _simulations(walks: npt.NDArray[Any]) -> int:
    """Made so far, by all threads."""
    return int(walks["own_visits"][:, 0].sum())


def _is_over(walks: npt.NDArray[Any], deadline: float) -> bool:
    """Whether a search with a budget in time is at its end."""
    return time.perf_counter() >= deadline or _simulations(walks) >= MOST_SIMULATIONS


def _streams(rng: State, threads: int) -> list[State]:
    """Generators of the threads after the first, far enough apart in memory that one thread's
    draws do not slow down another's."""
    return [
        np.full(3 * APART, stream(rng[0], thread, THREAD_STREAM), np.uint64)[APART : APART + 1]
        for thread in range(1, threads)
    ]


def _grow(
    search: SearchTask,
    board: Board,
    walks: npt.NDArray[Any],
    thread: int,
    tree: Tree,
    worlds: Worlds,
    shares: Iterator[int],
    rng: State,
    deadline: float | None,
) -> None:
    """Simulate as often as `shares` say, or until the time is over."""
    if deadline is None:
        for share in shares:
            search.kit.grow(board, walks, thread, tree, worlds, search.task, share, rng)
        return
    while True:
        search.kit.grow(board, walks, thread, tree, worlds, search.task, CHUNK, rng)
        if _is_over(walks, deadline):
            return


def _grow_apart(
    search: SearchTask,
    board: Board,
    walks: npt.NDArray[Any],
    trees: list[Tree],
    worlds: Worlds,
    rngs: list[State],
    deadline: float | None,
) -> None:
    """`root` and `tree`: every thread walks by itself."""
    threads = search.threads
    if search.parallel == "tree":
        # Each takes the next few as it gets there, so that none waits for a slower one.
        common = iter(_shares(search.simulations, SHARES * threads))
        parts = [(walks, thread, trees[0], common) for thread in range(threads)]
    else:
        parts = [
            (walks[thread : thread + 1], 0, trees[thread], iter([share]))
            for thread, share in enumerate(_shares(search.simulations, threads))
        ]
    with ThreadPoolExecutor(threads) as pool:
        running = [
            pool.submit(_grow, search, board, group, place, tree, worlds, shares, rng, deadline)
            for (group, place, tree, shares), rng in zip(parts, rngs, strict=True)
        ]
        for each in running:
            each.result()


def _shares(simulations: int, parts: int) -> list[int]:
    """So many simulations in equal parts, as far as they go."""
    return [(simulations + parts - 1 - part) // parts for part in range(parts)]


def _grow_leaves(
    search: SearchTask,
    board: Board,
    walks: npt.NDArray[Any],
    tree: Tree,
    worlds: Worlds,
    rngs: list[State],
    deadline: float | None,
) -> None:
    """`leaf`: the first thread leads, the others follow."""
    signals, rewards = np.zeros(search.threads, np.int64), np.zeros(search.threads)
    shared = (tree, worlds, search.task)
    follow: Callable[..., None] = search.kit.follow
    with ThreadPoolExecutor(search.threads - 1) as pool:
        running = [
            pool.submit(follow, board, walks, thread, *shared, rngs[thread], signals, rewards)
            for thread in range(1, search.threads)
        ]
        with _told_to_stop(signals):
            while True:
                count = search.simulations or CHUNK
                search.kit.lead(board, walks, *shared, count, rngs[0], signals, rewards)
                if deadline is None or _is_over(walks, deadline):
                    break
        for each in running:
            each.result()


@contextmanager
def _told_to_stop(signals: npt.NDArray[np.int64]) -> Iterator[None]:
    try:
        yield
    finally:
        signals[0] += STOP


@dataclass(frozen=True)
class Position:
    """What a shooter knows, in the forms that searches read."""

    rules: Rules
    knowledge: Knowledge
    cells: npt.NDArray[np.int16]
    """(shots,) as in `Observation.arrays`"""
    answers: npt.NDArray[np.int64]

    @classmethod
    def of(cls, observation: Observation) -> Position:
        board, knowledge = board_of(observation.rules), new_knowledge()
        clear(board, knowledge)
        cells, answers = observation.arrays
        for cell, answer in zip(cells, answers, strict=True):
            tell(board, knowledge, cell, answer)
        return cls(observation.rules, knowledge, cells, answers)

    def observation(self) -> Observation:
        return Observation.from_arrays(self.rules, self.cells, self.answers)


class TreeSearchPlayer:
    """A player that searches: a move, its report, and games move by move."""

    iterations: int
    seconds: float
    parallel: str
    threads: int

    def search(self, position: Position, rng: State) -> SearchTask:
        """The search to run from here, apart from its budget in time and its threads."""
        raise NotImplementedError

    def run(self, position: Position, rng: State) -> SearchReport:
        """One move's search, drawing from a compiled generator (see `compiled.random_streams`)."""
        search = self.search(position, rng)
        if self.seconds > 0:
            search = replace(search, simulations=0, seconds=self.seconds, slots=TIMED_SLOTS)
        search = replace(search, parallel=self.parallel, threads=self.threads)
        return run_search(type(self).__name__.lower(), position, search, rng)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.report(observation, rng).suggestion

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
        return self.run(Position.of(observation), state)

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        board, knowledge = board_of(rules), new_knowledge()
        shots = np.empty(len(seeds), dtype=np.int32)
        fired = np.empty((len(seeds), rules.cells), dtype=np.int16)
        told = np.empty(rules.cells, dtype=np.int64)
        ship_at = np.empty(rules.cells, dtype=np.int16)
        left = np.empty(len(rules.fleet), dtype=np.int64)
        for game in range(len(seeds)):
            state = seeds[game : game + 1].copy()
            lay(board, placements[game], ship_at, left)
            clear(board, knowledge)
            while knowledge.hits < rules.ship_cells:
                count = int(knowledge.shots)
                position = Position(rules, knowledge, fired[game, :count], told[:count])
                cell = self.run(position, state).suggestion
                fired[game, count] = cell
                told[count] = fire(board, ship_at, left, cell)
                tell(board, knowledge, cell, told[count])
            shots[game] = knowledge.shots
        return shots, fired


NO_WORLDS = Worlds(
    np.empty((0, 0), dtype=np.int32),
    np.empty((0, 0), dtype=np.int16),
    np.empty(0, dtype=struct_type(Knowledge)),
)


def note_on(threads: int) -> str:
    """A sentence if there are more threads than processors to run them."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    if threads <= cores:
        return ""
    return f"{threads} threads share {cores} cores, so they are no faster than {cores} would be."
