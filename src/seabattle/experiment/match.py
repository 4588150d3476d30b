"""Matches: many games between two entrants, who may learn from game to game.

An entrant is a shooter and a placer. After every game each of the four is told about it if
it wants to be (see `revealed`): the revealed layout and the opponent's shots. The games of a
match are therefore played one after the other; matches are played at the same time.

Each side of a game is played to the end, even after the other has won, so that the number of
shots for a whole fleet is known for both. The entrants are told of the shots that were fired
before the game was over, and no others. If an engine takes part, the two sides shoot in turns,
and the rest of the loser's game is played after both were told of the end (see `match_engine`).

The games of a match are two series: the shots of `a` and those of `b`. A match that was
interrupted is resumed by telling the entrants about the games that are kept, in order. The
same seed gives the same match, whatever the number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..compiled.random_streams import streams
from ..compiled.seeds import LAYOUT_STREAM, PLAYER_STREAM, checked_seed
from ..dealing import checked_layout, layout_of, make_placer, place_games, placements_of
from ..dealing.placers import Placer
from ..engine.engine_placer import EnginePlacer
from ..engine.exec_player import ExecPlayer
from ..engine.match_engine import MatchEngine
from ..errors import ExperimentError
from ..game import Duel, Game
from ..layout import Layout
from ..naming.choice import chosen
from ..players import NO_FAULTS, BatchPlayer, FaultCounter, Faults, Player, make_player
from ..players.in_game import seeded_shooter
from ..revealed import Learner, Result, RevealedGame
from ..rules import Rules
from ..shots import Shot
from .batches import (
    POLL_SECONDS,
    TEND_SECONDS,
    ExperimentStopped,
    Progress,
    at_least_one,
    stopped_after,
    whole,
)
from .play import play_alone
from .results_log import InMemoryLog, ResultsLog, Series, SeriesResult
from .statistics import Interval, mean_interval
from .tournament import (
    Entrant,
    Score,
    Tournament,
    checked_entrants,
    combine,
    moves_first,
    play_and_combine,
    replayed,
    series_of,
    total_progress,
)
from .workers import Played, executor_for, failures_explained, named_in_errors

Reveal = Literal["layouts", "shots"]
REVEALS: tuple[Reveal, ...] = ("layouts", "shots")
"""what is revealed after a game: the layouts, or only what the shots have shown"""

PORTION_SECONDS = 1.0
"""how long the games take that are played between two reports"""
LARGEST_PORTION = 1000
MOST_KEPT = 4
"""matches whose entrants a process remembers"""


@dataclass(frozen=True)
class MatchSide:
    """One entrant of a match, as a process that plays it needs it."""

    name: str
    shooter: str
    placer: str
    seed: int
    """of the games in which it shoots"""


@dataclass(frozen=True)
class MatchTask:
    """What a match is, apart from its games."""

    rules: Rules
    sides: tuple[MatchSide, MatchSide]
    games: int
    reveal: Reveal


@dataclass(frozen=True)
class GamesSoFar:
    """The games of one side of a match, from the first."""

    placements: npt.NDArray[np.int32]
    """(games, ships) the layouts that it shot at"""
    cells: tuple[bytes, ...]
    """the cells that it fired at in each game, one byte each"""
    lost: frozenset[int] = frozenset()
    """the games that a fault of it has lost"""

    def __len__(self) -> int:
        return len(self.cells)

    @classmethod
    def none(cls, rules: Rules) -> GamesSoFar:
        return cls(np.empty((0, len(rules.fleet)), dtype=np.int32), ())

    def and_then(self, played: Played) -> GamesSoFar:
        assert played.placements is not None
        ends = np.cumsum(played.shots)
        starts = ends - played.shots
        cells = tuple(played.cells[start:end] for start, end in zip(starts, ends, strict=True))
        return GamesSoFar(
            np.concatenate([self.placements, played.placements]),
            (*self.cells, *cells),
            self.lost | played.faults.lost,
        )


@dataclass
class _Entered:
    """An entrant in the course of a match."""

    side: MatchSide
    shooter: Player | MatchEngine
    placer: Placer
    """not asked if an engine places its own fleet"""

    @classmethod
    def of(cls, task: MatchTask, number: int) -> _Entered:
        side, opponent = task.sides[number], task.sides[1 - number]
        with named_in_errors(side.name):
            player = make_player(side.shooter)
            placer = make_placer(side.placer)
            if not isinstance(player, ExecPlayer):
                return cls(side, player, placer)
            places = isinstance(placer, EnginePlacer)
            started = player.begin_match(task.rules, task.games, opponent.name, places=places)
            return cls(side, started, placer)

    def learn(self, game: RevealedGame) -> None:
        if isinstance(self.shooter, Learner):
            self.shooter = self.shooter.after_game(game)
        if isinstance(self.placer, Learner):
            self.placer = self.placer.after_game(game)


class MatchUnderway:
    """A match after some of its games."""

    def __init__(self, task: MatchTask) -> None:
        self.task = task
        self.entered = (_Entered.of(task, 0), _Entered.of(task, 1))
        self.played = 0
        self.lost: tuple[set[int], set[int]] = (set(), set())
        """the games that each side has lost by a fault"""
        self.learns = any(
            isinstance(each, Learner)
            for entered in self.entered
            for each in (entered.shooter, entered.placer)
        )

    def play(self) -> tuple[tuple[Layout, Layout], tuple[list[int], list[int]], list[float]]:
        """Play the next game: the layout that each side shot at, its cells, and its time."""
        number = self.played
        targets = (self._hidden(1, number), self._hidden(0, number))
        seeds = [
            streams(np.uint64(each.side.seed), number, 1, PLAYER_STREAM) for each in self.entered
        ]
        if any(isinstance(each.shooter, MatchEngine) for each in self.entered):
            cells, seconds = self._in_turns(targets, [int(seed[0]) for seed in seeds])
            return targets, (cells[0], cells[1]), seconds
        cells, seconds = [], []
        for each, target, seed in zip(self.entered, targets, seeds, strict=True):
            with named_in_errors(each.side.name):
                assert not isinstance(each.shooter, MatchEngine)
                began = time.perf_counter()
                cells.append(_shots(each.shooter, self.task.rules, target, seed))
                seconds.append(time.perf_counter() - began)
        self.learn(targets, (cells[0], cells[1]))
        return targets, (cells[0], cells[1]), seconds

    def _in_turns(
        self, targets: tuple[Layout, Layout], seeds: Sequence[int]
    ) -> tuple[list[list[int]], list[float]]:
        """Let both sides shoot in turns, learn, and play on: the cells and time of each."""
        first = self._first(self.played)
        duel = Duel(targets[1 - first], targets[first])
        games = [duel.targets[0 if side == first else 1] for side in (0, 1)]
        seconds = [0.0, 0.0]

        @contextmanager
        def on_the_clock(side: int) -> Iterator[None]:
            began = time.perf_counter()
            with named_in_errors(self.entered[side].side.name):
                yield
            seconds[side] += time.perf_counter() - began

        shooters = [
            each.shooter.begin_game(games[side], seeds[side], first=side == first)
            if isinstance(each.shooter, MatchEngine)
            else seeded_shooter(each.shooter, self.task.rules, seeds[side])
            for side, each in enumerate(self.entered)
        ]
        while (mover := duel.to_move) is not None:
            side = first if mover == 0 else 1 - first
            with on_the_clock(side):
                cell = shooters[side].choose()
            if getattr(shooters[side], "lost", False) and self.played not in self.lost[1 - side]:
                self.lost[side].add(self.played)
                if games[side].unfired == 1:
                    duel.resign(mover)
                    break
            with on_the_clock(side):
                shooters[side].told(duel.shoot(cell))
        cells = [[shot.cell for shot in game.shots] for game in games]
        self.learn(targets, (cells[0], cells[1]))
        for side, game in enumerate(games):
            engine = self.entered[side].shooter
            with on_the_clock(side):
                if isinstance(engine, MatchEngine) and not game.finished:
                    engine.play_on(game, seeds[side])
                while not game.finished:
                    shooters[side].told(game.shoot(shooters[side].choose()))
        return [[shot.cell for shot in game.shots] for game in games], seconds

    def _first(self, number: int) -> int:
        """The side that moves first in a game."""
        one, other = (each.side.name for each in self.entered)
        return 0 if moves_first(one, other, number) else 1

    def learn(self, targets: tuple[Layout, Layout], cells: tuple[list[int], list[int]]) -> None:
        """Tell both sides about the next game."""
        number = self.played
        self.played += 1
        if not self.learns:
            return
        first = self._first(number)
        lost = next((side for side in (0, 1) if number in self.lost[side]), None)
        shots, results = _as_it_ended(targets, cells, first, lost)
        for side, each in enumerate(self.entered):
            with named_in_errors(each.side.name):
                each.learn(
                    RevealedGame(
                        layout=targets[1 - side],
                        shots=shots[side],
                        enemy_shots=shots[1 - side],
                        enemy_layout=targets[side] if self.task.reveal == "layouts" else None,
                        result=results[side],
                        moved_first=side == first,
                    )
                )

    def end(self, score: Score) -> None:
        """Tell engines that the match is over."""
        for each, own in zip(self.entered, (score, score.reversed), strict=True):
            if isinstance(each.shooter, MatchEngine):
                each.shooter.end(own.wins, own.draws, own.losses)

    def _hidden(self, side: int, number: int) -> Layout:
        """The layout of one side's ships in a game."""
        each, opponent, rules = self.entered[side], self.entered[1 - side], self.task.rules
        with named_in_errors(each.side.name):
            own = isinstance(each.placer, EnginePlacer)
            if not own and not isinstance(each.placer, Learner):
                games = range(number, number + 1)
                row = place_games(rules, opponent.side.seed, games, each.placer)[0]
                return layout_of(rules, row)
            seed = int(streams(np.uint64(opponent.side.seed), number, 1, LAYOUT_STREAM)[0])
            if own and isinstance(each.shooter, MatchEngine):
                return each.shooter.place(seed)
            layout = each.placer.place(rules, np.random.default_rng(seed))
            return checked_layout(layout, rules, each.side.placer)


