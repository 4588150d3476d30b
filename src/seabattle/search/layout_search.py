"""Base class of searches in layouts sampled from the posterior.

The compiled sampler places ships on the hits first and succeeds within a few tries in
almost every position. Where it does not, `belief.sampling` samples, which works for every
fleet. So sampling never fails, and each move samples anew.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..belief.sampling import sample_layouts
from ..compiled.knowledge import Knowledge
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of
from ..compiled.structs import new_struct, struct_type
from ..observation import Observation
from ..players.batch_play import Placements, PlayedGames, Seeds, new_played_games
from ..players.heuristics_kernels import weigh
from ..rules import Rules
from .batch_kernels import play_in_layouts
from .information_sets_kernels import DENSITY_SETTINGS, fill_ship_at
from .layout_sampler_kernels import draw_layouts, new_sampler, prepare
from .search_player import Position, TreeSearchPlayer, check_memory
from .simulation_kernels import SIMULATION, SampledLayouts
from .tree_kernels import large_tree

SLOTS_PER_NODE = 16
"""Room for the answers to a shot, besides that for the cells below a node."""

FEWEST_TRIES, TRIES_PER_LAYOUT = 200_000, 400
"""Beyond these, the general sampler is faster."""


def tries_for(count: int) -> int:
    """How often the compiled sampler may try to draw `count` layouts."""
    return max(FEWEST_TRIES, TRIES_PER_LAYOUT * count)


class LayoutSearchPlayer(TreeSearchPlayer):
    """Searches in sampled layouts and shoots at the most visited cell."""

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        position = Position.of(Observation(rules))
        search = self.search(position, seeds)
        check_memory(type(self).__name__.lower(), rules, search)
        shots, fired = new_played_games(rules, len(seeds))
        sampler, evidence = new_sampler(), new_struct(Evidence)
        simulations, tree = np.zeros(1, dtype=SIMULATION), large_tree(search.slots_each)
        sampled = SampledLayouts(
            np.empty((search.layout_count, len(rules.fleet)), dtype=np.int32),
            np.empty((search.layout_count, rules.cells), dtype=np.int16),
            np.zeros(2, dtype=struct_type(Knowledge)),
        )
        done = 0
        while done < len(seeds):
            done = play_in_layouts(
                board_of(rules), evidence, sampler, tries_for(search.layout_count), simulations,
                tree, sampled, search.parameters, search.simulation_count, placements, seeds,
                shots, fired, done,
            )  # fmt: skip
            if done < len(seeds):
                one = slice(done, done + 1)
                shots[one], fired[one] = super().play_games(rules, placements[one], seeds[one])
                done += 1
        return shots, fired


def layouts_at(position: Position, count: int, rngs: list[Rng]) -> SampledLayouts:
    """`count` layouts, uniform over those that agree with a position; one thread per generator
    samples its part of them."""
    board = board_of(position.rules)
    threads = len(rngs)
    layouts = np.empty((count, len(position.rules.fleet)), dtype=np.int32)
    ship_at = np.empty((count, position.rules.cells), dtype=np.int16)

    def fill(thread: int) -> None:
        part = slice(thread * count // threads, (thread + 1) * count // threads)
        layouts[part] = sample_posterior(position, part.stop - part.start, rngs[thread])
        fill_ship_at(board, layouts[part], ship_at[part])

    if threads == 1:
        fill(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, range(threads)))
    known = np.zeros(1 + threads, dtype=struct_type(Knowledge))
    known[0] = position.knowledge
    weigh(board, known[0], DENSITY_SETTINGS)
    return SampledLayouts(layouts, ship_at, known)


def sample_posterior(position: Position, count: int, rng: Rng) -> npt.NDArray[np.int32]:
    """(count, ships) placement numbers of layouts sampled from those that agree with a position."""
    rules = position.rules
    board = board_of(rules)
    layouts = np.empty((count, len(rules.fleet)), dtype=np.int32)
    sampler, evidence = new_sampler(), new_struct(Evidence)
    filled = 0
    if prepare(board, evidence, position.cells, position.answers, sampler):
        filled = draw_layouts(board, sampler, tries_for(count), layouts, rng)
    if filled < count:
        generator = np.random.default_rng(int(rng[0]))
        layouts[filled:] = sample_layouts(position.observation(), count - filled, generator)
    return layouts
