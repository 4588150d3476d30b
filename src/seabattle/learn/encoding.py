"""What a shooter knows as the planes that networks and environments read.

`learn.encoding_kernels` has the table of the planes.

>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> planes = planes_of(Observation.from_text("A1 miss, B3 hit", rules))
>>> planes.shape, int(planes[0, 0, 0]), int(planes[1, 1, 2])
((5, 5, 5), 1, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compiled.rules_tables import board_of
from ..observation import Observation
from ..rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def planes_shape(rules: Rules) -> tuple[int, int, int]:
    """(planes, rows, columns) under these rules."""
    return 3 + len(rules.fleet), rules.rows, rules.columns


def planes_of(observation: Observation) -> npt.NDArray[np.int8]:
    """(3 + ships, rows, columns): missed, hit, sunk, then a plane for each ship afloat."""
    import numpy as np

    from ..compiled.knowledge import new_knowledge
    from .encoding_kernels import planes_after

    rules = observation.rules
    planes = np.empty((3 + len(rules.fleet), rules.cells), dtype=np.int8)
    planes_after(board_of(rules), new_knowledge(), *observation.arrays, planes)
    return planes.reshape(planes_shape(rules))
