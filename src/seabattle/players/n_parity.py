"""`n-parity` and `n-parity-hunt` (R): every n-th cell, with or without a hunt.

Seek: with n the length of the shortest ship afloat, take the next unknown cell in
reading order on the diagonals row + column ≡ n - 1 (mod n), counted from zero. With
n = 3 these are A3, A6, A9, B2, B5, as in the document; every ship of n cells or more
lies on one of them. When they are used up, any unknown cell in order.

Hunt: from the first open hit look up, down, left and right, in this order; walk
over hits and shoot at the first cell behind them if it is unknown. So the player
tries around a hit and then follows the line until the ship is announced sunk.

Where hits name their ship (R's rules) the walk goes over that ship's hits only. Where
sinking is not announced, n stays the shortest length of the fleet, and the hunt for
a hit ends when all four walks do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import kernel
from ..kernels.board import NAMED, Board, Ints
from ..kernels.hunt import first_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import OPEN, UNKNOWN, Sight, smallest_afloat
from .compiled import CompiledPlayer
from .registry import register


@kernel
def on_diagonals(board: Board, cell: int, n: int) -> bool:
    return (cell // board.columns + cell % board.columns) % n == n - 1


@kernel
def seek(board: Board, sight: Sight) -> int:
    """The next cell of the pattern."""
    n = smallest_afloat(board, sight)
    for cell in range(board.cells):
        if sight.status[cell] == UNKNOWN and on_diagonals(board, cell, n):
            return cell
    return first_unknown(board, sight)


@kernel
def hunt(board: Board, sight: Sight) -> int:
    """The next cell around the first open hit that has one, or -1."""
    if sight.open_hits == 0:
        return -1
    for shot in range(sight.shots):
        start = np.int64(sight.fired[shot])
        if sight.status[start] != OPEN:
            continue
        for direction in range(4):
            cell = start
            while cell >= 0 and sight.status[cell] == OPEN and _same(board, sight, cell, start):
                cell = np.int64(board.neighbours[cell, direction])
            if cell >= 0 and sight.status[cell] == UNKNOWN:
                return cell
    return -1


@kernel
def _same(board: Board, sight: Sight, cell: int, start: int) -> bool:
    return board.answers != NAMED or sight.owner[cell] == sight.owner[start]


@kernel
def choose_seek(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    return seek(board, sight)


@kernel
def choose_hunt(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    cell = hunt(board, sight)
    return cell if cell >= 0 else seek(board, sight)


@register("n-parity", source="R", summary="every n-th cell, n the shortest ship afloat")
@dataclass(frozen=True)
class NParity(CompiledPlayer):
    brain: ClassVar[Brain] = brain("n_parity", choose_seek)


@register("n-parity-hunt", source="R", summary="n-parity, and follows up its hits")
@dataclass(frozen=True)
class NParityHunt(CompiledPlayer):
    brain: ClassVar[Brain] = brain("n_parity_hunt", choose_hunt)
