"""Sets of cells as bits: four 64-bit words, in an array or in registers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bits import ONE
from .board_tables import WORDS, Bits, Board
from .jit import kernel


@kernel
def has_bit(bits: Bits, cell: int) -> bool:
    return (bits[cell >> 6] >> np.uint64(cell & 63)) & ONE != 0


@kernel
def set_bit(bits: Bits, cell: int) -> None:
    bits[cell >> 6] |= ONE << np.uint64(cell & 63)


@kernel
def copy_bits(source: Bits, bits: Bits) -> None:
    for word in range(WORDS):
        bits[word] = source[word]


@kernel
def add_bits(bits: Bits, more: Bits) -> None:
    for word in range(WORDS):
        bits[word] |= more[word]


@kernel
def clashes(board: Board, placement: int, taken: Bits) -> bool:
    """Whether a placement covers any of the cells that are taken."""
    for word in range(WORDS):
        if board.mask[placement, word] & taken[word] != 0:
            return True
    return False


class CellSet(NamedTuple):
    """A bitboard in registers, for innermost loops."""

    w0: np.uint64
    w1: np.uint64
    w2: np.uint64
    w3: np.uint64


@kernel
def cell_set(bits: Bits) -> CellSet:
    return CellSet(bits[0], bits[1], bits[2], bits[3])


@kernel
def no_cells() -> CellSet:
    return CellSet(np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0))


@kernel
def union(cells: CellSet, table: Bits, placement: int) -> CellSet:
    """The cells with those of a row of `Board.mask` or `Board.halo`."""
    return CellSet(
        cells.w0 | table[placement, 0],
        cells.w1 | table[placement, 1],
        cells.w2 | table[placement, 2],
        cells.w3 | table[placement, 3],
    )


@kernel
def meets(cells: CellSet, table: Bits, placement: int) -> bool:
    """Whether the cells meet those of a row of `Board.mask` or `Board.halo`."""
    common = (cells.w0 & table[placement, 0]) | (cells.w1 & table[placement, 1])
    return common | (cells.w2 & table[placement, 2]) | (cells.w3 & table[placement, 3]) != 0