def _shots(player: Player, rules: Rules, target: Layout, seed: npt.NDArray[np.uint64]) -> list[int]:
    """The cells that a player fires at until it has found the whole fleet."""
    if isinstance(player, BatchPlayer):
        shots, fired = player.play_games(rules, placements_of(target)[None], seed)
        return [int(cell) for cell in fired[0, : shots[0]]]
    game = Game(target)
    play_alone(player, game, np.random.default_rng(int(seed[0])))
    return [shot.cell for shot in game.shots]


def _as_it_ended(
    targets: tuple[Layout, Layout],
    cells: tuple[list[int], list[int]],
    first: int,
    lost: int | None,
) -> tuple[list[tuple[Shot, ...]], list[Result]]:
    """The shots of each side up to the end of the game, and how it ended for them."""
    order = (first, 1 - first)
    duel = replayed(
        [targets[side] for side in order],
        [cells[side] for side in order],
        None if lost is None else order.index(lost),
    )
    shots: list[tuple[Shot, ...]] = [(), ()]
    results: list[Result] = ["drawn", "drawn"]
    for mover, side in enumerate(order):
        shots[side] = tuple(duel.targets[mover].shots)
        if duel.winner is not None:
            results[side] = "won" if duel.winner == mover else "lost"
    return shots, results


