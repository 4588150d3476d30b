"""`random` (R, E, T, P): a random unknown cell, all equally likely.

It takes k (n + 1) / (k + 1) shots on average to find k ship cells among n cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import ANY_COLOUR, random_unknown
from .registry import register


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    return random_unknown(board, knowledge, ANY_COLOUR, rng)


@register("random", source="R E T P", summary="a random unknown cell")
@dataclass(frozen=True)
class Random(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = compile_strategy("random", choose)
