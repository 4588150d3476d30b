"""`n-parity` and `n-parity-hunt` (R): every n-th cell, with or without a hunt.

Seek: with n the length of the shortest ship afloat, take the next unknown cell in reading
order on the diagonals row + column ≡ n - 1 (mod n), counted from zero. For n = 3 these are
A3, A6, A9, B2, B5, ..., as in the document; every ship of n cells or more covers one of
them. When none is left, take the next unknown cell.

Hunt: from the first open hit look up, down, left and right, in this order; skip over hits
and shoot at the first cell after them if it is unknown. So the player tries the cells
around a hit and then follows the line until the ship is announced sunk.

Where hits name their ship (R's rules), only hits on that ship are skipped. Where sinkings
are not announced, n stays the shortest length of the fleet, and the hunt around a hit ends
when all four directions are exhausted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..compiled.board_tables import NAMED, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import OPEN, UNKNOWN, Knowledge, smallest_afloat
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import first_unknown
from .registry import register


@kernel
def on_diagonals(board: Board, cell: int, n: int) -> bool:
    return (cell // board.columns + cell % board.columns) % n == n - 1


@kernel
def seek(board: Board, knowledge: Knowledge) -> int:
    """The next cell of the pattern."""
    n = smallest_afloat(board, knowledge)
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN and on_diagonals(board, cell, n):
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
    return seek(board, knowledge)


@kernel
def choose_hunt(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = hunt(board, knowledge)
    return cell if cell >= 0 else seek(board, knowledge)


@register("n-parity", source="R", summary="every n-th cell, n the shortest ship afloat")
@dataclass(frozen=True)
class NParity(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = compile_strategy("n_parity", choose_seek)


@register("n-parity-hunt", source="R", summary="n-parity that follows up its hits")
@dataclass(frozen=True)
class NParityHunt(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = compile_strategy("n_parity_hunt", choose_hunt)
