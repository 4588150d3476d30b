"""Tournaments: every two entrants play each other, each shooting at the other's fleet.

An entrant is a shooter and a placer, who hides its ships. A player knows nothing of
the other board, so what it fires does not depend on the opponent's shots: its side of a
game can be played to the end by itself, in batches, and the two sides put together
afterwards. Who wins follows from how many shots each needs for the whole fleet:

- `alternate`: shot k of the first comes before shot k of the second, so the first wins
  if it needs no more shots than the second.
- `rounds`: both have fired equally often when a round ends; the one that needs fewer
  wins, and equal numbers are a draw.
- `again`: a turn ends with a miss, so turns are misses; the first wins if it needs no
  more misses, and since both need equally many hits, no more shots.

Each side of each pairing has a seed of its own, a function of the tournament's seed
and the two names. So a pairing's games do not depend on who else takes part, on how
many processes play, or on the order in which anybody is named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.seeds import checked_seed
from ..dealing import UNIFORM, all_placers, make_placer
from ..errors import ExperimentError
from ..game import Duel
from ..players import describe
from ..record import DuelRecord, GameRecord
from ..rules import Rules, Turns
from .batches import Progress, at_least_one, play_series, whole
from .ratings import Meeting, Ratings, rate, share_interval
from .results_log import InMemoryLog, ResultsLog, Series, Tally
from .statistics import Interval


@dataclass(frozen=True)
class Entrant:
    """Who takes part: one shoots, one hides the ships."""

    shooter: str
    placer: str = UNIFORM

    @property
    def name(self) -> str:
        return self.shooter if self.placer == UNIFORM else f"{self.shooter}@{self.placer}"

    @classmethod
    def from_text(cls, text: str, placer: str = UNIFORM) -> Entrant:
        """Read `density`, or with a placer of its own `density@edges`."""
        shooter, at, own = text.strip().rpartition("@")
        if not at:
            shooter, own = own, placer
        make_placer(own)
        return cls(describe(shooter), own)


@dataclass(frozen=True)
class Score:
    """Games from one entrant's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one, a draw a half."""
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
    """The games of two entrants, from the side of `a`."""

    a: str
    b: str
    moving_first: Score
    """of a, in the games in which it moved first"""
    moving_second: Score

    @property
    def score(self) -> Score:
        return self.moving_first + self.moving_second


@dataclass(frozen=True)
class Standing:
    """How one entrant did."""

    entrant: Entrant
    score: Score
    elo: float
    ci95: Interval
    mean_shots: float
    """that it needs for a whole fleet, over the fleets of all opponents"""

    @property
    def name(self) -> str:
        return self.entrant.name


@dataclass(frozen=True)
class Tournament:
    """What a tournament found."""

    rules: Rules
    games: int
    """of each pair"""
    seed: int
    entrants: tuple[Entrant, ...]
    pairings: tuple[Pairing, ...]
    mean_shots: tuple[float, ...]

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
    def first_move(self) -> Score:
        """All games from the side of whoever moved first."""
        return sum(
            (each.moving_first + each.moving_second.reversed for each in self.pairings), Score()
        )

    @property
    def first_move_share(self) -> tuple[float, Interval]:
        """The share of decided games that the first to move won."""
        score = self.first_move
        decided = score.wins + score.losses
        return score.wins / decided if decided else 0.5, share_interval(score.wins, decided)

    def score(self, a: str, b: str) -> Score:
        """What `a` scored against `b`."""
        for pairing in self.pairings:
            if (pairing.a, pairing.b) == (a, b):
                return pairing.score
            if (pairing.b, pairing.a) == (a, b):
                return pairing.score.reversed
        return Score()

    def to_json(self) -> dict[str, Any]:
        share, interval = self.first_move_share
        return {
            "rules": self.rules.to_json(),
            "games": self.games,
            "seed": self.seed,
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
                "elo": self.ratings.first_move,
                "elo_ci95": list(self.ratings.first_move_ci95),
            },
        }

    @classmethod
    def of_tallies(
        cls, settings: dict[str, Any], tallies: Sequence[tuple[Series, Tally]]
    ) -> Tournament:
        """The tournament that a store kept (see `tournament_settings`)."""
        entrants = [Entrant.from_text(text) for text in settings["entrants"]]
        rules = Rules.from_text(settings["rules"])
        shots = [tally.shots for _, tally in tallies]
        return _put_together(entrants, rules, settings["games"], settings["seed"], shots)


