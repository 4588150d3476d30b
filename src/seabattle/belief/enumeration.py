"""The enumeration engine: exact, and fast for few ships or after informative shots.

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
    MOST_STEPS,
    EnumerationScratch,
    assign_slots,
    count_layouts,
    new_enumeration_scratch,
    new_evidence,
    weigh_layouts,
)
from .evidence_kernels import read_shots
from .marginals import Marginals

STEPS_PER_SECOND = 3.0e9
"""What one core does, roughly. It turns seconds into a number of steps, so that what fits
into a time limit does not depend on the machine or its load."""

WEIGHTED_STEPS_PER_SECOND = 4.0e7
"""The same with weights, where a step stands for up to 64 pairs of ships that are visited one
by one. This is the rate on open boards; towards the end of a game it is far higher."""


def enumeration_marginals(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None = None,
    seconds: float | None = None,
) -> Marginals | None:
    """Exact marginals, or None if they take more than about `seconds`."""
    scratch = _enumerated(observation, prior, seconds, enough=0)
    if scratch is None:
        return None
    found = scratch.found[0]
    of_ship = scratch.classes.of_ship[: len(observation.rules.fleet)]
    ships = np.bincount(of_ship, minlength=len(of_ship))
    orders = math.prod(math.factorial(int(count)) for count in ships)
    totals = scratch.totals[of_ship]
    if prior is not None:
        return Marginals(float(found) * orders, totals * (orders / ships[of_ship])[:, None])
    labelled = int(found) * orders
    if labelled < 2**53:
        return Marginals(labelled, totals * (orders // ships[of_ship])[:, None])
    return Marginals(
        labelled,
        [
            [int(total) * orders // int(ships[of_class]) for total in row]
            for of_class, row in zip(of_ship, totals, strict=True)
        ],
    )


def find_any(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None = None,
    seconds: float | None = None,
) -> bool | None:
    """Whether any layout agrees, or None if that takes more than about `seconds`."""
    allowed = None if prior is None else (prior > 0).astype(np.float64)
    scratch = _enumerated(observation, allowed, seconds, enough=1)
    return None if scratch is None else bool(scratch.found[0] > 0)


def _enumerated(
    observation: Observation,
    prior: npt.NDArray[np.float64] | None,
    seconds: float | None,
    enough: int,
) -> EnumerationScratch | None:
    rules = observation.rules
    board, symmetries = board_of(rules), symmetries_of(rules)
    evidence = new_evidence()
    read_shots(board, *observation.arrays, evidence)
    scratch = new_enumeration_scratch(board, symmetries, weighted=prior is not None)
    weights, kin = unweighted(rules) if prior is None else (prior, interchangeable(rules, prior))
    words = assign_slots(board, evidence, weights, kin, scratch)
    if words < 0:
        return None
    rate = STEPS_PER_SECOND if prior is None else WEIGHTED_STEPS_PER_SECOND
    budget = MOST_STEPS if seconds is None else min(MOST_STEPS, int(seconds * rate))
    count = count_layouts if prior is None else weigh_layouts
    ended = count(board, symmetries, evidence, words, enough, budget, scratch)
    return scratch if ended == DONE else None


@lru_cache(maxsize=64)
def unweighted(rules: Rules) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Weights of 1, and for each ship the first one that is interchangeable with it."""
    weights = np.ones((len(rules.fleet), int(board_of(rules).placements)), dtype=np.int64)
    return weights, np.array([rules.fleet.index(length) for length in rules.fleet])


def interchangeable(rules: Rules, prior: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """For each ship the first one with the same length and prior."""
    kin = list(range(len(rules.fleet)))
    for ship, length in enumerate(rules.fleet):
        for other in range(ship):
            if rules.fleet[other] == length and np.array_equal(prior[other], prior[ship]):
                kin[ship] = kin[other]
                break
    return np.array(kin)
