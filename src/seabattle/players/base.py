"""The contract between a player and everything that calls one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..observation import Observation
from ..rules import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


SOURCES = {"T": "thesis", "E": "efficiency", "L": "learning", "R": "repl", "P": "parallel"}
"""The documents that players come from, by the letter that stands for each."""


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a cell."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        """The next cell to shoot at: one of `observation.unknown`."""
        ...


@runtime_checkable
class BatchPlayer(Player, Protocol):
    """A player that can also play many whole games in one call."""

    def play_games(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        seeds: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        """Play a game per row of `placements` (games, ships) with randomness from `seeds`.

        Returns how many shots each game took (games,), and the cells fired at, in
        order (games, cells), of which the first `shots` in each row are meant.
        """
        ...


@dataclass(frozen=True)
class SearchReport:
    """What a search found at its root."""

    suggestion: int
    """the cell that it chooses"""
    visits: npt.NDArray[np.float64]
    """(cells,) simulations that began with each cell; 0 where it was not tried"""
    values: npt.NDArray[np.float64]
    """(cells,) how good each cell looked, higher being better; nan where it was not tried"""
    unit: str
    """what a value is"""
    simulations: int
    seconds: float
    note: str = ""
    """what the user should know about how it was run, if anything"""


@runtime_checkable
class SearchPlayer(Player, Protocol):
    """A player that can say what its search found."""

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        """The statistics of the root. With the same generator, `choose` takes `suggestion`
        (unless the budget is a time, or threads share a tree)."""
        ...


@dataclass(frozen=True)
class Parameter:
    """One parameter of a player, as it may stand in its name."""

    name: str
    default: Any
    """what it is when not given; None for players that then decide by the rules"""
    kind: type
    """int, float, bool, str or Path"""
    choices: tuple[str, ...] = ()
    """the valid values, where they are few"""
    help: str = ""

    @property
    def names_a_file(self) -> bool:
        """A file of this machine, which a visitor of the browser game may not name."""
        return self.kind is Path

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "default": self.default,
            "kind": self.kind.__name__,
            "choices": list(self.choices),
            "help": self.help,
        }


@dataclass(frozen=True)
class PlayerInfo:
    """A registered player."""

    name: str
    make: Callable[..., Player]
    source: str
    """the document that it comes from (T, E, L, R, P), or where else"""
    summary: str
    """one line"""
    parameters: Mapping[str, Parameter]
    needs: str = ""
    """what must be installed or trained before it can play, if anything"""
    slow: bool = False
    """takes a second or more a game, so `leaderboard` leaves it out unless asked"""

    @property
    def searches(self) -> bool:
        """Whether it is a class of search players; of a function that makes players nobody
        knows before it is called."""
        return isinstance(self.make, type) and issubclass(self.make, SearchPlayer)

    def to_json(self, *, files: bool = True) -> dict[str, Any]:
        """What `seabattle players --json` and the browser list; without `files`, parameters
        that name a file are left out."""
        return {
            "name": self.name,
            "source": self.source,
            "summary": self.summary,
            "needs": self.needs,
            "slow": self.slow,
            "searches": self.searches,
            "parameters": [
                parameter.to_json()
                for parameter in self.parameters.values()
                if files or not parameter.names_a_file
            ],
        }
