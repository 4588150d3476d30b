"""`compare`: several players on the same layouts, and its result, which reports read."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dealing import UNIFORM, describe_placer
from ..errors import ExperimentError
from ..players import NO_FAULTS, Faults, Player, describe
from ..rules import Rules
from .batches import ExperimentStopped, Progress, at_least_one, play_series, whole
from .layout_sets import LayoutSet, set_seed
from .results_log import InMemoryLog, ResultsLog, Series, SeriesResult
from .statistics import Interval, Moments, half_width, mean_interval, standard_deviation
from .stopping_rule import PILOT, StoppingRule, next_look
from .store import StoredShots
from .test_set_log import SealedLog, logged


@dataclass(frozen=True)
class PlayerResult:
    """How one player did."""

    name: str
    shots: Sequence[int]
    """the number of shots in each game; a tuple, unless a results file keeps too many"""
    seconds_per_game: float = field(compare=False)
    """the player's own time in this run, without compilation and dealing"""
    peak_memory_mb: float | None = field(compare=False)
    """the most that a process gained by this player (see `peak_memory`); None if the system
    does not tell"""
    faults: Faults = field(default=NO_FAULTS, compare=False)
    """how often it failed to choose, and chance chose instead"""
    turns: Sequence[int] | None = None
    """the number of turns in each game, if a turn has several shots; else None"""
    mean: float = field(init=False)
    ci95: Interval = field(init=False)
    """95% confidence interval of the mean"""
    sd: float = field(init=False)
    median: float = field(init=False)
    min: int = field(init=False)
    max: int = field(init=False)
    p95: int = field(init=False)
    """95% of the games finish within this many shots"""

    def __post_init__(self) -> None:
        if isinstance(self.shots, StoredShots):
            found = _statistics_of_counts(self.shots.counts)
        else:
            found = _statistics(np.array(self.shots))
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def mean_turns(self) -> float:
        """The mean of `turns`, which must be known."""
        return float(np.mean(np.array(self.turns)))

    @property
    def turns_ci95(self) -> Interval:
        """95% confidence interval of `mean_turns`."""
        return mean_interval(np.array(self.turns))

    @classmethod
    def of(cls, series: Series, result: SeriesResult) -> PlayerResult:
        """The result of a player from that of its series."""
        shots = result.shots
        if not isinstance(shots, StoredShots):
            shots = tuple(np.asarray(shots).tolist())
        return cls(
            series.name,
            shots,
            result.seconds / series.games,
            result.peak_memory_mb,
            result.faults,
            None if result.turns is None else tuple(result.turns.tolist()),
        )

    def to_json(self) -> dict[str, Any]:
        return {**self._json("shots"), "shots": list(self.shots)}

    def _json(self, shots: str) -> dict[str, Any]:
        """The JSON form with something else in place of the shots."""
        return {
            "name": self.name,
            "mean": self.mean,
            "ci95": _numbers(self.ci95),
            "sd": _number(self.sd),
            "median": self.median,
            "min": self.min,
            "max": self.max,
            "p95": self.p95,
            "seconds_per_game": self.seconds_per_game,
            "peak_memory_mb": self.peak_memory_mb,
            "shots": shots,
            **({"faults": dict(self.faults.counts)} if self.faults else {}),
            **({} if self.turns is None else self._turns_json()),
        }

    def _turns_json(self) -> dict[str, Any]:
        return {
            "mean_turns": self.mean_turns,
            "turns_ci95": _numbers(self.turns_ci95),
            "turns": list(self.turns or ()),
        }


