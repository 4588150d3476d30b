"""`exact`: the cell with the highest exact probability; deterministic.

It uses the same exact posterior as `heat-map`, but its choice depends on the position
alone. So positions recur from game to game and are computed once. Of equally likely cells it
takes the first one in the canonical form under which the position is cached
(`belief.position_cache_kernels`), so symmetric positions get symmetric choices; with
`ties=isolated`, one whose neighbours are least likely to hold a ship, the first on the board.

It is registered in `learners.exact_with_prior`, which adds `exact:prior=FILE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from .posterior_player import EnumerationSeconds, PosteriorPlayer

Ties = Annotated[Literal["first", "isolated"], "which of equally likely cells to take"]


@dataclass(frozen=True)
class Exact(PosteriorPlayer):
    seconds: EnumerationSeconds = 1.0
    ties: Ties = "first"
    at_random: ClassVar[bool] = False

    @property
    def isolated(self) -> bool:
        return self.ties == "isolated"
