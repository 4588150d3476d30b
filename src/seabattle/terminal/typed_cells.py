"""Cells and placements as people type them: `E5`, `e 5`, `5E`; `B3 down`, `B3d`, `cruiser 3B d`.

>>> from seabattle.rules import Rules
>>> rules = Rules.from_text("mini")
>>> read_cell("3 b", rules) == read_cell("B3", rules) == 7
True
>>> read_placement("cruiser B3d", rules)
TypedPlacement(ship=0, cell=7, direction='down')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import LayoutError
from ..rules import Rules
from ..shots import Shot

_DIRECTIONS = {
    **dict.fromkeys(("across", "a", "h", "horizontal", "right"), "across"),
    **dict.fromkeys(("down", "d", "v", "vertical"), "down"),
}
_CELL = r"(?:(?P<row>[a-z])[ ]*(?P<column>[0-9]{1,2})|(?P<first>[0-9]{1,2})[ ]*(?P<then>[a-z]))"
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _CELL)
_PLACEMENT = re.compile(
    rf"(?:(?P<ship>\S+)[ ]+)??{_CELL}(?:[ ]*(?P<direction>{'|'.join(_DIRECTIONS)}))?",
    re.IGNORECASE,
)

USAGE = (
    "Type a cell and a direction, such as 'B3 across' or 'B3 down'; to choose the ship, type its "
    "name first."
)


@dataclass(frozen=True)
class TypedPlacement:
    """A ship and where to put it, as typed."""

    ship: int | None
    """None for the next ship"""
    cell: int
    direction: str | None


def read_cell(text: str, rules: Rules) -> int:
    """The number of a cell, in whichever order its letter and its number are typed."""
    match = re.fullmatch(_CELL, text.strip(), re.IGNORECASE)
    return rules.cell(text if match is None else _name(match))


def read_cells(text: str, rules: Rules) -> list[int]:
    """The numbers of several cells, with spaces or commas between them.

    >>> [Rules().cell_name(cell) for cell in read_cells("e5, 6 f  G7", Rules())]
    ['E5', 'F6', 'G7']
    """
    if re.fullmatch(rf"(?:{_UNNAMED}[ ,;]*)+", text.strip(), re.IGNORECASE):
        found = re.finditer(_CELL, text, re.IGNORECASE)
        return [rules.cell(_name(match)) for match in found]
    return [rules.cell(word) for word in re.split(r"[ ,;]+", text.strip())]


def cells_left(chosen: Sequence[int], size: int, rules: Rules) -> str:
    """What a prompt says about a salvo; nothing if a turn is one shot.

    >>> cells_left([], 2, Rules(salvo=2)), cells_left([0], 2, Rules(salvo=2))
    (' (2 cells)', ' (1 cell; chosen: A1)')
    """
    if rules.salvo == 1:
        return ""
    left = size - len(chosen)
    names = " ".join(map(rules.cell_name, chosen))
    return f" ({left} {'cell' if left == 1 else 'cells'}{f'; chosen: {names}' if names else ''})"


def why_refused(
    cells: list[int],
    chosen: tuple[int, ...],
    fired: Mapping[int, Shot],
    rules: Rules,
    size: int,
    *,
    repeats: bool = False,
) -> str:
    """What is wrong with cells that were typed, which are then all refused; empty if nothing."""
    for place, cell in enumerate(cells):
        name = rules.cell_name(cell)
        if cell in fired and not repeats:
            return f"{known_cell(fired[cell], rules)} Choose another cell."
        if cell in chosen or cell in cells[:place]:
            return f"{name} is in this salvo already. Choose another cell."
    left = size - len(chosen)
    if len(cells) > left:
        return f"These are {len(cells)} cells, and {left} are left to choose."
    return ""


def known_cell(shot: Shot, rules: Rules) -> str:
    """What the shooter knows of a cell that was typed again."""
    told = "a hit" if shot.answer.hit else "a miss"
    return f"You have already shot at {rules.cell_name(shot.cell)}: it was {told}."


def read_placement(text: str, rules: Rules) -> TypedPlacement:
    """Read `B3 across`, `carrier B3 across`, or just a cell for a ship of length 1."""
    match = _PLACEMENT.fullmatch(text.strip())
    if match is None:
        raise LayoutError(f"Cannot read {text!r}. {USAGE}")
    ship = None if match["ship"] is None else rules.ship(match["ship"])
    return TypedPlacement(
        ship, rules.cell(_name(match)), _DIRECTIONS.get((match["direction"] or "").lower())
    )


def _name(match: re.Match[str]) -> str:
    return (match["row"] or match["then"]) + (match["column"] or match["first"])