_kept: dict[MatchTask, MatchUnderway] = {}
"""the matches that this process played last"""


def play_portion(
    task: MatchTask, games: range, so_far: tuple[GamesSoFar, GamesSoFar]
) -> tuple[Played, Played]:
    """Play these games of a match, of which those before are given."""
    match = _kept.pop(task, None)
    if match is None or match.played > games.start:
        match = MatchUnderway(task)
    for number in range(match.played, games.start):  # another process has played them
        layouts = [layout_of(task.rules, side.placements[number]) for side in so_far]
        for lost, before in zip(match.lost, so_far, strict=True):
            lost.update(before.lost & {number})
        match.learn(
            (layouts[0], layouts[1]),
            (list(so_far[0].cells[number]), list(so_far[1].cells[number])),
        )
    began = time.perf_counter()
    placements = np.empty((2, len(games), len(task.rules.fleet)), dtype=np.int32)
    cells: tuple[list[list[int]], list[list[int]]] = ([], [])
    seconds = np.zeros(2)
    for row in range(len(games)):
        targets, fired, taken = match.play()
        seconds += taken
        for side in (0, 1):
            placements[side, row] = placements_of(targets[side])
            cells[side].append(fired[side])
    _kept[task] = match
    while len(_kept) > MOST_KEPT:
        del _kept[next(iter(_kept))]
    elapsed = time.perf_counter() - began
    of_a, of_b = (
        Played(
            games,
            np.array([len(each) for each in cells[side]], dtype=np.int32),
            float(seconds[side]),
            elapsed,
            None,
            b"".join(bytes(each) for each in cells[side]),
            placements[side],
            _faults(match, side, games),
        )
        for side in (0, 1)
    )
    return of_a, of_b


