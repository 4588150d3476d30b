"""`mcts` (T 3): tree search over guessed outcomes.

The actions are (cell, hit) and (cell, miss) for each unknown cell: the search guesses the
outcome of a shot instead of working out its probability. A simulation selects actions by
UCT (T 3.2),

    mean reward + sqrt(2 ln n / n_j),

expands one node, and plays a random rollout, hit or miss with equal probability, until as
many cells are hit as the fleet has. The validation function (T 3.5) counts how many of
those cells belong to valid ships. With v of s ship cells valid after m shots, and
e = cells - 2 s spare shots, the reward is

    classic         v / s × (1 - (m - s) / e)          (T 1.1, 3.1)
    ships-squared   (v / s)² × (1 - (m - s) / e)       (T 4.1)
    full-ships      1 - (m - s) / e if v = s, else 0

and never below 0. After `iterations` simulations per action (each unknown cell has two),
the player shoots at the cell of the best action; with `select=hits`, only actions that
guess a hit count. The document chooses "the move with the best payoff", and its payoff of a
node is the sum of the rewards of its simulations (T 3.2): that is `final=sum`. `final=mean`
takes the highest mean reward and `final=visits` the most simulations.

Two more readings of the reward are parameters: `found=ships` takes v of s to be whole ships
instead of cells (T 4.1 speaks of "the proportion of ships found"), and `shots=simulated`
takes m to be the shots of the simulation only, not all shots of the game.

T's game tells only hits and misses, so sinkings are ignored. Where ships may touch, the
validation keeps clear only what `contact` keeps clear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge, unknown_cells
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from ..compiled.structs import struct_type
from ..errors import PlayerError, one_of
from ..observation import Observation
from ..players.batch_play import Placements, PlayedGames, Seeds
from ..players.compiled_player import play_compiled
from ..players.registry import register
from ..rules import Rules
from .expansion_kernels import add_root
from .guessed_outcomes_kernels import GUESSED_OUTCOMES, WAYS, values_by_cell
from .search_player import (
    NO_LAYOUTS,
    Parallel,
    SearchPosition,
    SearchSeconds,
    SearchTask,
    Threads,
    TreeSearchPlayer,
    check_budget,
    check_search_memory,
)
from .simulation_kernels import SIMULATION, SampledLayouts, Simulations, begin, highest_scoring_cell
from .tree_kernels import new_tree

REWARDS = ("classic", "ships-squared", "full-ships")
FINAL_UNITS = {"mean": "reward", "sum": "total reward", "visits": "visits"}
"""the final choices, in the order of the kernels' numbers, and what their values measure"""
FINALS = tuple(FINAL_UNITS)
FOUND = ("tiles", "ships")
SHOTS = ("all", "simulated")

SLOTS_PER_SIMULATION = 12
"""Each simulation adds one node, but its siblings are stored with it. Measured: below 9."""

_grow = GUESSED_OUTCOMES.grow
KNOWLEDGE = struct_type(Knowledge)


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    """`run_search` with one thread, for whole games in one compiled call."""
    # The array must stay referenced here: a record does not keep its array alive.
    return _choose(board, knowledge, settings, np.zeros(1, dtype=SIMULATION), rng)


@kernel
def _choose(
    board: Board, knowledge: Knowledge, settings: Ints, simulations: Simulations, rng: Rng
) -> int:
    simulation = simulations[0]
    begin(board, knowledge, simulation)
    simulation_count = WAYS * simulation.root_count * settings[0]
    tree = new_tree(SLOTS_PER_SIMULATION * simulation_count + WAYS * board.cells)
    parameters = settings[1:].astype(np.float64)
    no_layouts = SampledLayouts(
        np.empty((0, 0), dtype=np.int32),
        np.empty((0, 0), dtype=np.int16),
        np.empty(0, dtype=KNOWLEDGE),
    )
    _grow(board, simulations, 0, tree, no_layouts, parameters, simulation_count, rng)
    visits, rewards = np.zeros(WAYS * board.cells), np.zeros(WAYS * board.cells)
    add_root(tree, simulation, WAYS, visits, rewards)
    cell_visits, values = np.zeros(board.cells), np.zeros(board.cells)
    values_by_cell(board, simulation, visits, rewards, parameters, cell_visits, values)
    return highest_scoring_cell(simulation, values, rng)


@register("mcts", source="T", summary="tree search over guessed hits and misses", slow=True)
@dataclass(frozen=True)
class Mcts(TreeSearchPlayer):
    iterations: Annotated[int, "simulations per action; each unknown cell has two"] = 500
    reward: Annotated[
        Literal["classic", "ships-squared", "full-ships"], "the reward of a simulated game"
    ] = "classic"
    select: Annotated[Literal["any", "hits"], "which actions may be chosen"] = "any"
    final: Annotated[
        Literal["mean", "sum", "visits"], "what the final choice compares: rewards or visits"
    ] = "sum"
    found: Annotated[Literal["tiles", "ships"], "what the reward counts as found"] = "tiles"
    shots: Annotated[Literal["all", "simulated"], "the shots that the reward counts"] = "all"
    seconds: SearchSeconds = 0.0
    parallel: Parallel = "root"
    threads: Threads = 1
    strategy: ClassVar[CompiledStrategy] = compile_strategy("mcts", choose)

    def __post_init__(self) -> None:
        check_budget("mcts", self.iterations, self.seconds, self.threads)
        if self.reward not in REWARDS:
            raise PlayerError(one_of("value of reward for 'mcts'", self.reward, REWARDS))
        if self.final not in FINALS:
            raise PlayerError(one_of("value of final for 'mcts'", self.final, FINALS))

    def _parameters(self) -> tuple[int, ...]:
        """As the kernels number them: reward, whether only hits count, final choice, and what the
        reward counts."""
        return (
            REWARDS.index(self.reward),
            int(self.select == "hits"),
            FINALS.index(self.final),
            FOUND.index(self.found),
            SHOTS.index(self.shots),
        )

    def search(self, position: SearchPosition, rng: Rng) -> SearchTask:
        rules = position.rules
        simulation_count = WAYS * int(unknown_cells(position.knowledge)) * self.iterations
        return SearchTask(
            kernels=GUESSED_OUTCOMES,
            values_by_cell=values_by_cell,
            parameters=np.array(self._parameters(), dtype=np.float64),
            ways=WAYS,
            simulation_count=simulation_count,
            slots=SLOTS_PER_SIMULATION * simulation_count + WAYS * rules.cells,
            layout_count=0,
            sample_layouts=lambda _: NO_LAYOUTS,
            unit=FINAL_UNITS[self.final],
        )

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        if self.threads > 1 or self.seconds > 0:
            return super().play_games(rules, placements, seeds)
        check_search_memory(
            "mcts", rules, self.search(SearchPosition.of(Observation(rules)), seeds)
        )
        settings = (self.iterations, *self._parameters())
        return play_compiled(self.strategy, rules, np.array(settings), placements, seeds)
