"""Tournaments: every pair of entrants play each other, each shooting at the other's fleet.

An entrant is a shooter and a placer, who hides its ships. A player does not see what
happens on the other board, so its shots do not depend on its opponent's. Each side of a
game is therefore played to the end on its own, in batches, and the two are combined
afterwards. The winner follows from the shots that each side needs for the whole fleet:

- `alternate`: shot k of the first player comes before shot k of the second, so the first
  wins if it needs no more shots than the second.
- `rounds`: both have fired equally often when a round ends, so whoever needs fewer shots
  wins, and equal numbers are a draw.
- `again`: a turn ends with a miss, so the number of turns is the number of misses. The
  first wins if it needs no more misses than the second. Both need the same number of
  hits, so that is the same as no more shots.

With a fixed number of shots per turn (`salvo`), turns take the place of shots. With
`salvo=ships` the two sides depend on each other, because a side that loses ships fires less;
those games are played as they are (`joint_games`).

Each side of each pairing has a seed of its own, which depends on the tournament's seed
and the two names. So the games of a pairing do not depend on who else takes part, on the
number of processes, or on the order of the names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.random_streams import streams
from ..compiled.seeds import PLAYER_STREAM, checked_seed
from ..dealing import UNIFORM, all_placers, describe_placer, place_games
from ..dealing.placement_numbers import layout_of
from ..errors import ExperimentError
from ..game import Duel
from ..layout import Layout
from ..naming.parameters import split_outside_quotes
from ..players import describe, make_player, player_info
from ..players.in_game import seeded_shooter
from ..record import DuelRecord, GameRecord
from ..rules import Rules
from .batches import ExperimentStopped, Progress, at_least_one, play_series, whole
from .play import forfeiting, play_out
from .ratings import Meeting, Ratings, rate, share_interval
from .results_log import InMemoryLog, ResultsLog, Series, SeriesResult
from .statistics import Interval
from .workers import executor_for, results_in_order

JOINT_BATCH = 25
"""games that are handed out at a time where both sides are played together"""


@dataclass(frozen=True)
class Entrant:
    """A shooter, and the placer that hides its ships."""

    shooter: str
    placer: str = UNIFORM

    @property
    def name(self) -> str:
        usual = own_placer(self.shooter) or UNIFORM
        return self.shooter if self.placer == usual else f"{self.shooter}@{self.placer}"

    @classmethod
    def from_text(cls, text: str, placer: str = "") -> Entrant:
        """Read `density`, or `density@edges`. Without a placer in the text it is the one given,
        or the player's own, or uniform."""
        *before, own = split_outside_quotes(text.strip(), "@")
        shooter = "@".join(before)
        if not before:
            shooter, own = own, placer or own_placer(own) or UNIFORM
        return cls(describe(shooter), describe_placer(own))


def own_placer(shooter: str) -> str:
    """The placer that a player brings along; none for most."""
    return player_info(shooter.strip().partition(":")[0]).placer


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of one entrant."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + self.draws / 2

    @property
    def reversed(self) -> Score:
        return Score(self.losses, self.draws, self.wins)

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def to_json(self) -> dict[str, int]:
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses}


@dataclass(frozen=True)
class Pairing:
    """The games of two entrants, seen from `a`."""

    a: str
    b: str
    moving_first: Score
    """a's score in the games in which it moved first"""
    moving_second: Score

    @property
    def score(self) -> Score:
        return self.moving_first + self.moving_second


@dataclass(frozen=True)
class Standing:
    """The result of one entrant."""

    entrant: Entrant
    score: Score
    elo: float
    ci95: Interval
    mean_shots: float
    """for a whole fleet, averaged over all opponents; with `salvo=ships`, until the game ended"""

    @property
    def name(self) -> str:
        return self.entrant.name


