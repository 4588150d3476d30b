"""`branch-mcts` (P): a few likely cells, each followed to the end of the game.

The hit probability of a cell is estimated from its neighbours alone (the formula is in
`search.branch_kernels.estimate`). The `branch` most likely cells are tried: a shot hits with
the estimated probability, the estimate is updated, and then the `branch` / `decay` most
likely cells are tried, then `branch` / `decay`², and so on, at least one, until all ship
cells are hit. The player shoots at the cell from which this takes the fewest shots on
average.

Differences from the document. Its tree grows with the product of all those plan_widths, and
many of its runs were killed. Here `nodes` limits what one search visits, by trying a single
cell from the level on where the limit would be exceeded, and no tree is stored.
`iterations` searches are averaged (the document runs one). A hit next to another hit adds
nothing to the estimate: right for the document's ships of two cells, and kept for others,
where the third cell of a longer ship is found only by luck.

Threads: with `leaf` the candidates are divided among the threads (the document's way),
with `tree` each thread takes the next one, with `root` each runs its own search with its
part of `nodes`. With `leaf` and `tree` the result is that of a single thread.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge
from ..compiled.random_streams import Rng, draw, stream
from ..compiled.rules_tables import board_of
from ..compiled.seeds import THREAD_STREAM
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..errors import PlayerError
from ..players.base import SearchReport
from ..players.batch_play import Placements, PlayedGames, Seeds
from ..players.compiled_player import play_compiled
from ..players.registry import register
from ..rules import Rules
from .branch_kernels import SEARCH_PATH, begin_path, likeliest, plan_widths, try_candidates
from .search_player import (
    Parallel,
    Position,
    Seconds,
    Threads,
    TreeSearchPlayer,
    check_budget,
    note_on,
)

DECAY_UNIT = 1_000_000
"""The settings of compiled players are whole numbers: decay is given in millionths."""


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    """`run` with one thread, for whole games in one compiled call."""
    # The array must stay referenced here: a record does not keep its array alive.
    return _choose(board, knowledge, settings, np.zeros(1, dtype=SEARCH_PATH), rng)


@kernel
def _choose(
    board: Board, knowledge: Knowledge, settings: Ints, paths: npt.NDArray[Any], rng: Rng
) -> int:
    path = paths[0]
    begin_path(board, knowledge, path)
    count = likeliest(board, path, 0, settings[1], rng)
    cells, chances = path.cells[0, :count].copy(), path.chances[0, :count].copy()
    widths = np.empty(board.cells + 1, dtype=np.int64)
    plan_widths(settings[1], settings[2] / DECAY_UNIT, path.unknown, settings[3], widths)
    depths, taken = np.zeros(count), np.zeros(1, dtype=np.int64)
    for _ in range(settings[0]):
        try_candidates(board, path, cells, chances, widths, draw(rng), 0, 1, taken, depths)
    return np.int64(cells[np.argmin(depths)])


@register("branch-mcts", source="P", summary="follows a few likely cells to the end", slow=True)
@dataclass(frozen=True)
class BranchMcts(TreeSearchPlayer):
    branch: Annotated[int, "cells tried for the next shot"] = 10
    decay: Annotated[float, "divides that number at each further shot"] = 1.5
    nodes: Annotated[int, "most positions that one search visits"] = 200_000
    iterations: Annotated[int, "searches to average"] = 1
    seconds: Seconds = 0.0
    parallel: Parallel = "leaf"
    threads: Threads = 1
    strategy: ClassVar[CompiledStrategy] = compile_strategy("branch_mcts", choose)

    def __post_init__(self) -> None:
        check_budget("branch-mcts", self.iterations, self.seconds, self.threads)
        for name, value in (("branch", self.branch), ("nodes", self.nodes)):
            if value < 1:
                raise PlayerError(f"{name} of 'branch-mcts' must be 1 or more, not {value}.")
        if not 1.0 <= self.decay < 1000.0:
            raise PlayerError(f"decay of 'branch-mcts' must be 1 to 1000, not {self.decay}.")

    def run(self, position: Position, rng: Rng) -> SearchReport:
        began = time.perf_counter()
        rules = position.rules
        board, threads = board_of(rules), self.threads
        paths = np.zeros(threads, dtype=SEARCH_PATH)
        for path in paths:
            begin_path(board, position.knowledge, path)
        branch = min(self.branch, rules.cells)
        count = int(likeliest(board, paths[0], 0, branch, rng))
        cells = paths[0]["cells"][0, :count].copy()
        chances = paths[0]["chances"][0, :count].copy()
        apart = self.parallel == "root"
        widths = np.empty(rules.cells + 1, dtype=np.int64)
        budget = max(self.nodes // threads, 1) if apart else self.nodes
        plan_widths(branch, _millionths(self.decay) / DECAY_UNIT, paths[0].unknown, budget, widths)
        depths = np.zeros((threads, count))
        searches = 0

        def work(thread: int, seed: np.uint64, taken: Ints) -> None:
            share, shares = {"leaf": (thread, threads), "root": (0, 1), "tree": (0, 0)}[
                self.parallel
            ]
            own = np.uint64(stream(seed, thread, THREAD_STREAM)) if apart and thread > 0 else seed
            try_candidates(
                board, paths[thread], cells, chances, widths, own, share, shares, taken,
                depths[thread],
            )  # fmt: skip

        with ThreadPoolExecutor(threads) as pool:
            while True:
                seed, taken = np.uint64(draw(rng)), np.zeros(1, dtype=np.int64)
                if threads == 1:
                    work(0, seed, taken)
                else:
                    list(pool.map(work, range(threads), [seed] * threads, [taken] * threads))
                searches += threads if apart else 1
                if self.seconds > 0:
                    if time.perf_counter() - began >= self.seconds:
                        break
                elif searches >= self.iterations * (threads if apart else 1):
                    break
        average = depths.sum(axis=0) / searches
        visits, values = np.zeros(rules.cells), np.full(rules.cells, np.nan)
        visits[cells], values[cells] = searches, -average
        return SearchReport(
            suggestion=int(cells[np.argmin(average)]),
            visits=visits,
            values=values,
            unit="shots to the end, negated",
            simulations=int(paths["nodes"].sum()),
            seconds=time.perf_counter() - began,
            note=note_on(threads),
        )

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        branch = min(self.branch, rules.cells)
        settings = (self.iterations, branch, _millionths(self.decay), self.nodes)
        return play_compiled(self.strategy, rules, np.array(settings), placements, seeds)


def _millionths(decay: float) -> int:
    return round(decay * DECAY_UNIT)
