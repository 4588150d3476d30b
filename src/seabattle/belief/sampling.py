"""Layouts drawn at random from those that agree with an observation.

Three ways, in the order they are considered:

- *rejection*: every ship on any of its candidates, thrown away unless they make a
  layout that covers the hits; exact, and the fastest where few draws clash;
- *paths*: random paths through the diagram of the frontier engine; exact, and always
  possible where the diagram fits into memory;
- *chain*: a Markov chain from a layout found by search. Only for fleets too large for
  the diagram in positions that rejection almost never meets. Its layouts tend to the
  right distribution, but are neither independent nor exactly uniform.

A short run of rejections and an estimate of the size of the diagram decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..board import board_of
from ..errors import ImpossibleObservation, TooLarge
from ..kernels.board import Board, Floats
from ..kernels.evidence import Evidence, gather
from ..kernels.frontier import guess_seconds, make_task
from ..kernels.paths import NoRoom, Paths, make_plan
from ..kernels.record import new_record
from ..kernels.rng import Rng
from ..kernels.sampling import Pool, find_layout, make_pool, reject_many, wander
from ..observation import Observation
from .frontier import start_weights

PILOT = 20_000
"""Tries that measure how often rejection succeeds."""

LONG = 20_000_000
"""Tries before a fleet without a diagram is left to the chain: about a second."""

TRY_SECONDS, STEP_SECONDS = 6e-8, 6e-8
"""What one try of rejection and one cell of one path take."""

MOST_SECONDS = 60.0
"""A diagram that is estimated to take longer is not begun."""

SEARCHES, SEARCH_STEPS = 20, 5_000

CHAIN_START, CHAIN_BETWEEN = 5_000, 50
"""Steps per ship of the fleet before the first and between two layouts of a chain."""


@dataclass(frozen=True)
class Samples:
    """Layouts, and how they were drawn."""

    placements: npt.NDArray[np.int32]
    """(count, ships) numbers of `board_of(rules)`"""
    method: str
    """`rejection`, `paths` or `chain`"""

    @property
    def independent(self) -> bool:
        """Every layout was drawn by itself, from exactly the right distribution."""
        return self.method != "chain"


def sample_layouts(
    observation: Observation,
    count: int,
    rng: np.random.Generator,
    prior: Floats | None = None,
) -> npt.NDArray[np.int32]:
    """(count, ships) placements of layouts that agree with an observation.

    All such layouts are equally likely, or as likely as `prior` (ships, placements) says.
    """
    return draw_layouts(observation, count, rng, prior).placements


def draw_layouts(
    observation: Observation,
    count: int,
    rng: np.random.Generator,
    prior: Floats | None = None,
    memory_gb: float = 4.0,
) -> Samples:
    """As `sample_layouts`, with a word on how."""
    board = board_of(observation.rules)
    evidence = new_record(Evidence)
    candidates = np.zeros((board.ships, board.placements), dtype=np.int32)
    counts = np.empty(board.ships, dtype=np.int64)
    gather(board, *observation.arrays, evidence, candidates, counts)
    pool = make_pool(board, candidates, counts, evidence.hit_bits, prior)
    if pool.counts.min() == 0 or evidence.hits > board.ship_cells:
        raise ImpossibleObservation("No layout agrees with these shots and answers.")

    state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    placements = np.empty((count, board.ships), dtype=np.int32)
    filled, tried = reject_many(board, pool, PILOT, state, placements)
    if filled == count:
        return Samples(placements, "rejection")
    task = make_task(board, candidates, counts, evidence.hit_bits, prior)
    paths_seconds = guess_seconds(task) + STEP_SECONDS * count * board.cells
    tries_needed = (count - filled) * tried / filled if filled else np.inf
    if tries_needed * TRY_SECONDS <= paths_seconds:
        filled += _reject_on(board, pool, int(4 * tries_needed) + PILOT, state, placements[filled:])
        if filled == count:
            return Samples(placements, "rejection")
    if paths_seconds <= MOST_SECONDS:
        try:
            plan = make_plan(task, int(memory_gb * 2**30))
        except NoRoom:
            pass
        else:
            if plan.paths == 0:
                raise ImpossibleObservation("No layout agrees with these shots and answers.")
            paths = Paths(plan, start_weights(task, prior))
            placements[filled:] = paths.draw(count - filled, state)
            return Samples(placements, "paths")
    filled += _reject_on(board, pool, LONG, state, placements[filled:])
    if filled == count:
        return Samples(placements, "rejection")
    placements[filled:] = _chain(observation, pool, prior, count - filled, state)
    return Samples(placements, "chain")


def _reject_on(
    board: Board, pool: Pool, tries: int, state: Rng, placements: npt.NDArray[np.int32]
) -> int:
    filled, _ = reject_many(board, pool, tries, state, placements)
    return int(filled)


def _chain(
    observation: Observation, pool: Pool, prior: Floats | None, count: int, state: Rng
) -> npt.NDArray[np.int32]:
    rules = observation.rules
    board = board_of(rules)
    current = np.zeros(board.ships, dtype=np.int32)
    for _ in range(SEARCHES):
        found = find_layout(board, pool, SEARCH_STEPS, state, current)
        if found == 0:
            raise ImpossibleObservation("No layout agrees with these shots and answers.")
        if found == 1:
            break
    else:
        raise TooLarge(
            f"No layout of {len(rules.fleet)} ships on a board of {rules.rows}x{rules.columns} "
            "that agrees with these shots was found; there may be none."
        )
    weights = np.empty((0, 0)) if prior is None else prior
    placements = np.empty((count, board.ships), dtype=np.int32)
    start = np.empty((1, board.ships), dtype=np.int32)
    wander(board, pool, weights, CHAIN_START * board.ships, state, current, start)
    wander(board, pool, weights, CHAIN_BETWEEN * board.ships, state, current, placements)
    return placements
