"""Colours, as RGB triples from 0 to 255. The scale runs from dark blue to bright yellow in even
steps of lightness, so that its order survives grey printing and colour blindness."""

from __future__ import annotations

import math

from .picture import HIT, MISS, SUNK, UNKNOWN, Picture

Colour = tuple[int, int, int]

_SCALE: tuple[Colour, ...] = (
    (16, 42, 76),
    (20, 86, 116),
    (22, 132, 128),
    (112, 180, 92),
    (252, 221, 72),
)
_THESIS: tuple[Colour, ...] = ((247, 250, 255), (158, 202, 225), (49, 110, 180), (8, 38, 92))
_THESIS_DARKEST = 0.7
"""T: no board has two cells above it, so a smaller scale shows more"""
_MARKS: dict[str, Colour] = {
    UNKNOWN: (206, 222, 235),
    MISS: (146, 160, 174),
    HIT: (214, 62, 48),
    SUNK: (110, 18, 28),
}
_SHIP: Colour = (84, 98, 116)

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)


def cell_colour(picture: Picture, cell: int) -> Colour:
    """The fill colour of a cell."""
    mark = picture.marks[cell]
    if (
        mark == UNKNOWN
        and picture.probability is not None
        and not math.isnan(picture.probability[cell])
    ):
        if picture.scale == "thesis":
            return heat_colour(picture.probability[cell] / _THESIS_DARKEST, _THESIS)
        highest = picture.highest
        return heat_colour(picture.probability[cell] / highest if highest > 0 else 0.0)
    return _MARKS.get(mark, _SHIP)


def heat_colour(share: float, scale: tuple[Colour, ...] = _SCALE) -> Colour:
    """The colour of a share from 0 to 1 of the highest probability."""
    place = min(max(share, 0.0), 1.0) * (len(scale) - 1)
    step = min(int(place), len(scale) - 2)
    low, high, part = scale[step], scale[step + 1], place - step
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return red, green, blue


def ink(paper: Colour) -> Colour:
    """Black or white, whichever reads better on a colour (contrast as WCAG defines it)."""
    light = luminance(paper)
    return BLACK if (light + 0.05) ** 2 > 1.05 * 0.05 else WHITE


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def hexadecimal(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