@dataclass(frozen=True)
class PairedDifference:
    """How many more shots `a` needs than `b` on the same layouts."""

    a: str
    b: str
    mean_difference: float
    """mean of a's shots minus b's; positive if b is better"""
    ci95: Interval

    @classmethod
    def of(cls, a: PlayerResult, b: PlayerResult) -> PairedDifference:
        if isinstance(a.shots, StoredShots) and isinstance(b.shots, StoredShots):
            moments = Moments()
            for one, other in zip(a.shots.blocks(), b.shots.blocks(), strict=True):
                moments.add(one - other)
            return cls(a.name, b.name, moments.mean, moments.mean_interval())
        differences = np.array(a.shots) - np.array(b.shots)
        return cls(a.name, b.name, float(differences.mean()), mean_interval(differences))

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.ci95[0] > 0 or self.ci95[1] < 0

    def to_json(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "mean_difference": self.mean_difference,
            "ci95": _numbers(self.ci95),
        }


@dataclass(frozen=True)
class Comparison:
    """The games of several players on the same layouts."""

    rules: Rules
    games: int
    seed: int
    players: tuple[PlayerResult, ...]
    """in the order given"""
    precision: StoppingRule | None = None
    """the rule that decided the number of games, if there was one"""
    layout_set: LayoutSet | None = None
    """`train` or `test`, if the layouts are those of a set (see `layout_sets`)"""
    placer: str = UNIFORM
    """who hid the fleets"""

    @property
    def paired(self) -> tuple[PairedDifference, ...]:
        """Every pair of players; `a` is the one given first."""
        return tuple(PairedDifference.of(a, b) for a, b in combinations(self.players, 2))

    @property
    def ranking(self) -> tuple[PlayerResult, ...]:
        """The players, fewest shots first."""
        return tuple(sorted(self.players, key=lambda player: player.mean))

    def to_json(self) -> dict[str, Any]:
        return self._json([player.to_json() for player in self.players])

    def json_parts(self) -> Iterator[str]:
        """The text of `to_json` in parts. Shots that a results file keeps are read block by
        block, so that memory does not grow with the number of games."""
        mark = uuid.uuid4().hex  # stands where the shots go
        outline = self._json([player._json(mark) for player in self.players])
        before, *rest = json.dumps(outline, allow_nan=False).split(f'"{mark}"')
        yield before
        for player, after in zip(self.players, rest, strict=True):
            between = "["
            for block in shot_blocks(player.shots):
                yield between + ", ".join(map(str, block.tolist()))
                between = ", "
            yield "]" + after

    def _json(self, players: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "rules": self.rules.to_json(),
            "games": self.games,
            "seed": self.seed,
            **({"set": self.layout_set} if self.layout_set else {}),
            **({"placer": self.placer} if self.placer != UNIFORM else {}),
            "players": players,
            "paired": [pair.to_json() for pair in self.paired],
            **({"precision": self.precision.to_json()} if self.precision else {}),
        }

    def summary(self) -> dict[str, Any]:
        """The result without the single games, as the log of the test set keeps it."""
        return {
            "games": self.games,
            "players": [
                {"name": each.name, "mean": each.mean, "ci95": _numbers(each.ci95)}
                for each in self.players
            ],
            "paired": [pair.to_json() for pair in self.paired],
        }

    @classmethod
    def of(
        cls,
        results: Sequence[tuple[Series, SeriesResult]],
        precision: StoppingRule | None = None,
        *,
        seed: int | None = None,
        layout_set: LayoutSet | None = None,
    ) -> Comparison:
        """A comparison from the results of its series. The seed of a set of layouts is not
        the one that was asked for, so that one is given here."""
        first, _ = results[0]
        players = tuple(PlayerResult.of(series, result) for series, result in results)
        asked = first.seed if seed is None else seed
        return cls(first.rules, first.games, asked, players, precision, layout_set, first.placer)

    @classmethod
    def partial(cls, results: Sequence[tuple[Series, SeriesResult]]) -> Comparison | None:
        """A comparison of the players that have begun, on the games that all of them have
        finished; None if there are none. A game that is missing has 0 shots."""
        begun = [
            (series, result, shots)
            for series, result in results
            if (shots := np.asarray(result.shots)).any()
        ]
        whole = np.all([shots > 0 for *_, shots in begun], axis=0) if begun else np.zeros(1)
        if not whole.any():
            return None
        players = tuple(
            PlayerResult(
                series.name,
                tuple(shots[whole].tolist()),
                result.seconds / np.count_nonzero(shots),
                result.peak_memory_mb,
                result.faults,
                None if result.turns is None else tuple(result.turns[whole].tolist()),
            )
            for series, result, shots in begun
        )
        first = begun[0][0]
        return cls(first.rules, int(whole.sum()), first.seed, players, placer=first.placer)

    @classmethod
    def from_json(cls, value: Any) -> Comparison:
        """Read what `to_json` wrote; all statistics are recomputed from the shots."""
        try:
            rules, games, seed = value["rules"], int(value["games"]), int(value["seed"])
            entries = [
                (
                    str(each["name"]),
                    tuple(int(shots) for shots in each["shots"]),
                    float(each["seconds_per_game"]),
                    each["peak_memory_mb"],
                    Faults({str(kind): int(n) for kind, n in each.get("faults", {}).items()}),
                    tuple(map(int, each["turns"])) if "turns" in each else None,
                )
                for each in value["players"]
            ]
            rule, layout_set = value.get("precision"), value.get("set")
            placer = str(value.get("placer", UNIFORM))
            precision = rule and StoppingRule.from_json(rule)
        except (TypeError, KeyError, ValueError, AttributeError):
            raise ExperimentError(
                "This is not a comparison in JSON: expected an object with rules, games, seed and "
                "players, as 'seabattle compare --json' prints it."
            ) from None
        if games < 1 or any(
            len(shots) != games or (turns is not None and len(turns) != games)
            for _, shots, *_, turns in entries
        ):
            raise ExperimentError(f"Every player in this comparison must have {games} games.")
        players = tuple(PlayerResult(*entry) for entry in entries)
        return cls(Rules.from_json(rules), games, seed, players, precision, layout_set, placer)


