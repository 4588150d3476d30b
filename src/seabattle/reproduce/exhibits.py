"""Playing an exhibit, and what comes out.

Every row is played on the layouts of one seed, so rows of an exhibit, and exhibits
that share players, share their games. How many games a row gets is decided by an
`Effort`: a target, and a time after which a slow player's row ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ..errors import SeabattleError
from ..experiment import PlayerResult
from ..experiment.batches import play_series
from ..experiment.play import play_batch
from ..experiment.ratings import share_interval
from ..experiment.results_log import InMemoryLog, ResultsLog, Series
from ..experiment.statistics import Interval
from ..experiment.tournament import Entrant, first_wins, moves_first, series_of
from ..players import describe, make_player
from ..rules import Rules
from .source_results import DUEL, HUMAN, MEMORY, RUNTIME, Exhibit, Row

COUNTS = (250, 500, 1000, 1500, 2500)
"""numbers of games whose runtime and memory E measured"""


@dataclass(frozen=True)
class Effort:
    """How much to play."""

    games: int = 10_000
    """of each row"""
    seconds: float = 120.0
    """after about so long a row ends with the games that it has"""
    least: int = 1
    """games that a row gets whatever their time"""
    seed: int = 1
    jobs: int = 1

    @classmethod
    def quick(cls, seed: int = 1, jobs: int = 1) -> Effort:
        return cls(500, 2.0, seed=seed, jobs=jobs)


@dataclass(frozen=True)
class Duels:
    """Games of two against the random player."""

    won: int
    games: int
    ci95: Interval
    """of the share won"""
    winning_shots: tuple[int, ...]
    """in the games that it won"""


@dataclass(frozen=True)
class Costs:
    """Runtime or memory against the number of games."""

    games: tuple[int, ...]
    values: tuple[float, ...]
    """seconds of processor time, or MB held at most"""

    @property
    def straightness(self) -> float:
        """The share of the variation that a straight line explains."""
        if np.ptp(self.values) == 0:
            return 1.0
        return float(np.corrcoef(self.games, self.values)[0, 1] ** 2)


@dataclass(frozen=True)
class RowResult:
    """A row of the document and what came out here."""

    row: Row
    rules: Rules
    ours: PlayerResult | None = None
    missing: str = ""
    """why it could not be played"""
    duels: Duels | None = None
    costs: Costs | None = None

    @property
    def games(self) -> int:
        return len(self.ours.shots) if self.ours else 0

    def share(self, low: int, high: int) -> tuple[float, Interval]:
        """The share of our games that took from `low` to `high` shots."""
        assert self.ours is not None
        inside = sum(low <= shots <= high for shots in self.ours.shots)
        return inside / self.games, share_interval(inside, self.games)


@dataclass(frozen=True)
class ExhibitResult:
    """An exhibit, played."""

    exhibit: Exhibit
    rows: tuple[RowResult, ...]
    effort: Effort
    seconds: float
    """that it took"""

    @property
    def available(self) -> bool:
        """Whether any of its rows could be played."""
        return any(not row.missing for row in self.rows)


REPEATS = 3
"""measurements of a runtime, of which the least counts"""

Progress = Callable[[str], None]


def reproduce(
    exhibit: Exhibit,
    effort: Effort,
    book: ResultsLog | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> ExhibitResult:
    """Play an exhibit under its document's rules."""
    began = time.perf_counter()
    book = InMemoryLog() if book is None else book
    found = []
    for row in exhibit.rows if exhibit.kind != HUMAN else ():
        if progress:
            progress(f"{exhibit.name}: {row.label}")
        rules = Rules.from_text(row.rules or exhibit.rules)
        if reason := unavailable(row.player):
            found.append(RowResult(row, rules, missing=reason))
        elif exhibit.kind in (RUNTIME, MEMORY):
            found.append(RowResult(row, rules, costs=_costs(row, rules, exhibit.kind, effort)))
        elif exhibit.kind == DUEL:
            found.append(_duels(row, rules, effort, book, executor))
        else:
            series = Series(
                describe(row.player), rules, effort.seed, 1, player=describe(row.player)
            )
            ours = _result(_played([series], effort, book, executor)[0], book)
            found.append(RowResult(row, rules, ours))
    return ExhibitResult(exhibit, tuple(found), effort, time.perf_counter() - began)


