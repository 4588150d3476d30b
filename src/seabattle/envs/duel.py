"""The two-player game as a PettingZoo environment: place a fleet, then shoot at the other's.

Agents `player_0` and `player_1` first take turns to place their ships in fleet order, then
shoot according to the `turns` of the rules; `player_0` shoots first. The game is a `Duel`.

Actions are `Discrete(2 × cells)`. While placing, action a puts the next ship with its top
left on cell a, across, or on cell a - cells, down; while shooting, action a shoots at cell
a. `info["action_mask"]` is 1 for legal actions. A placement is legal only if the rest of the
fleet still fits, so legal actions always lead to a complete fleet.

Under salvo rules an agent chooses the cells of its turn in several actions, one after the
other; they are answered together after the last. Those already chosen are masked.

An illegal action costs `illegal_reward` and is replaced by a random legal one, so the game
always ends and the order of turns is that of the rules.

Observations are planes of zeros and ones (6 + 2 × ships, rows, columns):

    0 to 2 + ships        what the agent was told about the other's board
                          (see `learn.encoding_kernels`)
    3 + ships             its own ships placed so far
    4 + ships, 5 + ships  the other's misses and hits on its own board
    6 + ships + ship      1 until that ship of its own is placed

The winner gets 1, the loser -1, and both 0 for a draw.
"""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from gymnasium.utils import seeding

from ..compiled.knowledge import clear, new_knowledge, tell
from ..compiled.rules_tables import board_of
from ..compiled.seeds import checked_seed
from ..dealing.fleet_completion_kernels import PATIENCE, complete, room_for_next
from ..dealing.placement_numbers import layout_of, placements_of
from ..dealing.uniform import deal_games
from ..errors import EnvError, MissingPart
from ..game import Duel
from ..learn.encoding import plane_count
from ..learn.encoding_kernels import Planes, start_planes, update_planes
from ..report.drawing import Picture, beside, board_lines
from ..report.drawing.picture import HIT, MISS, SUNK, UNKNOWN
from ..rules import Rules
from .spaces import given_layouts, rules_from

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingPart(
        "The two-player game needs PettingZoo; install it with: pip install 'seabattle[envs]'."
    ) from None

AGENTS = ("player_0", "player_1")

OWN_PLANES = 3
"""An agent's own ships, and the other's misses and hits on them."""

WIDE = 200
"""Columns of text when a game is rendered: enough for any two boards."""

Mask = npt.NDArray[np.int8]


