"""Records of games, as text and as JSON.

A record holds the layouts, the shots in order and the players' names. Reading one
replays it through `Game` or `Duel`, so a record that was edited or damaged is refused.
Under salvo rules the shots of a record are whole salvos, one after the other: the rules say
how many shots each turn had. The record of a duel says which sides might shoot at a known cell
again; such a shot stands among the others as the same cell once more.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .errors import RecordError, SeabattleError
from .game import Duel, Game
from .layout import Layout
from .observation import Observation
from .rules import Rules
from .shots import WASTED, Shot, WastedShot

FORMAT = "seabattle-game 1"


@dataclass(frozen=True)
class GameRecord:
    """One side's game: a layout, the shots at it, and who fired them."""

    layout: Layout
    shots: tuple[Shot, ...]
    player: str = ""

    def __post_init__(self) -> None:
        game = played_game(self.layout, [shot.cell for shot in self.shots])
        for number, (told, shot) in enumerate(zip(self.shots, game.shots, strict=True), start=1):
            if told != shot:
                raise RecordError(
                    f"Shot {number} of the record says {told.to_text(self.rules)!r}, but the "
                    f"layout answers {shot.to_text(self.rules)!r}."
                )

    @property
    def rules(self) -> Rules:
        return self.layout.rules

    def replay(self, shots: int) -> Game:
        """The game as it stood after this many shots; a salvo that is not whole by then is
        left out."""
        game = Game(self.layout)
        fire_turns(game, [shot.cell for shot in self.shots[:shots]])
        return game

    def upto(self, shots: int) -> GameRecord:
        """The record of the first shots alone, in whole salvos."""
        return replace(self, shots=self.replay(shots).shots)

    @classmethod
    def of(cls, game: Game, player: str = "") -> GameRecord:
        record = object.__new__(cls)  # the game gave the answers: nothing is to be checked
        vars(record).update(layout=game.layout, shots=game.shots, player=player)
        return record

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

    @property
    def moves(self) -> tuple[tuple[int, Shot], ...]:
        """The side that fired and its shot, in order; there is only side 0."""
        return tuple((0, shot) for shot in self.shots)

    def to_json(self) -> dict[str, Any]:
        """The same object as that of `DuelRecord`, of one player who has no ships."""
        return _record_json(self.moves, self.rules, [self.player], [None, self.layout])

    @classmethod
    def from_json(cls, value: Any) -> GameRecord:
        record = record_from_json(value)
        if not isinstance(record, cls):
            raise RecordError("This is the record of a two-sided game, not of one shooter.")
        return record


