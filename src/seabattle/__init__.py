"""seabattle: the laboratory for the game of Battleship.

>>> from seabattle import play
>>> record = play("random", "mini", seed=7)
>>> len(record.shots) >= record.rules.ship_cells
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .belief import Belief, count_layouts, infer
    from .belief.analysis import analyze
    from .dealing import random_layout
    from .errors import SeabattleError
    from .experiment import Comparison, compare
    from .experiment.play import play, play_duel
    from .experiment.store import Store
    from .experiment.tournament import Tournament, tournament
    from .game import Duel, Game
    from .layout import Layout
    from .observation import Observation
    from .players import Player, all_players, make_player, register
    from .record import DuelRecord, GameRecord, read_record
    from .rules import PRESETS, Rules
    from .shots import Answer, Shot
    from .solver import Solution, solve
    from .testing import check_player

_MODULES = {
    "belief": ("Belief", "count_layouts", "infer"),
    "belief.analysis": ("analyze",),
    "dealing": ("random_layout",),
    "errors": ("SeabattleError",),
    "experiment": ("Comparison", "compare"),
    "experiment.play": ("play", "play_duel"),
    "experiment.store": ("Store",),
    "experiment.tournament": ("Tournament", "tournament"),
    "game": ("Duel", "Game"),
    "layout": ("Layout",),
    "observation": ("Observation",),
    "players": ("Player", "all_players", "make_player", "register"),
    "record": ("DuelRecord", "GameRecord", "read_record"),
    "rules": ("PRESETS", "Rules"),
    "shots": ("Answer", "Shot"),
    "solver": ("Solution", "solve"),
    "testing": ("check_player",),
}
"""The public names of each module, imported when first used, so that
`import seabattle` loads no compiler, plotting or web package."""

_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
