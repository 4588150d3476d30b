"""Environments for reinforcement learning: Gymnasium, a vector environment, PettingZoo.

    gymnasium.make("seabattle.envs:seabattle/Battleship-v0", rules="classic")
    gymnasium.make_vec("seabattle.envs:seabattle/Battleship-v0", num_envs=4096)
    seabattle.envs.duel.env(rules="classic")

Importing this package registers the first two with Gymnasium, which has loaded no plugins
by itself since 1.0; from then on the id needs no module before it:

    import seabattle.envs
    gymnasium.register_envs(seabattle.envs)  # does nothing; the import is then seen to be used
    gymnasium.make("seabattle/Battleship-v0", rules="classic")
"""

from __future__ import annotations

from ..errors import MissingPart

try:
    import gymnasium
except ImportError:
    raise MissingPart(
        "The environments need Gymnasium; install it with: pip install 'seabattle[envs]'."
    ) from None

from .rewards import REWARDS
from .single import BattleshipEnv
from .vector import BattleshipVectorEnv

__all__ = ["REWARDS", "BattleshipEnv", "BattleshipVectorEnv"]

ID = "seabattle/Battleship-v0"

if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="seabattle.envs.single:BattleshipEnv",
        vector_entry_point="seabattle.envs.vector:BattleshipVectorEnv",
    )
