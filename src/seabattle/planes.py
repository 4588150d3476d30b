"""What a shooter knows as the planes that networks and environments read.

`kernels.planes` has the table of the planes.

>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> planes = planes_of(Observation.from_text("A1 miss, B3 hit", rules))
>>> planes.shape, int(planes[0, 0, 0]), int(planes[1, 1, 2])
((5, 5, 5), 1, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .board import board_of
from .observation import Observation
from .rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def planes_shape(rules: Rules) -> tuple[int, int, int]:
    """(planes, rows, columns) under these rules."""
    return 3 + len(rules.fleet), rules.rows, rules.columns


def planes_of(observation: Observation) -> npt.NDArray[np.int8]:
    """(3 + ships, rows, columns): missed, hit, sunk, then a plane for each ship afloat."""
    import numpy as np

    from .kernels.planes import planes_after
    from .kernels.sight import new_sight

    rules = observation.rules
    planes = np.empty((3 + len(rules.fleet), rules.cells), dtype=np.int8)
    planes_after(board_of(rules), new_sight(), *observation.arrays, planes)
    return planes.reshape(planes_shape(rules))
