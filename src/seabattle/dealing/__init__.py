"""Layouts for games: uniform ones, and those that a placer chooses.

A placer is any object with

    place(rules, rng) -> Layout

whose only source of randomness is `rng` (a NumPy generator). `register_placer` makes one
known by name to every command that plays; so does an entry point in the group
`seabattle.placers`.

>>> import numpy as np
>>> from seabattle.rules import Rules
>>> layout = make_placer("edges").place(Rules.from_text("mini"), np.random.default_rng(1))
>>> layout.rules.name
'mini'
"""

from __future__ import annotations

from .placement_numbers import layout_of, placements_of
from .placers import (
    UNIFORM,
    BatchPlacer,
    Placer,
    PlacerInfo,
    RulesBoundPlacer,
    all_placers,
    checked_layout,
    describe_placer,
    make_placer,
    place_games,
    placer_info,
    register_placer,
)
from .uniform import deal_games, layout_for, random_layout

__all__ = [
    "UNIFORM",
    "BatchPlacer",
    "Placer",
    "PlacerInfo",
    "RulesBoundPlacer",
    "all_placers",
    "checked_layout",
    "deal_games",
    "describe_placer",
    "layout_for",
    "layout_of",
    "make_placer",
    "place_games",
    "placements_of",
    "placer_info",
    "random_layout",
    "register_placer",
]
