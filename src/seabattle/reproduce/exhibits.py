"""Play the rows of an exhibit.

All rows use the layouts of one seed, so rows and exhibits with the same player share
their games. An `Effort` decides how many games a row gets: a target, and a time limit for
slow players.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ..belief import Belief, count_layouts, infer
from ..errors import SeabattleError
from ..experiment import PlayerResult
from ..experiment.batches import ExperimentStopped, play_series
from ..experiment.interruptible import interruptible
from ..experiment.peak_memory import PeakMemory
from ..experiment.play import play_batch
from ..experiment.ratings import share_interval
from ..experiment.results_log import InMemoryLog, ResultsLog, Series
from ..experiment.statistics import Interval
from ..experiment.tournament import Entrant, first_wins, moves_first, series_of
from ..experiment.workers import Workers, failures_explained
from ..observation import Observation
from ..players import describe, make_player
from ..players.base import CellMap, MapPlayer
from ..rules import Rules
from .source_results import COUNT, DUEL, HEAT, HUMAN, MAPS, MEMORY, RUNTIME, Exhibit, Row

COUNTS = (250, 500, 1000, 1500, 2500)
"""the numbers of games for which E measured runtime and memory"""


@dataclass(frozen=True)
class Effort:
    """How much to play."""

    games: int = 10_000
    """per row"""
    seconds: float = 120.0
    """approximate time limit per row"""
    least: int = 1
    """games per row even if they take longer"""
    seed: int = 1
    jobs: int = 1

    @classmethod
    def quick(cls, seed: int = 1, jobs: int = 1) -> Effort:
        return cls(500, 2.0, seed=seed, jobs=jobs)


@dataclass(frozen=True)
class Duels:
    """Two-sided games against the random player."""

    won: int
    games: int
    ci95: Interval
    """of the share won"""
    winning_shots: tuple[int, ...]
    """the number of shots in each game won"""
    moves: tuple[int, ...]
    """our shots in each game until one side has won: fewer than a whole fleet takes if random
    won first, as P counts them"""

    @property
    def mean_moves(self) -> float:
        return float(np.mean(self.moves))

    @property
    def sd_moves(self) -> float:
        return float(np.std(self.moves, ddof=1)) if len(self.moves) > 1 else float("nan")


@dataclass(frozen=True)
class Costs:
    """Runtime or memory for several numbers of games."""

    games: tuple[int, ...]
    values: tuple[float, ...]
    """seconds of processor time, or the peak in MB"""
    shots: int | None = None
    """fired in the last of them, of a runtime"""

    @property
    def seconds_per_shot(self) -> float | None:
        return self.values[-1] / self.shots if self.shots else None

    @property
    def r_squared(self) -> float:
        """R² of a straight line through the values."""
        if np.ptp(self.values) == 0:
            return 1.0
        return float(np.corrcoef(self.games, self.values)[0, 1] ** 2)


@dataclass(frozen=True)
class RowResult:
    """A row of a document and our result for it."""

    row: Row
    rules: Rules
    ours: PlayerResult | None = None
    missing: str = ""
    """why it could not be played; empty if it was"""
    duels: Duels | None = None
    costs: Costs | None = None
    count: int | None = None
    """what we count, of an exhibit of numbers"""
    belief: Belief | None = None
    """of an exhibit of heat maps"""
    map: tuple[Observation, CellMap] | None = None
    """of an exhibit of players' maps"""
    base: PlayerResult | None = None
    """of the player that this row improves on"""
    processor_seconds: float | None = None
    """per move, of an exhibit that compares settings"""

    @property
    def seconds_per_move(self) -> float | None:
        """Our time for one shot."""
        return self.ours.seconds_per_game / self.ours.mean if self.ours else None

    @property
    def improvement(self) -> float | None:
        """By how much fewer shots than the base, as a share of the shots that the base needs
        above the fewest possible: T's "% improvement". Over the games that both have played."""
        if self.ours is None or self.base is None:
            return None
        games = min(len(self.ours.shots), len(self.base.shots))
        ours, base = (float(np.mean(each.shots[:games])) for each in (self.ours, self.base))
        above = base - self.rules.ship_cells
        return (base - ours) / above if above else None

    @property
    def seconds_per_iteration(self) -> float | None:
        """Our time for one simulation of a search."""
        if self.ours is None or self.total_iterations is None:
            return None
        return self.ours.seconds_per_game / self.total_iterations

    @property
    def total_iterations(self) -> float | None:
        """Mean simulations per game of `mcts`, by T's formula: two per unknown cell, times the
        iterations, at every move."""
        if self.row.iterations is None or self.ours is None:
            return None
        cells, shots = self.rules.cells, np.asarray(self.ours.shots, dtype=np.float64)
        return float(np.mean(self.row.iterations * shots * (2 * cells + 1 - shots)))

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
    """An exhibit with our result for each row."""

    exhibit: Exhibit
    rows: tuple[RowResult, ...]
    effort: Effort
    seconds: float
    """time taken"""

    @property
    def played(self) -> list[RowResult]:
        """The rows that could be played."""
        return [row_result for row_result in self.rows if not row_result.missing]

    @property
    def missing(self) -> list[RowResult]:
        """The rows that could not be played."""
        return [row_result for row_result in self.rows if row_result.missing]


