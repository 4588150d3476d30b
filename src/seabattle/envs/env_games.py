"""The games behind the environments: seats, their buffers, and the threads that step them.

Games of different seats never meet, so they are cut into one slice per thread, and the
compiled code runs without the GIL. Seat i of n plays games i, i + n, i + 2 n, ... of the
seed, whatever the threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board
from ..compiled.random_streams import streams
from ..compiled.rules_tables import board_of
from ..compiled.seeds import ACTION_STREAM, checked_seed
from ..compiled.structs import struct_type
from ..dealing.placement_numbers import placements_of
from ..dealing.uniform import deal_tight, tries_worth
from ..errors import EnvError
from ..game import Game
from ..layout import Layout, Placement
from ..learn.encoding import planes_shape
from ..observation import Observation
from ..rules import Rules
from .env_games_kernels import (
    UNDEALT,
    Terms,
    begin_env_games,
    lay_down,
    new_env_games,
    sample,
    step_env_games,
)
from .rewards import reward_number

Planes = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]
Rewards = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]


class EnvGameBatch:
    """Some games under the same rules; its arrays are written over by every call."""

    def __init__(
        self, rules: Rules, seats: int, reward: str, max_steps: int | None, threads: int = 1
    ) -> None:
        if max_steps is not None and max_steps < 1:
            raise EnvError(f"max_steps is 1 or more, or None for no limit, not {max_steps}.")
        self.rules = rules
        self._board = np.array([board_of(rules)], dtype=struct_type(Board))
        self._terms = np.zeros(1, dtype=struct_type(Terms))
        self._terms["reward"] = reward_number(reward)
        self._terms["most_steps"] = max_steps or 0
        self._terms["seats"] = seats
        self._terms["tries"] = tries_worth(rules)
        self._seats = new_env_games(seats)
        self._game = (self._board, self._terms, self._seats)

        planes, *_ = planes_shape(rules)
        self._planes: Planes = np.zeros((seats, planes, rules.cells), dtype=np.int8)
        self.masks: Flags = np.ones((seats, rules.cells), dtype=np.bool_)
        self.actions: Actions = np.zeros(seats, dtype=np.int64)
        self.rewards: Rewards = np.zeros(seats, dtype=np.float64)
        self.terminated: Flags = np.zeros(seats, dtype=np.bool_)
        self.truncated: Flags = np.zeros(seats, dtype=np.bool_)
        self.shots: Counts = np.zeros(seats, dtype=np.int32)
        self.wasted: Counts = np.zeros(seats, dtype=np.int32)
        self._results = (self.rewards, self.terminated, self.truncated, self.shots, self.wasted)

        self._slices = list(pairwise(seats * part // threads for part in range(threads + 1)))
        # The calling thread does a slice itself.
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    @property
    def observations(self) -> Planes:
        """(seats, planes, rows, columns)"""
        # Not kept: a copy of this object would then have a view of the old one's planes.
        return self._planes.reshape(len(self._seats), *planes_shape(self.rules))

    def layout(self, seat: int) -> Layout:
        """The truth of a seat's game. Not for players."""
        ship_at = self._seats["ship_at"][seat]
        ships = []
        for ship in range(len(self.rules.fleet)):
            first, *rest = map(int, np.flatnonzero(ship_at[: self.rules.cells] == ship))
            ships.append(Placement(first, "down" if rest and rest[0] > first + 1 else "across"))
        return Layout(self.rules, tuple(ships))

    def knowledge(self, seat: int) -> Observation:
        """What the shooter of a seat was told, for players of this package."""
        game = Game(self.layout(seat))
        for cell in self._seats["fired"][seat][: self._seats["shots"][seat]]:
            game.fire(int(cell))
        return Observation(self.rules, game.shots)

    def last(self, seat: int) -> int | None:
        """The cell that a seat's shooter shot at last, if any."""
        shots = int(self._seats["shots"][seat])
        return int(self._seats["fired"][seat][shots - 1]) if shots else None

    def sow(self, seed: int) -> None:
        """Take the games of a seed, from the first on; `begin` starts them."""
        self._terms["seed"] = checked_seed(seed)
        count = len(self._seats)
        self._seats["number"] = np.arange(-count, 0)
        self._seats["rng"] = streams(np.uint64(seed), 0, count, ACTION_STREAM)[:, None]

    def begin(self, chosen: Flags, layouts: Sequence[Layout] | None = None) -> None:
        """Begin the next game of the chosen seats, with given layouts or the seed's own."""
        self._seats["number"][chosen] += len(self._seats)
        self.rewards[chosen] = 0
        self.terminated[chosen] = self.truncated[chosen] = False
        self.shots[chosen] = self.wasted[chosen] = 0
        undealt = self._in_slices(begin_env_games, chosen, self._planes, self.masks)
        if layouts is not None:
            for index in map(int, np.flatnonzero(chosen)):
                lay_down(self._board, self._seats, index, placements_of(layouts[index]))
        elif undealt:
            self._deal()

    def step(self, actions: Actions) -> None:
        """Fire a shot in each seat; one whose game is over begins its next instead."""
        undealt = self._in_slices(step_env_games, actions, self._planes, self.masks, *self._results)
        if undealt:
            self._deal()

    def sample(self) -> None:
        """Draw a legal shot for each seat into `actions`."""
        self._in_slices(sample, self.actions)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _deal(self) -> None:
        """Lay down the fleets that random placements almost never fit."""
        seats = np.flatnonzero(self._seats["state"] == UNDEALT)
        numbers = [int(number) for number in self._seats["number"][seats]]
        dealt = deal_tight(self.rules, int(self._terms["seed"][0]), numbers)
        for index, placements in zip(seats, dealt, strict=True):
            lay_down(self._board, self._seats, int(index), placements)

    def _in_slices(self, work: Callable[..., int], *arrays: npt.NDArray[Any]) -> int:
        """Do `work` on each slice of seats in a thread of its own; the sum of the results."""
        if self._pool is None:
            return work(*self._game, 0, len(self._seats), *arrays)
        others = [self._pool.submit(work, *self._game, *part, *arrays) for part in self._slices[1:]]
        own = work(*self._game, *self._slices[0], *arrays)
        return own + sum(other.result() for other in others)