@dataclass(frozen=True)
class Tournament:
    """The result of a tournament."""

    rules: Rules
    games: int
    """per pair, if it was not stopped early"""
    seed: int
    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    mean_shots: tuple[float, ...]
    as_matches: bool = False
    """whether every pair played a match, in which entrants may learn from game to game"""

    @cached_property
    def ratings(self) -> Ratings:
        place = {entrant.name: k for k, entrant in enumerate(self.entrants)}
        meetings = []
        for pairing in self.pairings:
            a, b = place[pairing.a], place[pairing.b]
            first, second = pairing.moving_first, pairing.moving_second.reversed
            meetings.append(Meeting(a, b, first.games, first.points))
            meetings.append(Meeting(b, a, second.games, second.points))
        return rate(len(self.entrants), meetings)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The entrants, strongest first."""
        found = [
            Standing(
                entrant,
                sum((self.score(entrant.name, other.name) for other in self.entrants), Score()),
                self.ratings.elo[k],
                self.ratings.ci95[k],
                self.mean_shots[k],
            )
            for k, entrant in enumerate(self.entrants)
        ]
        return tuple(sorted(found, key=lambda standing: -standing.elo))

    @property
    def played(self) -> int:
        """The number of games of all pairs together."""
        return sum(pairing.score.games for pairing in self.pairings)

    @property
    def first_move(self) -> Score:
        """All games, seen from whoever moved first."""
        return sum(
            (each.moving_first + each.moving_second.reversed for each in self.pairings), Score()
        )

    @property
    def first_move_share(self) -> tuple[float, Interval]:
        """The share of decided games that the first to move won."""
        score = self.first_move
        decided = score.wins + score.losses
        return score.wins / decided if decided else 0.5, share_interval(score.wins, decided)

    @property
    def first_move_elo(self) -> tuple[float, Interval] | None:
        """What moving first is worth in Elo points. None if one side of every pair won all
        of its games: then the games do not tell."""
        scores = [pairing.score for pairing in self.pairings]
        if all(score.games in (score.wins, score.losses) for score in scores):
            return None
        return self.ratings.first_move, self.ratings.first_move_ci95

    def score(self, a: str, b: str) -> Score:
        """The score of `a` against `b`."""
        for pairing in self.pairings:
            if (pairing.a, pairing.b) == (a, b):
                return pairing.score
            if (pairing.b, pairing.a) == (a, b):
                return pairing.score.reversed
        return Score()

    def to_json(self) -> dict[str, Any]:
        share, interval = self.first_move_share
        elo, elo_interval = self.first_move_elo or (None, None)
        return {
            "rules": self.rules.to_json(),
            "games": self.games,
            "seed": self.seed,
            **({"match": True} if self.as_matches else {}),
            "entrants": [
                {
                    "name": standing.name,
                    "shooter": standing.entrant.shooter,
                    "placer": standing.entrant.placer,
                    "elo": standing.elo,
                    "ci95": list(standing.ci95),
                    **standing.score.to_json(),
                    "mean_shots": standing.mean_shots,
                }
                for standing in self.standings
            ],
            "pairings": [
                {
                    "a": pairing.a,
                    "b": pairing.b,
                    **pairing.score.to_json(),
                    "moving_first": pairing.moving_first.to_json(),
                    "moving_second": pairing.moving_second.to_json(),
                }
                for pairing in self.pairings
            ],
            "first_move": {
                **self.first_move.to_json(),
                "share_of_decided": share,
                "ci95": [None if value != value else value for value in interval],
                "elo": elo,
                "elo_ci95": elo_interval and list(elo_interval),
            },
        }

    @classmethod
    def of(
        cls, settings: dict[str, Any], results: Sequence[tuple[Series, SeriesResult]]
    ) -> Tournament:
        """A tournament from a store: its settings (see `tournament_settings`) and results."""
        entrants = [Entrant.from_text(text) for text in settings["entrants"]]
        rules = Rules.from_text(settings["rules"])
        found = [result for _, result in results]
        made = combine(entrants, rules, settings["games"], settings["seed"], found)
        return replace(made, as_matches=bool(settings.get("match", False)))


def tournament(
    entrants: Iterable[str | Entrant],
    rules: Rules | str = "classic",
    games: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
    log: ResultsLog | None = None,
) -> Tournament:
    """Let every pair of entrants play `games` games; each moves first in half of them.

    >>> result = tournament(["even", "random"], "mini", games=100, seed=1)
    >>> [standing.name for standing in result.standings]
    ['even', 'random']
    """
    chosen = checked_entrants(entrants)
    rules = Rules.of(rules)
    games = at_least_one("games", games)
    if games % 2:
        raise ExperimentError(
            "Both entrants of a pair move first in half of the games, so the number of games must "
            f"be even, not {games}."
        )
    seed = checked_seed(whole("seed", seed))
    if rules.salvo == "ships":
        if log is not None:
            raise ExperimentError(
                "A results file keeps the two sides of a game apart, which salvo=ships does not "
                "allow; play this tournament without one, or use a fixed salvo, such as salvo=5."
            )
        return _play_jointly(chosen, rules, games, seed, jobs, progress, executor)
    series = series_of(chosen, rules, games, seed)
    log = InMemoryLog() if log is None else log

    def play() -> None:
        play_series(series, log, jobs, total_progress(series, progress), executor=executor)

    return play_and_combine(
        play, log, lambda found: combine(chosen, rules, games, seed, map(found, series))
    )


def play_and_combine(
    play: Callable[[], None],
    log: ResultsLog,
    combined: Callable[[Callable[[Series], SeriesResult]], Tournament],
) -> Tournament:
    """Play, then combine the results that the log has; those so far if the games are stopped."""
    try:
        play()
    except ExperimentStopped as stopped:
        partial = combined(log.so_far)
        stopped.partial = partial if partial.pairings else None
        raise
    return combined(log.result)


def checked_entrants(entrants: Iterable[str | Entrant]) -> list[Entrant]:
    """At least two entrants, each given once."""
    chosen: dict[str, Entrant] = {}
    for each in entrants:
        entrant = Entrant.from_text(each) if isinstance(each, str) else each
        if entrant.name in chosen:
            raise ExperimentError(f"The entrant {entrant.name} is given twice.")
        chosen[entrant.name] = entrant
    if len(chosen) < 2:
        raise ExperimentError(
            "A tournament needs at least two entrants. One player can enter with several placers: "
            f"PLAYER@PLACER, where PLACER is one of {', '.join(all_placers())}."
        )
    return list(chosen.values())


def tournament_settings(
    entrants: Sequence[Entrant], rules: Rules, games: int, seed: int
) -> dict[str, Any]:
    """The settings of a tournament, as a store keeps them."""
    return {
        "entrants": [entrant.name for entrant in entrants],
        "rules": rules.to_text(),
        "games": games,
        "seed": seed,
    }


def series_of(
    entrants: Sequence[Entrant], rules: Rules, games: int, seed: int, purpose: str = ""
) -> list[Series]:
    """Both sides of every pairing. Those with another `purpose` have other seeds."""
    return [
        Series(
            shooter.shooter,
            rules,
            side_seed(seed, shooter.name, hider.name, purpose),
            games,
            hider.placer,
            shooter.shooter,
            shooter.name,
            hider.name,
        )
        for pair in combinations(entrants, 2)
        for shooter, hider in (pair, pair[::-1])
    ]


def moves_first(name: str, opponent: str, game: int) -> bool:
    """Whether `name` moves first; the two alternate from game to game."""
    return (game % 2 == 0) == (name < opponent)


def first_wins(
    first: npt.NDArray[np.int32], second: npt.NDArray[np.int32], rules: Rules
) -> npt.NDArray[np.int64]:
    """(games,) 1 if the side that moves first wins, -1 if it loses, 0 for a draw.

    `first` and `second` are the shots that each side needs for the whole fleet, or more than
    there are cells for a game that a fault has lost (`SeriesResult.contested_shots`).
    """
    if rules.salvo == "ships":
        raise ExperimentError(
            "With salvo=ships the shots of one side depend on the ships that it has left, so the "
            "two sides of a game cannot be played apart; use a fixed salvo, such as salvo=5."
        )
    result = np.sign(-(-second.astype(np.int64) // rules.salvo) + (-first // rules.salvo))
    return result if rules.turns == "rounds" else np.where(result == 0, 1, result)


def duel_of(first: GameRecord, second: GameRecord, lost: int | None = None) -> DuelRecord:
    """Combine two sides into a two-sided game, which ends when one side has won (see
    `replayed`)."""
    sides = first, second
    cells = [[shot.cell for shot in side.shots] for side in sides]
    duel = replayed([side.layout for side in sides], cells, lost)
    return DuelRecord.of(duel, (first.player, second.player))


def replayed(targets: Sequence[Layout], cells: Sequence[Sequence[int]], lost: int | None) -> Duel:
    """The two-sided game, up to its end, in which each side shoots at its target at these cells;
    side 0 moves first. The side that has `lost` it by a fault resigns before its last turn."""
    duel = Duel(targets[1], targets[0])
    sides = [iter(each) for each in cells]
    while (side := duel.to_move) is not None:
        if side == lost and duel.targets[side].unfired <= duel.salvo:
            duel.resign(side)
        else:
            duel.fire_salvo(list(islice(sides[side], duel.salvo)))
    return duel


def lost_by(first: bool, second: bool) -> int | None:
    """The side that a fault has lost the game for; None if neither, or both."""
    return None if first == second else 0 if first else 1


@dataclass(frozen=True)
class JointGames:
    """Consecutive games of two entrants, each played by both sides together."""

    results: npt.NDArray[np.int64]
    """(games,) 1 if the first of the two entrants won, -1 if it lost, 0 for a draw"""
    shots: npt.NDArray[np.int64]
    """(games, 2) the shots that each entrant fired"""


def joint_games(a: Entrant, b: Entrant, rules: Rules, seed: int, games: range) -> JointGames:
    """Play these games of two entrants move by move."""
    pair = (a, b)
    players = [make_player(each.shooter) for each in pair]
    own_seeds = [side_seed(seed, a.name, b.name), side_seed(seed, b.name, a.name)]
    # What an entrant shoots at are the other's ships, and its seed is that of its own shots.
    layouts = [place_games(rules, own_seeds[side], games, pair[1 - side].placer) for side in (0, 1)]
    streams_of = [
        streams(np.uint64(own), games.start, len(games), PLAYER_STREAM) for own in own_seeds
    ]
    results, shots = np.zeros(len(games), np.int64), np.zeros((len(games), 2), np.int64)
    for row, number in enumerate(games):
        order = (0, 1) if moves_first(a.name, b.name, number) else (1, 0)
        targets = [layout_of(rules, layouts[side][row]) for side in order]
        duel = Duel(targets[1], targets[0])
        shooters = [
            seeded_shooter(forfeiting(players[side]), rules, int(streams_of[side][row]))
            for side in order
        ]
        play_out(duel, [players[side] for side in order], shooters)
        if duel.winner is not None:
            results[row] = 1 if order[duel.winner] == 0 else -1
        for place, side in enumerate(order):
            shots[row, side] = len(duel.targets[place].shots)
    return JointGames(results, shots)


def _play_jointly(
    entrants: Sequence[Entrant],
    rules: Rules,
    games: int,
    seed: int,
    jobs: int,
    progress: Progress | None,
    executor: Executor | None,
) -> Tournament:
    """`tournament` under rules in which the sides of a game depend on each other."""
    parts = [
        (pair, range(start, min(start + JOINT_BATCH, games)))
        for pair in combinations(entrants, 2)
        for start in range(0, games, JOINT_BATCH)
    ]
    found: dict[tuple[Entrant, Entrant], list[tuple[range, JointGames]]] = {}
    done, total = 0, sum(len(part) for _, part in parts)
    jobs = at_least_one("jobs", jobs)
    try:
        with executor_for(jobs, executor) as where:
            calls = ((*pair, rules, seed, part) for pair, part in parts)
            played = results_in_order(where, jobs, joint_games, calls)
            for (pair, part), result in zip(parts, played, strict=True):
                found.setdefault(pair, []).append((part, result))
                done += len(part)
                if progress is not None:
                    progress("tournament", done, total)
    except KeyboardInterrupt:
        stopped = ExperimentStopped(f"Stopped after {done:,} games.")
        stopped.partial = _joint_result(entrants, rules, games, seed, found) if found else None
        raise stopped from None
    return _joint_result(entrants, rules, games, seed, found)


def _joint_result(
    entrants: Sequence[Entrant],
    rules: Rules,
    games: int,
    seed: int,
    found: Mapping[tuple[Entrant, Entrant], Sequence[tuple[range, JointGames]]],
) -> Tournament:
    pairings = []
    fired: dict[Entrant, list[npt.NDArray[np.int64]]] = {}
    for (a, b), parts in found.items():
        results = np.concatenate([played.results for _, played in parts])
        shots = np.concatenate([played.shots for _, played in parts])
        numbers = [number for part, _ in parts for number in part]
        first = np.array([moves_first(a.name, b.name, number) for number in numbers])
        pairings.append(Pairing(a.name, b.name, _score(results[first]), _score(results[~first])))
        fired.setdefault(a, []).append(shots[:, 0])
        fired.setdefault(b, []).append(shots[:, 1])
    there = tuple(entrant for entrant in entrants if entrant in fired)
    means = tuple(float(np.concatenate(fired[entrant]).mean()) for entrant in there)
    return Tournament(rules, games, seed, there, tuple(pairings), means)


def side_seed(seed: int, shooter: str, hider: str, purpose: str = "") -> int:
    more = f"\n{purpose}" if purpose else ""
    text = f"{seed}\n{shooter}\n{hider}{more}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def combine(
    entrants: Sequence[Entrant],
    rules: Rules,
    games: int,
    seed: int,
    results: Iterable[SeriesResult],
) -> Tournament:
    """The result of a tournament from that of each series of `series_of`, in order.

    A game counts if both sides of it have been played; a side that is missing has 0 shots.
    Entrants without a game are left out.
    """
    shots = [result.contested_shots(rules) for result in results]
    pairings = []
    totals, played = dict.fromkeys(entrants, 0), dict.fromkeys(entrants, 0)
    for k, (a, b) in enumerate(combinations(entrants, 2)):
        whole = (shots[2 * k] > 0) & (shots[2 * k + 1] > 0)
        if not whole.any():
            continue
        of_a, of_b = shots[2 * k][whole], shots[2 * k + 1][whole]
        for entrant, of_one in ((a, of_a), (b, of_b)):
            totals[entrant] += int(np.minimum(of_one, rules.cells).sum())
            played[entrant] += len(of_one)
        numbers = np.flatnonzero(whole).tolist()
        first = np.array([moves_first(a.name, b.name, game) for game in numbers])
        pairings.append(
            Pairing(
                a.name,
                b.name,
                _score(first_wins(of_a[first], of_b[first], rules)),
                _score(first_wins(of_b[~first], of_a[~first], rules)).reversed,
            )
        )
    there = tuple(entrant for entrant in entrants if played[entrant])
    means = tuple(totals[entrant] / played[entrant] for entrant in there)
    return Tournament(rules, games, seed, there, tuple(pairings), means)


def _score(results: npt.NDArray[np.int64]) -> Score:
    return Score(*(int((results == value).sum()) for value in (1, 0, -1)))


def total_progress(
    series: Sequence[Series], progress: Progress | None, name: str = "tournament"
) -> Progress | None:
    """Report the progress of all series as one; both sides of a game have a series."""
    if progress is None:
        return None
    total = sum(each.games for each in series) // 2
    done: dict[str, int] = {}

    def tell(label: str, played: int, games: int) -> None:
        done[label] = played
        progress(name, sum(done.values()) // 2, total)

    return tell
