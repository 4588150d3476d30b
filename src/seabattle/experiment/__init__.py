"""Experiments: many games, compared with honest statistics.

Every player in a comparison plays against the same layouts: that of game i is a function
of (rules, seed, i) alone. So results are paired, and they do not depend on how many
processes play, or in what order.

>>> from seabattle import compare
>>> result = compare(["random"], "mini", games=200, seed=1)
>>> result.players[0].name, len(result.players[0].shots)
('random', 200)
>>> result == compare(["random"], "mini", games=200, seed=1)
True
"""

from __future__ import annotations

from .batches import ExperimentStopped
from .comparison import Comparison, PairedDifference, PlayerResult, compare
from .statistics import mean_interval

__all__ = [
    "Comparison",
    "ExperimentStopped",
    "PairedDifference",
    "PlayerResult",
    "compare",
    "mean_interval",
]
