"""`compare`: cut the games into batches, hand them out, put the results together.

Batches grow until one takes about half a second, so that progress is smooth for a
player that needs seconds a game and cheap for one that plays thousands a second.
No result depends on where the cuts fall: every game is numbered, and is a function
of (player, rules, seed, number) alone.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from importlib.metadata import entry_points

from ..compiled.seeds import checked_seed
from ..dealing import place_games
from ..errors import ExperimentError
from ..players import BatchPlayer, Player, describe, make_player, player_info
from ..players.registry import ENTRY_POINT_GROUP
from ..rules import Rules
from .comparison import Comparison, PlayerResult
from .results_log import InMemoryLog, ResultsLog, Series
from .stopping_rule import PILOT, StoppingRule, next_look
from .workers import LocalExecutor, Played, Workers, play_numbered, sendable, warm_up

BATCH_SECONDS = 0.5
"""how long a batch should take"""
BATCH_GROWTH = 100
"""how much larger than the last one a batch may be"""
LARGEST_BATCH = 10_000
"""keeps the memory of a batch small beside that of a player"""
JOBS_AT_REST = 100
"""with more jobs than these, batches grow with their number: so many batches of half a
second are what a cluster's scheduler hands out without effort"""

TEND_SECONDS = 5.0
"""how often a book is tended while nothing finishes"""
POLL_SECONDS = 0.2
"""how often to look whether other processes have finished what they play"""

Progress = Callable[[str, int, int], None]
"""is told a player's name, how many of its games are played, and how many there will be"""


class ComparisonStopped(KeyboardInterrupt):
    """Ctrl-C in the middle of a comparison; the message says how far it got."""


def compare(
    players: Iterable[str | Player],
    rules: Rules | str = "classic",
    games: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
    book: ResultsLog | None = None,
    precision: float | None = None,
) -> Comparison:
    """Let every player find the same fleets, and compare the shots they need.

    `jobs` processes play at the same time; with 1 it is this one. An `executor` of
    your own (a cluster's, say) takes their place; `jobs` is then the number of
    batches that it is given at a time. A `book` keeps the games (see `seabattle.experiment.store`).
    With a `precision`, as many games are played as it takes until the 95% interval of
    every mean is that narrow to either side (see `precision`), `games` at most.
    """
    chosen = contestants(players)
    rules = Rules.from_text(rules) if isinstance(rules, str) else rules
    games = at_least_one("games", games)
    seed = checked_seed(whole("seed", seed))
    book = InMemoryLog() if book is None else book
    if precision is not None and not 0 < precision < float("inf"):
        raise ExperimentError(f"A precision is a number of shots above 0, not {precision}.")
    looks = [games if precision is None else min(games, PILOT)]
    while True:
        series = [Series(name, rules, seed, looks[-1], player=player) for name, player in chosen]
        play_series(series, book, jobs, progress, executor=executor)
        results = tuple(_result(each, book) for each in series)
        if precision is None:
            return Comparison(rules, games, seed, results)
        spreads = [player.sd for player in results]
        if looks[-1] == 1 or (more := next_look(looks[-1], spreads, precision, games)) is None:
            reached = looks[-1] > 1 and all(
                (player.ci95[1] - player.ci95[0]) / 2 <= precision for player in results
            )
            return Comparison(
                rules,
                looks[-1],
                seed,
                results,
                StoppingRule(precision, games, tuple(looks), reached),
            )
        looks.append(more)


def play_series(
    series: Sequence[Series],
    book: ResultsLog,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
) -> None:
    """Play what the book does not have yet of these series."""
    jobs = at_least_one("jobs", jobs)
    for each in series:  # a fleet that does not fit is found before any worker starts
        place_games(each.rules, each.seed, range(1), each.placer)
    book.begin(series)
    if executor is not None:
        _play(series, book, jobs, progress, executor, away=True)
    elif jobs == 1 or all(book.played(each) >= each.games for each in series):
        _play(series, book, jobs, progress, LocalExecutor(), away=False)
    else:
        workers = Workers(jobs)
        try:
            _play(series, book, jobs, progress, workers, away=True)
        finally:
            workers.stop()


def _result(series: Series, book: ResultsLog) -> PlayerResult:
    tally = book.tally(series)
    return PlayerResult(
        series.name,
        tuple(tally.shots.tolist()),
        tally.seconds / series.games,
        tally.peak_memory_mb,
    )


@dataclass
class _Pace:
    """How large the next batch of a player should be."""

    jobs: int
    batch: int = 1

    def learn(self, batch: Played) -> None:
        size, stretch = len(batch.games), max(1.0, self.jobs / JOBS_AT_REST)
        fitting = int(stretch * BATCH_SECONDS * size / max(batch.elapsed, 1e-9))
        self.batch = max(1, min(fitting, BATCH_GROWTH * size, int(stretch * LARGEST_BATCH)))


