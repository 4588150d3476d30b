"""Players: an observation comes in, a cell goes out.

A player is any object with

    choose(observation, rng) -> cell

where `observation.unknown` are the cells it may choose from and `rng` (a NumPy generator)
is its only source of randomness. It keeps nothing between calls that it could not work
out from the observation. `register` makes a player known to every command by name, with
its parameters; so does an entry point in the group `seabattle.players`.

>>> player = make_player("even:colour=odd")
>>> player
Even(colour='odd', pattern='index', spare=True)
"""

from __future__ import annotations

from ..naming.parameters import Parameter
from .base import (
    NO_FAULTS,
    SOURCES,
    SOURCES_PAGE,
    BatchPlayer,
    CellMap,
    FaultCounter,
    Faults,
    GamePlayer,
    MapPlayer,
    Player,
    PlayerInfo,
    PreparedPlayer,
    RulesBoundPlayer,
    SearchPlayer,
    SearchReport,
    WordPlayer,
)
from .registry import (
    all_players,
    describe,
    make_player,
    player_info,
    register,
    temporary_registry,
    why_not,
)

__all__ = [
    "NO_FAULTS",
    "SOURCES",
    "SOURCES_PAGE",
    "BatchPlayer",
    "CellMap",
    "FaultCounter",
    "Faults",
    "GamePlayer",
    "MapPlayer",
    "Parameter",
    "Player",
    "PlayerInfo",
    "PreparedPlayer",
    "RulesBoundPlayer",
    "SearchPlayer",
    "SearchReport",
    "WordPlayer",
    "all_players",
    "describe",
    "make_player",
    "player_info",
    "register",
    "temporary_registry",
    "why_not",
]
