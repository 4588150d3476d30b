"""Random layouts that agree with an observation.

Three ways, in the order they are considered:

- *rejection*: every hit and every ship gets any candidate, and layouts with a clash are
  rejected (see `sampling_kernels`); exact, and the fastest where few clash;
- *paths*: random paths through the diagram of the frontier engine; exact, and always
  possible where the diagram fits into memory;
- *chain*: a Markov chain from a layout found by search. Only for fleets too large for
  the diagram in positions where rejection almost never succeeds. The chain converges to
  the right distribution, but its layouts are neither independent nor exactly uniform.

A short run of rejection and an estimate of the size of the diagram decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..compiled.random_streams import streams
from ..compiled.rules_tables import board_of
from ..compiled.seeds import LAYOUT_STREAM
from ..compiled.structs import new_struct
from ..errors import ImpossibleObservation, TooLarge
from ..observation import Observation
from .candidate_pool import make_pool
from .evidence_kernels import Evidence, gather_candidates
from .frontier import start_weights
from .frontier_kernels import guess_seconds, make_frontier_task
from .frontier_sweeps import DiagramTooLarge, Paths, make_plan
from .markov_chain import NotFound, chain_layouts
from .sampling_kernels import reject_many

PILOT = 20_000
"""Tries that measure how often rejection succeeds."""

MOST_TRIES = 50_000_000
"""Tries of rejection if the pilot promises enough layouts."""

TRIES_WITHOUT_DIAGRAM = 5_000_000
"""Tries before a fleet whose diagram is too large is left to the chain: some seconds."""

TRY_SECONDS, STEP_SECONDS = 1e-7, 4e-8
"""Seconds per try of rejection, and per cell of a path."""

MOST_SECONDS = 60.0
"""A diagram that is estimated to take longer is not begun."""


NO_LAYOUT = "No layout agrees with these shots and answers."


SamplingMethod = Literal["rejection", "paths", "chain"]


@dataclass(frozen=True)
class Samples:
    """Layouts, and how they were drawn."""

    placements: npt.NDArray[np.int32]
    """(count, ships) numbers of `board_of(rules)`"""
    method: SamplingMethod

    @property
    def independent(self) -> bool:
        """Whether layouts are independent draws from exactly the right distribution."""
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
    """`sample_layouts`, and which method drew them."""
    board = board_of(observation.rules)
    evidence = new_struct(Evidence)
    candidates = np.zeros((board.ships, board.placements), dtype=np.int32)
    counts = np.empty(board.ships, dtype=np.int64)
    gather_candidates(board, *observation.arrays, evidence, candidates, counts)
    pool = make_pool(board, candidates, counts, evidence.hit_bits, prior)
    if pool.counts.min() == 0 or evidence.hits > board.ship_cells:
        raise ImpossibleObservation(NO_LAYOUT)

    state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
    placements = np.empty((count, board.ships), dtype=np.int32)
    filled, tried = reject_many(board, pool, PILOT, state, placements)
    if filled == count:
        return Samples(placements, "rejection")
    task = make_frontier_task(board, candidates, counts, evidence.hit_bits, prior)
    paths_seconds = guess_seconds(task) + STEP_SECONDS * count * board.cells
    tries_needed = (count - filled) * tried / filled if filled else np.inf
    if tries_needed * TRY_SECONDS <= paths_seconds:
        tries = min(int(4 * tries_needed) + PILOT, MOST_TRIES)
        filled += reject_many(board, pool, tries, state, placements[filled:])[0]
        if filled == count:
            return Samples(placements, "rejection")
    elif paths_seconds > MOST_SECONDS:
        filled += reject_many(board, pool, TRIES_WITHOUT_DIAGRAM, state, placements[filled:])[0]
        if filled == count:
            return Samples(placements, "rejection")
    if paths_seconds <= MOST_SECONDS:
        try:
            plan = make_plan(task, int(memory_gb * 2**30))
        except DiagramTooLarge:
            pass
        else:
            if plan.paths == 0:
                raise ImpossibleObservation(NO_LAYOUT)
            paths = Paths(plan, start_weights(task, prior))
            placements[filled:] = paths.draw(streams(state[0], 0, count - filled, LAYOUT_STREAM))
            return Samples(placements, "paths")
    try:
        placements[filled:] = chain_layouts(board, pool, prior, count - filled, state)
    except NotFound as failure:
        if failure.proven:
            raise ImpossibleObservation(NO_LAYOUT) from None
        raise TooLarge(
            f"No layout of {board.ships} ships on a board of {board.rows}x{board.columns} was "
            "found that agrees with these shots; there may be none."
        ) from None
    return Samples(placements, "chain")
