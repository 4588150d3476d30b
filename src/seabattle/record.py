"""Records of games: text and JSON that replay.

A record holds the layouts, the shots in order and who played. Reading one replays
it through `Game` or `Duel` and compares every answer, so a record that was edited
or damaged does not pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import RecordError, SeabattleError
from .game import Duel, Game
from .layout import Layout
from .observation import Observation
from .rules import Rules
from .shots import Shot

FORMAT = "seabattle-game 1"


@dataclass(frozen=True)
class GameRecord:
    """One side's game: a layout, the shots at it, and who fired them."""

    layout: Layout
    shots: tuple[Shot, ...]
    player: str = ""

    def __post_init__(self) -> None:
        game = self.replay(0)
        for number, shot in enumerate(self.shots, start=1):
            answer = game.fire(shot.cell)
            if answer != shot.answer:
                raise RecordError(
                    f"Shot {number} of the record says {shot.to_text(self.rules)!r}, but the "
                    f"layout answers {Shot(shot.cell, answer).to_text(self.rules)!r}."
                )

    @property
    def rules(self) -> Rules:
        return self.layout.rules

    def replay(self, shots: int) -> Game:
        """The game as it stood after this many shots."""
        game = Game(self.layout)
        for shot in self.shots[:shots]:
            game.fire(shot.cell)
        return game

    @classmethod
    def of(cls, game: Game, player: str = "") -> GameRecord:
        return cls(game.layout, game.shots, player)

    def to_text(self) -> str:
        return _lines(
            game=FORMAT,
            rules=self.rules.to_text(),
            player=self.player,
            ships=self.layout.to_text(),
            shots=Observation(self.rules, self.shots).to_text(),
        )

    @classmethod
    def from_text(cls, text: str) -> GameRecord:
        parts = _parts(text, ("rules", "player", "ships", "shots"))
        rules = Rules.from_text(parts["rules"])
        return cls(
            Layout.from_text(parts["ships"], rules),
            Observation.from_text(parts["shots"], rules).shots,
            parts["player"],
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "game": FORMAT,
            "rules": self.rules.to_json(),
            "player": self.player,
            "ships": self.layout.to_json(),
            "shots": Observation(self.rules, self.shots).to_text(),
        }

    @classmethod
    def from_json(cls, value: Any) -> GameRecord:
        parts = _json_parts(value, ("rules", "player", "ships", "shots"))
        rules = Rules.from_json(parts["rules"])
        return cls(
            Layout.from_json(parts["ships"], rules),
            Observation.from_text(str(parts["shots"]), rules).shots,
            str(parts["player"]),
        )


@dataclass(frozen=True)
class DuelRecord:
    """A game of two: both layouts, and the cells fired at in order of play."""

    first: Layout
    second: Layout
    cells: tuple[int, ...]
    players: tuple[str, str] = ("", "")
    resigned: int | None = None
    """the side that gave up, if one did"""

    def __post_init__(self) -> None:
        self.replay(len(self.cells))

    @property
    def rules(self) -> Rules:
        return self.first.rules

    def replay(self, shots: int) -> Duel:
        """The game as it stood after this many shots."""
        duel = Duel(self.first, self.second)
        for cell in self.cells[:shots]:
            duel.fire(cell)
        if self.resigned is not None and shots >= len(self.cells):
            duel.resign(self.resigned)
        return duel

    @classmethod
    def of(cls, duel: Duel, players: tuple[str, str] = ("", "")) -> DuelRecord:
        return cls(
            duel.targets[1].layout,
            duel.targets[0].layout,
            tuple(shot.cell for _, shot in duel.shots),
            players,
            duel.resigned,
        )

    def to_text(self) -> str:
        return _lines(
            game=FORMAT,
            rules=self.rules.to_text(),
            first=self.players[0],
            second=self.players[1],
            first_ships=self.first.to_text(),
            second_ships=self.second.to_text(),
            cells=" ".join(map(self.rules.cell_name, self.cells)),
            resigned=_SIDES[self.resigned],
        )

    @classmethod
    def from_text(cls, text: str) -> DuelRecord:
        names = ("rules", "first", "second", "first_ships", "second_ships", "cells", "resigned")
        return cls._from_parts(_parts(text, names))

    def to_json(self) -> dict[str, Any]:
        return {
            "game": FORMAT,
            "rules": self.rules.to_text(),
            "first": self.players[0],
            "second": self.players[1],
            "first_ships": self.first.to_text(),
            "second_ships": self.second.to_text(),
            "cells": " ".join(map(self.rules.cell_name, self.cells)),
            "resigned": _SIDES[self.resigned],
        }

    @classmethod
    def from_json(cls, value: Any) -> DuelRecord:
        names = ("rules", "first", "second", "first_ships", "second_ships", "cells", "resigned")
        return cls._from_parts({k: str(v) for k, v in _json_parts(value, names).items()})

    @classmethod
    def _from_parts(cls, parts: dict[str, str]) -> DuelRecord:
        rules = Rules.from_text(parts["rules"])
        resigned = {name: side for side, name in _SIDES.items()}
        if parts["resigned"] not in resigned:
            raise RecordError("A record says resigned: first, second or nothing.")
        return cls(
            Layout.from_text(parts["first_ships"], rules),
            Layout.from_text(parts["second_ships"], rules),
            tuple(map(rules.cell, parts["cells"].split())),
            (parts["first"], parts["second"]),
            resigned[parts["resigned"]],
        )


_SIDES: dict[int | None, str] = {None: "", 0: "first", 1: "second"}


def read_record(text: str) -> GameRecord | DuelRecord:
    """Read the text form of either kind of record."""
    kind = DuelRecord if "first_ships:" in text else GameRecord
    try:
        return kind.from_text(text)
    except RecordError:
        raise
    except SeabattleError as error:
        raise RecordError(f"The record does not replay: {error}") from error


def _lines(**parts: str) -> str:
    return "".join(f"{name}: {value}".rstrip() + "\n" for name, value in parts.items())


def _parts(text: str, names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for line in text.strip().splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            raise RecordError(f"Cannot read the line {line!r} of a record; write 'name: value'.")
        found[name.strip()] = value.strip()
    return {name: str(value) for name, value in _json_parts(found, names).items()}


def _json_parts(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("game") != FORMAT:
        raise RecordError(f"A record of a game begins with 'game: {FORMAT}'.")
    missing = [name for name in names if name not in value]
    if missing:
        raise RecordError(f"The record has no {missing[0]!r}.")
    return {name: value[name] for name in names}
