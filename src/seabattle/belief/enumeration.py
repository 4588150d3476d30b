"""The enumeration engine: exact for few ships, or where the shots say much.

See `enumeration_kernels` for how it counts.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of, symmetries_of
from ..observation import Observation
from ..rules import Rules
from .enumeration_kernels import (
    DONE,
    MOST_WORK,
    Desk,
    count_layouts,
    lay_out,
    new_desk,
    new_evidence,
    weigh_layouts,
)
from .evidence_kernels import read_shots
from .marginals import Marginals

STEPS_PER_SECOND = 3.0e9
"""What a walk does on one core, roughly. It turns seconds into a budget of steps, so that
what a budget allows does not depend on the machine or its load."""


def enumeration_marginals(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None = None,
    seconds: float | None = None,
) -> Marginals | None:
    """Exact marginals, or None if they take more than about `seconds`."""
    desk = _walked(observation, prior, seconds, enough=0)
    if desk is None:
        return None
    ships = np.bincount(desk.class_of, minlength=len(desk.class_of))
    orders = math.prod(math.factorial(int(count)) for count in ships)
    if prior is not None:
        of_each = orders / ships[desk.class_of]
        return Marginals(
            float(desk.sums_at[0]) * orders, desk.totals[desk.class_of] * of_each[:, None]
        )
    labelled = int(desk.sums_at[0]) * orders
    totals = desk.totals[desk.class_of]
    if labelled < 2**53:
        return Marginals(labelled, totals * (orders // ships[desk.class_of])[:, None])
    return Marginals(
        labelled,
        [
            [int(total) * orders // int(ships[of_ship]) for total in row]
            for of_ship, row in zip(desk.class_of, totals, strict=True)
        ],
    )


def find_any(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None = None,
    seconds: float | None = None,
) -> bool | None:
    """Whether some layout agrees, or None if that takes more than about `seconds`."""
    allowed = None if prior is None else (prior > 0).astype(np.float64)
    desk = _walked(observation, allowed, seconds, enough=1)
    return None if desk is None else bool(desk.sums_at[0] > 0)


def _walked(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None,
    seconds: float | None,
    enough: int,
) -> Desk | None:
    rules = observation.rules
    board, symmetries = board_of(rules), symmetries_of(rules)
    evidence = new_evidence()
    read_shots(board, *observation.arrays, evidence)
    desk = new_desk(board, symmetries, weighted=prior is not None)
    weights, kin = unweighted(rules) if prior is None else (prior, _kin(rules, prior))
    words = lay_out(board, evidence, weights, kin, desk)
    if words < 0:
        return None
    budget = MOST_WORK if seconds is None else min(MOST_WORK, int(seconds * STEPS_PER_SECOND))
    walk = count_layouts if prior is None else weigh_layouts
    ended = walk(board, symmetries, evidence, words, enough, budget, desk)
    return desk if ended == DONE else None


@lru_cache(maxsize=64)
def unweighted(rules: Rules) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Weights of one, and for each ship the first that nothing tells it apart from."""
    weights = np.ones((len(rules.fleet), int(board_of(rules).placements)), dtype=np.int64)
    return weights, np.array([rules.fleet.index(length) for length in rules.fleet])


def _kin(rules: Rules, prior: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    kin = list(range(len(rules.fleet)))
    for ship, length in enumerate(rules.fleet):
        for other in range(ship):
            if rules.fleet[other] == length and np.array_equal(prior[other], prior[ship]):
                kin[ship] = kin[other]
                break
    return np.array(kin)
