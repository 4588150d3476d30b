"""A stand-in for players that are not ready yet.

The first game after an installation would wait until the opponent is compiled. This plain
Python strategy, which needs no compilation, shoots in its place until then: every placement
of a ship that may be afloat counts for the cells that it covers, a hundredfold for each open
hit on it, and the cell that counts most is shot at.
"""

from __future__ import annotations

import random

from ..belief.sunk_cells import sunk_ships
from ..layout import DIRECTIONS, Placement
from ..observation import Observation

HIT_WEIGHT = 100


def stand_in_cell(observation: Observation, rng: random.Random) -> int:
    """The next cell to shoot at."""
    rules, sunk = observation.rules, sunk_ships(observation)
    blocked = observation.misses | sunk.cells
    open_hits = observation.hits - sunk.cells
    counts = dict.fromkeys(observation.unknown, 0)
    for length in {rules.fleet[ship] for ship in observation.afloat} or set(rules.fleet):
        for placement in (Placement(c, d) for c in range(rules.cells) for d in DIRECTIONS):
            row, column = divmod(placement.cell, rules.columns)
            across = placement.direction == "across"
            if (column if across else row) + length > (rules.columns if across else rules.rows):
                continue
            cells = placement.cells(rules, length)
            if blocked.isdisjoint(cells):
                weight = HIT_WEIGHT ** len(open_hits.intersection(cells))
                for cell in counts.keys() & cells:
                    counts[cell] += weight
    most = max(counts.values())
    return rng.choice([cell for cell, count in counts.items() if count == most])
