"""The frontier engine: exact marginals of any fleet (see `belief.frontier_kernels`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Floats
from ..compiled.rules_tables import board_of
from ..compiled.structs import new_struct
from ..errors import TooLarge
from ..observation import Observation
from .evidence_kernels import Evidence, gather_candidates
from .frontier_kernels import FrontierTask, guess_seconds, make_frontier_task
from .frontier_sweeps import DiagramTooLarge, Plan, exact_totals, make_plan, sweep
from .marginals import Marginals

MEMORY_GB = 8.0


def frontier_marginals(
    observation: Observation, prior: Floats | None = None, memory_gb: float = MEMORY_GB
) -> Marginals:
    """Exact marginals; raises `TooLarge` if they would need more memory than allowed.

    `prior` (ships, placements) weighs each ship's placements, numbered as in `Board`.
    """
    board = board_of(observation.rules)
    plan = plan_of(observation, prior, memory_gb)
    task = plan.task
    orders = math.prod(math.factorial(int(number)) for number in task.numbers)
    ships = range(board.ships)
    if prior is not None:
        total, through = sweep(plan, start_weights(task, prior), np.float64(0))
        shares = [orders / int(task.numbers[task.kind_of[ship]]) for ship in ships]
        totals = np.zeros((board.ships, board.cells))
        _spread(board, task, through, totals)
        return Marginals(float(total) * orders, totals * np.array(shares)[:, None])
    number, flat = exact_totals(plan)
    labelled = number * orders
    kind = object if labelled >= 1 << 63 else np.int64
    totals = np.zeros((board.ships, board.cells), dtype=kind)
    _spread(board, task, np.array(flat, dtype=kind).reshape(task.start.shape), totals)
    for ship in ships:
        totals[ship] *= orders // int(task.numbers[task.kind_of[ship]])
    return Marginals(labelled, totals)


def frontier_cost(observation: Observation, prior: Floats | None = None) -> float:
    """Roughly how many seconds `frontier_marginals` will take. A prior that tells ships of one
    length apart makes the diagram larger."""
    return guess_seconds(task_of(observation, prior))


def plan_of(observation: Observation, prior: Floats | None, memory_gb: float) -> Plan:
    """The diagram of all layouts that agree with an observation."""
    try:
        return make_plan(task_of(observation, prior), int(memory_gb * 2**30))
    except DiagramTooLarge:
        rules = observation.rules
        raise TooLarge(
            f"Counting the layouts of {len(rules.fleet)} ships on a board of {rules.rows}x"
            f"{rules.columns} needs more than {memory_gb:g} GB here; sample them or allow more."
        ) from None


def task_of(observation: Observation, prior: Floats | None) -> FrontierTask:
    """The task of counting the layouts that agree with an observation."""
    board = board_of(observation.rules)
    evidence = new_struct(Evidence)
    candidates = np.empty((board.ships, board.placements), dtype=np.int32)
    counts = np.empty(board.ships, dtype=np.int64)
    gather_candidates(board, *observation.arrays, evidence, candidates, counts)
    return make_frontier_task(board, candidates, counts, evidence.hit_bits, prior)


def start_weights(task: FrontierTask, prior: Floats | None) -> Floats:
    """(kinds, 2, cells) the weight of each start."""
    weights = np.ones(task.start.shape)
    if prior is not None:
        for kind in range(len(task.numbers)):
            ship = int(np.flatnonzero(task.kind_of == kind)[0])
            weights[kind] = prior[ship, task.start[kind]]
    return weights


def _spread(
    board: Board, task: FrontierTask, through: npt.NDArray[Any], totals: npt.NDArray[Any]
) -> None:
    """Add the totals of each placement to the cells that it covers."""
    for ship in range(board.ships):
        kind = task.kind_of[ship]
        at = np.nonzero(task.start[kind] >= 0)
        placements = task.start[kind][at]
        cover = board.cover[placements, : task.lengths[kind]]
        np.add.at(totals[ship], cover.astype(np.int64), through[kind][at][:, None])
