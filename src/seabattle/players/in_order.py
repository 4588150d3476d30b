"""`in-order` (R): A1, A2, A3 and so on; the weakest strategy of document R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import first_unknown
from .registry import register


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    return first_unknown(board, knowledge)


@register("in-order", source="R", summary="all cells in reading order")
@dataclass(frozen=True)
class InOrder(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = compile_strategy("in_order", choose)