def end_match(task: MatchTask, score: Score) -> None:
    """The last call about a match in a process that played it."""
    match = _kept.pop(task, None)
    if match is not None:
        match.end(score)


def _faults(match: MatchUnderway, side: int, games: range) -> Faults:
    """The faults of one side in these games."""
    player = match.entered[side].shooter
    if not isinstance(player, FaultCounter | MatchEngine):
        return NO_FAULTS
    return replace(player.take_faults(), lost=frozenset(match.lost[side].intersection(games)))


@dataclass(frozen=True)
class Match:
    """The result of a match."""

    tournament: Tournament
    """of the two entrants"""
    shots: tuple[tuple[int, ...], tuple[int, ...]]
    """that `a` and `b` needed for the whole fleet in each game"""
    names: tuple[str, str]
    reveal: Reveal = "layouts"
    faults: tuple[Faults, Faults] = field(default=(NO_FAULTS, NO_FAULTS), compare=False)

    @property
    def score(self) -> Score:
        """The games, seen from `a`."""
        return self.tournament.score(*self.names)

    @property
    def portions(self) -> tuple[tuple[range, Interval, Interval], ...]:
        """Games 1 to 5, 6 to 10, 11 to 20, 21 to 50, ... with the 95% intervals of the means of
        both sides' shots."""
        found = []
        for games in portions_of(len(self.shots[0])):
            intervals = [
                mean_interval(np.array(each[games.start : games.stop])) for each in self.shots
            ]
            found.append((games, intervals[0], intervals[1]))
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        result = self.tournament.to_json()
        return {
            "rules": result["rules"],
            "games": len(self.shots[0]),
            "seed": self.tournament.seed,
            "reveal": self.reveal,
            **self.score.to_json(),
            "moving_first": result["pairings"][0]["moving_first"],
            "entrants": [
                {
                    "name": name,
                    "mean": float(np.mean(shots)),
                    "ci95": _finite(mean_interval(np.array(shots))),
                    "shots": list(shots),
                    **({"faults": dict(faults.counts)} if faults else {}),
                }
                for name, shots, faults in zip(self.names, self.shots, self.faults, strict=True)
            ],
        }


def _finite(interval: Interval) -> list[float | None]:
    return [None if value != value else value for value in interval]


def portions_of(games: int) -> list[range]:
    """Cut a match into games 1 to 5, 6 to 10, 11 to 20, 21 to 50, 51 to 100, ..., from 0."""
    ends, scale = [5, 10], 10
    while ends[-1] < games:
        ends += [2 * scale, 5 * scale, 10 * scale]
        scale *= 10
    ends = [end for end in ends if end < games] + [games]
    starts = [0, *ends[:-1]]
    return [range(start, end) for start, end in zip(starts, ends, strict=True)]


