"""Shots and answers: what the two sides of a game say to each other.

>>> rules = Rules()
>>> Shot.from_text("F6 sunk cruiser", rules)
Shot(cell=55, answer=Answer(hit=True, sunk=True, ship=2))
>>> _.to_text(rules)
'F6 sunk cruiser'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from .errors import AnswerError
from .rules import Rules


@dataclass(frozen=True)
class Answer:
    """What the shooter is told about one shot."""

    hit: bool
    sunk: bool = False
    """the shot sank a ship, and the rules announce it"""
    ship: int | None = None
    """index in the fleet of the ship that was hit or sunk, where the rules name it"""

    @property
    def word(self) -> str:
        """`miss`, `hit` or `sunk`"""
        return "sunk" if self.sunk else "hit" if self.hit else "miss"

    @cached_property
    def code(self) -> int:
        """The number that stands for this answer in compiled code (see `compiled.knowledge`)."""
        return self.hit + self.sunk + (4 * (self.ship + 1) if self.ship is not None else 0)

    @classmethod
    def from_code(cls, code: int) -> Answer:
        """The inverse of `code`."""
        kind, ship = code & 3, (code >> 2) - 1
        return cls(kind > 0, kind == 2, ship if ship >= 0 else None)

    def checked(self, rules: Rules) -> Answer:
        """This answer, if these rules can give it."""
        if self.sunk and not self.hit:
            raise AnswerError("A shot that sinks a ship is also a hit.")
        if self.ship is not None and not 0 <= self.ship < len(rules.fleet):
            raise AnswerError(f"There is no ship {self.ship} in a fleet of {len(rules.fleet)}.")
        if not self.hit:
            if self.ship is not None:
                raise AnswerError("A miss names no ship.")
            return self
        given = ("sunk" if self.sunk else "hit") + (" SHIP" if self.ship is not None else "")
        valid = {
            "hit-miss": ("hit",),
            "sunk": ("hit", "sunk"),
            "sunk-named": ("hit", "sunk SHIP"),
            "named": ("hit SHIP", "sunk SHIP"),
        }[rules.answers]
        if given not in valid:
            raise AnswerError(
                f"Under answers={rules.answers} nobody is told {given!r}; an answer is "
                f"{' or '.join(repr(each) for each in ('miss', *valid))}."
            )
        return self


MISS = Answer(hit=False)

WASTED = "wasted"
"""stands for the answer to a `WastedShot`"""


@dataclass(frozen=True)
class Shot:
    """A cell and the answer to it."""

    cell: int
    answer: Answer

    wasted: ClassVar[bool] = False
    """whether the cell had been shot at before; see `WastedShot`"""

    def to_text(self, rules: Rules) -> str:
        words = [rules.cell_name(self.cell), self.answer.word]
        if self.answer.ship is not None:
            words.append(rules.ship_names[self.answer.ship])
        return " ".join(words)

    def to_json(self, rules: Rules) -> dict[str, str | None]:
        """`{"cell": "F6", "told": "sunk", "ship": "cruiser"}`; no ship is null."""
        ship = self.answer.ship
        return {
            "cell": rules.cell_name(self.cell),
            "told": self.answer.word,
            "ship": None if ship is None else rules.ship_names[ship],
        }

    @classmethod
    def from_json(cls, value: Any, rules: Rules) -> Shot:
        try:
            words = [value["cell"], value["told"], value.get("ship") or ""]
            return cls.from_text(" ".join(words), rules)
        except (TypeError, KeyError, AttributeError):
            raise AnswerError(
                "A shot in JSON is an object with cell, told and ship, such as "
                '{"cell": "F6", "told": "sunk", "ship": "cruiser"}.'
            ) from None

    @classmethod
    def from_text(cls, text: str, rules: Rules) -> Shot:
        """Read `CELL miss`, `CELL hit`, `CELL hit SHIP`, `CELL sunk` or `CELL sunk SHIP`."""
        words = text.split()
        if not 2 <= len(words) <= 3 or words[1].lower() not in ("miss", "hit", "sunk"):
            raise AnswerError(
                f"Cannot read the shot {text.strip()!r}; write a cell and what was told, such as "
                "'E5 miss', 'E6 hit' or 'F6 sunk cruiser'."
            )
        cell, told = rules.cell(words[0]), words[1].lower()
        ship = rules.ship(words[2]) if len(words) == 3 else None
        return cls(cell, Answer(told != "miss", told == "sunk", ship).checked(rules))


class WastedShot(Shot):
    """A person's shot at a cell shot at before, which a duel may allow: it uses up the move and
    tells nothing. It stands among the moves of a duel and is never part of an observation.

    >>> WastedShot(55).to_text(Rules())
    'F6 wasted'
    """

    wasted = True

    def __init__(self, cell: int) -> None:
        super().__init__(cell, MISS)

    def to_text(self, rules: Rules) -> str:
        return f"{rules.cell_name(self.cell)} {WASTED}"

    def to_json(self, rules: Rules) -> dict[str, str | None]:
        return {"cell": rules.cell_name(self.cell), "told": WASTED, "ship": None}
