"""Placing a fleet by typed lines.

>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> fleet = FleetBuilder(rules).place(read_placement("B3 across", rules))
>>> fleet.placed
((0, Placement(cell=7, direction='across')),)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import LayoutError
from ..layout import Layout, Placement, check_contact
from ..report.drawing import Picture
from ..report.drawing.picture import UNKNOWN
from ..rules import Rules

_DIRECTIONS = {
    **dict.fromkeys(("across", "a", "h", "horizontal", "right"), "across"),
    **dict.fromkeys(("down", "d", "v", "vertical"), "down"),
}
USAGE = (
    "Write a cell and a direction such as 'B3 across' or 'B3 down', with a ship's name before "
    "it for a ship out of turn."
)


@dataclass(frozen=True)
class Order:
    """A typed wish: put this ship (the next one, if none is named) there."""

    ship: int | None
    cell: int
    direction: str | None


def read_placement(text: str, rules: Rules) -> Order:
    """Read `B3 across`, `carrier B3 across`, or just a cell for a ship of one."""
    words = text.split()
    direction = _DIRECTIONS.get(words[-1].lower()) if words else None
    rest = words[:-1] if direction else words
    if not 1 <= len(rest) <= 2 or not re.fullmatch("[A-Za-z][0-9]+", rest[-1]):
        raise LayoutError(f"Cannot read {text!r}. {USAGE}")
    ship = rules.ship(rest[0]) if len(rest) == 2 else None
    return Order(ship, rules.cell(rest[-1]), direction)


@dataclass(frozen=True)
class FleetBuilder:
    """The ships placed so far. Each change gives a new value, or an error and none."""

    rules: Rules
    placed: tuple[tuple[int, Placement], ...] = ()
    """ships and where they lie, in the order they were placed"""

    @classmethod
    def of(cls, layout: Layout) -> FleetBuilder:
        return cls(layout.rules, tuple(enumerate(layout.ships)))

    @property
    def missing(self) -> list[int]:
        """Ships still to be placed, longest first."""
        there = {ship for ship, _ in self.placed}
        return [ship for ship in range(len(self.rules.fleet)) if ship not in there]

    def place(self, order: Order) -> FleetBuilder:
        """Put a ship that is not on the board yet."""
        if order.ship is None and not self.missing:
            raise LayoutError("Every ship is placed; 'move SHIP CELL DIRECTION' moves one.")
        ship = self.missing[0] if order.ship is None else order.ship
        if ship not in self.missing:
            name = self.rules.ship_names[ship]
            raise LayoutError(f"The {name} is placed; 'move {name} CELL DIRECTION' moves it.")
        return self._with(ship, order)

    def move(self, order: Order) -> FleetBuilder:
        """Put a ship that is on the board somewhere else."""
        if order.ship is None:
            raise LayoutError("Say which ship to move, such as 'move carrier B3 down'.")
        if order.ship in self.missing:
            name = self.rules.ship_names[order.ship]
            raise LayoutError(f"The {name} is not on the board yet, so it cannot be moved.")
        return self._with(order.ship, order)

    def _with(self, ship: int, order: Order) -> FleetBuilder:
        length = self.rules.fleet[ship]
        if order.direction is None and length > 1:
            raise LayoutError(f"Say how the {self.rules.ship_names[ship]} lies: across or down.")
        placement = Placement(order.cell, "across" if length == 1 else order.direction or "")
        cells = placement.cells(self.rules, length)
        others = tuple(entry for entry in self.placed if entry[0] != ship)
        check_contact(
            self.rules,
            cells,
            tuple(each.cells(self.rules, self.rules.fleet[other]) for other, each in others),
        )
        return FleetBuilder(self.rules, (*others, (ship, placement)))

    def layout(self) -> Layout:
        """The finished layout."""
        if self.missing:
            name = self.rules.ship_names[self.missing[0]]
            raise LayoutError(f"The {name} is not placed yet.")
        return Layout(self.rules, tuple(placement for _, placement in sorted(self.placed)))

    def picture(self) -> Picture:
        marks = [UNKNOWN] * self.rules.cells
        for ship, placement in self.placed:
            length = self.rules.fleet[ship]
            for cell in placement.cells(self.rules, length):
                marks[cell] = str(length) if length < 10 else "+"
        return Picture(self.rules, tuple(marks))