def match(
    a: str | Entrant,
    b: str | Entrant,
    rules: Rules | str = "classic",
    games: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    reveal: Reveal = "layouts",
    executor: Executor | None = None,
    log: ResultsLog | None = None,
) -> Match:
    """Let two entrants play `games` games, of which each may learn from those before.

    >>> result = match("even", "random", "mini", games=20, seed=1)
    >>> result.score.games
    20
    """
    log = InMemoryLog() if log is None else log
    result = matches(
        [a, b], rules, games, seed, jobs, progress, reveal=reveal, executor=executor, log=log
    )
    series = match_series(result.entrants, result.rules, games, seed, checked_reveal(reveal))
    results = [log.result(each) for each in series]
    shots = [tuple(int(n) for n in each.shots) for each in results]
    names = (result.entrants[0].name, result.entrants[1].name)
    faults = (results[0].faults, results[1].faults)
    return Match(result, (shots[0], shots[1]), names, checked_reveal(reveal), faults)


def matches(
    entrants: Iterable[str | Entrant],
    rules: Rules | str = "classic",
    games: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    reveal: Reveal = "layouts",
    executor: Executor | None = None,
    log: ResultsLog | None = None,
) -> Tournament:
    """Let every pair of entrants play a match of `games` games."""
    chosen, rules = checked_entrants(entrants), Rules.of(rules)
    games, jobs = at_least_one("games", games), at_least_one("jobs", jobs)
    seed, revealed = checked_seed(whole("seed", seed)), checked_reveal(reveal)
    if rules.salvo != 1:
        raise ExperimentError("Matches are played with one shot per turn; leave out --salvo.")
    log = InMemoryLog() if log is None else log
    series = match_series(chosen, rules, games, seed, revealed)
    tasks = [
        MatchTask(
            rules,
            (_side(a, series[2 * k].seed), _side(b, series[2 * k + 1].seed)),
            games,
            revealed,
        )
        for k, (a, b) in enumerate(combinations(chosen, 2))
    ]
    for entrant in chosen:  # what does not work is found before any game is played
        engine = isinstance(make_player(entrant.shooter), ExecPlayer)
        if isinstance(make_placer(entrant.placer), EnginePlacer) and not engine:
            raise ExperimentError(
                f"The placer 'engine' is for engines, and {entrant.shooter!r} is not one: write "
                "exec:COMMAND@engine."
            )
    log.begin(series)
    told = total_progress(series, progress, "match" if len(tasks) == 1 else "tournament")

    def play() -> None:
        with executor_for(jobs if len(tasks) > 1 else 1, executor) as where:
            _Matches(tasks, series, log, told, where, jobs).play()

    def combined(found: Callable[[Series], SeriesResult]) -> Tournament:
        made = combine(chosen, rules, games, seed, map(found, series))
        return replace(made, as_matches=True)

    return play_and_combine(play, log, combined)


def match_series(
    entrants: Sequence[Entrant], rules: Rules, games: int, seed: int, reveal: Reveal
) -> list[Series]:
    """Both sides of every match. What entrants learn depends on the opponent and on what is
    revealed, and so do their seeds."""
    purpose = "match" if reveal == "layouts" else f"match, {reveal} revealed"
    return series_of(entrants, rules, games, seed, purpose)


def match_settings(
    entrants: Sequence[Entrant], rules: Rules, games: int, seed: int, reveal: Reveal
) -> dict[str, Any]:
    """The settings of a round robin of matches, as a store keeps them."""
    return {
        "entrants": [entrant.name for entrant in entrants],
        "rules": rules.to_text(),
        "games": games,
        "seed": seed,
        "match": True,
        **({} if reveal == "layouts" else {"reveal": reveal}),
    }


def checked_reveal(reveal: str) -> Reveal:
    return chosen(reveal, REVEALS, "value of --reveal", ExperimentError)


def _side(entrant: Entrant, seed: int) -> MatchSide:
    return MatchSide(entrant.name, entrant.shooter, entrant.placer, seed)


