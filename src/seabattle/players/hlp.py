"""`hlp`, `ohlp`, `phlp` and `ophlp` (E 3.1): human-like players that hear of sinking.

Hunt: a random unknown cell; the parity forms (P) take only every second one. While
a hit is open, Target: a random unknown neighbour of the latest open hit, or of the
one before it when that has none, until the ship is announced sunk.

The optimised forms (O) first go on in the direction of the last shot, if it was a
hit next to an open one; otherwise a random unknown neighbour of the earliest open hit.

Where sinking is not announced, every hit stays open and its neighbours are all tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import ANY_COLOUR, EVEN_COLOUR, random_neighbour, random_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import OPEN, UNKNOWN, Sight
from .compiled import CompiledPlayer
from .registry import register


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    cell = -1
    if sight.open_hits > 0:
        for back in range(sight.shots - 1, -1, -1):
            hit = sight.fired[back]
            if sight.status[hit] == OPEN:
                cell = random_neighbour(board, sight, hit, rng)
                if cell >= 0:
                    break
    return cell if cell >= 0 else random_unknown(board, sight, settings[0], rng)


@kernel
def choose_optimised(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    cell = -1
    if sight.open_hits > 0:
        cell = _straight_on(board, sight)
        for shot in range(sight.shots):
            if cell >= 0:
                break
            hit = sight.fired[shot]
            if sight.status[hit] == OPEN:
                cell = random_neighbour(board, sight, hit, rng)
    return cell if cell >= 0 else random_unknown(board, sight, settings[0], rng)


@kernel
def _straight_on(board: Board, sight: Sight) -> int:
    """The unknown cell that continues the line of the last two hits, or -1."""
    last = np.int64(sight.fired[sight.shots - 1])
    if sight.status[last] != OPEN:
        return -1
    for direction in range(4):
        behind = np.int64(board.neighbours[last, direction ^ 1])
        if behind >= 0 and sight.status[behind] == OPEN:
            ahead = np.int64(board.neighbours[last, direction])
            return ahead if ahead >= 0 and sight.status[ahead] == UNKNOWN else -1
    return -1


HLP = brain("hlp", choose)
OHLP = brain("ohlp", choose_optimised)


class _HumanLike(CompiledPlayer):
    colour: ClassVar[int] = ANY_COLOUR

    def settings(self, rules: object) -> tuple[int, ...]:
        return (self.colour,)


@register("hlp", source="E", summary="random hunt; random neighbours of a hit until it sinks")
@dataclass(frozen=True)
class Hlp(_HumanLike):
    brain: ClassVar[Brain] = HLP


@register("ohlp", source="E", summary="hlp that goes on in the direction of a hit")
@dataclass(frozen=True)
class OptimisedHlp(_HumanLike):
    brain: ClassVar[Brain] = OHLP


@register("phlp", source="E", summary="hlp that hunts on every second cell")
@dataclass(frozen=True)
class ParityHlp(_HumanLike):
    brain: ClassVar[Brain] = HLP
    colour: ClassVar[int] = EVEN_COLOUR


@register("ophlp", source="E", summary="ohlp that hunts on every second cell")
@dataclass(frozen=True)
class OptimisedParityHlp(_HumanLike):
    brain: ClassVar[Brain] = OHLP
    colour: ClassVar[int] = EVEN_COLOUR