def compare(
    players: Iterable[str | Player],
    rules: Rules | str = "classic",
    games: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
    log: ResultsLog | None = None,
    precision: float | None = None,
    layout_set: LayoutSet | None = None,
    sealed_log: SealedLog | None = None,
    placer: str = UNIFORM,
) -> Comparison:
    """Let every player play against the same layouts, and compare the shots they need.

    `jobs` processes play at the same time; with 1, this process plays. An `executor` of
    your own (a cluster's, for example) replaces them; `jobs` is then the number of batches
    that it gets at a time. A `log` keeps the games (see `seabattle.experiment.store`).
    With a `precision`, games are played until the 95% interval of every mean is that
    narrow on either side (see `stopping_rule`), but at most `games` per player. A
    `layout_set` is `train` or `test`; a run on the test set is written to the `sealed_log`
    (see `test_set_log`). The `placer` hides the fleets; without one, all layouts are equally
    likely.
    """
    chosen, placer = unique_players(players), describe_placer(placer)
    rules = Rules.of(rules)
    games = at_least_one("games", games)
    seed = whole("seed", seed)
    drawn_from = set_seed(layout_set, seed)
    log = InMemoryLog() if log is None else log
    if precision is not None and not 0 < precision < float("inf"):
        raise ExperimentError(f"The precision must be a number of shots above 0, not {precision}.")
    play = partial(_play, chosen, rules, drawn_from, placer, log, jobs, progress, executor)
    with logged(layout_set, sealed_log, rules) as keep:
        try:
            played = _play_all(play, games, precision, log)
        except ExperimentStopped as stopped:
            if isinstance(stopped.partial, Comparison):
                stopped.partial = replace(stopped.partial, seed=seed, layout_set=layout_set)
                keep(stopped.partial.summary())
            raise
        comparison = replace(played, seed=seed, layout_set=layout_set)
        keep(comparison.summary())
    return comparison


