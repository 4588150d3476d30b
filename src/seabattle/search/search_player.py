"""Base class of the tree searches: budgets, threads, and the report of the root.

A budget is `iterations` or `seconds` per move. Threads run in parallel, because compiled
code releases the GIL. There are three ways to share the work:

`leaf`   one thread descends the tree, and all threads roll out from the leaf it reaches
`root`   each thread grows its own tree; the counts at their roots are added up
`tree`   all threads grow one tree, without locks, kept apart by virtual loss

In a salvo, the search is that of the position without the pending cells: it values every shot
as if it were answered at once. The best cell that is not pending is chosen.

For the same seed and number of threads, `leaf` and `root` are deterministic. `tree` is not:
its threads see each other's work as it happens.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from ..compiled.board_tables import Board, Cells, Floats, Ints
from ..compiled.knowledge import Knowledge, clear, new_knowledge, tell
from ..compiled.random_streams import Rng, compiled_rng, stream
from ..compiled.rules_tables import board_of
from ..compiled.seeds import THREAD_STREAM
from ..compiled.structs import struct_type
from ..errors import PlayerError
from ..observation import Observation
from ..players.base import SearchReport
from ..players.batch_play import Placements, PlayedGames, Seeds, play_move_by_move
from ..rules import Rules
from .expansion_kernels import add_root
from .simulation_kernels import (
    SIMULATION,
    STOP,
    SampledLayouts,
    SearchKernels,
    Simulations,
    begin,
    highest_scoring_cell,
)
from .tree_kernels import BLOCK, SLOT_BYTES, Tree, large_tree

MEMORY_LIMIT = 2 * 2**30
"""The most bytes that the trees and layouts of one search may take."""

TIMED_SLOTS = 2**22
"""Slots of a tree if the budget is in seconds. A full tree is searched but no longer grows."""

CHUNK = 500
"""Simulations between checks of the clock."""

MOST_SIMULATIONS = 2**31 - 2**20
"""A search ends here even if there is time left: visits are 32-bit counts."""

SHARES = 16
"""Parts per thread into which the simulations are divided when threads share a tree."""

PADDING = 16
"""Words between the generators of two threads: two cache lines."""

NO_LAYOUTS = SampledLayouts(
    np.empty((0, 0), dtype=np.int32),
    np.empty((0, 0), dtype=np.int16),
    np.empty(0, dtype=struct_type(Knowledge)),
)

SearchSeconds = Annotated[float, "time per move; if 0, iterations is the budget"]
Parallel = Annotated[Literal["leaf", "root", "tree"], "how threads share the work"]
Threads = Annotated[int, "threads per move"]


@dataclass(frozen=True)
class SearchTask:
    """A search to run."""

    kernels: SearchKernels
    values_by_cell: Callable[..., None]
    """(board, simulation, visits, rewards, parameters, cell_visits, values): turns the totals of
    each action into the visits and value of each cell"""
    parameters: Floats
    """the player's parameters, as its compiled functions take them"""
    simulation_count: int
    """0 if the budget is `seconds`"""
    slots: int
    """room for all simulations; if the budget is `seconds`, for each tree"""
    layout_count: int
    """layouts that `sample_layouts` draws"""
    sample_layouts: Callable[[list[Rng]], SampledLayouts]
    """called with a generator for each thread"""
    unit: str
    ways: int = 1
    """actions per cell"""
    by_visits: bool = False
    """whether the most visited cell is chosen, not the one with the highest value"""
    seconds: float = 0.0
    parallel: str = "root"
    threads: int = 1

    @property
    def trees(self) -> int:
        return self.threads if self.parallel == "root" else 1

    @property
    def slots_each(self) -> int:
        """Slots of each tree, including those that its threads may reserve but not use."""
        parts = self.trees if self.simulation_count > 0 else 1
        return -(-self.slots // parts) + self.threads // self.trees * BLOCK


def check_budget(player: str, iterations: int, seconds: float, threads: int) -> None:
    """Raise an error if the budget or the number of threads is not valid."""
    if iterations < 1:
        raise PlayerError(f"iterations of {player!r} must be 1 or more, not {iterations}.")
    if not 0.0 <= seconds < float("inf"):
        raise PlayerError(
            f"seconds of {player!r} must be a positive time per move, or 0 to use iterations; "
            f"not {seconds}."
        )
    if not 1 <= threads <= 256:
        raise PlayerError(f"threads of {player!r} must be 1 to 256, not {threads}.")


def check_search_memory(player: str, rules: Rules, search: SearchTask) -> None:
    """Raise an error if the trees and layouts of a search would exceed the memory limit."""
    needed = search.trees * search.slots_each * SLOT_BYTES
    needed += search.layout_count * (2 * rules.cells + 4 * len(rules.fleet))
    if needed > MEMORY_LIMIT:
        raise PlayerError(
            f"This search of {player!r} would take about {needed / 2**30:,.1f} GiB, and the limit "
            f"is {MEMORY_LIMIT / 2**30:,.0f} GiB; use fewer iterations, or set seconds instead."
        )


def run_search(player: str, position: SearchPosition, search: SearchTask, rng: Rng) -> SearchReport:
    """Search from a position, with randomness from a compiled generator."""
    rules = position.rules
    check_search_memory(player, rules, search)
    began = time.perf_counter()
    board = board_of(rules)
    threads = search.threads
    rngs = [rng, *_streams(rng, threads)]
    sampled = search.sample_layouts(rngs)
    simulations = np.zeros(threads, dtype=SIMULATION)
    for thread, simulation in enumerate(simulations):
        simulation["thread"] = thread
        simulation["next_layout"] = thread * search.layout_count // threads
        begin(board, position.knowledge, simulation)
    trees = [large_tree(search.slots_each) for _ in range(search.trees)]
    deadline = began + search.seconds if search.simulation_count == 0 else None
    if threads == 1:
        alone = iter([search.simulation_count])
        _grow(search, board, simulations, 0, trees[0], sampled, alone, rng, deadline)
    elif search.parallel == "leaf":
        _grow_leaves(search, board, simulations, trees[0], sampled, rngs, deadline)
    else:
        _grow_apart(search, board, simulations, trees, sampled, rngs, deadline)
    visits, rewards = np.zeros((2, search.ways * rules.cells))
    for thread, simulation in enumerate(simulations):
        add_root(trees[thread % len(trees)], simulation, search.ways, visits, rewards)
    cell_visits, values = np.zeros(rules.cells), np.full(rules.cells, np.nan)
    search.values_by_cell(
        board, simulations[0], visits, rewards, search.parameters, cell_visits, values
    )
    scores = cell_visits if search.by_visits else values
    if position.pending:
        scores[[*position.pending]] = -np.inf
    return SearchReport(
        suggestion=int(highest_scoring_cell(simulations[0], scores, rng)),
        visits=cell_visits,
        values=np.where(cell_visits > 0, values, np.nan),
        unit=search.unit,
        simulations=_simulations_made(simulations),
        seconds=time.perf_counter() - began,
        note=note_on(threads),
    )


def _simulations_made(simulations: Simulations) -> int:
    """How many simulations all threads have run so far."""
    return int(simulations["own_visits"][:, 0].sum())


def _is_over(simulations: Simulations, deadline: float) -> bool:
    """Whether a search with a budget in seconds must end."""
    return time.perf_counter() >= deadline or _simulations_made(simulations) >= MOST_SIMULATIONS


def _streams(rng: Rng, threads: int) -> list[Rng]:
    """Generators of the threads after the first, far enough apart in memory to avoid false
    sharing."""
    return [
        np.full(3 * PADDING, stream(rng[0], thread, THREAD_STREAM), np.uint64)[
            PADDING : PADDING + 1
        ]
        for thread in range(1, threads)
    ]


def _grow(
    search: SearchTask,
    board: Board,
    simulations: Simulations,
    thread: int,
    tree: Tree,
    sampled: SampledLayouts,
    shares: Iterator[int],
    rng: Rng,
    deadline: float | None,
) -> None:
    """Run one thread's simulations: as many as `shares` say, or until the deadline."""
    if deadline is None:
        for share in shares:
            search.kernels.grow(
                board, simulations, thread, tree, sampled, search.parameters, share, rng
            )
        return
    while True:
        search.kernels.grow(
            board, simulations, thread, tree, sampled, search.parameters, CHUNK, rng
        )
        if _is_over(simulations, deadline):
            return


def _grow_apart(
    search: SearchTask,
    board: Board,
    simulations: Simulations,
    trees: list[Tree],
    sampled: SampledLayouts,
    rngs: list[Rng],
    deadline: float | None,
) -> None:
    """`root` and `tree`: every thread runs its own simulations."""
    threads = search.threads
    if search.parallel == "tree":
        # Each thread takes the next part when it is ready, so that none waits for a slower one.
        common = iter(_shares(search.simulation_count, SHARES * threads))
        parts = [(simulations, thread, trees[0], common) for thread in range(threads)]
    else:
        parts = [
            (simulations[thread : thread + 1], 0, trees[thread], iter([share]))
            for thread, share in enumerate(_shares(search.simulation_count, threads))
        ]
    with ThreadPoolExecutor(threads) as pool:
        running = [
            pool.submit(_grow, search, board, group, place, tree, sampled, shares, rng, deadline)
            for (group, place, tree, shares), rng in zip(parts, rngs, strict=True)
        ]
        for each in running:
            each.result()


def _shares(simulation_count: int, parts: int) -> list[int]:
    """The simulations in parts as equal as possible."""
    return [(simulation_count + parts - 1 - part) // parts for part in range(parts)]


def _grow_leaves(
    search: SearchTask,
    board: Board,
    simulations: Simulations,
    tree: Tree,
    sampled: SampledLayouts,
    rngs: list[Rng],
    deadline: float | None,
) -> None:
    """`leaf`: the first thread descends the tree, the others roll out with it."""
    signals, rewards = np.zeros(search.threads, np.int64), np.zeros(search.threads)
    shared = (tree, sampled, search.parameters)
    follow: Callable[..., None] = search.kernels.follow
    with ThreadPoolExecutor(search.threads - 1) as pool:
        running = [
            pool.submit(follow, board, simulations, thread, *shared, rngs[thread], signals, rewards)
            for thread in range(1, search.threads)
        ]
        with _stopped_at_end(signals):
            while True:
                count = search.simulation_count or CHUNK
                search.kernels.lead(board, simulations, *shared, count, rngs[0], signals, rewards)
                if deadline is None or _is_over(simulations, deadline):
                    break
        for each in running:
            each.result()


@contextmanager
def _stopped_at_end(signals: Ints) -> Iterator[None]:
    """Stop the other threads, even after an error."""
    try:
        yield
    finally:
        signals[0] += STOP


@dataclass(frozen=True)
class SearchPosition:
    """What a shooter knows, in the forms that searches use."""

    rules: Rules
    knowledge: Knowledge
    cells: Cells
    """(shots,) as in `Observation.arrays`"""
    answers: Ints
    pending: tuple[int, ...] = ()
    """cells of this salvo that may not be chosen again"""

    @classmethod
    def of(cls, observation: Observation) -> SearchPosition:
        found = cls.after(observation.rules, *observation.arrays)
        return replace(found, pending=observation.pending) if observation.pending else found

    @classmethod
    def after(cls, rules: Rules, cells: Cells, answers: Ints) -> SearchPosition:
        board, knowledge = board_of(rules), new_knowledge()
        clear(board, knowledge)
        for cell, answer in zip(cells, answers, strict=True):
            tell(board, knowledge, cell, answer)
        return cls(rules, knowledge, cells, answers)

    def observation(self) -> Observation:
        return Observation.from_arrays(self.rules, self.cells, self.answers)


class TreeSearchPlayer:
    """Base class of the tree searches: moves, their reports, and games move by move."""

    iterations: int
    seconds: float
    parallel: str
    threads: int

    def search(self, position: SearchPosition, rng: Rng) -> SearchTask:
        """The search of a position, apart from `seconds`, `parallel` and `threads`."""
        raise NotImplementedError

    def run(self, position: SearchPosition, rng: Rng) -> SearchReport:
        """Search one move, with randomness from a compiled generator."""
        search = self.search(position, rng)
        if self.seconds > 0:
            search = replace(search, simulation_count=0, seconds=self.seconds, slots=TIMED_SLOTS)
        search = replace(search, parallel=self.parallel, threads=self.threads)
        return run_search(type(self).__name__.lower(), position, search, rng)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        return self.report(observation, rng).suggestion

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        return self.run(SearchPosition.of(observation), compiled_rng(rng))

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        return self.run(SearchPosition.of(observation), rng).suggestion

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
            return self.run(SearchPosition.after(rules, cells, answers), rng).suggestion

        return play_move_by_move(rules, placements, seeds, choose)


def note_on(threads: int) -> str:
    """A sentence for the user if there are more threads than processor cores."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    if threads <= cores:
        return ""
    return f"{threads} threads share {cores} cores, so they are no faster than {cores} would be."