def env(**options: Any) -> AECEnv:
    """The environment in the wrappers that PettingZoo recommends; options as for `raw_env`."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(**options)))


class EnvSide:
    """One agent's fleet, and what it was told about the other's."""

    def __init__(self, rules: Rules, rng: np.random.Generator) -> None:
        self.rules = rules
        self.rng = rng
        """draws the layout, and the replacements of illegal actions"""
        self.illegal = 0
        self.placed = 0
        self._board = board_of(rules)
        seed = int(rng.integers(0, 2**63))
        self.placements = deal_games(rules, seed, range(1))[0]
        """a complete legal layout, of which the agent has chosen the first `placed` ships"""
        self._planes: Planes = np.zeros((duel_shape(rules)[0], rules.cells), dtype=np.int8)
        self._unplaced[:] = 1
        start_planes(self._board, self._told)
        self._knowledge = new_knowledge()
        clear(self._board, self._knowledge)
        self.mask = self._allowed()
        """(2 × cells,) 1 for each legal action"""

    @property
    def planes(self) -> Planes:
        """(planes, rows, columns) everything this side knows."""
        return self._planes.reshape(duel_shape(self.rules))

    # Views of the planes, not stored: in a copy of this object they would be the original's.
    @property
    def _told(self) -> Planes:
        return self._planes[: plane_count(self.rules)]

    @property
    def _own(self) -> Planes:
        first = plane_count(self.rules)
        return self._planes[first : first + OWN_PLANES]

    @property
    def _unplaced(self) -> Planes:
        return self._planes[plane_count(self.rules) + OWN_PLANES :]

    @property
    def ready(self) -> bool:
        """Whether the whole fleet is placed."""
        return self.placed == len(self.rules.fleet)

    def act(self, action: int) -> None:
        """Place the next ship where a legal action says."""
        numbers = _actions(self.rules, self.placed)
        first = int(self._board.first[self.placed])
        self.place(first + int(np.flatnonzero(numbers == action)[0]))

    def place(self, placement: int) -> None:
        """Place the next ship."""
        board, ship = self._board, self.placed
        if placement != self.placements[ship]:
            self.placements[ship] = placement
            complete(board, self.placements, ship + 1, PATIENCE)
        self._own[0, board.cover[placement, : board.fleet[ship]]] = 1
        self._unplaced[ship] = 0
        self.placed += 1
        self.mask = self._allowed()

    def told(self, cell: int, code: int) -> None:
        """Record the answer to this side's shot."""
        tell(self._board, self._knowledge, cell, code)
        update_planes(self._board, self._knowledge, self._told, cell, code)
        self.mask[cell] = 0

    def struck(self, cell: int, hit: bool) -> None:
        """Record a shot by the other side."""
        self._own[2 if hit else 1, cell] = 1

    def picture(self) -> Picture:
        """This side's own board, with the other's shots."""
        missed, hit = self._own[1:]
        marks = np.where(missed, MISS, np.where(hit, HIT, UNKNOWN)).tolist()
        for ship, length in enumerate(self.rules.fleet[: self.placed]):
            cells = self._board.cover[self.placements[ship], :length]
            for cell in cells:
                if hit[cells].all():
                    marks[cell] = SUNK
                elif not hit[cell]:
                    marks[cell] = str(length) if length < 10 else "+"
        return Picture(self.rules, tuple(marks))

    def _allowed(self) -> Mask:
        cells = self.rules.cells
        mask = np.zeros(2 * cells, dtype=np.int8)
        if self.ready:
            mask[:cells] = (self._told[0] | self._told[1]) == 0
            return mask
        board, ship = self._board, self.placed
        allowed = np.zeros(board.last[ship] - board.first[ship], dtype=np.int8)
        room_for_next(board, self.placements, ship, PATIENCE, allowed)
        mask[_actions(self.rules, ship)] = allowed
        return mask


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801
    """The bare environment.

    `max_cycles` truncates a game after that many actions per agent. With `placement=False`
    both fleets are dealt at random and the agents only shoot.
    """

    metadata = {  # noqa: RUF012
        "name": "seabattle_duel_v0",
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        # PettingZoo's general conversion cannot end a game within a cycle; use `parallel_env`.
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Rules | str = "classic",
        *,
        placement: bool = True,
        max_cycles: int | None = None,
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **overrides: Any,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi", "rgb_array"):
            raise EnvError(f"render_mode must be 'ansi' or 'rgb_array', not {render_mode!r}.")
        if max_cycles is not None and max_cycles < 1:
            raise EnvError(f"max_cycles must be 1 or more, or None for no limit, not {max_cycles}.")
        self.rules = rules_from(rules, overrides)
        self.placement = placement
        self.max_cycles = max_cycles
        self.illegal_reward = illegal_reward
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Box(0, 1, duel_shape(self.rules), np.int8) for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(2 * self.rules.cells) for agent in AGENTS}
        self._np_random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Box:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. `options` may contain `layouts`, both sides' fleets as `Layout` or text,
        to skip the placement."""
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(None if seed is None else checked_seed(seed))
        # A generator each, so that one side's draws reveal nothing about the other's.
        self._sides = [EnvSide(self.rules, rng) for rng in self._np_random.spawn(2)]
        self._duel: Duel | None = None
        self._salvo: list[int] = []
        """the cells that the agent to move has chosen in this turn"""
        self._steps = 0
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        given = (options or {}).get("layouts")
        if given is not None:
            layouts = given_layouts(self.rules, given, 2)
            for side, layout in zip(self._sides, layouts, strict=True):
                side.placements[:] = placements_of(layout)
        if given is not None or not self.placement:
            for side in self._sides:
                for placement in map(int, side.placements):
                    side.place(placement)
        self.infos: dict[str, dict[str, Any]] = {}
        self._next_turn()

    def observe(self, agent: str) -> Planes:
        """What this agent knows, as a copy."""
        return self._sides[AGENTS.index(agent)].planes.copy()

    def step(self, action: Any) -> None:
        """Place a ship or shoot, for the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = AGENTS.index(agent)
        side, other = self._sides[number], self._sides[1 - number]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        mask = self.infos[agent]["action_mask"]
        chosen = operator.index(action)
        if not 0 <= chosen < len(mask) or not mask[chosen]:
            self.rewards[agent] = self.illegal_reward
            side.illegal += 1
            chosen = int(side.rng.choice(np.flatnonzero(mask)))
        if self._duel is None:
            side.act(chosen)
        else:
            side.mask[chosen] = 0
            self._salvo.append(chosen)
            if len(self._salvo) == self._duel.salvo:
                for shot in self._duel.fire_salvo(self._salvo):
                    side.told(shot.cell, shot.answer.code)
                    other.struck(shot.cell, shot.answer.hit)
                self._salvo.clear()
        self._steps += 1
        self._next_turn()
        self._accumulate_rewards()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Both boards with their ships, `player_0`'s on the left."""
        pictures = [side.picture() for side in self._sides]
        if self.render_mode == "ansi":
            left, right = map(board_lines, pictures)
            lines = beside(left, right, WIDE)
            return "\n".join(line.plain for line in lines) + "\n"
        if self.render_mode == "rgb_array":
            from ..report.drawing.pixels import to_pixels

            one, other = map(to_pixels, pictures)
            gap = np.full((len(one), 24, 3), 255, dtype=np.uint8)
            return np.concatenate([one, gap, other], axis=1)
        logger.warn("Set render_mode='ansi' or 'rgb_array' to render.")
        return None

    def close(self) -> None:
        """Nothing to close."""

    def _next_turn(self) -> None:
        """Set the next agent, or the result if the game has ended."""
        if self._duel is None and all(side.ready for side in self._sides):
            self._duel = Duel(*(layout_of(self.rules, side.placements) for side in self._sides))
        turn = self._steps % 2 if self._duel is None else self._duel.to_move
        if turn is None:
            self.terminations = dict.fromkeys(AGENTS, True)
            winner = self._duel.winner if self._duel is not None else None
            if winner is not None:
                self.rewards[AGENTS[winner]] += 1.0
                self.rewards[AGENTS[1 - winner]] -= 1.0
            turn = self._steps % 2
        elif self.max_cycles is not None and self._steps >= 2 * self.max_cycles:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[turn]
        over = self.terminations[AGENTS[0]] or self.truncations[AGENTS[0]]
        for agent, side in zip(AGENTS, self._sides, strict=True):
            mask = np.zeros_like(side.mask) if over else side.mask.copy()
            self.infos[agent] = {"action_mask": mask, "illegal": side.illegal}


