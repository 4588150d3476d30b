"""`even` (T 2.4): the human-like player with "essential knowledgeable accessions" (T 1.6).

It hunts on "the even (every second)" cells only. The text can be read in several ways, and
each reading is a parameter:

`pattern`   `index`: every second cell in reading order, which is a checkerboard on boards of
            odd width and every second column on the others; or `checkerboard` on all
            boards, which the document's argument needs (a ship of two cells or more covers
            both colours).
`colour`    which half: A1 is even. On 5×5 the even half has 13 cells, the odd one 12.
`spare`     whether the cells around a finished ship, which no other ship can cover where
            ships may not touch, are left until nothing else remains: the "accessions".

The defaults are the reading that comes closest to the document's figures on both boards;
docs/players.md gives what each reading needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..compiled.strategy import CompiledStrategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import EVEN_COLOUR, ODD_COLOUR
from .human_like import CHECKERBOARD, HUMAN_LIKE, READING_ORDER
from .registry import register

COLOURS = {"even": EVEN_COLOUR, "odd": ODD_COLOUR}
PATTERNS = {"checkerboard": CHECKERBOARD, "index": READING_ORDER}


@register("even", source="T", summary="human-like, hunting on every second cell")
@dataclass(frozen=True)
class Even(CompiledPlayer):
    colour: Annotated[Literal["even", "odd"], "the half to hunt on; A1 is even"] = "even"
    pattern: Annotated[
        Literal["checkerboard", "index"], "every second cell: by colour, or in reading order"
    ] = "index"
    spare: Annotated[bool, "leave the cells around a finished ship for last"] = True
    strategy: ClassVar[CompiledStrategy] = HUMAN_LIKE

    def settings(self, rules: object) -> tuple[int, ...]:
        return (COLOURS[self.colour], PATTERNS[self.pattern], int(self.spare))
