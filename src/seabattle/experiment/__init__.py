"""Experiments: many games, honestly compared.

Every player of a comparison finds the same fleets: game i has one layout, a function
of (rules, seed, i) alone. Results are therefore paired, and they do not depend on
how many processes played them or in what order.

>>> from seabattle import compare
>>> result = compare(["random"], "mini", games=200, seed=1)
>>> result.players[0].name, len(result.players[0].shots)
('random', 200)
>>> result == compare(["random"], "mini", games=200, seed=1)
True
"""

from __future__ import annotations

from .batches import ComparisonStopped, compare
from .comparison import Comparison, PairedDifference, PlayerResult
from .statistics import mean_interval

__all__ = [
    "Comparison",
    "ComparisonStopped",
    "PairedDifference",
    "PlayerResult",
    "compare",
    "mean_interval",
]
