"""Boards and heat maps in plain characters; colour only adds to them.

A cell of a board is two characters wide, so that two boards of 16 columns fit side by side
in 80 characters; a cell of a heat map is three wide, so that two of 12 columns fit.
"""

from __future__ import annotations

from itertools import zip_longest

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.text import Text

from .colours import cell_colour, ink
from .picture import HIT, MISS, SUNK, UNKNOWN, Picture

_STYLES = {UNKNOWN: "dim", MISS: "cyan", HIT: "bold red", SUNK: "bold white on red"}
_SHIP_STYLE = "bold green"
_LABEL = "dim"
_LAST = "bold yellow"

HEAT_LEGEND = "percent; ** certain, . impossible, o miss, X hit, # sunk, > suggestion"
SEARCH_LEGEND = ". not tried, o miss, X hit, # sunk, > its choice"
BOARD_LEGEND = ". unknown, o miss, X hit, # sunk, digits are your ships, < the last shot"


def board_lines(picture: Picture) -> list[Text]:
    """A board: `.` unknown, `o` miss, `X` hit, `#` sunk, a ship's length where it lies;
    `<` follows the latest shot."""
    rules = picture.rules
    lines = _numbers(rules.columns)
    for row in range(rules.rows):
        line = Text.assemble((f"{chr(ord('A') + row)}  ", _LABEL))
        for column in range(rules.columns):
            cell = row * rules.columns + column
            mark = picture.marks[cell]
            line.append(mark, _STYLES.get(mark, _SHIP_STYLE))
            line.append("<" if cell == picture.last else " ", _LAST)
        line.rstrip()
        lines.append(line)
    return lines


def _numbers(columns: int) -> list[Text]:
    """The line of column numbers; with more than ten columns, the tens are on their own line."""
    if columns <= 10:
        return [Text("   " + " ".join(map(str, range(1, columns + 1))), _LABEL)]
    tens = " ".join(str(number // 10) if number > 9 else " " for number in range(1, columns + 1))
    ones = " ".join(str(number % 10) for number in range(1, columns + 1))
    return [Text(f"   {tens}", _LABEL), Text(f"   {ones}", _LABEL)]


def heat_lines(picture: Picture) -> list[Text]:
    """A heat map: whole percentages in the unknown cells, marks in the others; `>` stands
    before the suggestion."""
    rules = picture.rules
    numbers = "".join(f"{number:3}" for number in range(1, rules.columns + 1))
    lines = [Text(" " + numbers, _LABEL)]
    for row in range(rules.rows):
        line = Text.assemble((chr(ord("A") + row), _LABEL))
        for column in range(rules.columns):
            cell = row * rules.columns + column
            best = cell == picture.suggestion
            style = _painted(picture, cell) + Style(bold=best)
            line.append((">" if best else " ") + f"{_figure(picture, cell):>2}", style)
        lines.append(line)
    return lines


def _figure(picture: Picture, cell: int) -> str:
    mark = picture.marks[cell]
    if mark != UNKNOWN or picture.probability is None:
        return mark
    text = picture.figure(cell)
    if picture.figures is not None:
        return text or mark
    return {"": mark, "0": ".", "100": "**"}.get(text, text)


def _painted(picture: Picture, cell: int) -> Style:
    paper = cell_colour(picture, cell)
    return Style(
        color=Color.from_triplet(ColorTriplet(*ink(paper))),
        bgcolor=Color.from_triplet(ColorTriplet(*paper)),
    )


def beside(left: list[Text], right: list[Text], width: int, gap: int = 5) -> list[Text]:
    """Two drawings side by side if the width allows it, otherwise one below the other."""
    first = max((line.cell_len for line in left), default=0)
    if first + gap + max((line.cell_len for line in right), default=0) > width:
        return [*left, Text(), *right]
    lines = []
    for one, other in zip_longest(left, right, fillvalue=Text()):
        line = one.copy()
        line.pad_right(first + gap - one.cell_len)
        line.append_text(other)
        line.rstrip()
        lines.append(line)
    return lines
