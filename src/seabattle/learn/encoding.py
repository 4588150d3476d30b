"""What a shooter knows, as the planes that networks and environments read.

`learn.encoding_kernels` lists the planes.

>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> planes = planes_of(Observation.from_text("A1 miss, B3 hit", rules))
>>> planes.shape, int(planes[0, 0, 0]), int(planes[1, 1, 2])
((5, 5, 5), 1, 1)
"""

from __future__ import annotations

import numpy as np

from ..compiled.knowledge import new_knowledge
from ..compiled.rules_tables import board_of
from ..observation import Observation
from ..rules import Rules
from .encoding_kernels import FIRST_SHIP, Planes, planes_after


def plane_count(rules: Rules) -> int:
    """How many planes there are: missed, hit, sunk, and one per ship."""
    return FIRST_SHIP + len(rules.fleet)


def planes_shape(rules: Rules) -> tuple[int, int, int]:
    """(planes, rows, columns) under these rules."""
    return plane_count(rules), rules.rows, rules.columns


def planes_of(observation: Observation) -> Planes:
    """(planes, rows, columns): missed, hit, sunk, then one plane per ship afloat."""
    rules = observation.rules
    planes = np.empty((plane_count(rules), rules.cells), dtype=np.int8)
    planes_after(board_of(rules), new_knowledge(), *observation.arrays, planes)
    return planes.reshape(planes_shape(rules))
