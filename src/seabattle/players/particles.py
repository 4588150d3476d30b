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

from ..belief.sampling import sample_layouts
from ..board import board_of
from ..kernels.evidence import Evidence
from ..kernels.hunt import weigh
from ..kernels.record import new_record, record_type
from ..kernels.search.belief import draw_layouts, new_sampler, prepare
from ..kernels.search.history import DENSITY_SETTINGS, spread
from ..kernels.search.walk import Worlds
from ..kernels.sight import Sight
from .searching import Position, State

SLOTS_PER_NODE = 16
"""Room for the answers to a shot, beside that for the cells below a node."""

FEWEST_TRIES, TRIES_PER_LAYOUT = 200_000, 400
"""Beyond these, the general sampler is quicker."""


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
    sights = np.zeros(1 + threads, dtype=record_type(Sight))
    sights[0] = position.sight
    weigh(board, sights[0], DENSITY_SETTINGS)
    return Worlds(layouts, ship_at, sights)


def posterior(position: Position, count: int, rng: State) -> npt.NDArray[np.int32]:
    """(count, ships) placement numbers of layouts that agree with a position."""
    rules = position.rules
    board = board_of(rules)
    layouts = np.empty((count, len(rules.fleet)), dtype=np.int32)
    sampler, evidence = new_sampler(), new_record(Evidence)
    filled = 0
    if prepare(board, evidence, position.cells, position.answers, sampler):
        tries = max(FEWEST_TRIES, TRIES_PER_LAYOUT * count)
        filled = draw_layouts(board, sampler, tries, layouts, rng)
    if filled < count:
        seed = np.random.default_rng(int(rng[0]))
        layouts[filled:] = sample_layouts(position.observation(), count - filled, seed)
    return layouts