@dataclass(frozen=True)
class DuelRecord:
    """A two-sided game: both layouts, and the cells fired at in order of play."""

    first: Layout
    second: Layout
    cells: tuple[int, ...]
    players: tuple[str, str] = ("", "")
    resigned: int | None = None
    """the side that gave up, if one did"""
    repeats: tuple[int, ...] = ()
    """the sides that might shoot at a known cell again"""

    def __post_init__(self) -> None:
        if len(self.replay(len(self.cells)).moves) < len(self.cells):
            raise RecordError(_HALF_A_SALVO)

    @property
    def rules(self) -> Rules:
        return self.first.rules

    def replay(self, shots: int) -> Duel:
        """The game as it stood after this many shots; a salvo that is not whole by then is
        left out."""
        duel = Duel(self.first, self.second, repeats=self.repeats)
        fire_turns(duel, self.cells[:shots])
        if self.resigned is not None and shots >= len(self.cells):
            duel.resign(self.resigned)
        return duel

    def upto(self, shots: int) -> DuelRecord:
        """The record of the first shots alone, in whole salvos."""
        whole = len(self.replay(shots).moves)
        resigned = self.resigned if whole >= len(self.cells) else None
        return replace(self, cells=self.cells[:whole], resigned=resigned)

    @classmethod
    def of(cls, duel: Duel, players: tuple[str, str] = ("", "")) -> DuelRecord:
        record = object.__new__(cls)  # the duel allowed the shots: nothing is to be checked
        vars(record).update(
            first=duel.targets[1].layout,
            second=duel.targets[0].layout,
            cells=tuple(shot.cell for _, shot in duel.shots),
            players=players,
            resigned=duel.resigned,
            repeats=duel.repeats,
        )
        return record

    def to_text(self) -> str:
        allowed = " ".join(str(_SIDES[side]) for side in self.repeats)
        return _lines(
            game=FORMAT,
            rules=self.rules.to_text(),
            first=self.players[0],
            second=self.players[1],
            first_ships=self.first.to_text(),
            second_ships=self.second.to_text(),
            cells=" ".join(map(self.rules.cell_name, self.cells)),
            resigned=_SIDES[self.resigned],
            **({"repeats": allowed} if allowed else {}),
        )

    @classmethod
    def from_text(cls, text: str) -> DuelRecord:
        names = ("rules", "first", "second", "first_ships", "second_ships", "cells", "resigned")
        parts = _parts(text, names, repeats="")
        rules = Rules.from_text(parts["rules"])
        resigned = {name: side for side, name in _SIDES.items()}
        if parts["resigned"] not in resigned:
            raise RecordError("A record says resigned: first, second or nothing.")
        allowed = parts["repeats"].split()
        if not {*allowed} <= {"first", "second"}:
            raise RecordError("A record says repeats: first, second, both of them, or nothing.")
        return cls(
            Layout.from_text(parts["first_ships"], rules),
            Layout.from_text(parts["second_ships"], rules),
            tuple(map(rules.cell, parts["cells"].split())),
            (parts["first"], parts["second"]),
            resigned[parts["resigned"]],
            tuple(side for side in (0, 1) if _SIDES[side] in allowed),
        )

    @property
    def moves(self) -> tuple[tuple[int, Shot], ...]:
        """The side that fired and its shot, in order of play."""
        return self.replay(len(self.cells)).shots

    def to_json(self) -> dict[str, Any]:
        """Everything that is needed to show the game, sides being 0 and 1.

        `{"game", "rules", "players", "ships": [of side 0, of side 1],
        "moves": [{"side", "cell", "told", "ship"}], "winner", "drawn", "resigned"}`

        A wasted move is told `wasted`; `"repeats"` lists the sides that might waste one, if any.
        """
        duel = self.replay(len(self.cells))
        return _record_json(
            duel.shots,
            self.rules,
            list(self.players),
            [self.first, self.second],
            winner=duel.winner,
            drawn=duel.drawn,
            resigned=duel.resigned,
        ) | ({"repeats": list(self.repeats)} if self.repeats else {})

    @classmethod
    def from_json(cls, value: Any) -> DuelRecord:
        record = record_from_json(value)
        if not isinstance(record, cls):
            raise RecordError("This is the record of one shooter, not of a two-sided game.")
        return record


_HALF_A_SALVO = "The record ends in the middle of a salvo."


def fire_turns(game: Game | Duel, cells: Sequence[int]) -> None:
    """Fire these cells turn by turn; those of a turn that is not whole are left over."""
    fired = 0
    while fired < len(cells):
        size = max(1, game.salvo)  # a shot after the end is refused with the reason
        if fired + size > len(cells):
            return
        game.fire_salvo(cells[fired : fired + size])
        fired += size


def played_game(layout: Layout, cells: Sequence[int]) -> Game:
    """The game in which these cells were fired at, turn by turn."""
    game = Game(layout)
    fire_turns(game, cells)
    if len(game.shots) < len(cells):
        raise RecordError(_HALF_A_SALVO)
    return game


_SIDES: dict[int | None, str] = {None: "", 0: "first", 1: "second"}


def read_record(text: str) -> GameRecord | DuelRecord:
    """Read either kind of record from its text or from JSON."""
    try:
        if text.lstrip().startswith("{"):
            return record_from_json(json.loads(text))
        kind = DuelRecord if "first_ships:" in text else GameRecord
        return kind.from_text(text)
    except (json.JSONDecodeError, RecursionError):
        raise RecordError("This is not the record of a game: it is not JSON.") from None
    except RecordError:
        raise
    except SeabattleError as error:
        raise RecordError(f"The record does not replay: {error}") from error
    except ValueError:  # Python reads no numbers of thousands of digits
        raise RecordError("This is not the record of a game: it has a number too long.") from None


