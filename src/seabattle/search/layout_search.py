"""Base class of searches in layouts sampled from the posterior.

The compiled sampler places ships on the hits first and succeeds within a few tries in
almost every position. Where it does not, `belief.sampling` samples, which works for every
fleet. So sampling never fails, and each move samples anew.
"""

from __future__ import annotations

import time
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
from .batch_kernels import LayoutSearch, play_in_layouts
from .information_sets_kernels import DENSITY_SETTINGS, fill_ship_at
from .layout_sampler_kernels import fill_layouts, new_sampler, prepare
from .search_player import CHUNK, SearchPosition, TreeSearchPlayer, check_search_memory
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

    @property
    def sampling_limit(self) -> float:
        """The longest time in seconds to sample one layout; 0 for no limit."""
        return 0.0

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        if self.threads > 1 or self.seconds > 0 or self.sampling_limit > 0:
            return super().play_games(rules, placements, seeds)
        position = SearchPosition.of(Observation(rules))
        search = self.search(position, seeds)
        check_search_memory(type(self).__name__.lower(), rules, search)
        shots, fired = new_played_games(rules, len(seeds))
        sampler, evidence = new_sampler(), new_struct(Evidence)
        simulations, tree = np.zeros(1, dtype=SIMULATION), large_tree(search.slots_each)
        sampled = SampledLayouts(
            np.empty((search.layout_count, len(rules.fleet)), dtype=np.int32),
            np.empty((search.layout_count, rules.cells), dtype=np.int16),
            np.zeros(2, dtype=struct_type(Knowledge)),
        )
        everything = LayoutSearch(
            evidence, sampler, tries_for(search.layout_count), simulations, tree, sampled,
            search.parameters, search.simulation_count,
        )  # fmt: skip
        done = 0
        while done < len(seeds):
            done = play_in_layouts(
                board_of(rules), everything, placements, seeds, shots, fired, done
            )
            if done < len(seeds):
                one = slice(done, done + 1)
                shots[one], fired[one] = super().play_games(rules, placements[one], seeds[one])
                done += 1
        return shots, fired


def layouts_at(
    position: SearchPosition, count: int, rngs: list[Rng], limit: float = 0.0
) -> SampledLayouts:
    """`count` layouts, uniform over those that agree with a position; one thread per generator
    samples its part of them.

    With a `limit` in seconds, sampling ends once a chunk of layouts takes longer than that for
    each, and those sampled so far are repeated.
    """
    board = board_of(position.rules)
    threads = len(rngs)
    layouts = np.empty((count, len(position.rules.fleet)), dtype=np.int32)
    ship_at = np.empty((count, position.rules.cells), dtype=np.int16)

    def fill(thread: int) -> None:
        part = slice(thread * count // threads, (thread + 1) * count // threads)
        wanted = part.stop - part.start
        if limit > 0 and wanted > 0:
            layouts[part] = _sample_within(position, wanted, rngs[thread], limit)
        else:
            layouts[part] = sample_posterior(position, wanted, rngs[thread])
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


def _sample_within(
    position: SearchPosition, count: int, rng: Rng, limit: float
) -> npt.NDArray[np.int32]:
    """Sample in chunks until one takes longer than `limit` seconds per layout."""
    chunks, found = [], 0
    while found < count:
        began = time.perf_counter()
        chunks.append(sample_posterior(position, min(CHUNK, count - found), rng))
        found += len(chunks[-1])
        if time.perf_counter() - began > limit * len(chunks[-1]):
            break
    return np.resize(np.concatenate(chunks), (count, len(position.rules.fleet)))


def sample_posterior(position: SearchPosition, count: int, rng: Rng) -> npt.NDArray[np.int32]:
    """(count, ships) placement numbers of layouts sampled from those that agree with a position."""
    rules = position.rules
    board = board_of(rules)
    layouts = np.empty((count, len(rules.fleet)), dtype=np.int32)
    sampler, evidence = new_sampler(), new_struct(Evidence)
    filled = 0
    if prepare(board, evidence, position.cells, position.answers, sampler):
        filled = fill_layouts(board, sampler, tries_for(count), layouts, rng)
    if filled < count:
        generator = np.random.default_rng(int(rng[0]))
        layouts[filled:] = sample_layouts(position.observation(), count - filled, generator)
    return layouts
