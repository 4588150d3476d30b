"""Layouts for tuning and layouts for final figures.

A player that was tuned on some layouts looks stronger on them than it is. So two sets are
apart from each other and from every `--seed`:

`train`  for tuning: as many layouts as wanted, a sequence per seed.
`test`   for the figures that are published: one sequence per rules, whose seed is fixed.
         Every run on it is written to a log (see `test_set_log`).

The seed of a set is drawn from a stream of its own purpose (see `compiled.seeds`). Its
games are numbered from 0 like any others, so they are stored, shared and distributed like
any others.

>>> set_seed("test") == set_seed("test"), set_seed("train", 1) == set_seed("train", 2)
(True, False)
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import numpy as np

from ..compiled.random_streams import stream
from ..compiled.seeds import TEST_SET_STREAM, TRAIN_SET_STREAM, checked_seed
from ..errors import ExperimentError
from ..naming.choice import chosen

LayoutSet = Literal["train", "test"]

TRAIN: Final = "train"
TEST: Final = "test"
SETS: tuple[LayoutSet, ...] = get_args(LayoutSet)

_PURPOSES: dict[LayoutSet, int] = {TRAIN: TRAIN_SET_STREAM, TEST: TEST_SET_STREAM}


def checked_set(text: str | None) -> LayoutSet | None:
    """The set of this name, or None without one."""
    return None if text is None else chosen(text, SETS, "set of layouts", ExperimentError)


def set_seed(layout_set: LayoutSet | None, seed: int = 0) -> int:
    """The seed of the games of a set; without a set, `seed` itself."""
    seed = checked_seed(seed)
    layout_set = checked_set(layout_set)
    if layout_set is None:
        return seed
    if layout_set == TEST and seed != 0:
        raise ExperimentError(
            "The test set has one fixed seed, so that nobody can choose among several; leave "
            "the seed out."
        )
    return purpose_seed(_PURPOSES[layout_set], seed)


def purpose_seed(purpose: int, seed: int = 0) -> int:
    """A seed for games of one purpose (see `compiled.seeds`)."""
    return int(stream(np.uint64(seed), 0, purpose) >> np.uint64(1))