def tournament(
    entrants: Iterable[str | Entrant],
    rules: Rules | str = "classic",
    games: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
    book: ResultsLog | None = None,
) -> Tournament:
    """Let every two entrants play `games` games, each moving first in half of them.

    >>> result = tournament(["even", "random"], "mini", games=100, seed=1)
    >>> [standing.name for standing in result.standings]
    ['even', 'random']
    """
    chosen = checked_entrants(entrants)
    rules = Rules.from_text(rules) if isinstance(rules, str) else rules
    games = at_least_one("games", games)
    if games % 2:
        raise ExperimentError(
            f"Each of a pair moves first in half of the games, so their number is even, not "
            f"{games}."
        )
    seed = checked_seed(whole("seed", seed))
    series = series_of(chosen, rules, games, seed)
    book = InMemoryLog() if book is None else book
    play_series(series, book, jobs, _total(series, progress), executor=executor)
    return _put_together(chosen, rules, games, seed, [book.tally(each).shots for each in series])


def checked_entrants(entrants: Iterable[str | Entrant]) -> list[Entrant]:
    """The entrants, two or more, each named once."""
    chosen: dict[str, Entrant] = {}
    for each in entrants:
        entrant = Entrant.from_text(each) if isinstance(each, str) else each
        if entrant.name in chosen:
            raise ExperimentError(f"{entrant.name} is named twice; an entrant takes part once.")
        chosen[entrant.name] = entrant
    if len(chosen) < 2:
        raise ExperimentError(
            "A tournament needs at least two entrants; a shooter can enter with several placers: "
            f"NAME@PLACER, one of {', '.join(all_placers())}."
        )
    return list(chosen.values())


def tournament_settings(
    entrants: Sequence[Entrant], rules: Rules, games: int, seed: int
) -> dict[str, Any]:
    """What a store remembers of a tournament."""
    return {
        "entrants": [entrant.name for entrant in entrants],
        "rules": rules.to_text(),
        "games": games,
        "seed": seed,
    }


def series_of(entrants: Sequence[Entrant], rules: Rules, games: int, seed: int) -> list[Series]:
    """Both sides of every pairing."""
    return [
        Series(
            shooter.shooter,
            rules,
            _side_seed(seed, shooter.name, hider.name),
            games,
            hider.placer,
            shooter.shooter,
            f"{shooter.name} against {hider.name}",
        )
        for pair in combinations(entrants, 2)
        for shooter, hider in (pair, pair[::-1])
    ]


def moves_first(name: str, opponent: str, game: int) -> bool:
    """Who moves first in a pairing's game: each in half of them, whoever was named first."""
    return (game % 2 == 0) == (name < opponent)


def first_wins(
    first: npt.NDArray[np.int32], second: npt.NDArray[np.int32], turns: Turns
) -> npt.NDArray[np.int64]:
    """(games,) 1 where the side that moves first wins, -1 where it loses, 0 for a draw.

    `first` and `second` are the shots that each needs for the whole fleet.
    """
    result = np.sign(second.astype(np.int64) - first)
    return result if turns == "rounds" else np.where(result == 0, 1, result)


def duel_of(first: GameRecord, second: GameRecord) -> DuelRecord:
    """The game of two that these two sides make: each fires until the game is over."""
    duel = Duel(second.layout, first.layout)
    sides = [iter(first.shots), iter(second.shots)]
    while (side := duel.to_move) is not None:
        duel.fire(next(sides[side]).cell)
    return DuelRecord.of(duel, (first.player, second.player))


def _side_seed(seed: int, shooter: str, hider: str) -> int:
    text = f"{seed}\n{shooter}\n{hider}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


def _put_together(
    entrants: Sequence[Entrant],
    rules: Rules,
    games: int,
    seed: int,
    shots: Sequence[npt.NDArray[np.int32]],
) -> Tournament:
    """The result of a tournament from the shots of `series_of`, in that order."""
    pairings, totals = [], {entrant.name: 0 for entrant in entrants}
    for k, (a, b) in enumerate(combinations(entrants, 2)):
        of_a, of_b = shots[2 * k], shots[2 * k + 1]
        totals[a.name] += int(of_a.sum())
        totals[b.name] += int(of_b.sum())
        first = np.array([moves_first(a.name, b.name, game) for game in range(games)])
        pairings.append(
            Pairing(
                a.name,
                b.name,
                _score(first_wins(of_a[first], of_b[first], rules.turns)),
                _score(first_wins(of_b[~first], of_a[~first], rules.turns)).reversed,
            )
        )
    played = games * (len(entrants) - 1)
    means = tuple(totals[entrant.name] / played for entrant in entrants)
    return Tournament(rules, games, seed, tuple(entrants), tuple(pairings), means)


def _score(results: npt.NDArray[np.int64]) -> Score:
    return Score(*(int((results == value).sum()) for value in (1, 0, -1)))


def _total(series: Sequence[Series], progress: Progress | None) -> Progress | None:
    """Progress of all series as one."""
    if progress is None:
        return None
    whole_number = sum(each.games for each in series)
    done: dict[str, int] = {}

    def tell(label: str, played: int, games: int) -> None:
        done[label] = played
        progress("tournament", sum(done.values()), whole_number)

    return tell
