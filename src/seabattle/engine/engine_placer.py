"""`engine`: the placer of an entrant whose engine places its fleets itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..dealing.placers import register_placer
from ..errors import PlacerError
from ..layout import Layout
from ..rules import Rules


@register_placer("engine", "an engine's own fleets, in matches: exec:COMMAND@engine", learns=True)
@dataclass(frozen=True)
class EnginePlacer:
    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        raise PlacerError(
            "The placer 'engine' has an engine place its own fleets. It is for matches: "
            "'match exec:COMMAND@engine ...' or 'tournament --match'."
        )
