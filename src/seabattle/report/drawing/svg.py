"""Boards and heat maps as SVG, and as HTML around it.

A drawing has its own background, which follows the reader's light or dark theme, and a title
and a description for screen readers.
"""

from __future__ import annotations

import math
from html import escape

from .colours import cell_colour, hexadecimal, ink
from .picture import HIT, MISS, SUNK, UNKNOWN, Picture

_CELL, _MARGIN, _HEAD, _FOOT = 36, 30, 54, 34
_GAP = 16

_STYLE = """\
.sb-paper{fill:#ffffff}.sb-label{fill:#445060}.sb-title{fill:#101820}\
@media (prefers-color-scheme:dark){.sb-paper{fill:#14191f}.sb-label{fill:#aab6c4}\
.sb-title{fill:#f2f5f8}}"""


def to_svg(*pictures: Picture) -> str:
    """Pictures as one self-contained SVG document, side by side."""
    drawn = [_drawing(picture) for picture in pictures]
    if len(drawn) == 1:
        return drawn[0][0] + "\n"
    width = sum(wide for _, wide, _ in drawn) + _GAP * (len(drawn) - 1)
    height = max(high for *_, high in drawn)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">'
    ]
    x = 0
    for text, wide, _ in drawn:
        parts.append(text.replace("<svg ", f'<svg x="{x}" ', 1))
        x += wide + _GAP
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawing(picture: Picture) -> tuple[str, int, int]:
    """One picture, its width and its height."""
    rules = picture.rules
    # Titles and captions have a fixed size, so narrow boards get extra width.
    text_width = 16 + 6.6 * max(len(picture.title) * 1.15, len(picture.caption))
    width = max(_MARGIN + rules.columns * _CELL + 12, round(text_width) + _MARGIN)
    height = _HEAD + rules.rows * _CELL + _FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'font-family="system-ui,sans-serif" text-anchor="middle">',
        f"<title>{escape(picture.title)}</title>",
        f"<desc>{escape(description(picture))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="sb-paper" width="{width}" height="{height}" rx="8"/>',
        f'<text class="sb-title" x="{_MARGIN}" y="22" font-size="15" font-weight="600" '
        f'text-anchor="start">{escape(picture.title)}</text>',
        f'<text class="sb-label" x="{_MARGIN}" y="{height - 12}" font-size="13" '
        f'text-anchor="start">{escape(picture.caption)}</text>',
    ]
    for column in range(rules.columns):
        x = _MARGIN + (column + 0.5) * _CELL
        parts.append(_label(x, _HEAD - 8, str(column + 1)))
    for row in range(rules.rows):
        y = _HEAD + (row + 0.5) * _CELL + 5
        parts.append(_label(_MARGIN - 13, y, chr(ord("A") + row)))
    parts += [_cell(picture, cell) for cell in range(rules.cells)]
    if picture.suggestion is not None:
        row, column = divmod(picture.suggestion, rules.columns)
        x, y = _MARGIN + column * _CELL + 3, _HEAD + row * _CELL + 3
        line = hexadecimal(ink(cell_colour(picture, picture.suggestion)))
        parts.append(
            f'<rect x="{x}" y="{y}" width="{_CELL - 6}" height="{_CELL - 6}" rx="3" '
            f'fill="none" stroke="{line}" stroke-width="2.5"/>'
        )
    parts.append("</svg>")
    return "\n".join(parts), width, height


def to_html(picture: Picture) -> str:
    """The picture for a notebook or a page: the SVG in a figure."""
    return f'<figure style="margin:0">{to_svg(picture)}</figure>'


def description(picture: Picture) -> str:
    """The picture in words: what is known, and the cells with the highest shares."""
    rules = picture.rules
    known = [
        picture.meaning(cell)
        for cell in range(rules.cells)
        if picture.marks[cell] in (MISS, HIT, SUNK)
    ]
    said = [f"Board of {rules.rows} rows and {rules.columns} columns."]
    if known:
        said.append(f"Known: {', '.join(known)}.")
    if picture.probability is not None:
        chances = picture.probability
        unknown = [cell for cell in range(rules.cells) if picture.marks[cell] == UNKNOWN]
        unknown = [cell for cell in unknown if not math.isnan(chances[cell])]
        best = sorted(unknown, key=lambda cell: (cell != picture.suggestion, -chances[cell]))[:5]
        named = ", ".join(map(picture.meaning, best)) or "nothing is left"
        said.append(f"{picture.highest_are}: {named}.")
    else:
        ships = [
            rules.cell_name(cell)
            for cell in range(rules.cells)
            if picture.marks[cell] not in (UNKNOWN, MISS, HIT, SUNK)
        ]
        if ships:
            said.append(f"Ships on {', '.join(ships)}.")
    return " ".join([*said, picture.caption]).strip()


def _label(x: float, y: float, text: str) -> str:
    return f'<text class="sb-label" x="{x:g}" y="{y:g}" font-size="13">{text}</text>'


def _cell(picture: Picture, cell: int) -> str:
    row, column = divmod(cell, picture.rules.columns)
    x, y = _MARGIN + column * _CELL, _HEAD + row * _CELL
    paper = cell_colour(picture, cell)
    mark = picture.marks[cell]
    if mark == UNKNOWN:
        shown = picture.figure(cell)
    else:
        shown = {MISS: "•", HIT: "✕", SUNK: "#"}.get(mark, mark)
    return (
        f"<g><title>{escape(picture.meaning(cell))}</title>"
        f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_CELL - 2}" rx="4" '
        f'fill="{hexadecimal(paper)}"/>'
        f'<text x="{x + _CELL / 2:g}" y="{y + _CELL / 2 + 5:g}" font-size="13" '
        f'fill="{hexadecimal(ink(paper))}">{escape(shown)}</text></g>'
    )