def _play_all(
    play: Callable[[int], Comparison], games: int, precision: float | None, log: ResultsLog
) -> Comparison:
    """Play as many games as asked for, or as the precision needs."""
    if precision is None:
        return play(games)
    looks = [min(games, PILOT)]
    comparison = play(looks[-1])
    while looks[-1] > 1:
        spreads = [player.sd for player in comparison.players]
        more = next_look(looks[-1], spreads, precision, games)
        if more is None:
            break
        looks.append(more)
        comparison = play(more)
    reached = looks[-1] > 1 and all(
        half_width(player.ci95) <= precision for player in comparison.players
    )
    rule = StoppingRule(precision, games, tuple(looks), reached)
    log.keep_stopping_rule(rule)
    return replace(comparison, precision=rule)


def _play(
    players: list[tuple[str, str | Player]],
    rules: Rules,
    seed: int,
    placer: str,
    log: ResultsLog,
    jobs: int,
    progress: Progress | None,
    executor: Executor | None,
    games: int,
) -> Comparison:
    series = [Series(name, rules, seed, games, placer, player) for name, player in players]
    try:
        play_series(series, log, jobs, progress, executor=executor)
    except ExperimentStopped as stopped:
        stopped.partial = Comparison.partial([(each, log.so_far(each)) for each in series])
        raise
    return Comparison.of([(each, log.result(each)) for each in series])


def unique_players(players: Iterable[str | Player]) -> list[tuple[str, str | Player]]:
    """Each player with its name; the same player twice is an error."""
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
                f"The player {name} is given twice; both would play the same games."
            )
        chosen[name] = name if isinstance(player, str) else player
    return list(chosen.items())


def _statistics(shots: npt.NDArray[np.int64]) -> dict[str, Any]:
    """The statistics that `PlayerResult` has of its shots."""
    return {
        "mean": float(shots.mean()),
        "ci95": mean_interval(shots),
        "sd": standard_deviation(shots),
        "median": float(np.median(shots)),
        "min": int(shots.min()),
        "max": int(shots.max()),
        "p95": int(np.quantile(shots, 0.95, method="inverted_cdf")),
    }


def _statistics_of_counts(counts: npt.NDArray[np.int64]) -> dict[str, Any]:
    """The same from how many games took 0, 1, ... shots."""
    values, games = np.arange(len(counts)), int(counts.sum())
    moments = Moments()
    moments.add(values, counts)
    upto = np.cumsum(counts)

    def at(rank: int) -> int:
        return int(np.searchsorted(upto, rank))

    return {
        "mean": moments.mean,
        "ci95": moments.mean_interval(),
        "sd": moments.standard_deviation,
        "median": (at((games + 1) // 2) + at(games // 2 + 1)) / 2,
        "min": at(1),
        "max": at(games),
        "p95": at(math.ceil(games * 0.95)),
    }


def finished_share(shots: Sequence[int], cells: int) -> npt.NDArray[np.float64]:
    """(cells + 1,) the share of games finished by shot 0, 1, ..., cells."""
    return np.cumsum(shot_counts(shots, cells)) / len(shots)


def shot_counts(shots: Sequence[int], cells: int) -> npt.NDArray[np.int64]:
    """(cells + 1,) the number of games that took 0, 1, ..., cells shots."""
    if isinstance(shots, StoredShots):
        return shots.counts
    return np.bincount(np.array(shots, dtype=np.int64), minlength=cells + 1)


def shot_blocks(shots: Sequence[int]) -> Iterator[npt.NDArray[np.int64]]:
    """The shots in parts, one after the other; only a results file has more than one part."""
    if isinstance(shots, StoredShots):
        yield from shots.blocks()
    else:
        yield np.array(shots, dtype=np.int64)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _numbers(interval: Interval) -> list[float | None]:
    return [_number(end) for end in interval]
