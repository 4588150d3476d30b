"""Where the ships are, given an observation: exact or sampled probabilities.

>>> from seabattle.observation import Observation
>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> belief = infer(Observation.from_text("C3 hit, C4 miss", rules))
>>> belief.method, belief.layouts, rules.cell_name(belief.suggestion)
('exact', 71, 'B3')
>>> float(round(belief.probability.sum(), 9)) == rules.ship_cells
True
"""

from __future__ import annotations

from .infer import ENGINES, Belief, Engine, Method, count_layouts, infer, layouts_before
from .marginals import Marginals
from .priors import Prior, prior_array

__all__ = [
    "ENGINES",
    "Belief",
    "Engine",
    "Marginals",
    "Method",
    "Prior",
    "count_layouts",
    "infer",
    "layouts_before",
    "prior_array",
]
