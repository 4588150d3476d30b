"""`random` (R, E, T, P): any unknown cell, each as likely as the others.

Needs k(n + 1) / (k + 1) shots on average to find k ship cells among n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng, below
from ..kernels.sight import Sight, nth_unknown, unknown_cells
from .compiled import CompiledPlayer
from .registry import register


@kernel
def random_unknown(board: Board, sight: Sight, rng: Rng) -> int:
    """An unknown cell drawn uniformly."""
    return nth_unknown(board, sight, below(rng, unknown_cells(sight)))


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    return random_unknown(board, sight, rng)


@register("random", source="R E T P", summary="any unknown cell at random")
@dataclass(frozen=True)
class Random(CompiledPlayer):
    brain: ClassVar[Brain] = brain("random", choose)
