"""Placers: where a side of a game hides its ships.

A placer is any object with

    place(rules, rng) -> Layout

whose only source of chance is `rng` (a NumPy generator). `register_placer` makes one
known by name to `seabattle tournament`.

>>> import numpy as np
>>> from seabattle.rules import Rules
>>> layout = make_placer("edges").place(Rules.from_text("mini"), np.random.default_rng(1))
>>> layout.rules.name
'mini'
"""

from __future__ import annotations

from .registry import UNIFORM, Placer, all_placers, make_placer, place_games, register_placer

__all__ = ["UNIFORM", "Placer", "all_placers", "make_placer", "place_games", "register_placer"]
