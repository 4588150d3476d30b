"""The games that somebody has played here, so that an opponent who learns can learn from them.

A memory is a list of finished games and nothing more: whoever learns is told about them one by
one, as in a match (`seabattle.revealed`). So it can be read, cut short or thrown away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import RecordError
from ..record import DuelRecord, read_record
from ..revealed import Learner, Result, RevealedGame
from ..rules import Rules

FORMAT = "seabattle-memory 1"
MOST_GAMES = 20
"""games that a memory keeps under the same rules; the oldest are dropped first"""

T = TypeVar("T")


@dataclass(frozen=True)
class RememberedGame:
    """A finished game of a person against the computer."""

    record: DuelRecord
    person: int
    """the person's side"""

    def __post_init__(self) -> None:
        if type(self.person) is not int or self.person not in (0, 1):
            raise RecordError("A remembered game says person: 0 or 1.")
        if not self.record.replay(len(self.record.cells)).finished:
            raise RecordError("Only finished games are remembered.")

    @property
    def rules(self) -> Rules:
        return self.record.rules

    @property
    def revealed(self) -> RevealedGame:
        """The game as the computer is told about it afterwards."""
        record, computer = self.record, 1 - self.person
        duel = record.replay(len(record.cells))
        layouts = (record.first, record.second)
        result: Result = "drawn"
        if duel.winner is not None:
            result = "won" if duel.winner == computer else "lost"
        return RevealedGame(
            layouts[computer],
            duel.targets[computer].shots,
            duel.targets[self.person].shots,
            layouts[self.person],
            result,
            moved_first=computer == 0,
        )

    def to_json(self) -> dict[str, Any]:
        return {"person": self.person, "record": self.record.to_text()}

    @classmethod
    def from_json(cls, value: Any) -> RememberedGame:
        if not isinstance(value, dict) or not isinstance(value.get("record"), str):
            raise RecordError("A remembered game is an object with person and record.")
        record = read_record(value["record"])
        if not isinstance(record, DuelRecord):
            raise RecordError("Only two-sided games are remembered.")
        return cls(record, value.get("person"))  # type: ignore[arg-type]


@dataclass(frozen=True)
class PersonMemory:
    """What is remembered of one person, oldest game first."""

    games: tuple[RememberedGame, ...] = ()

    def under(self, rules: Rules) -> tuple[RememberedGame, ...]:
        """The games under these rules: those under others say nothing about them."""
        return tuple(game for game in self.games if game.rules == rules)

    def and_game(self, game: RememberedGame) -> PersonMemory:
        """With one more game; too old a game is forgotten."""
        same = self.under(game.rules)
        games = self.games
        if len(same) >= MOST_GAMES:
            games = tuple(each for each in games if each is not same[0])
        return PersonMemory((*games, game))

    def to_text(self) -> str:
        games = [game.to_json() for game in self.games]
        return json.dumps({"memory": FORMAT, "games": games}, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str) -> PersonMemory:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise RecordError("It is not a memory of games: it is not JSON.") from None
        if not isinstance(value, dict) or value.get("memory") != FORMAT:
            raise RecordError(f"A memory of games says 'memory': '{FORMAT}'.")
        if not isinstance(value.get("games"), list):
            raise RecordError("A memory of games has a list of games.")
        return cls(tuple(map(RememberedGame.from_json, value["games"])))


def read_games(values: Sequence[Any], rules: Rules) -> tuple[RememberedGame, ...]:
    """Remembered games from elsewhere, which must all be under these rules."""
    games = tuple(map(RememberedGame.from_json, values))
    for number, game in enumerate(games, start=1):
        if game.rules != rules:
            raise RecordError(f"Remembered game {number} was played under other rules.")
    return games


def learned(learner: T, games: Iterable[RememberedGame]) -> T:
    """A player or placer after it was told about these games; itself if it does not learn."""
    for game in games:
        if isinstance(learner, Learner):
            learner = learner.after_game(game.revealed)
    return learner
