"""`n-parity` and `n-parity-hunt` (R): every n-th cell, with or without a hunt.

Seek: take the next unknown cell of a pattern in reading order; when none is left, the next
unknown cell. The document says "every nth square" and gives A3, A6, A9, B2, B5, ... as an
example for n = 3, which two patterns fit:

`index`       every n-th cell in reading order, the document's literal rule. Where n divides
              the width of the board these are columns, which ships can lie between.
`diagonals`   row + column ≡ n - 1 (mod n), counted from zero; every ship of n cells or more
              covers one of them.

The document contradicts itself on n: "the largest ship still alive" in its general approach,
"the smallest" where it describes its programs and their charts. `ship` chooses.

Hunt: from the first open hit look up, down, left and right, in this order; skip over hits
and shoot at the first cell after them if it is unknown. So the player tries the cells
around a hit and then follows the line until the ship is announced sunk.

Where hits name their ship (R's rules), only hits on that ship are skipped. Where sinkings
are not announced, n stays that of the whole fleet, and the hunt around a hit ends when all
four directions are exhausted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..compiled.board_tables import NAMED, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import OPEN, UNKNOWN, Knowledge, largest_afloat, smallest_afloat
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import first_unknown
from .registry import register

INDEX, DIAGONALS = range(2)
SMALLEST, LARGEST = range(2)
PATTERN, SHIP = range(2)
"""Indices of the settings."""

Pattern = Annotated[
    Literal["index", "diagonals"], "every n-th cell: in reading order, or on diagonals"
]
Ship = Annotated[Literal["smallest", "largest"], "the ship afloat whose length is n"]


@kernel
def spacing(board: Board, knowledge: Knowledge, settings: Ints) -> int:
    """The n of the pattern."""
    if settings[SHIP] == LARGEST:
        return largest_afloat(board, knowledge)
    return smallest_afloat(board, knowledge)


@kernel
def in_pattern(board: Board, settings: Ints, cell: int, n: int) -> bool:
    number = cell
    if settings[PATTERN] == DIAGONALS:
        number = cell // board.columns + cell % board.columns
    return number % n == n - 1


@kernel
def seek(board: Board, knowledge: Knowledge, settings: Ints) -> int:
    """The next cell of the pattern."""
    n = spacing(board, knowledge, settings)
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN and in_pattern(board, settings, cell, n):
            return cell
    return first_unknown(board, knowledge)


@kernel
def hunt(board: Board, knowledge: Knowledge) -> int:
    """The next cell around the first open hit that has one, or -1."""
    if knowledge.open_hits == 0:
        return -1
    for shot in range(knowledge.shots):
        start = np.int64(knowledge.fired[shot])
        if knowledge.status[start] != OPEN:
            continue
        for direction in range(4):
            cell = start
            while (
                cell >= 0
                and knowledge.status[cell] == OPEN
                and _same_ship(board, knowledge, cell, start)
            ):
                cell = np.int64(board.neighbours[cell, direction])
            if cell >= 0 and knowledge.status[cell] == UNKNOWN:
                return cell
    return -1


@kernel
def _same_ship(board: Board, knowledge: Knowledge, cell: int, start: int) -> bool:
    return board.answers != NAMED or knowledge.owner[cell] == knowledge.owner[start]


@kernel
def choose_seek(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    return seek(board, knowledge, settings)


@kernel
def choose_hunt(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = hunt(board, knowledge)
    return cell if cell >= 0 else seek(board, knowledge, settings)


class ParityPlayer(CompiledPlayer):
    """Base class of players that seek on every n-th cell."""

    pattern: str
    ship: str

    def settings(self, rules: object) -> tuple[int, ...]:
        return (
            INDEX if self.pattern == "index" else DIAGONALS,
            SMALLEST if self.ship == "smallest" else LARGEST,
        )


@register("n-parity", source="R", summary="every n-th cell, n the shortest ship afloat")
@dataclass(frozen=True)
class NParity(ParityPlayer):
    pattern: Pattern = "index"
    ship: Ship = "smallest"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("n_parity", choose_seek)


@register("n-parity-hunt", source="R", summary="n-parity that follows up its hits")
@dataclass(frozen=True)
class NParityHunt(ParityPlayer):
    pattern: Pattern = "index"
    ship: Ship = "smallest"
    strategy: ClassVar[CompiledStrategy] = compile_strategy("n_parity_hunt", choose_hunt)
