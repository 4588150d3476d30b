"""Books: where finished games are kept, and who plays which.

An experiment is a few `Series` of numbered games. It asks a book which of them are
still to be played and gives it what was played, so that it need not know whether the
book is this process's memory or a file that other processes write to as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..dealing import UNIFORM
from ..players import Player
from ..rules import Rules
from .workers import Played


@dataclass(frozen=True)
class Series:
    """Games of one player to be played: numbers 0 to `games` - 1."""

    name: str
    """the player's, with its parameters"""
    rules: Rules
    seed: int
    games: int = field(compare=False)
    placer: str = UNIFORM
    """who hid the fleets that it searches"""
    player: str | Player = field(default="", compare=False)
    """a name for the registry, or the player itself"""
    label: str = field(default="", compare=False)
    """what progress calls it"""


@dataclass(frozen=True)
class Tally:
    """What is known of a finished series."""

    shots: npt.NDArray[np.int32]
    """(games,)"""
    seconds: float
    """the player's own time for all games"""
    peak_memory_mb: float | None


class ResultsLog(Protocol):
    """Where the games of an experiment are kept."""

    keeps_cells: bool
    """whether `keep` wants the cells fired at and the layouts"""

    def begin(self, series: Sequence[Series]) -> None:
        """Get ready for these; called again when a series is to become longer."""
        ...

    def reserve(self, series: Series, most: int) -> range | None:
        """Up to `most` games in a row that are not played and that nobody else plays."""
        ...

    def keep(self, series: Series, played: Played) -> None:
        """Keep games that were reserved."""
        ...

    def played(self, series: Series) -> int:
        """How many games of a series are kept."""
        ...

    def tend(self) -> None:
        """Called every few seconds while games are played."""
        ...

    def tally(self, series: Series) -> Tally:
        """The result of a series whose games are all kept."""
        ...


@dataclass
class _Page:
    shots: npt.NDArray[np.int32]
    reserved: int = 0
    played: int = 0
    seconds: float = 0.0
    peak_memory_mb: float | None = None


class InMemoryLog:
    """A book in this process's memory."""

    keeps_cells = False

    def __init__(self) -> None:
        self._pages: dict[Series, _Page] = {}

    def begin(self, series: Sequence[Series]) -> None:
        for each in series:
            page = self._pages.setdefault(each, _Page(np.zeros(0, dtype=np.int32)))
            more = max(0, each.games - page.shots.size)
            page.shots = np.concatenate([page.shots, np.zeros(more, dtype=np.int32)])

    def reserve(self, series: Series, most: int) -> range | None:
        page = self._pages[series]
        if page.reserved >= series.games:
            return None
        start, page.reserved = page.reserved, min(page.reserved + most, series.games)
        return range(start, page.reserved)

    def keep(self, series: Series, played: Played) -> None:
        page = self._pages[series]
        page.shots[played.games.start : played.games.stop] = played.shots
        page.played += len(played.games)
        page.seconds += played.seconds
        page.peak_memory_mb = larger(page.peak_memory_mb, played.peak_memory_mb)

    def played(self, series: Series) -> int:
        return self._pages[series].played

    def tend(self) -> None:
        pass

    def tally(self, series: Series) -> Tally:
        page = self._pages[series]
        seconds = page.seconds * series.games / page.played
        return Tally(page.shots[: series.games], seconds, page.peak_memory_mb)


def larger(one: float | None, other: float | None) -> float | None:
    """The larger of two figures of which either may be missing."""
    return max((each for each in (one, other) if each is not None), default=None)
