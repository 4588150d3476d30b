"""`hlp`, `ohlp`, `phlp` and `ophlp` (E 3.1): human-like players that use sinkings.

Hunt: a random unknown cell; the parity versions (P) use only every second cell. While a
hit is open, Target: a random unknown neighbour of an open hit, until the ship is announced
sunk. The document does not say of which one: `beside` is the latest (or the one before it
if that has none), the first, or a random one. docs/players.md gives what each needs.

The optimised versions (O) first continue in the direction of the last shot, if it was a
hit next to an open hit; otherwise they take a random unknown neighbour of the earliest
open hit.

Where sinkings are not announced, every hit stays open and all its neighbours are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import OPEN, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, below
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import ANY_COLOUR, EVEN_COLOUR, random_neighbour, random_unknown
from .registry import register

LATEST, FIRST, RANDOM = range(3)
BESIDE = {"latest": LATEST, "first": FIRST, "random": RANDOM}
Beside = Annotated[Literal["latest", "first", "random"], "the open hit that it shoots beside"]

COLOUR, HIT = range(2)
"""Indices of the settings."""


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell, found = -1, 0
    if knowledge.open_hits > 0:
        for place in range(knowledge.shots):
            shot = place if settings[HIT] == FIRST else knowledge.shots - 1 - place
            hit = knowledge.fired[shot]
            if knowledge.status[hit] != OPEN:
                continue
            beside = random_neighbour(board, knowledge, hit, rng)
            if beside < 0:
                continue
            found += 1
            if settings[HIT] != RANDOM:
                cell = beside
                break
            if below(rng, found) == 0:
                cell = beside
    return cell if cell >= 0 else random_unknown(board, knowledge, settings[COLOUR], rng)


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
    return cell if cell >= 0 else random_unknown(board, knowledge, settings[COLOUR], rng)


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


@register("hlp", source="E", summary="hunts at random, then around hits until sunk")
@dataclass(frozen=True)
class Hlp(CompiledPlayer):
    beside: Beside = "latest"
    strategy: ClassVar[CompiledStrategy] = HLP
    colour: ClassVar[int] = ANY_COLOUR

    def settings(self, rules: object) -> tuple[int, ...]:
        return self.colour, BESIDE[self.beside]


@register("ohlp", source="E", summary="hlp that continues in the direction of hits")
@dataclass(frozen=True)
class OptimisedHlp(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = OHLP
    colour: ClassVar[int] = ANY_COLOUR

    def settings(self, rules: object) -> tuple[int, ...]:
        return (self.colour,)


@register("phlp", source="E", summary="hlp that hunts on every second cell")
@dataclass(frozen=True)
class ParityHlp(Hlp):
    colour: ClassVar[int] = EVEN_COLOUR


@register("ophlp", source="E", summary="ohlp that hunts on every second cell")
@dataclass(frozen=True)
class OptimisedParityHlp(OptimisedHlp):
    colour: ClassVar[int] = EVEN_COLOUR
