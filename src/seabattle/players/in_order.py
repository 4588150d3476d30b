"""`in-order` (R): A1, A2, A3 and so on, the weakest strategy of document R."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import first_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import Sight
from .compiled import CompiledPlayer
from .registry import register


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    return first_unknown(board, sight)


@register("in-order", source="R", summary="the cells in reading order")
@dataclass(frozen=True)
class InOrder(CompiledPlayer):
    brain: ClassVar[Brain] = brain("in_order", choose)
