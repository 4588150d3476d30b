"""`equilibrium`: hides by the approximate equilibrium that comes with the package.

The files in `styles/` were made by `large_boards` (`seabattle equilibrium --approximate`) and
say how. On a board small enough to be solved, `seabattle equilibrium` finds the real one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats
from ..dealing import layout_of, register_placer
from ..errors import PlacerError
from ..layout import Layout
from ..rules import PRESETS, Rules
from .weighted_placing import draw_mixture, kind_count

PRESETS_SHIPPED = ("classic", "blind", "thesis")
"""The presets that there is a file for."""


@register_placer("equilibrium", "approximate equilibrium, for classic, blind and thesis")
@dataclass(frozen=True)
class EquilibriumPlacer:
    """Draws layouts from the shipped mixture of styles."""

    def check_rules(self, rules: Rules) -> None:
        if _preset(rules) is None:
            raise PlacerError(
                f"The placer 'equilibrium' is for the rules {', '.join(PRESETS_SHIPPED)} only; "
                "'seabattle equilibrium' finds the equilibrium of a small board."
            )

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        self.check_rules(rules)
        styles, shares = shipped_mixture(_preset(rules) or "", rules)
        return layout_of(rules, draw_mixture(rules, styles, shares, rng, 1)[0])

    def place_games(self, rules: Rules, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        self.check_rules(rules)
        styles, shares = shipped_mixture(_preset(rules) or "", rules)
        return np.concatenate(
            [
                np.zeros((0, len(rules.fleet)), dtype=np.int32),
                *(
                    draw_mixture(rules, styles, shares, np.random.default_rng(int(seed)), 1)
                    for seed in seeds
                ),
            ]
        )


def _preset(rules: Rules) -> str | None:
    """The shipped preset that these rules are, whatever the turns."""
    for name in PRESETS_SHIPPED:
        if PRESETS[name].override(turns=rules.turns) == rules:
            return name
    return None


@lru_cache(maxsize=8)
def shipped_mixture(name: str, rules: Rules) -> tuple[Floats, Floats]:
    """(styles, kinds of placements) and (styles,) the styles of a preset, and their shares."""
    text = (resources.files(__package__) / "styles" / f"{name}.json").read_text(encoding="utf-8")
    value = json.loads(text)
    styles, shares = np.array(value["styles"]), np.array(value["shares"])
    assert styles.shape == (len(shares), kind_count(rules))
    return styles, shares / shares.sum()
