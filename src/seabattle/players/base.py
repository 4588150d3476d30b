"""The contract between players and everything that calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..naming.parameters import Parameter
from ..observation import Observation
from ..rules import Rules
from ..shots import Shot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


SOURCES = {"T": "thesis", "E": "efficiency", "L": "learning", "R": "repl", "P": "parallel"}
"""The documents that players come from: the letter and the short name of each."""
SOURCES_PAGE = "docs/sources.md"
"""describes the documents"""


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a cell."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        """The next cell to shoot at: one of `observation.unknown`.

        Under salvo rules it is called once per shot of a turn; `observation.pending` are the
        cells that it has chosen in this turn, which are not in `unknown` any more.
        """
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
        """Play a game per row of `placements` (games, ships), with randomness from `seeds`.

        Returns the number of shots of each game (games,), and the cells fired at, in order
        (games, cells); only the first `shots` entries of a row are valid.

        Games with several shots per turn are played through `choose`, unless the player has an
        attribute `batches_salvos` that is true; then `play_games` follows `rules.salvo`.
        """
        ...


@runtime_checkable
class RulesBoundPlayer(Player, Protocol):
    """A player that cannot play under all rules."""

    def check_rules(self, rules: Rules) -> None:
        """Raise an error with the reason if it cannot play under these rules."""
        ...


class PlayerInGame(Protocol):
    """A player in the course of one game."""

    def told(self, shot: Shot) -> None:
        """The next shot of the game and its answer, whoever chose it."""
        ...

    def choose(self, rng: npt.NDArray[np.uint64]) -> int:
        """The next cell, with randomness from a compiled generator."""
        ...


@runtime_checkable
class GamePlayer(Player, Protocol):
    """A player that can follow a game, which is faster than rebuilding it at every shot."""

    def begin_game(self, rules: Rules) -> PlayerInGame:
        """Start a game. It chooses the cells that `choose` would. Under salvo rules it is used
        only if the game has `hold(cell)`, which is called for each cell of a turn as it is
        chosen; `told` follows when the turn is complete."""
        ...


@runtime_checkable
class WordPlayer(GamePlayer, Protocol):
    """A player whose `choose` draws exactly one word of 64 random bits."""

    def play_with_words(
        self,
        rules: Rules,
        placements: npt.NDArray[np.int32],
        words: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        """Play a game per row of `placements` as `choose` would if the generator gave it
        `words` (games, cells), one per shot. Returns what `BatchPlayer.play_games` does."""
        ...


@runtime_checkable
class FaultCounter(Player, Protocol):
    """A player that may fail to choose, and then lets chance choose and counts it."""

    def take_faults(self) -> Faults:
        """The faults since the last call."""
        ...


@dataclass(frozen=True)
class Faults:
    """How often a player failed to choose a cell, by kind."""

    counts: Mapping[str, int] = field(default_factory=dict)
    """such as `{"time-out": 2}`; no kind has count 0"""
    example: str = ""
    """a sentence on the first one"""
    lost: frozenset[int] = frozenset()
    """the numbers of the games that were lost by one, whatever the opponent did"""

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __add__(self, other: Faults) -> Faults:
        total = {
            kind: self.counts.get(kind, 0) + other.counts.get(kind, 0)
            for kind in sorted({*self.counts, *other.counts})
        }
        return Faults(total, self.example or other.example, self.lost | other.lost)

    def to_text(self) -> str:
        """`2 time-outs, 1 illegal shot`"""
        return ", ".join(
            f"{count:,} {kind}{'' if count == 1 else 'es' if kind.endswith('sh') else 's'}"
            for kind, count in self.counts.items()
        )


NO_FAULTS = Faults()


@runtime_checkable
class PreparedPlayer(Player, Protocol):
    """A player that has to get ready, which is not part of its time."""

    def prepare(self, rules: Rules) -> None:
        """Get ready to play under these rules."""
        ...


@dataclass(frozen=True)
class SearchReport:
    """The result of a search: statistics of its root."""

    suggestion: int
    """the cell it chooses"""
    visits: npt.NDArray[np.float64]
    """(cells,) simulations that started with each cell; 0 if it was not tried"""
    values: npt.NDArray[np.float64]
    """(cells,) the estimated value of each cell, higher is better; nan if it was not tried"""
    unit: str
    """what the values measure"""
    simulations: int
    seconds: float
    note: str = ""
    """a remark for the user on how it was run, if any"""
    errors: npt.NDArray[np.float64] | None = None
    """(cells,) standard errors of the values, if they are estimated; nan if not tried"""


@runtime_checkable
class SearchPlayer(Player, Protocol):
    """A player that can report what its search found."""

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        """The statistics of the root. With the same generator, `choose` returns `suggestion`
        (unless the budget is in seconds, or threads share a tree)."""
        ...


@dataclass(frozen=True)
class CellMap:
    """A number on each cell that a player goes by, such as placements per cell."""

    title: str
    """what the numbers are: `carrier`, `all ships`"""
    values: npt.NDArray[np.float64]
    """(cells,) higher is better; nan where it has none"""


@runtime_checkable
class MapPlayer(Player, Protocol):
    """A player that can show the numbers it goes by."""

    def maps(self, observation: Observation) -> list[CellMap]:
        """Its numbers in a position, such as one map per ship and their sum; the last one
        decides."""
        ...


@dataclass(frozen=True)
class PlayerInfo:
    """A registered player."""

    name: str
    make: Callable[..., Player]
    source: str
    """the documents it comes from (T, E, L, R, P), or the package"""
    summary: str
    """one line"""
    parameters: Mapping[str, Parameter]
    needs: str = ""
    """what must be installed or trained before it can play, if anything"""
    slow: bool = False
    """a second or more per game, so `leaderboard` leaves it out unless asked"""
    runs_programs: bool = False
    """its name contains a command that is run, so visitors of the browser game may not name it"""
    placer: str = ""
    """the placer that it enters tournaments and matches with, if it has its own"""
    learns: bool = False
    """it learns from game to game of a match; in single games it knows nothing yet"""

    @property
    def searches(self) -> bool:
        """Whether it is a class of search players. (A function that makes players would have to
        be called first.)"""
        return isinstance(self.make, type) and issubclass(self.make, SearchPlayer)

    @property
    def shows_numbers(self) -> bool:
        """Whether it is a class of players that show the numbers they go by."""
        return isinstance(self.make, type) and issubclass(self.make, MapPlayer)

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
            **({"numbers": True} if self.shows_numbers else {}),
            **({"placer": self.placer} if self.placer else {}),
            **({"learns": True} if self.learns else {}),
            "parameters": [
                parameter.to_json()
                for parameter in self.parameters.values()
                if files or not parameter.names_a_file
            ],
        }
