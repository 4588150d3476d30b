"""The numbers that `greedy`, `density` and `game-tree` go by, per ship and summed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board
from ..compiled.knowledge import UNKNOWN, Knowledge, clear, new_knowledge, tell
from ..compiled.rules_tables import board_of
from ..observation import Observation
from .base import CellMap
from .heuristics_kernels import weigh


def knowledge_of(observation: Observation) -> tuple[Board, Knowledge]:
    """What compiled players know in a position."""
    board, knowledge = board_of(observation.rules), new_knowledge()
    clear(board, knowledge)
    for cell, answer in zip(*observation.arrays, strict=True):
        tell(board, knowledge, cell, answer)
    return board, knowledge


def maps_by_ship(
    observation: Observation, weight: int, extra: CellMap | None = None
) -> list[CellMap]:
    """The total weight of the placements over each unknown cell: of every ship afloat, then of all
    of them (and of `extra`). A placement has weight 1, times `weight` for each open hit."""
    board, knowledge = knowledge_of(observation)
    cells = observation.rules.cells
    settings = np.array([weight], dtype=np.int64)
    afloat = knowledge.afloat.copy()
    made = []
    for ship, name in enumerate(observation.rules.ship_names):
        if afloat[ship]:
            knowledge.afloat[:] = 0
            knowledge.afloat[ship] = 1
            weigh(board, knowledge, settings)
            counts = knowledge.own_counts[:cells].astype(np.float64)
            made.append(CellMap(name, only_unknown(knowledge, counts)))
    if extra is not None:
        made.append(extra)
    total: npt.NDArray[np.float64] = sum((each.values for each in made), np.zeros(cells))
    return [*made, CellMap("all ships" if extra is None else "sum", total)]


def only_unknown(knowledge: Knowledge, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The values on cells that may be shot at; nan elsewhere."""
    return np.where(knowledge.status[: values.size] == UNKNOWN, values, np.nan)