def record_from_json(value: Any) -> GameRecord | DuelRecord:
    """Read what `to_json` of either kind of record wrote."""
    names = ("rules", "players", "ships", "moves", "resigned")
    parts = _checked_parts(value, names, repeats=[])
    rules = Rules.from_json(parts["rules"])
    players, ships, moves, resigned, repeats = (parts[name] for name in (*names[1:], "repeats"))
    if not isinstance(players, list) or not isinstance(moves, list) or len(players) not in (1, 2):
        raise RecordError("A record in JSON lists one or two players, and the moves.")
    if not isinstance(ships, list) or len(ships) != 2:
        raise RecordError("A record in JSON lists the ships of both sides; null for none.")
    if resigned not in (None, 0, 1) or isinstance(resigned, bool):
        raise RecordError("A record in JSON says resigned: 0, 1 or null.")
    if repeats not in ([], [0], [1], [0, 1]):
        raise RecordError("A record in JSON says repeats: a list of sides, [], [0], [1] or [0, 1].")
    shots = tuple(_move_from_json(move, rules) for move in moves)
    sides = [move.get("side") for move in moves]
    if len(players) == 1:
        record: GameRecord | DuelRecord = GameRecord(
            Layout.from_json(ships[1], rules), shots, str(players[0])
        )
    else:
        record = DuelRecord(
            Layout.from_json(ships[0], rules),
            Layout.from_json(ships[1], rules),
            tuple(shot.cell for shot in shots),
            (str(players[0]), str(players[1])),
            resigned,
            tuple(repeats),
        )
    for number, (told, side, (turn, shot)) in enumerate(
        zip(shots, sides, record.moves, strict=True), start=1
    ):
        if (told, side) != (shot, turn):
            raise RecordError(
                f"Move {number} of the record says {told.to_text(rules)!r} by side {side!r}, but "
                f"the game gives {shot.to_text(rules)!r} by side {turn}."
            )
    return record


def _move_from_json(value: Any, rules: Rules) -> Shot:
    if isinstance(value, dict) and value.get("told") == WASTED:
        return WastedShot(rules.cell(str(value.get("cell"))))
    return Shot.from_json(value, rules)


def _record_json(
    moves: Sequence[tuple[int, Shot]],
    rules: Rules,
    players: list[str],
    layouts: list[Layout | None],
    *,
    winner: int | None = None,
    drawn: bool = False,
    resigned: int | None = None,
) -> dict[str, Any]:
    return {
        "game": FORMAT,
        "rules": rules.to_json(),
        "players": players,
        "ships": [None if layout is None else layout.to_json() for layout in layouts],
        "moves": [{"side": side, **shot.to_json(rules)} for side, shot in moves],
        "winner": winner,
        "drawn": drawn,
        "resigned": resigned,
    }


def _lines(**parts: str) -> str:
    return "".join(f"{name}: {value}".rstrip() + "\n" for name, value in parts.items())


def _parts(text: str, names: tuple[str, ...], **optional: str) -> dict[str, str]:
    found = {}
    for line in text.strip().splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            raise RecordError(f"Cannot read the line {line!r} of a record; write 'name: value'.")
        found[name.strip()] = value.strip()
    return _checked_parts(found, names, **optional)


def _checked_parts(value: Any, names: tuple[str, ...], **optional: Any) -> dict[str, Any]:
    """These parts of a record, and the optional ones, which have defaults."""
    if not isinstance(value, dict) or value.get("game") != FORMAT:
        raise RecordError(f"A record of a game begins with 'game: {FORMAT}'.")
    missing = [name for name in names if name not in value]
    if missing:
        raise RecordError(f"The record has no {missing[0]!r}.")
    return {name: value[name] for name in names} | {
        name: value.get(name, usual) for name, usual in optional.items()
    }