class parallel_env(ParallelEnv):  # type: ignore[misc]  # noqa: N801
    """Both agents choose at the same time; `player_0` shoots first in every cycle.

    The choice of an agent that may not shoot is ignored: `player_1`'s if `player_0` has just
    won, and that of an agent who waits while the other shoots again. Options as for `raw_env`.
    """

    metadata = {**raw_env.metadata, "is_parallelizable": True}  # noqa: RUF012

    def __init__(
        self, rules: Rules | str = "classic", *, max_cycles: int | None = None, **options: Any
    ) -> None:
        self.game = raw_env(rules, max_cycles=max_cycles, **options)
        self.max_cycles = self.game.max_cycles
        # Counted here, because under `again` an agent may not shoot in a cycle.
        self.game.max_cycles = None
        self.possible_agents = self.game.possible_agents
        self.agents: list[str] = []
        self.render_mode = self.game.render_mode

    @property
    def rules(self) -> Rules:
        return self.game.rules

    def observation_space(self, agent: str) -> spaces.Box:
        return self.game.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.game.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Planes], dict[str, dict[str, Any]]]:
        self.game.reset(seed, options)
        self.agents = list(AGENTS)
        self._cycles = 0
        return self._observed(), dict(self.game.infos)

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play one action of each agent whose turn it is."""
        rewards = dict.fromkeys(AGENTS, 0.0)
        for agent in AGENTS:
            if self.game.agent_selection == agent and not self.game.terminations[agent]:
                self.game.step(actions[agent])
                for each in AGENTS:
                    rewards[each] += self.game.rewards[each]
        self._cycles += 1
        terminated = dict(self.game.terminations)
        cut = self._cycles == self.max_cycles and not terminated[AGENTS[0]]
        if cut or terminated[AGENTS[0]]:
            self.agents = []
        return (
            self._observed(),
            rewards,
            terminated,
            dict.fromkeys(AGENTS, cut),
            dict(self.game.infos),
        )

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        return self.game.render()

    def close(self) -> None:
        self.game.close()

    def _observed(self) -> dict[str, Planes]:
        return {agent: self.game.observe(agent) for agent in AGENTS}


def duel_shape(rules: Rules) -> tuple[int, int, int]:
    """(planes, rows, columns) of an agent's observation."""
    return plane_count(rules) + OWN_PLANES + len(rules.fleet), rules.rows, rules.columns


@lru_cache(maxsize=64)
def _actions(rules: Rules, ship: int) -> npt.NDArray[np.int64]:
    """The action for each placement of a ship, in their order."""
    board = board_of(rules)
    cover = board.cover[board.first[ship] : board.last[ship], :2].astype(np.int64)
    down = cover[:, 1] > cover[:, 0] + 1
    return cover[:, 0] + rules.cells * down
