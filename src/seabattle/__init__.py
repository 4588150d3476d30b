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
    from .belief.analysis import analyze
    from .dealing import random_layout
    from .errors import SeabattleError
    from .experiment import Comparison, compare
    from .experiment.play import play, play_duel
    from .game import Duel, Game
    from .layout import Layout
    from .observation import Observation
    from .players import make_player, register
    from .record import DuelRecord, GameRecord
    from .rules import PRESETS, Rules
    from .shots import Answer, Shot

_HOME = {
    "analyze": "belief.analysis",
    "SeabattleError": "errors",
    "Comparison": "experiment",
    "compare": "experiment",
    "Duel": "game",
    "Game": "game",
    "Layout": "layout",
    "random_layout": "dealing",
    "play": "experiment.play",
    "play_duel": "experiment.play",
    "Observation": "observation",
    "make_player": "players",
    "register": "players",
    "DuelRecord": "record",
    "GameRecord": "record",
    "PRESETS": "rules",
    "Rules": "rules",
    "Answer": "shots",
    "Shot": "shots",
}
"""Where each public name lives; it is imported when first used, so that
`import seabattle` loads no compiler, plotting or web package."""

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
