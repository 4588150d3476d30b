"""`branch-mcts` (P): a few likely cells, each followed to the end of the game.

The `branch` cells with the highest estimated hit probability are tried: a shot hits with
that probability, the estimate is updated, and then the `branch` / `decay` most likely cells
are tried, then `branch` / `decay`², and so on, at least one, until all ship cells are hit.
The player shoots at the cell from which this takes the fewest shots on average.

`estimate` is the probability function, which the document calls the most important part to
improve: `neighbours` is the document's, from the four cells around (the formula is in
`search.branch_kernels.from_neighbours`); `density` counts placements as the player of that
name does; `exact` counts layouts, 4,096 drawn uniformly from all that agree with the shots
(a standard error of at most 0.008).

`outcomes=drawn` is the document's search. It draws the hit or miss of each candidate's own
shot once, so the smallest average belongs to a candidate that was lucky more often than to
a good one, and the search plays worse than its estimate alone (`branch=1`).
`outcomes=both` follows the hit and the miss of every candidate and weighs them by the
estimated probability. docs/tree-search.md has the figures.

Differences from the document. Its tree grows with the product of all those widths, and
many of its runs were killed. Here `nodes` limits what one search visits, by trying a single
cell from the level on where the limit would be exceeded, and no tree is stored.
`iterations` searches are averaged (the document runs one). A hit next to another hit adds
nothing to the document's estimate: right for its ships of two cells, and kept for others,
where the third cell of a longer ship is found only by luck.

Threads: with `leaf` the candidates are divided among the threads (the document's way),
with `tree` each thread takes the next one, with `root` each runs its own search with its
part of `nodes`. With `leaf` and `tree` the result is that of a single thread.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

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
from .branch_kernels import (
    BOTH,
    DENSITY,
    DRAWN,
    NEIGHBOURS,
    POSTERIOR,
    SEARCH_PATH,
    AgreeingLayouts,
    Candidates,
    begin_path,
    likeliest,
    plan_widths,
    try_candidates,
)
from .layout_search import sample_posterior
from .search_player import (
    Parallel,
    SearchPosition,
    SearchSeconds,
    Threads,
    TreeSearchPlayer,
    check_budget,
    note_on,
)

DECAY_UNIT = 1_000_000
"""The settings of compiled players are whole numbers: decay is given in millionths."""

ESTIMATES = {"neighbours": NEIGHBOURS, "density": DENSITY, "exact": POSTERIOR}
OUTCOMES = {"drawn": DRAWN, "both": BOTH}

LAYOUTS = 4096
"""Layouts that `estimate=exact` draws for each move."""


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
    begin_path(board, knowledge, settings[4], path)
    no_layouts = AgreeingLayouts(
        np.empty((0, 0), dtype=np.int32),
        np.empty((0, 0), dtype=np.uint64),
        np.empty((0, 0), dtype=np.int32),
        np.empty(0, dtype=np.int64),
    )
    count = likeliest(board, path, no_layouts, 0, settings[1], rng)
    cells, chances = path.cells[0, :count].copy(), path.chances[0, :count].copy()
    widths = np.empty(board.cells + 1, dtype=np.int64)
    plan_widths(settings[1], settings[2] / DECAY_UNIT, path.unknown, settings[3], widths)
    candidates = Candidates(cells, chances, settings[5], widths)
    depths, taken = np.zeros(count), np.zeros(1, dtype=np.int64)
    for _ in range(settings[0]):
        try_candidates(board, path, no_layouts, candidates, draw(rng), 0, 1, taken, depths)
    return np.int64(cells[np.argmin(depths)])


@register("branch-mcts", source="P", summary="follows a few likely cells to the end", slow=True)
@dataclass(frozen=True)
class BranchMcts(TreeSearchPlayer):
    branch: Annotated[int, "cells tried for the next shot"] = 10
    decay: Annotated[float, "divides that number at each further shot"] = 1.5
    nodes: Annotated[int, "most positions that one search visits"] = 500_000
    iterations: Annotated[int, "searches to average"] = 1
    estimate: Annotated[
        Literal["neighbours", "density", "exact"], "what the hit probability is estimated from"
    ] = "neighbours"
    outcomes: Annotated[
        Literal["drawn", "both"], "of a candidate's own shot: one drawn, or both weighed"
    ] = "drawn"
    seconds: SearchSeconds = 0.0
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

    def run(self, position: SearchPosition, rng: Rng) -> SearchReport:
        began = time.perf_counter()
        rules = position.rules
        board, threads = board_of(rules), self.threads
        paths = np.zeros(threads, dtype=SEARCH_PATH)
        for path in paths:
            begin_path(board, position.knowledge, ESTIMATES[self.estimate], path)
        branch = min(self.branch + len(position.pending), rules.cells)
        layouts = self._layouts(position, rng)
        count = int(likeliest(board, paths[0], layouts[0], 0, branch, rng))
        cells = paths[0]["cells"][0, :count].copy()
        chances = paths[0]["chances"][0, :count].copy()
        apart = self.parallel == "root"
        widths = np.empty(rules.cells + 1, dtype=np.int64)
        budget = self._budget() // (threads if apart else 1)
        plan_widths(branch, _millionths(self.decay) / DECAY_UNIT, paths[0].unknown, budget, widths)
        candidates = Candidates(cells, chances, OUTCOMES[self.outcomes], widths)
        depths = np.zeros((threads, count))
        searches = 0

        def work(thread: int, seed: np.uint64, taken: Ints) -> None:
            share, shares = {"leaf": (thread, threads), "root": (0, 1), "tree": (0, 0)}[
                self.parallel
            ]
            own = np.uint64(stream(seed, thread, THREAD_STREAM)) if apart and thread > 0 else seed
            try_candidates(
                board, paths[thread], layouts[thread], candidates, own, share, shares, taken,
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
        pending = np.isin(cells, position.pending)
        return SearchReport(
            suggestion=int(cells[np.argmin(np.where(pending, np.inf, average))]),
            visits=visits,
            values=values,
            unit="shots to the end, negated",
            simulations=int(paths["nodes"].sum()),
            seconds=time.perf_counter() - began,
            note=note_on(threads),
        )

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        if self.threads > 1 or self.seconds > 0 or self.estimate == "exact":
            return super().play_games(rules, placements, seeds)
        settings = (
            self.iterations,
            min(self.branch, rules.cells),
            _millionths(self.decay),
            self._budget(),
            ESTIMATES[self.estimate],
            OUTCOMES[self.outcomes],
        )
        return play_compiled(self.strategy, rules, np.array(settings), placements, seeds)

    def _budget(self) -> int:
        """The most nodes below the candidates with one outcome each."""
        return self.nodes // 2 if self.outcomes == "both" else self.nodes

    def _layouts(self, position: SearchPosition, rng: Rng) -> list[AgreeingLayouts]:
        """The layouts that `estimate=exact` counts, with scratch space for each thread."""
        board, exact = board_of(position.rules), self.estimate == "exact"
        count = LAYOUTS if exact else 0
        placements = np.empty((0, len(position.rules.fleet)), dtype=np.int32)
        if exact:
            placements = sample_posterior(position, LAYOUTS, rng)
        masks = np.bitwise_or.reduce(board.mask[placements], axis=1)
        made = []
        for _ in range(self.threads):
            agreeing = np.empty((position.rules.cells + 2 if exact else 0, count), dtype=np.int32)
            agreeing[:1] = np.arange(count)
            counts = np.full(agreeing.shape[0], count, dtype=np.int64)
            made.append(AgreeingLayouts(placements, masks, agreeing, counts))
        return made


def _millionths(decay: float) -> int:
    return round(decay * DECAY_UNIT)