REPEATS = 9
"""measurements of a runtime, of which the shortest counts"""
TIMED_GAMES = 10
"""games of which the processor time of a setting is measured: the same for all, because some
layouts take far longer than others"""


def reproduce(
    exhibit: Exhibit,
    effort: Effort,
    log: ResultsLog | None = None,
    progress: Callable[[str], None] | None = None,
    executor: Executor | None = None,
) -> ExhibitResult:
    """Play an exhibit under its document's rules."""
    began = time.perf_counter()
    log = InMemoryLog() if log is None else log
    results = list[RowResult]()

    def so_far() -> ExhibitResult:
        return ExhibitResult(exhibit, tuple(results), effort, time.perf_counter() - began)

    if exhibit.most is not None:
        effort = replace(effort, games=min(effort.games, exhibit.most))
    for row in exhibit.rows if exhibit.kind != HUMAN else ():
        if progress:
            progress(f"{exhibit.name}: {row.label}")
        try:
            results.append(_row_result(row, exhibit, effort, log, executor))
        except ExperimentStopped as stopped:
            stopped.partial = so_far() if results else None
            raise
    return so_far()


def _row_result(
    row: Row, exhibit: Exhibit, effort: Effort, log: ResultsLog, executor: Executor | None
) -> RowResult:
    rules = Rules.from_text(row.rules or exhibit.rules)
    if exhibit.kind == COUNT:
        return RowResult(row, rules, count=_count(row, rules))
    if exhibit.kind == HEAT:
        return RowResult(row, rules, belief=infer(Observation.from_text(row.shots, rules)))
    if reason := unavailable(row.player):
        return RowResult(row, rules, missing=reason)
    if exhibit.kind == MAPS:
        return RowResult(row, rules, map=_map(row, rules))
    if exhibit.kind == RUNTIME:
        return RowResult(row, rules, costs=interruptible(_runtimes, row, rules, effort))
    if exhibit.kind == MEMORY:
        return RowResult(row, rules, costs=_memory(row, rules, effort))
    if exhibit.kind == DUEL:
        found = _duels(row, rules, effort, log, executor, random_first=exhibit.random_first)
        if exhibit.by_settings:
            timed = interruptible(_processor_seconds_per_move, found, effort.seed)
            found = replace(found, processor_seconds=timed)
        return found
    ours = _alone(row.player, rules, effort, log, executor)
    base = _alone(row.base, rules, effort, log, executor) if row.base else None
    return RowResult(row, rules, ours, base=base)


def _alone(
    player: str, rules: Rules, effort: Effort, log: ResultsLog, executor: Executor | None
) -> PlayerResult:
    """Games of one, as many as the effort allows."""
    name = describe(player)
    series = Series(name, rules, effort.seed, 1, player=name)
    (series,) = _played([series], effort, log, executor)
    return PlayerResult.of(series, log.result(series))


def _map(row: Row, rules: Rules) -> tuple[Observation, CellMap]:
    """The numbers of one ship that a player goes by."""
    player, seen = make_player(row.player), Observation.from_text(row.shots, rules)
    assert isinstance(player, MapPlayer)
    (found,) = [each for each in player.maps(seen) if each.title == row.map]
    return seen, found


