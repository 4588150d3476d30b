"""Where the results of an experiment are kept, and which games are still to be played.

An experiment is a list of `Series` of numbered games. It asks a `ResultsLog` which games
are missing and hands back the games that were played. So it does not matter whether the
log is in memory (`InMemoryLog`) or in a file that several processes share
(`store.StoreLog`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..dealing import UNIFORM
from ..errors import ExperimentError
from ..players import NO_FAULTS, Faults, Player
from ..rules import Rules
from .stopping_rule import StoppingRule
from .workers import Played

PATIENCE_SECONDS = 3.0
"""how long to wait for other processes before saying so"""

MOST_IN_MEMORY = 100_000_000
"""games of a series that an `InMemoryLog` holds: half a gigabyte of results"""


@dataclass(frozen=True)
class Series:
    """Games of one player, numbered from 0 to `games` - 1."""

    name: str
    """the player's name with its parameters"""
    rules: Rules
    seed: int
    games: int = field(compare=False)
    placer: str = UNIFORM
    """who hid the fleets"""
    player: str | Player = field(default="", compare=False)
    """a registered name, or the player itself"""
    entrant: str = field(default="", compare=False)
    """in a tournament: the entrant that shoots"""
    opponent: str = field(default="", compare=False)
    """in a tournament: the entrant whose fleet is shot at"""

    @property
    def label(self) -> str:
        """How progress and messages refer to it."""
        return label(self.name, self.entrant, self.opponent)


def label(name: str, entrant: str, opponent: str) -> str:
    """`even`, or in a tournament `even against random@edges`."""
    return f"{entrant} against {opponent}" if opponent else name


@dataclass(frozen=True)
class SeriesResult:
    """The result of a series whose games have all been played."""

    shots: npt.NDArray[np.int32] | Sequence[int]
    """(games,); an array, unless there are too many to hold them in memory"""
    seconds: float
    """the player's own time for all games"""
    peak_memory_mb: float | None
    faults: Faults = NO_FAULTS
    """how often the player failed to choose"""
    turns: npt.NDArray[np.int32] | None = None
    """(games,) if a turn has several shots; None if there are too many to hold them in memory"""

    def contested_shots(self, rules: Rules) -> npt.NDArray[np.int32]:
        """(games,) the shots of each game where the fewer wins: a game that a fault has lost
        counts as a turn more than the whole board takes."""
        shots = np.array(self.shots, dtype=np.int32)
        turn = 1 if rules.salvo == "ships" else rules.salvo
        shots[[game for game in self.faults.lost if game < len(shots)]] = rules.cells + turn
        return shots


class ResultsLog(Protocol):
    """Where the games of an experiment are kept."""

    keeps_cells: bool
    """whether `keep` needs the cells fired at and the layouts"""

    def begin(self, series: Sequence[Series]) -> None:
        """Prepare for these series; called again if a series is to become longer."""
        ...

    def reserve(self, series: Series, most: int) -> range | None:
        """Up to `most` consecutive games that nobody has played or is playing."""
        ...

    def keep(self, series: Series, played: Played) -> None:
        """Keep games that were reserved."""
        ...

    def played(self, series: Series) -> int:
        """How many games of a series are kept."""
        ...

    def kept(self, series: Series, most: int) -> int:
        """How many games from number 0 on are kept, up to `most`, whoever played them; the
        series must have begun."""
        ...

    def tend(self) -> None:
        """Called every few seconds while games are played."""
        ...

    def waiting_for(self, series: Series) -> str | None:
        """Which other process plays the games that are missing, in words."""
        ...

    def result(self, series: Series) -> SeriesResult:
        """The result of a series; all its games must be kept."""
        ...

    def so_far(self, series: Series) -> SeriesResult:
        """The same of the games that are kept; a game that is missing has 0 shots."""
        ...

    def keep_stopping_rule(self, rule: StoppingRule) -> None:
        """Keep the rule that decided how many games were played."""
        ...

    def kept_games(
        self, series: Series, games: int
    ) -> tuple[npt.NDArray[np.int32], tuple[bytes, ...]]:
        """The layouts (games, ships) and the cells fired at in the first games of a series."""
        ...


@dataclass
class _SeriesSoFar:
    shots: npt.NDArray[np.int32]
    reserved: int = 0
    played: int = 0
    seconds: float = 0.0
    peak_memory_mb: float | None = None
    faults: Faults = NO_FAULTS
    turns: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """empty if a turn has one shot"""

    def turns_of(self, games: int) -> npt.NDArray[np.int32] | None:
        return self.turns[:games] if self.turns.size else None


class InMemoryLog:
    """A log in the memory of this process."""

    keeps_cells = False

    def __init__(self) -> None:
        self._series: dict[Series, _SeriesSoFar] = {}

    def begin(self, series: Sequence[Series]) -> None:
        for each in series:
            if each.games > MOST_IN_MEMORY:
                raise ExperimentError(
                    f"{each.games:,} games per player are too many to hold in memory (at most "
                    f"{MOST_IN_MEMORY:,}); keep them in a results file with --store FILE."
                )
            so_far = self._series.setdefault(each, _SeriesSoFar(np.zeros(0, dtype=np.int32)))
            more = max(0, each.games - so_far.shots.size)
            so_far.shots = np.concatenate([so_far.shots, np.zeros(more, dtype=np.int32)])
            if each.rules.salvo != 1:
                so_far.turns = np.concatenate([so_far.turns, np.zeros(more, dtype=np.int32)])

    def reserve(self, series: Series, most: int) -> range | None:
        so_far = self._series[series]
        if so_far.reserved >= series.games:
            return None
        start, so_far.reserved = so_far.reserved, min(so_far.reserved + most, series.games)
        return range(start, so_far.reserved)

    def keep(self, series: Series, played: Played) -> None:
        so_far = self._series[series]
        so_far.shots[played.games.start : played.games.stop] = played.shots
        if played.turns is not None:
            so_far.turns[played.games.start : played.games.stop] = played.turns
        so_far.played += len(played.games)
        so_far.seconds += played.seconds
        so_far.peak_memory_mb = larger(so_far.peak_memory_mb, played.peak_memory_mb)
        so_far.faults += played.faults

    def played(self, series: Series) -> int:
        return self._series[series].played

    def kept(self, series: Series, most: int) -> int:
        return min(self._series[series].played, most)

    def tend(self) -> None:
        pass

    def waiting_for(self, series: Series) -> str | None:
        return None

    def result(self, series: Series) -> SeriesResult:
        so_far = self._series[series]
        seconds = so_far.seconds * series.games / so_far.played
        shots = so_far.shots[: series.games]
        turns = so_far.turns_of(series.games)
        return SeriesResult(shots, seconds, so_far.peak_memory_mb, so_far.faults, turns)

    def so_far(self, series: Series) -> SeriesResult:
        found = self._series[series]
        shots = found.shots[: series.games]
        turns = found.turns_of(series.games)
        return SeriesResult(shots, found.seconds, found.peak_memory_mb, found.faults, turns)

    def keep_stopping_rule(self, rule: StoppingRule) -> None:
        pass

    def kept_games(
        self, series: Series, games: int
    ) -> tuple[npt.NDArray[np.int32], tuple[bytes, ...]]:
        raise ExperimentError("This match was not stored, so its games are no longer available.")


def larger(one: float | None, other: float | None) -> float | None:
    """The larger of two values, either of which may be missing."""
    return max((each for each in (one, other) if each is not None), default=None)
