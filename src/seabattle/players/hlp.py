"""`hlp`, `ohlp`, `phlp` and `ophlp` (E 3.1): human-like players that use sinkings.

Hunt: a random unknown cell; the parity versions (P) use only every second cell. While a
hit is open, Target: a random unknown neighbour of the latest open hit, or of the one
before it if there is none, until the ship is announced sunk.

The optimised versions (O) first continue in the direction of the last shot, if it was a
hit next to an open hit; otherwise they take a random unknown neighbour of the earliest
open hit.

Where sinkings are not announced, every hit stays open and all its neighbours are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import OPEN, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import ANY_COLOUR, EVEN_COLOUR, random_neighbour, random_unknown
from .registry import register


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = -1
    if knowledge.open_hits > 0:
        for back in range(knowledge.shots - 1, -1, -1):
            hit = knowledge.fired[back]
            if knowledge.status[hit] == OPEN:
                cell = random_neighbour(board, knowledge, hit, rng)
                if cell >= 0:
                    break
    return cell if cell >= 0 else random_unknown(board, knowledge, settings[0], rng)


@kernel
def choose_optimised(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = -1
    if knowledge.open_hits > 0:
        cell = _straight_on(board, knowledge)
        for shot in range(knowledge.shots):
            if cell >= 0:
                break
            hit = knowledge.fired[shot]
            if knowledge.status[hit] == OPEN:
                cell = random_neighbour(board, knowledge, hit, rng)
    return cell if cell >= 0 else random_unknown(board, knowledge, settings[0], rng)


@kernel
def _straight_on(board: Board, knowledge: Knowledge) -> int:
    """The unknown cell that continues the line of the last two hits, or -1."""
    last = np.int64(knowledge.fired[knowledge.shots - 1])
    if knowledge.status[last] != OPEN:
        return -1
    for direction in range(4):
        behind = np.int64(board.neighbours[last, direction ^ 1])
        if behind >= 0 and knowledge.status[behind] == OPEN:
            ahead = np.int64(board.neighbours[last, direction])
            return ahead if ahead >= 0 and knowledge.status[ahead] == UNKNOWN else -1
    return -1


HLP = compile_strategy("hlp", choose)
OHLP = compile_strategy("ohlp", choose_optimised)


class _HumanLike(CompiledPlayer):
    colour: ClassVar[int] = ANY_COLOUR

    def settings(self, rules: object) -> tuple[int, ...]:
        return (self.colour,)


@register("hlp", source="E", summary="hunts at random, then around hits until sunk")
@dataclass(frozen=True)
class Hlp(_HumanLike):
    strategy: ClassVar[CompiledStrategy] = HLP


@register("ohlp", source="E", summary="hlp that continues in the direction of hits")
@dataclass(frozen=True)
class OptimisedHlp(_HumanLike):
    strategy: ClassVar[CompiledStrategy] = OHLP


@register("phlp", source="E", summary="hlp that hunts on every second cell")
@dataclass(frozen=True)
class ParityHlp(_HumanLike):
    strategy: ClassVar[CompiledStrategy] = HLP
    colour: ClassVar[int] = EVEN_COLOUR


@register("ophlp", source="E", summary="ohlp that hunts on every second cell")
@dataclass(frozen=True)
class OptimisedParityHlp(_HumanLike):
    strategy: ClassVar[CompiledStrategy] = OHLP
    colour: ClassVar[int] = EVEN_COLOUR
