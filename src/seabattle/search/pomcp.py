"""`pomcp`: partially observable UCT with particles sampled from the posterior.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010). Each simulation takes one
layout (a particle), descends the tree of cells and answers in it, and plays to the end of
the game by a `rollout` policy. The player shoots at the most visited cell.

    random    a random unknown cell; the mean over all random endings, in closed form
    density   the highest cell of `density`
    greedy    the cell on which most of 128 particles that agree so far have a ship

Differences from the paper. Particles are not carried over from move to move, so they
cannot run out: each move samples `particles` new ones, uniformly from all layouts that
agree with the observation. Where the paper initialises the cells of a node with preferred
values, here the particles that agree with the node give the hit probability of each cell,
and cells are selected by

    mean reward + exploration × prior × sqrt(n) / (1 + n_j),

where the prior is proportional to the hit probability to the power `sharpness`, and an
untried cell has the mean reward of its node. With few simulations this plays the most
likely cell; with more it looks for better ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..compiled.knowledge import unknown_cells
from ..compiled.random_streams import Rng
from ..errors import PlayerError
from ..players.registry import register
from .information_sets_kernels import INFORMATION_SETS, values_by_cell
from .layout_search import SLOTS_PER_NODE, LayoutSearchPlayer, layouts_at
from .search_player import (
    Parallel,
    SearchPosition,
    SearchSeconds,
    SearchTask,
    Threads,
    check_budget,
)
from .simulation_kernels import MOST_PARTICLES

ROLLOUTS = ("random", "density", "greedy")


@register(
    "pomcp",
    source="seabattle",
    summary="tree search guided by hit probabilities",
    slow=True,
)
@dataclass(frozen=True)
class Pomcp(LayoutSearchPlayer):
    iterations: Annotated[int, "simulations per move"] = 4096
    particles: Annotated[int, "layouts sampled per move"] = 1000
    rollout: Annotated[
        Literal["random", "density", "greedy"], "how simulations are played to the end"
    ] = "greedy"
    exploration: Annotated[float, "weight of the prior"] = 1.0
    sharpness: Annotated[float, "exponent of the hit probability in the prior"] = 3.0
    seconds: SearchSeconds = 0.0
    parallel: Parallel = "root"
    threads: Threads = 1

    def __post_init__(self) -> None:
        check_budget("pomcp", self.iterations, self.seconds, self.threads)
        if not 1 <= self.particles <= MOST_PARTICLES:
            raise PlayerError(
                f"particles of 'pomcp' must be 1 to {MOST_PARTICLES}, not {self.particles}."
            )
        for name, value in (("exploration", self.exploration), ("sharpness", self.sharpness)):
            if not 0.0 <= value <= 1000.0:
                raise PlayerError(f"{name} of 'pomcp' must be 0 to 1000, not {value}.")

    def search(self, position: SearchPosition, rng: Rng) -> SearchTask:
        cells = int(unknown_cells(position.knowledge))
        policy = ROLLOUTS.index(self.rollout)
        return SearchTask(
            kernels=INFORMATION_SETS,
            values_by_cell=values_by_cell,
            parameters=np.array([self.exploration, policy, 1.0, self.sharpness]),
            simulation_count=self.iterations,
            slots=self.iterations * (cells + SLOTS_PER_NODE) + 2 * position.rules.cells,
            layout_count=self.particles,
            sample_layouts=lambda rngs: layouts_at(position, self.particles, rngs),
            unit="shots to the end, negated",
            by_visits=True,
        )
