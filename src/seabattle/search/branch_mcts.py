"""`branch-mcts` (P): a few likely cells, each followed to the end of the game.

The hit probability of a cell is estimated from its neighbours alone (see
`search.branch_kernels.estimate` for the formula). The likeliest `branch` cells are tried:
a shot hits with the estimated probability, the estimate is made again, and below it the
likeliest `branch` / `decay` cells are tried, then `branch` / `decay`², and so on, at least
one, until all ship cells are hit. The cell from which that takes the fewest shots on
average is shot at.

Differences from the document. Its tree grows with the product of all those widths and
many of its runs were killed; here `nodes` bounds what one search visits, by trying a
single cell from the level on where the bound would be passed, and no tree is kept.
`iterations` searches are averaged (the document makes one). Its estimate gives nothing
from a hit beside another hit: right for its ships of two cells, and kept for others,
where a longer ship's third cell is then found only by chance.

Threads: `leaf` shares the candidates out (the document's way), `tree` lets each thread
take the next one, `root` lets each make a search of its own with its part of `nodes`. In
the first two the result is that of one thread.
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
from ..players.compiled_player import play_compiled
from ..players.registry import register
from ..rules import Rules
from .branch_kernels import LINE, begin_line, likeliest, try_candidates, widths
from .search_player import Position, State, TreeSearchPlayer, check_budget, note_on

DECAY_UNIT = 1_000_000
"""Compiled players take whole numbers: decay in millionths."""


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    """What `run` does with one thread, for whole games in one compiled call."""
    # A record does not keep its array alive; this frame does.
    return _choose(board, knowledge, settings, np.zeros(1, dtype=LINE), rng)


@kernel
def _choose(
    board: Board, knowledge: Knowledge, settings: Ints, lines: npt.NDArray[Any], rng: Rng
) -> int:
    line = lines[0]
    begin_line(board, knowledge, line)
    count = likeliest(board, line, 0, settings[1], rng)
    cells, chances = line.cells[0, :count].copy(), line.chances[0, :count].copy()
    wide = np.empty(board.cells + 1, dtype=np.int64)
    widths(settings[1], settings[2] / DECAY_UNIT, line.unknown, settings[3], wide)
    depths, taken = np.zeros(count), np.zeros(1, dtype=np.int64)
    for _ in range(settings[0]):
        try_candidates(board, line, cells, chances, wide, draw(rng), 0, 1, taken, depths)
    return np.int64(cells[np.argmin(depths)])


@register(
    "branch-mcts", source="P", summary="likely cells, followed to the end of the game", slow=True
)
@dataclass(frozen=True)
class BranchMcts(TreeSearchPlayer):
    branch: Annotated[int, "cells tried at first"] = 10
    decay: Annotated[float, "what that is divided by at each further shot"] = 1.5
    nodes: Annotated[int, "positions that one search looks at, at most"] = 200_000
    iterations: Annotated[int, "searches that are averaged"] = 1
    seconds: Annotated[float, "time per move instead of iterations"] = 0.0
    parallel: Annotated[Literal["leaf", "root", "tree"], "how threads share the work"] = "leaf"
    threads: Annotated[int, "how many work at a move"] = 1
    strategy: ClassVar[CompiledStrategy] = compile_strategy("branch_mcts", choose)

    def __post_init__(self) -> None:
        check_budget("branch-mcts", self.iterations, self.seconds, self.threads)
        for name, value in (("branch", self.branch), ("nodes", self.nodes)):
            if value < 1:
                raise PlayerError(f"{name} of 'branch-mcts' is 1 or more, not {value}.")
        if not 1.0 <= self.decay < 1000.0:
            raise PlayerError(f"decay of 'branch-mcts' is 1 to 1000, not {self.decay}.")

    def run(self, position: Position, rng: State) -> SearchReport:
        began = time.perf_counter()
        rules = position.rules
        board, threads = board_of(rules), self.threads
        lines = np.zeros(threads, dtype=LINE)
        for line in lines:
            begin_line(board, position.knowledge, line)
        branch = min(self.branch, rules.cells)
        count = int(likeliest(board, lines[0], 0, branch, rng))
        cells = lines[0]["cells"][0, :count].copy()
        chances = lines[0]["chances"][0, :count].copy()
        apart = self.parallel == "root"
        wide = np.empty(rules.cells + 1, dtype=np.int64)
        budget = max(self.nodes // threads, 1) if apart else self.nodes
        widths(branch, _millionths(self.decay) / DECAY_UNIT, lines[0].unknown, budget, wide)
        depths = np.zeros((threads, count))
        searches = 0

        def work(thread: int, seed: np.uint64, taken: Ints) -> None:
            share, shares = {"leaf": (thread, threads), "root": (0, 1), "tree": (0, 0)}[
                self.parallel
            ]
            own = np.uint64(stream(seed, thread, THREAD_STREAM)) if apart and thread > 0 else seed
            try_candidates(
                board, lines[thread], cells, chances, wide, own, share, shares, taken,
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
            simulations=int(lines["nodes"].sum()),
            seconds=time.perf_counter() - began,
            note=note_on(threads),
        )

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        branch = min(self.branch, rules.cells)
        settings = (self.iterations, branch, _millionths(self.decay), self.nodes)
        return play_compiled(self.strategy, rules, np.array(settings), placements, seeds)


def _millionths(decay: float) -> int:
    return round(decay * DECAY_UNIT)
