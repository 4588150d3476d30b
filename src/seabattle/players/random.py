"""`random` (R, E, T, P): any unknown cell, each as likely as the others.

Needs k(n + 1) / (k + 1) shots on average to find k ship cells among n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import ANY_COLOUR, random_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import Sight
from .compiled import CompiledPlayer
from .registry import register


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    return random_unknown(board, sight, ANY_COLOUR, rng)


@register("random", source="R E T P", summary="any unknown cell at random")
@dataclass(frozen=True)
class Random(CompiledPlayer):
    brain: ClassVar[Brain] = brain("random", choose)
