"""`play_series`: cut the games into batches and hand them out.

Batches grow until one takes about half a second, so that progress is smooth for a player
that needs seconds per game and overhead is small for one that plays thousands of games
per second. Results do not depend on the batches: every game is numbered, and is a
function of (player, rules, seed, number) alone.
"""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

from ..compiled.jit import announce_if_cold
from ..dealing import place_games
from ..errors import ExperimentError
from ..players import BatchPlayer, Player, make_player, player_info
from ..players.registry import ENTRY_POINT_GROUP
from ..rules import Rules
from .interruptible import ThreadExecutor, interruptible
from .results_log import PATIENCE_SECONDS, ResultsLog, Series
from .workers import (
    Played,
    cancel_all,
    executor_for,
    failures_explained,
    make_ready,
    play_numbered,
    sendable,
    warm_up,
)

BATCH_SECONDS = 0.5
"""how long a batch should take"""
BATCH_GROWTH = 100
"""a batch is at most this many times as large as the one before"""
LARGEST_BATCH = 10_000
"""keeps the memory of a batch small compared with that of a player"""
EASY_JOBS = 100
"""a cluster's scheduler easily hands out half-second batches to this many jobs; with more
jobs, batches take longer in proportion"""

TEND_SECONDS = 5.0
"""how often the log is tended while no batch finishes"""
POLL_SECONDS = 0.2
"""how often to check whether other processes have finished the remaining games"""
MOST = 10**12
"""games or jobs; more would not end"""

Progress = Callable[[str, int, int], None]
"""is called with a player's name, the number of its games played so far, and the total"""


@runtime_checkable
class Watched(Protocol):
    """An executor that can say why nothing comes back from it."""

    def trouble(self) -> str | None:
        """What is wrong and what to do, as a sentence, or None."""
        ...


class ExperimentStopped(KeyboardInterrupt):
    """Ctrl-C during an experiment; the message says how far it got."""

    partial: object | None = None
    """the result (`Comparison`, `Tournament`, ...) of the games that were finished, or None"""


def play_series(
    series: Sequence[Series],
    log: ResultsLog,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
) -> None:
    """Play the games of these series that are not in the log yet."""
    jobs = at_least_one("jobs", jobs)
    for each in series:  # a fleet that does not fit is found before any worker starts
        place_games(each.rules, each.seed, range(1), each.placer)
    log.begin(series)
    finished = all(log.played(each) >= each.games for each in series)
    with executor_for(1 if finished else jobs, executor) as chosen:
        _Batches(series, log, jobs, progress, chosen).play()


@dataclass
class _Pace:
    """How large the next batch of a player should be."""

    jobs: int
    batch: int = 1

    def learn(self, games: int, seconds: float) -> None:
        """Take into account how long these games took."""
        stretch = max(1.0, self.jobs / EASY_JOBS)
        fitting = int(stretch * BATCH_SECONDS * games / max(seconds, 1e-9))
        self.batch = max(1, min(fitting, BATCH_GROWTH * games, int(stretch * LARGEST_BATCH)))