def unavailable(player: str) -> str:
    """Why a player cannot play in this version; empty if it can."""
    try:
        make_player(player)
    except SeabattleError as error:
        return f"not available in this version ({player.partition(':')[0]})" + (
            "" if "Unknown player" in str(error) else f": {error}"
        )
    except Exception as error:  # a model that is missing or cannot be loaded
        return f"not available here: {error}"
    return ""


def _played(
    series: list[Series], effort: Effort, book: ResultsLog, executor: Executor | None
) -> list[Series]:
    """Play as many games of these as the effort allows: those that they say at least, and a
    multiple of that."""
    play_series(series, book, executor=executor)
    # The first game of a player loads and compiles; its own clock leaves that out.
    each_game = sum(book.tally(one).seconds / one.games for one in series)
    at_once = effort.jobs if effort.seconds >= 10 else 1
    fitting = int(at_once * effort.seconds / max(each_game, 1e-9))
    least = series[0].games
    games = max(least, min(effort.games, max(fitting, effort.least)) // least * least)
    whole = [replace(each, games=games) for each in series]
    # Processes are worth their start only where a row takes its time.
    jobs = effort.jobs if each_game * games >= 10 else 1
    play_series(whole, book, jobs, executor=executor)
    return whole


def _result(series: Series, book: ResultsLog) -> PlayerResult:
    tally = book.tally(series)
    return PlayerResult(
        series.name,
        tuple(tally.shots.tolist()),
        tally.seconds / series.games,
        tally.peak_memory_mb,
    )


def _duels(
    row: Row, rules: Rules, effort: Effort, book: ResultsLog, executor: Executor | None
) -> RowResult:
    """Games of two against random; each moves first in half of them."""
    entrants = [Entrant(describe(row.player)), Entrant("random")]
    series = _played(series_of(entrants, rules, 2, effort.seed), effort, book, executor)
    ours, theirs = (book.tally(each).shots for each in series)
    first = np.array([moves_first(entrants[0].name, "random", k) for k in range(len(ours))])
    won = np.zeros(len(ours), dtype=np.bool_)
    won[first] = first_wins(ours[first], theirs[first], rules.turns) > 0
    won[~first] = first_wins(theirs[~first], ours[~first], rules.turns) < 0
    count = int(won.sum())
    duels = Duels(count, len(ours), share_interval(count, len(ours)), tuple(ours[won].tolist()))
    return RowResult(row, rules, _result(series[0], book), duels=duels)


def _costs(row: Row, rules: Rules, kind: str, effort: Effort) -> Costs:
    """Play each number of games and keep the shots of every one, as E did."""
    player = make_player(row.player)
    play_batch(player, rules, effort.seed, range(1))
    measure = _processor_seconds if kind == RUNTIME else _allocated_mb
    values = [
        measure(partial(play_batch, player, rules, effort.seed, range(games))) for games in COUNTS
    ]
    return Costs(COUNTS, tuple(values))


def _processor_seconds(play: Callable[[], object]) -> float:
    """The least of a few: other programs only ever add to it."""
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        play()
        taken.append(time.process_time() - began)
    return min(taken)


def _allocated_mb(play: Callable[[], object]) -> float:
    """The most that Python and NumPy held at a time. The resident size of a process, which E
    took, does not grow as long as memory that was freed before can be used again."""
    import tracemalloc

    tracemalloc.start()
    try:
        play()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def peak(shots: tuple[int, ...], width: int = 5) -> tuple[int, int]:
    """The `width` numbers of shots in a row that most games took."""
    counts: npt.NDArray[np.int64] = np.bincount(np.array(shots))
    together = np.convolve(counts, np.ones(width, dtype=np.int64), mode="full")
    last = int(together.argmax())
    return max(0, last - width + 1), min(last, len(counts) - 1)
