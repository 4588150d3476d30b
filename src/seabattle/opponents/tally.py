"""A person's finished games: results against each opponent, means, and the rating.

The share of wins against each opponent is what chart 1 of document R shows of its players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..experiment.ratings import share_interval
from .rating import START, after_game

PlayedResult = Literal["won", "lost", "drawn", "solo"]
SCORES: dict[str, float] = {"won": 1.0, "drawn": 0.5, "lost": 0.0}
LATEST = 10
"""games in the recent mean of solo play"""


@dataclass(frozen=True)
class PlayedGame:
    """One finished game of a person."""

    opponent: str
    """a player's name, a person's name, or empty for solo play"""
    rules: str
    result: PlayedResult
    shots: int
    accuracy: float | None = None
    """in percent; None if it was not reviewed"""
    complete: bool = True
    """whether the person found the whole fleet, so that the shots count in the mean"""
    person: bool = False
    """whether the opponent was a person; such games are not rated"""


@dataclass(frozen=True)
class Tally:
    """The games against one opponent under some rules."""

    opponent: str
    rules: str
    person: bool
    won: int
    drawn: int
    lost: int
    solo: int
    mean_shots: float | None
    """of the games in which the whole fleet was found"""
    recent_shots: float | None
    """of the latest of them"""
    best_shots: int | None
    accuracy: float | None
    """mean of the games that were reviewed"""

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost + self.solo

    @property
    def win_share(self) -> float | None:
        """Wins and half of the draws, as a share of the games; None for solo play."""
        games = self.games - self.solo
        return (self.won + self.drawn / 2) / games if games else None

    def to_json(self) -> dict[str, Any]:
        share, games = self.win_share, self.games - self.solo
        interval = None if share is None else list(share_interval(share * games, games))
        return {**vars(self), "games": self.games, "win_share": share, "win_ci95": interval}


def tally(games: Iterable[PlayedGame]) -> list[Tally]:
    """The games by rules and opponent, the most played first."""
    groups: dict[tuple[str, str, bool], list[PlayedGame]] = {}
    for game in games:
        groups.setdefault((game.opponent, game.rules, game.person), []).append(game)
    found = [_of_group(*key, group) for key, group in groups.items()]
    return sorted(found, key=lambda each: (-each.games, each.rules, each.opponent))


def _of_group(opponent: str, rules: str, person: bool, games: list[PlayedGame]) -> Tally:
    count = {result: sum(game.result == result for game in games) for result in (*SCORES, "solo")}
    shots = [game.shots for game in games if game.complete]
    return Tally(
        opponent,
        rules,
        person,
        **count,
        mean_shots=_mean(shots),
        recent_shots=_mean(shots[-LATEST:]),
        best_shots=min(shots, default=None),
        accuracy=_mean([game.accuracy for game in games if game.accuracy is not None]),
    )


def rating_history(
    games: Sequence[PlayedGame], opponent_rating: Callable[[str, str], float | None]
) -> list[float | None]:
    """The rating after each game, in order; None after a game that is not rated: solo play, a
    person, or an opponent (by its name and the rules) whose rating is not known."""
    rating, rated = START, 0
    history: list[float | None] = []
    for game in games:
        score = SCORES.get(game.result)
        opponent = None
        if score is not None and not game.person:
            opponent = opponent_rating(game.opponent, game.rules)
        if score is None or opponent is None:
            history.append(None)
            continue
        rating = after_game(rating, opponent, score, rated)
        rated += 1
        history.append(rating)
    return history


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