class _Batches:
    """The series of an experiment while they are played, one after the other."""

    def __init__(
        self,
        series: Sequence[Series],
        log: ResultsLog,
        jobs: int,
        progress: Progress | None,
        executor: Executor,
    ) -> None:
        self.series, self.log, self.jobs, self.progress = series, log, jobs, progress
        self.executor = executor
        self.away = not isinstance(executor, ThreadExecutor)
        """whether other processes play"""
        self.waiting = list(series)
        self.underway: dict[Future[Played], tuple[Series, range]] = {}
        # Each worker has a second batch waiting, so that it never idles.
        self.most_underway = 2 * jobs if self.away else 1
        self.paces: dict[tuple[str, Rules], _Pace] = {}
        self.prepared: dict[str, Player | str | bytes] = {}
        self.compiling: dict[Future[None], str] = {}
        """players that one worker is compiling, so that all find the kernels in the cache"""
        self.announced: set[Series] = set()
        self.latest = series[0]
        self.waiting_since = time.monotonic()
        self.told: str | None = None
        """the latest notice about waiting, which is not repeated"""

    def play(self) -> None:
        try:
            with failures_explained(lambda: self.latest.name):
                while self.waiting or self.underway or self.compiling:
                    self._hand_out()
                    if not self.waiting and not self.underway and not self.compiling:
                        break
                    self._collect()
                    self.log.tend()
        except KeyboardInterrupt:
            raise ExperimentStopped(stopped_after(self.series, self.log)) from None
        finally:
            cancel_all(self.executor, self._futures())

    def _hand_out(self) -> None:
        """Submit batches until enough are underway."""
        for series in list(self.waiting):
            if series not in self.announced:
                self.announced.add(series)
                self._tell(series)
            if self.log.played(series) >= series.games:
                self.waiting.remove(series)
            elif self._is_ready(series):
                while self._has_room() and self._submit(series):
                    pass
            if not self._has_room():
                break

    def _has_room(self) -> bool:
        return len(self.underway) + len(self.compiling) < self.most_underway

    def _is_ready(self, series: Series) -> bool:
        """Whether batches of this player can be submitted. If not, a worker is compiling it,
        while the others compile or play the next ones."""
        if series.name not in self.prepared:
            self.latest = series
            player = make_player(series.player) if isinstance(series.player, str) else series.player
            if not self.away:
                seconds = interruptible(warm_up, player, series.name, series.rules)
                self.prepared[series.name] = player
                if seconds is not None:
                    self._pace(series).learn(1, seconds)
                return True
            self.prepared[series.name] = sent = _sent(player, series)
            if isinstance(player, BatchPlayer):
                announce_if_cold()
                future = self.executor.submit(make_ready, sent, series.name, series.rules)
                self.compiling[future] = series.name
        return series.name not in self.compiling.values()

    def _submit(self, series: Series) -> bool:
        """Submit one batch of a series; False if there is nothing left to reserve."""
        pace = self._pace(series)
        # Towards the end, batches are small enough to keep all jobs busy.
        handed_out = sum(len(games) for at, games in self.underway.values() if at == series)
        left = series.games - self.log.played(series) - handed_out
        batch = self.log.reserve(series, max(1, min(pace.batch, -(-left // self.jobs))))
        if batch is None:
            return False
        self.latest = series
        future = self.executor.submit(
            play_numbered,
            self.prepared[series.name],
            series.name,
            series.rules,
            series.seed,
            batch,
            series.placer,
            self.log.keeps_cells,
        )
        self.underway[future] = (series, batch)
        return True

    def _pace(self, series: Series) -> _Pace:
        return self.paces.setdefault((series.name, series.rules), _Pace(self.jobs))

    def _collect(self) -> None:
        """Wait for batches to finish, and keep them."""
        if not self.underway and not self.compiling:
            time.sleep(POLL_SECONDS)  # another process plays the games that are missing
            if self.waiting and (other := self.log.waiting_for(self.waiting[0])):
                self._notice(f"Waiting for the games of {self.waiting[0].label} from {other}.")
            return
        done, _ = wait(self._futures(), TEND_SECONDS, return_when=FIRST_COMPLETED)
        if done:
            self.waiting_since, self.told = time.monotonic(), None
        elif isinstance(self.executor, Watched) and (trouble := self.executor.trouble()):
            self._notice(trouble)
        for compiled in [future for future in self.compiling if future.done()]:
            del self.compiling[compiled]
            compiled.result()
        for future in [future for future in self.underway if future.done()]:
            series, _ = self.underway.pop(future)
            batch = future.result()
            self.log.keep(series, batch)
            self._pace(series).learn(len(batch.games), batch.elapsed)
            self._tell(series)

    def _futures(self) -> list[Future[Any]]:
        return [*self.underway, *self.compiling]

    def _notice(self, sentence: str) -> None:
        """Say once, on standard error, what a run is waiting for."""
        if time.monotonic() > self.waiting_since + PATIENCE_SECONDS and sentence != self.told:
            self.told = sentence
            print(f"seabattle: {sentence}", file=sys.stderr, flush=True)

    def _tell(self, series: Series) -> None:
        if self.progress is not None:
            self.progress(series.label, self.log.played(series), series.games)


def _sent(player: Player, series: Series) -> str | bytes:
    """The player in the form in which it goes to other processes."""
    if isinstance(series.player, str) and _known_everywhere(series.player):
        return series.player
    return sendable(player, series.name)


def _known_everywhere(name: str) -> bool:
    """Whether every process that imports seabattle knows this player. A player that a script
    or a session has registered is known only there."""
    made_in = player_info(name.partition(":")[0]).make.__module__
    installed = {point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    return made_in.partition(".")[0] == "seabattle" or made_in in installed


def stopped_after(series: Sequence[Series], log: ResultsLog) -> str:
    """`Stopped after 3,200 of 10,000 games of even (done: random).`"""
    played = {each: log.played(each) for each in series}
    done = [each.label for each in series if played[each] >= each.games]
    at = next((each for each in series if played[each] < each.games), series[-1])
    more = f" (done: {', '.join(done)})" if done else ""
    return f"Stopped after {played[at]:,} of {at.games:,} games of {at.label}{more}."


def at_least_one(what: str, value: int) -> int:
    if (number := whole(what, value)) < 1:
        raise ExperimentError(f"The number of {what} must be at least 1, not {number}.")
    if number > MOST:
        raise ExperimentError(f"The number of {what} must be at most {MOST:,}, not {number}.")
    return number


def whole(what: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ExperimentError(
            f"{what.capitalize()} must be a whole number, not {value!r}."
        ) from None
