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

import numpy as np

from ..compiled.board_tables import CONTACT_ANY, CONTACT_CORNERS, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, MISSED, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, below
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import EVEN_COLOUR, ODD_COLOUR, random_unknown
from .human_like import HUNT, reset, top_target
from .human_like import update as follow_up
from .registry import register

CHECKERBOARD, READING_ORDER = range(2)
"""What the colours of the hunt are: those of the checkerboard, or of the cells' numbers."""

COLOUR, PATTERN, SPARE = range(3)
"""Indices of the settings."""

COLOURS = {"even": EVEN_COLOUR, "odd": ODD_COLOUR}
PATTERNS = {"checkerboard": CHECKERBOARD, "index": READING_ORDER}


@kernel
def update(board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int) -> None:
    missed = answer & 3 == MISS
    on_a_ship = knowledge.own_mode != HUNT or not missed
    follow_up(board, knowledge, settings, cell, answer)
    if settings[SPARE] and on_a_ship and knowledge.own_targets == 0:
        _spare_around(board, knowledge, knowledge.own_anchor if missed else cell)


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = top_target(knowledge)
    if cell >= 0:
        return cell
    if settings[PATTERN] == CHECKERBOARD and not settings[SPARE]:
        return random_unknown(board, knowledge, settings[COLOUR], rng)
    return _hunt(board, knowledge, settings, rng)


@kernel
def _hunt(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    """A random unknown cell: of the pattern and not spared; else not spared; else any."""
    chosen, best, found = -1, -1, 0
    for cell in range(board.cells):
        if knowledge.status[cell] != UNKNOWN:
            continue
        rank = 0
        if knowledge.own_counts[cell] == 0:
            rank = 2 if _in_pattern(board, settings, cell) else 1
        if rank > best:
            best, found = rank, 0
        if rank == best:
            found += 1
            if below(rng, found) == 0:
                chosen = cell
    return chosen


@kernel
def _in_pattern(board: Board, settings: Ints, cell: int) -> bool:
    number = cell
    if settings[PATTERN] == CHECKERBOARD:
        number = cell // board.columns + cell % board.columns
    return (number & 1 == 0) == (settings[COLOUR] == EVEN_COLOUR)


@kernel
def _spare_around(board: Board, knowledge: Knowledge, start: int) -> None:
    """Mark the cells that no other ship can cover, given the finished ship through `start`."""
    if board.contact == CONTACT_ANY:
        return
    for direction in range(4):
        cell = start
        while cell >= 0 and _is_hit(knowledge, cell):
            for side in range(4):
                beside = np.int64(board.neighbours[cell, side])
                if beside < 0:
                    continue
                knowledge.own_counts[beside] = 1
                if board.contact != CONTACT_CORNERS:
                    for turn in range(4):
                        corner = np.int64(board.neighbours[beside, turn])
                        # At right angles to the first step, so not two steps in one line.
                        if corner >= 0 and turn // 2 != side // 2:
                            knowledge.own_counts[corner] = 1
            cell = np.int64(board.neighbours[cell, direction])


@kernel
def _is_hit(knowledge: Knowledge, cell: int) -> bool:
    return knowledge.status[cell] != UNKNOWN and knowledge.status[cell] != MISSED


@register("even", source="T", summary="human-like, hunting on every second cell")
@dataclass(frozen=True)
class Even(CompiledPlayer):
    colour: Annotated[Literal["even", "odd"], "the half to hunt on; A1 is even"] = "even"
    pattern: Annotated[
        Literal["checkerboard", "index"], "every second cell: by colour, or in reading order"
    ] = "index"
    spare: Annotated[bool, "leave the cells around a finished ship for last"] = True
    strategy: ClassVar[CompiledStrategy] = compile_strategy("even", choose, reset, update)

    def settings(self, rules: object) -> tuple[int, ...]:
        return (COLOURS[self.colour], PATTERNS[self.pattern], int(self.spare))