class _Matches:
    """Matches while they are played: the games of each in order, several matches at a time."""

    def __init__(
        self,
        tasks: Sequence[MatchTask],
        series: Sequence[Series],
        log: ResultsLog,
        progress: Progress | None,
        executor: Executor,
        jobs: int,
    ) -> None:
        self.log, self.progress, self.executor = log, progress, executor
        self.most = jobs
        self.series = series
        self.waiting = [_Underway(task, series[2 * k : 2 * k + 2]) for k, task in enumerate(tasks)]
        self.underway: dict[Future[tuple[Played, Played]], _Underway] = {}
        self.latest = ""
        """the match whose games were handed out last"""

    def play(self) -> None:
        try:
            with failures_explained(lambda: self.latest):
                while self.waiting or self.underway:
                    self._hand_out()
                    self._collect()
                    self.log.tend()
        except KeyboardInterrupt:
            raise ExperimentStopped(stopped_after(self.series, self.log)) from None

    def _hand_out(self) -> None:
        for each in list(self.waiting):
            if len(self.underway) >= self.most:
                return
            if self.log.played(each.series[1]) >= each.task.games:
                self.waiting.remove(each)
                self._tell(each)
                continue
            # The second side is kept last, so what it has both sides have.
            claimed = self.log.reserve(each.series[1], each.task.games)
            if claimed is None and not self.log.keeps_cells:  # in memory, all are ours already
                claimed = range(len(each.so_far[1]), each.task.games)
            if claimed is None:  # another process plays this match
                continue
            if claimed.start != len(each.so_far[1]):
                each.so_far = self._kept_games(each, claimed.start)
            stop = min(claimed.start + each.portion, each.task.games)
            future = self.executor.submit(
                play_portion, each.task, range(claimed.start, stop), each.so_far
            )
            self.underway[future] = each
            self.latest = " against ".join(side.name for side in each.task.sides)
            self.waiting.remove(each)

    def _collect(self) -> None:
        if not self.underway:
            if self.waiting:
                time.sleep(POLL_SECONDS)
            return
        wait(self.underway, TEND_SECONDS, return_when=FIRST_COMPLETED)
        for future in [each for each in self.underway if each.done()]:
            each = self.underway.pop(future)
            played = future.result()
            for series, games in zip(each.series, played, strict=True):
                self.log.keep(series, games)
            each.learn(played)
            self._tell(each)
            if len(each.so_far[0]) < each.task.games:
                self.waiting.insert(0, each)
            else:
                self.executor.submit(end_match, each.task, self._score(each)).result()

    def _score(self, each: _Underway) -> Score:
        rules = each.task.rules
        sides = [Entrant(side.shooter, side.placer) for side in each.task.sides]
        found = combine(sides, rules, each.task.games, 0, map(self.log.result, each.series))
        return found.pairings[0].score

    def _kept_games(self, each: _Underway, games: int) -> tuple[GamesSoFar, GamesSoFar]:
        one, other = (
            GamesSoFar(*self.log.kept_games(series, games), self.log.so_far(series).faults.lost)
            for series in each.series
        )
        return one, other

    def _tell(self, each: _Underway) -> None:
        if self.progress is not None:
            for series in each.series:
                self.progress(series.label, self.log.played(series), series.games)


class _Underway:
    """One match, seen from the process that hands out its games."""

    def __init__(self, task: MatchTask, series: Sequence[Series]) -> None:
        self.task, self.series = task, series
        self.so_far = (GamesSoFar.none(task.rules), GamesSoFar.none(task.rules))
        self.portion = 1

    def learn(self, played: tuple[Played, Played]) -> None:
        one, other = (kept.and_then(games) for kept, games in zip(self.so_far, played, strict=True))
        self.so_far = (one, other)
        taken, games = max(played[0].elapsed, 1e-9), len(played[0].games)
        fitting = int(PORTION_SECONDS * games / taken)
        self.portion = max(1, min(fitting, 10 * games, LARGEST_PORTION))