def _play(
    series: Sequence[Series],
    book: ResultsLog,
    jobs: int,
    progress: Progress | None,
    executor: Executor,
    *,
    away: bool,
) -> None:
    """Play all games of all series, one after the other."""
    tell = progress or _tell_nobody
    sent: dict[str, Player | str | bytes] = {}
    paces: dict[tuple[str, Rules], _Pace] = {}
    waiting = list(series)
    underway: dict[Future[Played], tuple[Series, range]] = {}
    # A second batch for each worker waits at its door, so that none ever idles.
    most_underway = 2 * jobs if away else 1
    begun: set[Series] = set()
    latest = series[0]
    try:
        while waiting or underway:
            for each in list(waiting):
                if each not in begun:
                    begun.add(each)
                    tell(each.label or each.name, book.played(each), each.games)
                pace = paces.setdefault((each.name, each.rules), _Pace(jobs))
                while len(underway) < most_underway:
                    # Towards the end in parts that keep all jobs busy.
                    handed_out = sum(len(games) for at, games in underway.values() if at == each)
                    left = each.games - book.played(each) - handed_out
                    batch = book.reserve(each, max(1, min(pace.batch, -(-left // jobs))))
                    if batch is None:
                        break
                    latest = each
                    if each.name not in sent:
                        sent[each.name] = _prepare(each, away)
                    future = executor.submit(
                        play_numbered,
                        sent[each.name],
                        each.name,
                        each.rules,
                        each.seed,
                        batch,
                        each.placer,
                        book.keeps_cells,
                    )
                    underway[future] = (each, batch)
                if book.played(each) >= each.games:
                    waiting.remove(each)
                if len(underway) >= most_underway:
                    break
            if underway:
                finished, _ = wait(underway, TEND_SECONDS, return_when=FIRST_COMPLETED)
            elif waiting:  # another process plays what is missing
                finished = set()
                time.sleep(POLL_SECONDS)
            else:
                break
            for future in finished:
                each, _ = underway.pop(future)
                batch_played = future.result()
                book.keep(each, batch_played)
                paces[each.name, each.rules].learn(batch_played)
                tell(each.label or each.name, book.played(each), each.games)
            book.tend()
    except KeyboardInterrupt:
        raise ComparisonStopped(_how_far(series, book)) from None
    except BrokenProcessPool:
        raise ExperimentError(
            f"A worker process ended unexpectedly while playing {latest.name}, perhaps for lack of "
            "memory; play with fewer jobs. (A script that compares with jobs above 1 keeps its "
            "call under if __name__ == '__main__'.)"
        ) from None
    except CancelledError:
        raise ExperimentError(
            "The cluster gave up the games that were being played; is its scheduler still running?"
        ) from None
    finally:
        for future in underway:
            future.cancel()


def _tell_nobody(name: str, played: int, games: int) -> None:
    pass


def _prepare(series: Series, away: bool) -> Player | str | bytes:
    """The player in the form in which its batches are submitted.

    Compiled players are compiled in this process, where it is announced; the workers
    then find the kernels in the cache.
    """
    player = make_player(series.player) if isinstance(series.player, str) else series.player
    if not away or isinstance(player, BatchPlayer):
        warm_up(player, series.name, series.rules)
    if not away:
        return player
    if isinstance(series.player, str) and _known_everywhere(series.player):
        return series.player
    return sendable(player, series.name)


def _known_everywhere(name: str) -> bool:
    """Whether any process that imports seabattle finds this player by its name; what a
    script or a session registered is known to that alone."""
    made_in = player_info(name.partition(":")[0]).make.__module__
    installed = {point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    return made_in.partition(".")[0] == "seabattle" or made_in in installed


def _how_far(series: Sequence[Series], book: ResultsLog) -> str:
    """`Stopped after 3,200 of 10,000 games of even (done: random).`"""
    played = {each: book.played(each) for each in series}
    done = [each.label or each.name for each in series if played[each] >= each.games]
    at = next((each for each in series if played[each] < each.games), series[-1])
    more = f" (done: {', '.join(done)})" if done else ""
    return f"Stopped after {played[at]:,} of {at.games:,} games of {at.label or at.name}{more}."


def contestants(players: Iterable[str | Player]) -> list[tuple[str, str | Player]]:
    """Each player with its name, which is unique."""
    given = [players] if isinstance(players, (str, Player)) else list(players)
    if not given:
        raise ExperimentError("A comparison needs at least one player.")
    chosen: dict[str, str | Player] = {}
    for player in given:
        if not isinstance(player, (str, Player)):
            raise ExperimentError(
                f"A player is a name or an object with choose(observation, rng), not {player!r}."
            )
        name = describe(player) if isinstance(player, str) else type(player).__name__
        if name in chosen:
            raise ExperimentError(
                f"The player {name} is named twice; its games would be the same, so name it once."
            )
        chosen[name] = name if isinstance(player, str) else player
    return list(chosen.items())


def at_least_one(what: str, value: int) -> int:
    if (number := whole(what, value)) < 1:
        raise ExperimentError(f"The number of {what} is 1 or more, not {number}.")
    return number


def whole(what: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ExperimentError(f"A whole number is needed for {what}, not {value!r}.") from None
