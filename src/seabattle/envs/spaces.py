"""Rules, layouts and spaces, as all environments read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ..errors import EnvError, RulesError, one_of
from ..layout import Layout
from ..learn.encoding import planes_shape
from ..rules import Rules

OVERRIDES = ("size", "fleet", "contact", "answers", "turns", "salvo")


def rules_from(rules: Rules | str, overrides: Mapping[str, Any]) -> Rules:
    """Rules from a preset, a text or a `Rules`, with overrides."""
    for name in overrides:
        if name not in OVERRIDES:
            raise RulesError(one_of("option", name, OVERRIDES))
    chosen = Rules.of(rules)
    return chosen.override(**overrides)


def observation_space(rules: Rules) -> spaces.Box[np.int8]:
    """Planes of zeros and ones."""
    return spaces.Box(0, 1, planes_shape(rules), np.int8)


def action_space(rules: Rules) -> spaces.Discrete:
    """The cells of the board."""
    return spaces.Discrete(rules.cells)


def given_layouts(rules: Rules, layouts: Any, count: int) -> list[Layout]:
    """The layouts given to `reset`, as `Layout` or text."""
    read = [
        Layout.from_text(layout, rules) if isinstance(layout, str) else layout for layout in layouts
    ]
    if len(read) != count:
        raise EnvError(f"reset() takes {count} layouts here, not {len(read)}.")
    if not all(isinstance(layout, Layout) and layout.rules == rules for layout in read):
        raise EnvError("A layout given to reset() must be a Layout under the environment's rules.")
    return read
