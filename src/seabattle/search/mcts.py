"""`mcts` (T 3): tree search over guessed outcomes.

The actions are (cell, hit) and (cell, miss) for each unknown cell: the search guesses
what a shot will find instead of working out how likely it is. A walk goes down the tree
by UCT (T 3.2),

    mean reward + sqrt(2 ln n / n_j),

adds one node, and plays on at random, hit or miss with equal chance, until as many cells
are hit as the fleet has. The validation function (T 3.5) then counts how many of those
cells lie on ships that are in order. With v of s ship cells in order after m shots, and
e = cells - 2 s spare shots, the reward is

    classic         v / s × (1 - (m - s) / e)          (T 1.1, 3.1)
    ships-squared   (v / s)² × (1 - (m - s) / e)       (T 4.1)
    full-ships      the same, and nothing unless v = s

and never below 0. After `iterations` walks for each action (two for each unknown cell),
the cell of the action with the best mean is shot at; with `select=hits`, only actions that
guess a hit count.

T's game tells hits and misses and nothing more, so announcements of sinking are ignored.
Where ships may touch, the validation keeps clear only what `contact` keeps clear.
See `search.guessed_outcomes_kernels` for how a random game is drawn in one go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, unknown_cells
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..compiled.structs import struct_type
from ..errors import PlayerError, one_of
from ..observation import Observation
from ..players.compiled_player import play_compiled
from ..players.registry import register
from ..rules import Rules
from .expansion_kernels import add_root
from .guessed_outcomes_kernels import GUESSES, WAYS, values_by_cell
from .search_player import (
    NO_WORLDS,
    Position,
    SearchTask,
    State,
    TreeSearchPlayer,
    check_budget,
    check_memory,
)
from .simulation_kernels import SIMULATION, Worlds, begin, best_cell
from .tree_kernels import new_tree

REWARDS = ("classic", "ships-squared", "full-ships")

SLOTS_PER_SIMULATION = 12
"""One node is added by each, but its siblings are laid out with it. Measured: below 9."""

_grow = GUESSES.grow
SIGHT = struct_type(Knowledge)


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    """What `run_search` does with one thread, for whole games in one compiled call."""
    # A record does not keep its array alive; this frame does.
    return _choose(board, knowledge, settings, np.zeros(1, dtype=SIMULATION), rng)


@kernel
def _choose(
    board: Board, knowledge: Knowledge, settings: Ints, walks: npt.NDArray[Any], rng: Rng
) -> int:
    walk = walks[0]
    begin(board, knowledge, walk)
    simulations = WAYS * walk.root_count * settings[0]
    tree = new_tree(SLOTS_PER_SIMULATION * simulations + WAYS * board.cells)
    task = np.empty(2, dtype=np.float64)
    task[0], task[1] = settings[1], settings[2]
    nowhere = Worlds(
        np.empty((0, 0), dtype=np.int32),
        np.empty((0, 0), dtype=np.int16),
        np.empty(0, dtype=SIGHT),
    )
    _grow(board, walks, 0, tree, nowhere, task, simulations, rng)
    visits, worth = np.zeros(WAYS * board.cells), np.zeros(WAYS * board.cells)
    add_root(tree, walk, WAYS, visits, worth)
    cell_visits, values = np.zeros(board.cells), np.zeros(board.cells)
    values_by_cell(board, walk, visits, worth, task, cell_visits, values)
    return best_cell(walk, values, rng)


@register("mcts", source="T", summary="tree search over guessed outcomes", slow=True)
@dataclass(frozen=True)
class Mcts(TreeSearchPlayer):
    iterations: Annotated[int, "simulations per action, two of which each cell has"] = 500
    reward: Annotated[
        Literal["classic", "ships-squared", "full-ships"], "what the end of a simulation is worth"
    ] = "classic"
    select: Annotated[Literal["any", "hits"], "the actions that may be chosen"] = "any"
    seconds: Annotated[float, "time per move instead of iterations"] = 0.0
    parallel: Annotated[Literal["leaf", "root", "tree"], "how threads share the work"] = "root"
    threads: Annotated[int, "how many work at a move"] = 1
    strategy: ClassVar[CompiledStrategy] = compile_strategy("mcts", choose)

    def __post_init__(self) -> None:
        check_budget("mcts", self.iterations, self.seconds, self.threads)
        if self.reward not in REWARDS:
            raise PlayerError(one_of("value of reward for 'mcts'", self.reward, REWARDS))

    def search(self, position: Position, rng: State) -> SearchTask:
        rules = position.rules
        simulations = WAYS * int(unknown_cells(position.knowledge)) * self.iterations
        return SearchTask(
            kit=GUESSES,
            values_by_cell=values_by_cell,
            task=np.array([REWARDS.index(self.reward), self.select == "hits"], dtype=np.float64),
            ways=WAYS,
            simulations=simulations,
            slots=SLOTS_PER_SIMULATION * simulations + WAYS * rules.cells,
            layouts=0,
            draw_worlds=lambda _: NO_WORLDS,
            unit="reward",
        )

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        check_memory("mcts", rules, self.search(Position.of(Observation(rules)), seeds))
        settings = (self.iterations, REWARDS.index(self.reward), int(self.select == "hits"))
        return play_compiled(self.strategy, rules, np.array(settings), placements, seeds)
