"""The games behind the environments: their buffers, and the threads that step them.

Games are independent, so each thread steps a slice of them; compiled code releases the GIL.
Sub-environment i of n plays games i, i + n, i + 2 n, ... of the seed, on any number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Int32s
from ..compiled.random_streams import streams
from ..compiled.rules_tables import board_of, salvo_number
from ..compiled.seeds import ACTION_STREAM, checked_seed
from ..compiled.structs import struct_type
from ..dealing.placement_numbers import placements_of
from ..dealing.uniform import deal_tight, tries_worth
from ..errors import EnvError
from ..game import Game
from ..layout import Layout, Placement
from ..learn.encoding import plane_count, planes_shape
from ..learn.encoding_kernels import Planes
from ..observation import Observation
from ..record import fire_turns
from ..rules import Rules
from .env_games_kernels import (
    UNDEALT,
    EnvSettings,
    begin_env_games,
    lay_down,
    new_env_games,
    sample,
    step_env_games,
    step_single,
)
from .rewards import reward_number

Actions = npt.NDArray[np.int64]
Rewards = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class EnvGameBatch:
    """Games under the same rules; every call overwrites its arrays."""

    def __init__(
        self, rules: Rules, count: int, reward: str, max_steps: int | None, threads: int = 1
    ) -> None:
        if max_steps is not None and max_steps < 1:
            raise EnvError(f"max_steps must be 1 or more, or None for no limit, not {max_steps}.")
        self.rules = rules
        self._board = np.array([board_of(rules)], dtype=struct_type(Board))
        self._settings = np.zeros(1, dtype=struct_type(EnvSettings))
        self._settings["reward"] = reward_number(reward)
        self._settings["most_steps"] = max_steps or 0
        self._settings["count"] = count
        self._settings["tries"] = tries_worth(rules)
        self._settings["salvo"] = salvo_number(rules)
        self._games = new_env_games(count)
        self._shared = (self._board, self._settings, self._games)

        self._planes: Planes = np.zeros((count, plane_count(rules), rules.cells), dtype=np.int8)
        self.masks: Flags = np.ones((count, rules.cells), dtype=np.bool_)
        self.actions: Actions = np.zeros(count, dtype=np.int64)
        self.rewards: Rewards = np.zeros(count, dtype=np.float64)
        self.terminated: Flags = np.zeros(count, dtype=np.bool_)
        self.truncated: Flags = np.zeros(count, dtype=np.bool_)
        self.shots: Int32s = np.zeros(count, dtype=np.int32)
        self.wasted: Int32s = np.zeros(count, dtype=np.int32)
        self._results = (self.rewards, self.terminated, self.truncated, self.shots, self.wasted)

        self._slices = list(pairwise(count * part // threads for part in range(threads + 1)))
        # The calling thread steps one slice itself.
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    @property
    def observations(self) -> Planes:
        """(games, planes, rows, columns)"""
        # Not stored: in a copy of this object it would be a view of the original's planes.
        return self._planes.reshape(len(self._games), *planes_shape(self.rules))

    def layout(self, index: int) -> Layout:
        """The hidden layout of a game. Not for players."""
        ship_at = self._games["ship_at"][index]
        ships = []
        for ship in range(len(self.rules.fleet)):
            first, *rest = map(int, np.flatnonzero(ship_at[: self.rules.cells] == ship))
            ships.append(Placement(first, "down" if rest and rest[0] > first + 1 else "across"))
        return Layout(self.rules, tuple(ships))

    def knowledge(self, index: int) -> Observation:
        """What the shooter of a game was told, as players of this package take it."""
        game = Game(self.layout(index))
        shots, pending = int(self._games["shots"][index]), int(self._games["pending"][index])
        fired = self._games["fired"][index][: shots + pending].tolist()
        fire_turns(game, fired[:shots])
        return Observation(self.rules, game.shots, tuple(fired[shots:]))

    def last(self, index: int) -> int | None:
        """The cell of the last shot in a game, if any."""
        shots = int(self._games["shots"][index])
        return int(self._games["fired"][index][shots - 1]) if shots else None

    def use_seed(self, seed: int) -> None:
        """Play the games of a seed from the first on; `begin` starts them."""
        self._settings["seed"] = checked_seed(seed)
        count = len(self._games)
        self._games["number"] = np.arange(-count, 0)
        self._games["rng"] = streams(np.uint64(seed), 0, count, ACTION_STREAM)[:, None]

    def begin(self, chosen: Flags, layouts: Sequence[Layout] | None = None) -> None:
        """Start the next game where `chosen`, on the given layouts or the seed's."""
        self._games["number"][chosen] += len(self._games)
        self.rewards[chosen] = 0
        self.terminated[chosen] = self.truncated[chosen] = False
        self.shots[chosen] = self.wasted[chosen] = 0
        undealt = self._in_slices(begin_env_games, chosen, self._planes, self.masks)
        if layouts is not None:
            for index in map(int, np.flatnonzero(chosen)):
                lay_down(self._board, self._games, index, placements_of(layouts[index]))
        elif undealt:
            self._deal()

    def step(self, actions: Actions) -> None:
        """Fire a shot in each game; where a game is over, start the next one instead."""
        undealt = self._in_slices(step_env_games, actions, self._planes, self.masks, *self._results)
        if undealt:
            self._deal()

    def single_shooter(self) -> Callable[[int], tuple[float, bool, bool, int, int]]:
        """A function that fires a shot in the only game, while it is being played, and returns
        its reward, terminated, truncated, shots and wasted shots. It does not write them into
        the arrays of results."""
        return partial(step_single, *self._shared, self._planes[0], self.masks[0])

    def sample(self) -> None:
        """Draw a random legal shot for each game into `actions`."""
        self._in_slices(sample, self.actions)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _deal(self) -> None:
        """Deal the layouts that rejection sampling did not find."""
        undealt = np.flatnonzero(self._games["state"] == UNDEALT)
        numbers = [int(number) for number in self._games["number"][undealt]]
        dealt = deal_tight(self.rules, int(self._settings["seed"][0]), numbers)
        for index, placements in zip(undealt, dealt, strict=True):
            lay_down(self._board, self._games, int(index), placements)

    def _in_slices(self, work: Callable[..., int], *arrays: npt.NDArray[Any]) -> int:
        """Run `work` on each slice of games in its own thread; the sum of the results."""
        if self._pool is None:
            return work(*self._shared, 0, len(self._games), *arrays)
        others = [
            self._pool.submit(work, *self._shared, *part, *arrays) for part in self._slices[1:]
        ]
        own = work(*self._shared, *self._slices[0], *arrays)
        return own + sum(other.result() for other in others)
