"""`BattleshipEnv`: one shooter and a hidden fleet, as a Gymnasium environment.

>>> import gymnasium
>>> env = gymnasium.make("seabattle.envs:seabattle/Battleship-v0", rules="mini")
>>> planes, info = env.reset(seed=1)
>>> planes.shape, info["action_mask"].sum().item()
((5, 5, 5), 25)
>>> planes, reward, terminated, truncated, info = env.step(12)
>>> reward, info["shots"], info["action_mask"].sum().item()
(-1.0, 1, 24)
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt

from ..errors import EnvError
from ..learn.encoding_kernels import Planes
from ..observation import Observation
from ..report.drawing import Picture
from ..report.drawing.picture import HIT, MISS, SUNK, UNKNOWN
from ..rules import Rules
from .env_games import EnvGameBatch, Flags
from .spaces import action_space, given_layouts, observation_space, rules_from


class BattleshipEnv(gymnasium.Env[Planes, np.int64]):
    """One one-sided game.

    Observations, actions, rewards, `info` and the treatment of illegal shots are those of
    `BattleshipVectorEnv`; `action_masks()` is what sb3-contrib calls. After `reset(seed=S)` the
    games have the layouts `layout_for(rules, S, 0)`, then 1, ...
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rules: Rules | str = "classic",
        *,
        reward: str = "shots",
        max_steps: int | None = None,
        render_mode: str | None = None,
        **overrides: Any,
    ) -> None:
        if render_mode not in (None, "ansi", "rgb_array"):
            raise EnvError(f"render_mode must be 'ansi' or 'rgb_array', not {render_mode!r}.")
        self.rules = rules_from(rules, overrides)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.rules)
        self.action_space = action_space(self.rules)
        self._games = EnvGameBatch(self.rules, 1, reward, max_steps)
        self._take_views()
        self._everyone = np.ones(1, dtype=np.bool_)
        self._over = True
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        """Start a game; `options` may contain `layout`, a `Layout` or its text, to play."""
        super().reset(seed=seed)
        layouts = None
        if options and options.get("layout") is not None:
            layouts = given_layouts(self.rules, [options["layout"]], 1)
        if seed is not None or not self._started:
            self._games.use_seed(int(self.np_random.integers(0, 2**63)) if seed is None else seed)
        self._games.begin(self._everyone, layouts)
        self._started, self._over = True, False
        return self._planes.copy(), {"action_mask": self._mask.copy(), "shots": 0, "wasted": 0}

    def step(self, action: SupportsIndex) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Fire one shot."""
        if self._over:
            raise EnvError("The game is over or not started; call reset() before step().")
        reward, terminated, truncated, shots, wasted = self._shoot(operator.index(action))
        self._over = terminated or truncated
        info = {"action_mask": self._mask.copy(), "shots": shots, "wasted": wasted}
        return self._planes.copy(), reward, terminated, truncated, info

    def action_masks(self) -> Flags:
        """(cells,) which cells may be shot at; all of them if the game is over."""
        mask: Flags = self._games.masks[0].copy()
        return mask

    @property
    def knowledge(self) -> Observation:
        """What the shooter was told, as players of this package take it."""
        return self._games.knowledge(0)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The shooter's view of the board: text, or pixels (rows, columns, 3)."""
        if self.render_mode is None:
            gymnasium.logger.warn("Set render_mode='ansi' or 'rgb_array' to render.")
            return None
        if self.render_mode == "ansi":
            from ..report.drawing.text import board_lines

            return "\n".join(line.plain for line in board_lines(self._picture())) + "\n"
        from ..report.drawing.pixels import to_pixels

        return to_pixels(self._picture())

    def _picture(self) -> Picture:
        missed, hit, sunk = (plane.ravel() for plane in self._games.observations[0, :3])
        marks = np.select([missed == 1, sunk == 1, hit == 1], [MISS, SUNK, HIT], UNKNOWN)
        last = self._games.last(0)
        return Picture(self.rules, tuple(map(str, marks)), last=last)

    def _take_views(self) -> None:
        """What every step reads: a copy of this object needs its own."""
        self._planes = self._games.observations[0]
        self._mask = self._games.masks[0].view(np.int8)  # `Discrete.sample` takes this type
        self._shoot = self._games.single_shooter()

    def __getstate__(self) -> dict[str, Any]:
        views = ("_planes", "_mask", "_shoot")
        return {name: value for name, value in vars(self).items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._take_views()
