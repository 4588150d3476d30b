"""`even` (T 2.4): the human-like player, hunting on every second cell only.

A ship of two cells or more covers both colours of the checkerboard, so half the board is
enough to find it. The document numbers the cells from one and hunts on the even ones; on
5×5 these are the smaller half (12 of 25), and A1 is not among them. That is `colour=odd`
here, where a cell is even if row + column, counted from zero, is even.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..compiled.strategy import CompiledStrategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import EVEN_COLOUR, ODD_COLOUR
from .human_like import HUMAN_LIKE
from .registry import register

COLOURS = {"even": EVEN_COLOUR, "odd": ODD_COLOUR}


@register("even", source="T", summary="human-like, hunting on every second cell")
@dataclass(frozen=True)
class Even(CompiledPlayer):
    colour: Annotated[Literal["even", "odd"], "the colour to hunt on; A1 is even"] = "odd"
    strategy: ClassVar[CompiledStrategy] = HUMAN_LIKE

    def settings(self, rules: object) -> tuple[int, ...]:
        return (COLOURS[self.colour],)
