"""Whole games on the vector environment, for algorithms that learn from rewards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...compiled.board_tables import Floats
from ...envs.vector import BattleshipVectorEnv
from ..encoding_kernels import HIT_PLANE, MISSED_PLANE, Planes

Choose = Callable[[Planes, npt.NDArray[np.bool_]], npt.NDArray[np.int64]]
"""(planes (n, planes, rows, columns), allowed cells (n, cells)) -> a cell for each"""


@dataclass(frozen=True)
class Episodes:
    """Games, shot by shot; the first axis is the number of the shot."""

    planes: Planes
    """(longest, games, planes, rows, columns) the observation before each shot"""
    allowed: npt.NDArray[np.bool_]
    """(longest, games, cells) the cells that could be shot at"""
    cells: npt.NDArray[np.int64]
    """(longest, games) the cell shot at"""
    rewards: Floats
    """(longest, games) the reward of each shot; 0 after the end"""
    going: npt.NDArray[np.bool_]
    """(longest, games) whether the game was still going"""

    @property
    def shots(self) -> npt.NDArray[np.int64]:
        """(games,) the length of each game"""
        return np.asarray(self.going.sum(axis=0), dtype=np.int64)


def play_episodes(env: BattleshipVectorEnv, seed: int, choose: Choose) -> Episodes:
    """Play one game in each sub-environment, on the layouts of a seed, to the end.

    `choose` gets only the games that are not over.
    """
    games, cells = env.num_envs, env.rules.cells
    planes, info = env.reset(seed=seed)
    seen = np.zeros((cells, *planes.shape), dtype=np.int8)
    allowed = np.zeros((cells, games, cells), dtype=np.bool_)
    chosen = np.zeros((cells, games), dtype=np.int64)
    rewards = np.zeros((cells, games))
    going = np.zeros((cells, games), dtype=np.bool_)
    open_games = np.arange(games)
    shot = 0
    while len(open_games):
        seen[shot], allowed[shot] = planes, info["action_mask"]
        going[shot, open_games] = True
        chosen[shot, open_games] = choose(planes[open_games], allowed[shot, open_games])
        planes, reward, terminated, _, info = env.step(chosen[shot])
        rewards[shot, open_games] = reward[open_games]
        open_games = open_games[~terminated[open_games]]
        shot += 1
    return Episodes(seen[:shot], allowed[:shot], chosen[:shot], rewards[:shot], going[:shot])


def signs(planes: Planes) -> npt.NDArray[np.float32]:
    """(n, 1, rows, columns): 0 unknown, -1 missed, 1 hit."""
    missed, hit = planes[:, MISSED_PLANE], planes[:, HIT_PLANE]
    return (hit - missed)[:, None].astype(np.float32)


def sums_to_go(rewards: Floats, discount: float) -> Floats:
    """(longest, games) the discounted sum of the reward of each shot and all later ones."""
    sums = np.zeros_like(rewards)
    later = np.zeros(rewards.shape[1])
    for shot in range(len(rewards) - 1, -1, -1):
        later = rewards[shot] + discount * later
        sums[shot] = later
    return sums
