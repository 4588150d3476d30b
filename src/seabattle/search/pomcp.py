"""`pomcp`: partially observable UCT, the belief being layouts drawn from the posterior.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010). Each simulation takes a
layout (a particle) and plays in it: down the tree of cells and answers, then on by a
`rollout` policy to the end of the game. The most visited cell is shot at.

    random    any unknown cell; the mean of all random endings, in closed form
    density   the highest cell of `density`
    greedy    the cell that most of 128 particles, of those that agree so far, have a ship on

Differences from the paper. Particles do not survive from move to move, so they cannot run
out: every move draws `particles` new ones, uniformly from all layouts that agree with the
observation. Where the paper starts the cells of a node with preferred values, here the
particles that agree with the node give the chance of a hit on each cell, and cells are
picked by

    mean reward + exploration × prior × sqrt(n) / (1 + n_j),

where the prior is that chance to the power `sharpness`, in proportion, and a cell not yet
tried counts with the mean of its node. Few simulations thus play the likeliest cell; more
of them look for better ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ..compiled.knowledge import unknown_cells
from ..errors import PlayerError
from ..players.registry import register
from .information_sets_kernels import HISTORIES, values_by_cell
from .layout_search import SLOTS_PER_NODE, LayoutSearchPlayer, worlds_at
from .search_player import Position, SearchTask, State, check_budget
from .simulation_kernels import MOST_AGREEING

ROLLOUTS = ("random", "density", "greedy")


@register("pomcp", summary="tree search in sampled layouts, led by how likely a hit is", slow=True)
@dataclass(frozen=True)
class Pomcp(LayoutSearchPlayer):
    iterations: Annotated[int, "simulations per move"] = 4096
    particles: Annotated[int, "layouts drawn per move"] = 1000
    rollout: Annotated[
        Literal["random", "density", "greedy"], "how simulations go on after the tree"
    ] = "greedy"
    exploration: Annotated[float, "weight of the prior"] = 1.0
    sharpness: Annotated[float, "power of the chance of a hit in the prior"] = 3.0
    seconds: Annotated[float, "time per move instead of iterations"] = 0.0
    parallel: Annotated[Literal["leaf", "root", "tree"], "how threads share the work"] = "root"
    threads: Annotated[int, "how many work at a move"] = 1

    def __post_init__(self) -> None:
        check_budget("pomcp", self.iterations, self.seconds, self.threads)
        if not 1 <= self.particles <= MOST_AGREEING:
            raise PlayerError(
                f"particles of 'pomcp' is 1 to {MOST_AGREEING}, not {self.particles}."
            )
        for name, value in (("exploration", self.exploration), ("sharpness", self.sharpness)):
            if not 0.0 <= value <= 1000.0:
                raise PlayerError(f"{name} of 'pomcp' is 0 to 1000, not {value}.")

    def search(self, position: Position, rng: State) -> SearchTask:
        cells = int(unknown_cells(position.knowledge))
        policy = ROLLOUTS.index(self.rollout)
        return SearchTask(
            kit=HISTORIES,
            values_by_cell=values_by_cell,
            task=np.array([self.exploration, policy, 1.0, self.sharpness]),
            simulations=self.iterations,
            slots=self.iterations * (cells + SLOTS_PER_NODE) + 2 * position.rules.cells,
            layouts=self.particles,
            draw_worlds=lambda rngs: worlds_at(position, self.particles, rngs),
            unit="shots to the end, negated",
            by_visits=True,
        )
