"""Placing a fleet with typed commands.

>>> from seabattle.rules import Rules
>>> from seabattle.terminal.typed_cells import read_placement
>>> rules = Rules.from_text("mini")
>>> fleet = FleetBuilder(rules).place(read_placement("B3 across", rules))
>>> fleet.placed
((0, Placement(cell=7, direction='across')),)
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import LayoutError
from ..layout import Layout, Placement, check_contact
from ..report.drawing import Picture
from ..report.drawing.picture import UNKNOWN
from ..rules import Rules
from .typed_cells import TypedPlacement


@dataclass(frozen=True)
class FleetBuilder:
    """The ships placed so far; every change returns a new value or raises an error."""

    rules: Rules
    placed: tuple[tuple[int, Placement], ...] = ()
    """ships and where they lie, in the order they were placed"""

    @classmethod
    def of(cls, layout: Layout) -> FleetBuilder:
        return cls(layout.rules, tuple(enumerate(layout.ships)))

    @property
    def missing(self) -> list[int]:
        """Ships still to place, longest first."""
        there = {ship for ship, _ in self.placed}
        return [ship for ship in range(len(self.rules.fleet)) if ship not in there]

    def place(self, typed: TypedPlacement) -> FleetBuilder:
        """Place a ship that is not on the board yet."""
        if typed.ship is None and not self.missing:
            raise LayoutError("All ships are placed; 'move SHIP CELL DIRECTION' moves one.")
        ship = self.missing[0] if typed.ship is None else typed.ship
        if ship not in self.missing:
            name = self.rules.ship_names[ship]
            raise LayoutError(
                f"The {name} is already placed; 'move {name} CELL DIRECTION' moves it."
            )
        return self._with(ship, typed)

    def move(self, typed: TypedPlacement) -> FleetBuilder:
        """Move a ship that is on the board."""
        if typed.ship is None:
            raise LayoutError("Say which ship to move, for example 'move carrier B3 down'.")
        if typed.ship in self.missing:
            name = self.rules.ship_names[typed.ship]
            raise LayoutError(f"The {name} is not on the board yet.")
        return self._with(typed.ship, typed)

    def _with(self, ship: int, typed: TypedPlacement) -> FleetBuilder:
        length = self.rules.fleet[ship]
        if typed.direction is None and length > 1:
            raise LayoutError(
                f"Say which way the {self.rules.ship_names[ship]} points: across or down."
            )
        placement = Placement(typed.cell, "across" if length == 1 else typed.direction or "")
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
