"""The rules of a game: a frozen value that says what is played.

A fleet of ships lies hidden on a board of cells. A ship covers a straight run of
cells, across or down. The shooter names one cell per turn and is told the result; when
every cell of every ship is hit, the fleet is found. Besides the board and the fleet,
rules differ in four ways:

`contact`  `any`: ships may touch; `corners`: they may meet at corners only;
           `none`: not even there.
`answers`  `hit-miss`: nothing more; `sunk`: also that some ship sank;
           `sunk-named`: which one sank; `named`: every hit names its ship, and
           sinking is announced.
`turns`    in two-sided games: `alternate`: first to finish wins; `rounds`: equal
           turns, so a draw is possible; `again`: a hit earns another shot.
`salvo`    shots per turn, answered together when all are fired: a number, or `ships`: as
           many as the shooter has ships afloat (in games of one, as many as the enemy has).

>>> rules = Rules.from_text("classic size=8 fleet=4,3,2")
>>> rules.rows, rules.fleet, rules.ship_names
(8, (4, 3, 2), ('battleship', 'cruiser', 'destroyer'))
>>> rules.cell("B3"), rules.cell_name(10)
(10, 'B3')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

from .errors import CellError, FleetDoesNotFit, RulesError, one_of

Contact = Literal["any", "corners", "none"]
Answers = Literal["hit-miss", "sunk", "sunk-named", "named"]
Turns = Literal["alternate", "rounds", "again"]
Salvo = int | Literal["ships"]

CONTACTS: tuple[Contact, ...] = get_args(Contact)
ANSWERS: tuple[Answers, ...] = get_args(Answers)
TURNS: tuple[Turns, ...] = get_args(Turns)

SMALLEST_SIDE, LARGEST_SIDE = 2, 16

_OVERRIDES = ("size", "fleet", "contact", "answers", "turns", "salvo")

_NAMES = {5: ("carrier",), 4: ("battleship",), 3: ("cruiser", "submarine"), 2: ("destroyer",)}
_NAMES[1] = ("boat",)


@dataclass(frozen=True)
class Rules:
    """What is played. Fleets are kept in descending order of length."""

    rows: int = 10
    """2 to 16; row A is the top one"""
    columns: int = 10
    """2 to 16; column 1 is the leftmost"""
    fleet: tuple[int, ...] = (5, 4, 3, 3, 2)
    """the length of each ship"""
    contact: Contact = "any"
    """`any`, `corners` or `none`"""
    answers: Answers = "sunk-named"
    """`hit-miss`, `sunk`, `sunk-named` or `named`"""
    turns: Turns = "alternate"
    """`alternate`, `rounds` or `again`"""
    salvo: Salvo = 1
    """shots per turn: a number, or `ships`"""

    def __post_init__(self) -> None:
        for side, size in (("rows", self.rows), ("columns", self.columns)):
            if not _whole(size) or not SMALLEST_SIDE <= size <= LARGEST_SIDE:
                raise RulesError(
                    f"A board has {SMALLEST_SIDE} to {LARGEST_SIDE} {side}, not {size!r}."
                )
        if not isinstance(self.fleet, tuple) or not self.fleet:
            raise RulesError("A fleet is one or more ship lengths, such as 5,4,3,3,2.")
        for length in self.fleet:
            if not _whole(length) or length < 1:
                raise RulesError(f"A ship is 1 cell long or longer, not {length!r}.")
        object.__setattr__(self, "fleet", tuple(sorted(map(int, self.fleet), reverse=True)))
        for what, value, valid in (
            ("contact", self.contact, CONTACTS),
            ("answers", self.answers, ANSWERS),
            ("turns", self.turns, TURNS),
        ):
            if value not in valid:
                raise RulesError(one_of(f"value of {what}", value, valid))
        if self.fleet[0] > max(self.rows, self.columns):
            raise FleetDoesNotFit(
                f"A ship of {self.fleet[0]} cells does not fit on a board of "
                f"{self.rows}x{self.columns}; the longest that does has "
                f"{max(self.rows, self.columns)}."
            )
        if self.ship_cells > self.cells:
            raise FleetDoesNotFit(
                f"The fleet has {self.ship_cells} cells and does not fit on a board of "
                f"{self.rows}x{self.columns}, which has {self.cells}."
            )
        if self.salvo != "ships" and not (_whole(self.salvo) and 1 <= self.salvo <= self.cells):
            raise RulesError(
                f"A salvo is 'ships' or a number of shots from 1 to {self.cells}, the cells of the "
                f"board, not {self.salvo!r}."
            )
        if self.turns == "again" and self.salvo != 1:
            raise RulesError(
                "With turns=again a hit earns another shot at once, but a salvo is answered only "
                "when all of it is fired; combine salvo with turns=alternate or turns=rounds."
            )

    @cached_property
    def cells(self) -> int:
        """How many cells the board has."""
        return self.rows * self.columns

    @cached_property
    def ship_cells(self) -> int:
        """How many cells the fleet covers: the hits that end a game."""
        return sum(self.fleet)

    @cached_property
    def ship_names(self) -> tuple[str, ...]:
        """The name of each ship, in fleet order."""
        seen: dict[int, int] = {}
        names = []
        for length in self.fleet:
            base = _NAMES.get(length, (f"ship-{length}",))
            nth = seen[length] = seen.get(length, -1) + 1
            number = nth // len(base) + 1
            names.append(base[nth % len(base)] + (f"-{number}" if number > 1 else ""))
        return tuple(names)

    @property
    def largest_salvo(self) -> int:
        """The most shots that a turn can have."""
        return min(len(self.fleet) if self.salvo == "ships" else self.salvo, self.cells)

    def salvo_size(self, sunk: int, unknown: int) -> int:
        """The shots of a turn if `sunk` of the ships that count have been announced sunk (the
        shooter's own, or in games of one the enemy's) and `unknown` cells have not been shot at.

        Where sinkings are not announced, they do not count: the number of shots would tell them.
        """
        size = len(self.fleet) - sunk if self.salvo == "ships" else self.salvo
        return min(size, unknown)

    def ship(self, text: str) -> int:
        """The index in the fleet of the ship with this name, or with this length if only
        one ship has it."""
        text = text.strip().lower()
        if text in self.ship_names:
            return self.ship_names.index(text)
        # Not `isdigit`, which is also true of characters that `int` cannot read.
        number = re.fullmatch("[0-9]{1,3}", text)
        if number and self.fleet.count(int(text)) == 1:
            return self.fleet.index(int(text))
        if number and int(text) in self.fleet:
            same = [
                name
                for name, length in zip(self.ship_names, self.fleet, strict=True)
                if length == int(text)
            ]
            raise RulesError(f"Several ships have length {text}; name one of {', '.join(same)}.")
        raise RulesError(one_of("ship", text, self.ship_names))

    def cell(self, text: str) -> int:
        """The number of a cell written as row letter and column number, such as `B3`."""
        match = re.fullmatch(r"([A-Pa-p])([1-9][0-9]?)", text.strip())
        if match:
            row, column = ord(match[1].upper()) - ord("A"), int(match[2]) - 1
            if row < self.rows and column < self.columns:
                return row * self.columns + column
        last = self.cell_name(self.cells - 1)
        raise CellError(
            f"{text.strip()!r} is not a cell of this board; cells are a row letter and a "
            f"column number, from A1 to {last}."
        )

    def cell_name(self, cell: int) -> str:
        """The name of a cell, such as `B3`, from its number."""
        row, column = divmod(self.checked_cell(cell), self.columns)
        return f"{chr(ord('A') + row)}{column + 1}"

    def checked_cell(self, cell: int) -> int:
        """`cell` itself, if it is the number of a cell on this board."""
        try:
            number = cell.__index__()
        except AttributeError:
            raise CellError(f"A cell is a whole number here, not {cell!r}.") from None
        if not 0 <= number < self.cells:
            raise CellError(f"Cell {number} is not on a board of {self.cells} cells.")
        return number

    def neighbours(self, cell: int) -> list[int]:
        """The cells above, below, left and right of one."""
        row, column = divmod(cell, self.columns)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [
            r * self.columns + c for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns
        ]

    @property
    def name(self) -> str | None:
        """The preset's name, or None."""
        return next((name for name, rules in PRESETS.items() if rules == self), None)

    def override(
        self,
        *,
        size: str | int | None = None,
        fleet: str | tuple[int, ...] | None = None,
        contact: str | None = None,
        answers: str | None = None,
        turns: str | None = None,
        salvo: str | int | None = None,
    ) -> Rules:
        """These rules with some parts replaced; sizes, fleets and salvos may be text."""
        changes: dict[str, Any] = {}
        if size is not None:
            changes["rows"], changes["columns"] = _read_size(str(size))
        if fleet is not None:
            changes["fleet"] = _read_fleet(fleet) if isinstance(fleet, str) else tuple(fleet)
        for part, value in (("contact", contact), ("answers", answers), ("turns", turns)):
            if value is not None:
                changes[part] = value
        if salvo is not None:
            changes["salvo"] = _read_salvo(salvo) if isinstance(salvo, str) else salvo
        return replace(self, **changes)

    @classmethod
    def of(cls, rules: Rules | str) -> Rules:
        """`rules` itself, or the rules that a text stands for."""
        return cls.from_text(rules) if isinstance(rules, str) else rules

    def to_text(self) -> str:
        """The preset's name, or all parts: `8x12 fleet=4,3,2 contact=any ...`."""
        return self.name or (
            f"{self.rows}x{self.columns} fleet={','.join(map(str, self.fleet))} "
            f"contact={self.contact} answers={self.answers} turns={self.turns}"
            + (f" salvo={self.salvo}" if self.salvo != 1 else "")
        )

    @classmethod
    def from_text(cls, text: str) -> Rules:
        """Read a preset's name or a size, followed by any `part=value` overrides."""
        words = text.split()
        if not words:
            raise RulesError(one_of("rules", text, PRESETS))
        first, overrides = words[0].lower(), {}
        if "=" in first:
            first, words = "classic", ["classic", *words]
        for word in words[1:]:
            part, _, value = word.partition("=")
            if part not in _OVERRIDES or not value:
                raise RulesError(
                    f"Cannot read {word!r} in rules; write a preset such as 'classic', or a size "
                    "such as '8x12', then overrides such as 'fleet=4,3,2 contact=none'."
                )
            overrides[part] = value
        if first in PRESETS:
            preset = PRESETS[first]
            return preset.override(**overrides) if overrides else preset
        if re.fullmatch(r"[0-9]+(x[0-9]+)?", first):
            return PRESETS["classic"].override(**{"size": first, **overrides})
        raise RulesError(one_of("rules", first, PRESETS))

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "rows": self.rows,
            "columns": self.columns,
            "fleet": list(self.fleet),
            "ships": list(self.ship_names),
            "contact": self.contact,
            "answers": self.answers,
            "turns": self.turns,
            "salvo": self.salvo,
        }

    @classmethod
    def from_json(cls, value: Any) -> Rules:
        """Read what `to_json` wrote, or any object with some of its parts."""
        if isinstance(value, str):
            return cls.from_text(value)
        if not isinstance(value, dict):
            raise RulesError("Rules in JSON are an object or the name of a preset.")
        parts = {field.name for field in fields(cls)}
        unknown = [key for key in value if key not in parts | {"name", "ships"}]
        if unknown:
            raise RulesError(one_of("part of rules", unknown[0], sorted(parts)))
        given = {key: value[key] for key in parts if key in value}
        if "fleet" in given:
            if not isinstance(given["fleet"], (list, tuple)):
                raise RulesError("A fleet in JSON is a list of ship lengths.")
            given["fleet"] = tuple(given["fleet"])
        return cls(**given)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(-?[0-9]{1,9})\s*(?:[xX×]\s*(-?[0-9]{1,9}))?\s*", text)
    if not match:
        raise RulesError(
            f"A size is one number such as 8, or rows x columns such as 8x12, not {text!r}."
        )
    return int(match[1]), int(match[2] or match[1])


def _read_fleet(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise RulesError(
            f"A fleet is ship lengths with commas between them, such as 5,4,3,3,2, not {text!r}."
        ) from None


def _read_salvo(text: str) -> Salvo:
    # Not `isdigit`, which is also true of characters that `int` cannot read.
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text  # type: ignore[return-value]


PRESETS: dict[str, Rules] = {
    "classic": Rules(),
    "mini": Rules(5, 5, (3, 2), "none", "hit-miss", "rounds"),
    "thesis": Rules(contact="none", answers="hit-miss", turns="rounds"),
    "blind": Rules(answers="hit-miss"),
    "named": Rules(fleet=(5, 4, 3, 2), answers="named"),
    "patrol": Rules(fleet=(2, 2, 2), answers="hit-miss"),
    "trio": Rules(5, 5, (3, 2, 2), answers="hit-miss"),
    "russian": Rules(
        fleet=(4, 3, 3, 2, 2, 2, 1, 1, 1, 1), contact="none", answers="sunk", turns="again"
    ),
}
"""The rules of the source documents, and the pencil game."""