def _count(row: Row, rules: Rules) -> int:
    """Layouts, with T's two ships of three told apart; or the branches of T's tree (T 2.5)."""
    if row.moves is not None:
        return math.perm(rules.cells, row.moves) * math.comb(
            row.moves - 1, row.moves - rules.ship_cells
        )
    same = math.prod(math.factorial(rules.fleet.count(each)) for each in set(rules.fleet))
    return count_layouts(Observation(rules)) * same


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
    series: list[Series], effort: Effort, log: ResultsLog, executor: Executor | None
) -> list[Series]:
    """Play as many games of these series as the effort allows.

    They get at least the games that they ask for, and otherwise a multiple of that. Games that
    the log has already are used, however long they took.
    """
    play_series(series, log, executor=executor)
    # The player's own time leaves out loading and compiling, which happen in its first game.
    each_game = sum(log.result(one).seconds / one.games for one in series)
    at_once = effort.jobs if effort.seconds >= 10 else 1
    fitting = int(at_once * effort.seconds / max(each_game, 1e-9))
    least = series[0].games
    kept = min(log.kept(one, effort.games) for one in series)
    games = max(least, min(effort.games, max(fitting, effort.least, kept)) // least * least)
    whole = [replace(each, games=games) for each in series]
    # Starting processes only pays off if a row takes some time.
    jobs = effort.jobs if each_game * games >= 10 else 1
    play_series(whole, log, jobs, executor=executor)
    return whole


def _duels(
    row: Row,
    rules: Rules,
    effort: Effort,
    log: ResultsLog,
    executor: Executor | None,
    *,
    random_first: bool,
) -> RowResult:
    """Two-sided games against random, which moves first in all of them or in half."""
    entrants = [Entrant(describe(row.player)), Entrant("random")]
    series = _played(series_of(entrants, rules, 2, effort.seed), effort, log, executor)
    result, opponent = (log.result(each) for each in series)
    ours, theirs = np.asarray(result.shots), np.asarray(opponent.shots)
    first = np.array(
        [not random_first and moves_first(entrants[0].name, "random", k) for k in range(len(ours))]
    )
    won = np.zeros(len(ours), dtype=np.bool_)
    won[first] = first_wins(ours[first], theirs[first], rules) > 0
    won[~first] = first_wins(theirs[~first], ours[~first], rules) < 0
    count = int(won.sum())
    # A game that random wins ends with random's last shot, before ours if random moved first.
    moves = np.where(won, ours, np.minimum(ours, theirs - (~first)))
    duels = Duels(
        count,
        len(ours),
        share_interval(count, len(ours)),
        tuple(ours[won].tolist()),
        tuple(moves.tolist()),
    )
    return RowResult(row, rules, PlayerResult.of(series[0], result), duels=duels)


def _memory(row: Row, rules: Rules, effort: Effort) -> Costs:
    """Memory after each number of games, in a process for each player: what one has freed would
    serve the next."""
    process = Workers(1)
    try:
        with failures_explained():
            measured = process.submit(resident_mb, row.player, rules, effort.seed, COUNTS)
            return Costs(COUNTS, tuple(measured.result()))
    finally:
        process.stop()


def _runtimes(row: Row, rules: Rules, effort: Effort) -> Costs:
    """Play each number of games and keep the shots of each game, as E did."""
    player = make_player(row.player)
    play_batch(player, rules, effort.seed, range(1))
    values = [
        _processor_seconds(partial(play_batch, player, rules, effort.seed, range(games)))
        for games in COUNTS
    ]
    shots = play_batch(player, rules, effort.seed, range(COUNTS[-1])).shots
    return Costs(COUNTS, tuple(values), int(np.sum(shots)))


def _processor_seconds_per_move(found: RowResult, seed: int) -> float:
    """Processor time for one move; other programs hardly change it."""
    player = make_player(found.row.player)
    began = time.process_time()
    shots = play_batch(player, found.rules, seed, range(TIMED_GAMES)).shots
    return (time.process_time() - began) / int(np.sum(shots))


def _processor_seconds(play: Callable[[], object]) -> float:
    """The shortest of a few runs: other programs can only make it longer."""
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        play()
        taken.append(time.process_time() - began)
    return min(taken)


def resident_mb(player: str, rules: Rules, seed: int, counts: Sequence[int]) -> list[float]:
    """The resident memory, which E measured, that this process has gained since a player got
    ready, after each number of games. The interpreter, the libraries and what playing needs are
    there before."""
    play_batch(make_player("in-order"), rules, seed, range(1))
    memory, found = PeakMemory(), []
    for games in counts:
        with memory.measured():
            play_batch(make_player(player), rules, seed, range(games))
        if memory.peak is None:
            raise SeabattleError("This system does not report how much memory a process uses.")
        found.append(memory.peak)
    return found


def peaks(shots: Sequence[int], games: int) -> list[tuple[int, int]]:
    """The peaks of samples of that many games, which together are all of them but a rest."""
    whole = range(0, len(shots) - games + 1, games)
    return [peak(shots[start : start + games]) for start in whole]


def peak(shots: Sequence[int], width: int = 5) -> tuple[int, int]:
    """The range of `width` consecutive numbers of shots that most games took."""
    counts: npt.NDArray[np.int64] = np.bincount(np.array(shots))
    together = np.convolve(counts, np.ones(width, dtype=np.int64), mode="full")
    last = int(together.argmax())
    return max(0, last - width + 1), min(last, len(counts) - 1)
