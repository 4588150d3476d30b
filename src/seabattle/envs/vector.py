"""`BattleshipVectorEnv`: one shot in each of thousands of games per compiled call."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ..errors import EnvError
from ..learn.encoding_kernels import Planes
from ..observation import Observation
from ..rules import Rules
from .env_games import Actions, EnvGameBatch, Flags, Rewards
from .spaces import action_space, given_layouts, observation_space, rules_from

GAMES_PER_THREAD = 1024
"""With fewer games per thread, more threads are slower."""

T = TypeVar("T", bound=np.generic)


class BattleshipVectorEnv(gymnasium.vector.VectorEnv[Planes, Actions, Any]):
    """`num_envs` one-sided games in parallel.

    Observations are planes (num_envs, 3 + ships, rows, columns), see
    `seabattle.learn.encoding_kernels`; an action is the number of a cell; `reward` is one of the
    rewards of `seabattle.envs.rewards`. When a game has ended, the next step ignores its action
    and starts a new game (`AutoresetMode.NEXT_STEP`). An illegal shot, at a cell that was shot
    at before or outside the board, changes nothing, counts as a shot, and is rewarded as a
    miss. With `max_steps`, games are truncated after that many shots.

    Under salvo rules a step still chooses one cell. The cells of a salvo are answered, and
    rewarded, with its last one; until then they are excluded by the mask and unknown in the
    planes. A game ends with a whole salvo.

    `info` has `action_mask` (num_envs, cells), and `shots` and `wasted` (num_envs,): the shots
    of each game so far, and how many of them were illegal.

    After `reset(seed=S)`, the k-th game of sub-environment i has the layout
    `layout_for(rules, S, i + k * num_envs)`, on any number of threads.

    With `copy=False`, everything returned is a view of buffers that the next call overwrites,
    which is faster.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = "classic",
        *,
        reward: str = "shots",
        max_steps: int | None = None,
        threads: int | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        **overrides: Any,
    ) -> None:
        if num_envs < 1:
            raise EnvError(f"num_envs must be 1 or more, not {num_envs}.")
        if threads is not None and threads < 1:
            raise EnvError(f"threads must be 1 or more, not {threads}.")
        if render_mode is not None:
            raise EnvError("The vector environment does not render; BattleshipEnv does.")
        if threads is None:
            threads = max(1, min(os.cpu_count() or 1, num_envs // GAMES_PER_THREAD))
        self.rules = rules_from(rules, overrides)
        self.num_envs = num_envs
        self.threads = min(threads, num_envs)
        self.copy = copy
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.single_observation_space = observation_space(self.rules)
        self.single_action_space = action_space(self.rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = EnvGameBatch(self.rules, num_envs, reward, max_steps, self.threads)
        self._started = False

    @property
    def action_mask(self) -> Flags:
        """(num_envs, cells) which cells may be shot at; all of them if a game is over."""
        return self._out(self._games.masks)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Start a new game everywhere; without a seed, on the next layouts of the last seed.

        `options` may contain `reset_mask` (num_envs,), the games to start anew while the others
        continue; and `layouts`, a `Layout` or its text for each sub-environment, to play instead
        of random ones.
        """
        super().reset(seed=seed)
        options = options or {}
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"], dtype=np.bool_)
            if chosen.shape != (self.num_envs,) or not chosen.any():
                raise EnvError(
                    f"reset_mask must be {self.num_envs} booleans, at least one of them true."
                )
            if seed is not None or not self._started:
                raise EnvError(
                    "reset_mask cannot be used in the first reset or together with a seed."
                )
        layouts = None
        if options.get("layouts") is not None:
            layouts = given_layouts(self.rules, options["layouts"], self.num_envs)
        if seed is not None or not self._started:
            self._games.use_seed(int(self.np_random.integers(0, 2**63)) if seed is None else seed)
        self._games.begin(chosen, layouts)
        self._started = True
        return self._out(self._games.observations), self._info()

    def step(self, actions: Actions) -> tuple[Planes, Rewards, Flags, Flags, dict[str, Any]]:
        """Fire one shot in each game."""
        if not self._started:
            raise EnvError("Call reset() before step().")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise EnvError(
                f"actions must be {self.num_envs} integers, not {given.dtype} of shape "
                f"{given.shape}."
            )
        chosen = np.ascontiguousarray(given, dtype=np.int64)
        games = self._games
        games.step(chosen)
        return (
            self._out(games.observations),
            self._out(games.rewards),
            self._out(games.terminated),
            self._out(games.truncated),
            self._info(),
        )

    def sample_actions(self) -> Actions:
        """(num_envs,) a random legal shot for each game, uniformly distributed."""
        if not self._started:
            raise EnvError("Call reset() before sample_actions().")
        self._games.sample()
        return self._out(self._games.actions)

    def knowledge(self, index: int) -> Observation:
        """What the shooter of one game was told, as players of this package take it."""
        return self._games.knowledge(index)

    def close_extras(self, **kwargs: Any) -> None:
        self._games.close()

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._out(self._games.masks),
            "shots": self._out(self._games.shots),
            "wasted": self._out(self._games.wasted),
        }

    def _out(self, array: npt.NDArray[T]) -> npt.NDArray[T]:
        return array.copy() if self.copy else array
