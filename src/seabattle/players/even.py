"""`even` (T 2.4): the human-like player, hunting on every second cell only.

Ships lie across or down, so one of two cells or more covers both colours of the
checkerboard and half the board is enough to find it. Counting cells from one, the
document's even ones are those with row + column odd when both count from zero; on
5×5 they are the smaller half (12 of 25), which `colour=even` exchanges for the other.
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
