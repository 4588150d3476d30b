"""Layouts to search in: drawn from all that agree with what is known.

Drawing never fails. The compiled sampler covers the hits first and succeeds within a few
tries in almost every position; where it does not, `belief.sampling` draws, which has an
answer for every fleet. So a search always has layouts, and they never run out: each move
draws its own.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..belief.sampling import sample_layouts
from ..compiled.knowledge import Knowledge
from ..compiled.rules_tables import board_of
from ..compiled.structs import new_struct, struct_type
from ..observation import Observation
from ..players.heuristics_kernels import weigh
from ..rules import Rules
from .batch_kernels import play_in_layouts
from .information_sets_kernels import DENSITY_SETTINGS, spread
from .layout_sampler_kernels import draw_layouts, new_sampler, prepare
from .search_player import Position, State, TreeSearchPlayer, check_memory
from .simulation_kernels import SIMULATION, Worlds
from .tree_kernels import large_tree

SLOTS_PER_NODE = 16
"""Room for the answers to a shot, beside that for the cells below a node."""

FEWEST_TRIES, TRIES_PER_LAYOUT = 200_000, 400
"""Beyond these, the general sampler is quicker."""


def tries_for(count: int) -> int:
    """How often the compiled sampler may try to draw so many layouts."""
    return max(FEWEST_TRIES, TRIES_PER_LAYOUT * count)


class LayoutSearchPlayer(TreeSearchPlayer):
    """A search in drawn layouts that chooses the most visited cell."""

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        position = Position.of(Observation(rules))
        search = self.search(position, seeds)
        check_memory(type(self).__name__.lower(), rules, search)
        shots = np.empty(len(seeds), dtype=np.int32)
        fired = np.empty((len(seeds), rules.cells), dtype=np.int16)
        sampler, evidence = new_sampler(), new_struct(Evidence)
        walks, tree = np.zeros(1, dtype=SIMULATION), large_tree(search.slots_each)
        worlds = Worlds(
            np.empty((search.layouts, len(rules.fleet)), dtype=np.int32),
            np.empty((search.layouts, rules.cells), dtype=np.int16),
            np.zeros(2, dtype=struct_type(Knowledge)),
        )
        done = 0
        while done < len(seeds):
            done = play_in_layouts(
                board_of(rules), evidence, sampler, tries_for(search.layouts), walks, tree, worlds,
                search.task, search.simulations, placements, seeds, shots, fired, done,
            )  # fmt: skip
            if done < len(seeds):
                one = slice(done, done + 1)
                shots[one], fired[one] = super().play_games(rules, placements[one], seeds[one])
                done += 1
        return shots, fired


def worlds_at(position: Position, count: int, rngs: list[State]) -> Worlds:
    """`count` layouts, uniform over those that agree with a position; a thread for each
    generator draws its part of them."""
    board = board_of(position.rules)
    threads = len(rngs)
    layouts = np.empty((count, len(position.rules.fleet)), dtype=np.int32)
    ship_at = np.empty((count, position.rules.cells), dtype=np.int16)

    def fill(thread: int) -> None:
        part = slice(thread * count // threads, (thread + 1) * count // threads)
        layouts[part] = posterior(position, part.stop - part.start, rngs[thread])
        spread(board, layouts[part], ship_at[part])

    if threads == 1:
        fill(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, range(threads)))
    knowledges = np.zeros(1 + threads, dtype=struct_type(Knowledge))
    knowledges[0] = position.knowledge
    weigh(board, knowledges[0], DENSITY_SETTINGS)
    return Worlds(layouts, ship_at, knowledges)


def posterior(position: Position, count: int, rng: State) -> npt.NDArray[np.int32]:
    """(count, ships) placement numbers of layouts that agree with a position."""
    rules = position.rules
    board = board_of(rules)
    layouts = np.empty((count, len(rules.fleet)), dtype=np.int32)
    sampler, evidence = new_sampler(), new_struct(Evidence)
    filled = 0
    if prepare(board, evidence, position.cells, position.answers, sampler):
        filled = draw_layouts(board, sampler, tries_for(count), layouts, rng)
    if filled < count:
        seed = np.random.default_rng(int(rng[0]))
        layouts[filled:] = sample_layouts(position.observation(), count - filled, seed)
    return layouts
