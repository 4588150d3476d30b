"""Drawings: boards and heat maps for the terminal, for pages and for files.

A `Picture` says what to show; `board_lines` and `heat_lines` draw it as text, `to_svg`,
`to_html` and `to_png` as an image. Nothing in here decides anything about the game.

>>> from seabattle.observation import Observation
>>> from seabattle.rules import Rules
>>> shots = Observation.from_text("A1 hit, A2 hit, B3 miss", Rules.from_text("mini"))
>>> print(*(line.plain for line in board_lines(picture_of_observation(shots))), sep="\\n")
   1 2 3 4 5
A  X X . . .
B  . . o<. .
C  . . . . .
D  . . . . .
E  . . . . .
"""

from __future__ import annotations

from .picture import (
    Picture,
    picture_of_belief,
    picture_of_game,
    picture_of_layout,
    picture_of_observation,
    picture_of_shares,
    picture_of_ship,
    picture_of_values,
    picture_of_visits,
)
from .png import to_png
from .svg import to_html, to_svg
from .text import beside, board_lines, heat_lines

__all__ = [
    "Picture",
    "beside",
    "board_lines",
    "heat_lines",
    "picture_of_belief",
    "picture_of_game",
    "picture_of_layout",
    "picture_of_observation",
    "picture_of_shares",
    "picture_of_ship",
    "picture_of_values",
    "picture_of_visits",
    "to_html",
    "to_png",
    "to_svg",
]
