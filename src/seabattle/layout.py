"""Layouts: where a fleet lies, the hidden truth of a game.

>>> rules = Rules.from_text("mini")
>>> layout = Layout.from_text("cruiser B2 down, destroyer A5 down", rules)
>>> [rules.cell_name(cell) for cell in layout.ship_cells[0]]
['B2', 'C2', 'D2']
>>> layout.to_text()
'cruiser B2 down, destroyer A5 down'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .errors import LayoutError
from .rules import Rules

DIRECTIONS = ("across", "down")


@dataclass(frozen=True)
class Placement:
    """Where one ship lies: its top left cell and its direction."""

    cell: int
    direction: str
    """`across` or `down`; a ship of one cell is always `across`"""

    def cells(self, rules: Rules, length: int) -> tuple[int, ...]:
        """The cells a ship of this length covers; an error if it leaves the board."""
        if self.direction not in DIRECTIONS:
            raise LayoutError(f"A ship lies across or down, not {self.direction!r}.")
        row, column = divmod(rules.checked_cell(self.cell), rules.columns)
        across = self.direction == "across"
        if (column if across else row) + length > (rules.columns if across else rules.rows):
            raise LayoutError(
                f"A ship of {length} cells at {rules.cell_name(self.cell)} {self.direction} "
                "leaves the board."
            )
        step = 1 if across else rules.columns
        return tuple(self.cell + k * step for k in range(length))


@dataclass(frozen=True)
class Layout:
    """A legal placement of every ship, in fleet order."""

    rules: Rules
    ships: tuple[Placement, ...]

    def __post_init__(self) -> None:
        if len(self.ships) != len(self.rules.fleet):
            raise LayoutError(
                f"A layout places all {len(self.rules.fleet)} ships of the fleet, "
                f"not {len(self.ships)}."
            )
        ships = tuple(
            Placement(ship.cell, "across") if length == 1 else ship
            for ship, length in zip(self.ships, self.rules.fleet, strict=True)
        )
        object.__setattr__(self, "ships", ships)
        for ship in range(len(ships)):
            check_contact(self.rules, self.ship_cells[ship], self.ship_cells[:ship])

    @classmethod
    def legal(
        cls,
        rules: Rules,
        ships: tuple[Placement, ...],
        ship_cells: tuple[tuple[int, ...], ...],
    ) -> Layout:
        """A layout from the cells of its ships, known to be legal: nothing is checked."""
        layout = object.__new__(cls)
        vars(layout).update(rules=rules, ships=ships, ship_cells=ship_cells)
        return layout

    @cached_property
    def ship_cells(self) -> tuple[tuple[int, ...], ...]:
        """The cells of each ship."""
        return tuple(
            ship.cells(self.rules, length)
            for ship, length in zip(self.ships, self.rules.fleet, strict=True)
        )

    @cached_property
    def ship_at(self) -> dict[int, int]:
        """The ship on each covered cell."""
        return {cell: ship for ship, cells in enumerate(self.ship_cells) for cell in cells}

    def _repr_html_(self) -> str:
        from .report.drawing import picture_of_layout, to_html

        return to_html(picture_of_layout(self))

    def to_text(self) -> str:
        """`carrier A1 across, battleship C3 down, ...`"""
        return ", ".join(
            f"{name} {self.rules.cell_name(ship.cell)} {ship.direction}"
            for name, ship in zip(self.rules.ship_names, self.ships, strict=True)
        )

    @classmethod
    def from_text(cls, text: str, rules: Rules) -> Layout:
        placed: dict[int, Placement] = {}
        for entry in text.split(","):
            words = entry.split()
            if len(words) != 3:
                raise LayoutError(
                    f"Cannot read the ship {entry.strip()!r}; write its name, its top left cell "
                    "and its direction, such as 'carrier A1 across'."
                )
            ship = rules.ship(words[0])
            if ship in placed:
                raise LayoutError(f"The {rules.ship_names[ship]} is placed twice.")
            placed[ship] = Placement(rules.cell(words[1]), words[2].lower())
        missing = [name for ship, name in enumerate(rules.ship_names) if ship not in placed]
        if missing:
            raise LayoutError(f"The layout does not place the {missing[0]}.")
        return cls(rules, tuple(placed[ship] for ship in range(len(rules.fleet))))

    def to_json(self) -> list[dict[str, str]]:
        return [
            {
                "ship": name,
                "cell": self.rules.cell_name(ship.cell),
                "direction": ship.direction,
            }
            for name, ship in zip(self.rules.ship_names, self.ships, strict=True)
        ]

    @classmethod
    def from_json(cls, value: Any, rules: Rules) -> Layout:
        try:
            entries = [f"{each['ship']} {each['cell']} {each['direction']}" for each in value]
        except (TypeError, KeyError):
            raise LayoutError(
                "A layout in JSON is a list of objects with ship, cell and direction."
            ) from None
        return cls.from_text(", ".join(entries), rules)


def check_contact(rules: Rules, ship: tuple[int, ...], others: tuple[tuple[int, ...], ...]) -> None:
    """Raise an error that says which cell of `ship` meets one of `others` illegally."""
    taken = {cell for other in others for cell in other}
    for cell in ship:
        if cell in taken:
            raise LayoutError(f"Two ships lie on {rules.cell_name(cell)}.")
    if rules.contact == "any":
        return
    for cell in ship:
        row, column = divmod(cell, rules.columns)
        for other in taken:
            other_row, other_column = divmod(other, rules.columns)
            down, right = abs(row - other_row), abs(column - other_column)
            if down + right == 1 or (rules.contact == "none" and max(down, right) == 1):
                raise LayoutError(
                    f"Ships touch at {rules.cell_name(cell)} and {rules.cell_name(other)}, "
                    f"which contact={rules.contact} forbids."
                )
