"""Analysing a position: where the ships may be after some shots.

>>> belief = analyze("mini", "C3 hit, C4 miss")
>>> belief.layouts, belief.observation.rules.cell_name(belief.suggestion)
(71, 'B3')
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..compiled.seeds import checked_seed
from ..observation import Observation
from ..rules import Rules
from .infer import BATCHES, SAMPLES, Belief, Engine, infer
from .priors import Prior


def analyze(
    rules: Rules | str = "classic",
    shots: str = "",
    seconds: float | None = None,
    *,
    engine: Engine = "auto",
    prior: Prior | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Belief:
    """How likely a ship is on each cell after `shots` (`E5 miss, E6 hit`) under some rules.

    The answer is exact unless that would take longer than `seconds`; then it is estimated
    from `samples` random layouts, which `seed` determines. `engine` and `prior` are those
    of `belief.infer`.
    """
    played = Rules.of(rules)
    observation = Observation.from_text(shots, played)
    rng = np.random.default_rng(checked_seed(seed))
    _load(engine)
    return infer(observation, engine, prior, seconds, rng, samples)


@cache
def _load(engine: Engine) -> None:
    """Load or compile an engine's code on a tiny board, so that it is not timed as inference."""
    used: Engine = "enumeration" if engine == "auto" else engine
    observation = Observation.from_text("A1 hit", Rules.from_text("2x2 fleet=2"))
    infer(observation, used, samples=BATCHES)
