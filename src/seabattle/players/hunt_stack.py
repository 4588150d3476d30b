"""`hunt-stack` and `hunt-parity` (L, after N. Berry): a stack of potential targets.

Hunt: a random unknown cell. A hit puts its unknown neighbours on a stack, and as long as
there are unknown cells on the stack, the latest of them is shot at; so the cells around
every hit are tried, whatever the ship's direction.

`hunt-parity` hunts on every second cell of the checkerboard only, because the shortest ship
has two cells. Once the shortest ships are known to be sunk, the spacing becomes the length
of the shortest one afloat; that takes rules that announce sinkings. Without them, as in L's
own game, the spacing stays.

L does not give the order in which the neighbours go onto the stack. Here it is up, down,
left, right, so the right one is tried first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, UNKNOWN, Knowledge, smallest_afloat
from ..compiled.random_streams import Rng, below
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import ANY_COLOUR, random_unknown
from .registry import register

ANYWHERE, ON_PATTERN = range(2)


@kernel
def reset(board: Board, knowledge: Knowledge, settings: Ints) -> None:
    knowledge.own_targets = 0


@kernel
def update(board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int) -> None:
    if answer & 3 != MISS:
        for direction in range(4):
            neighbour = board.neighbours[cell, direction]
            if neighbour >= 0 and knowledge.status[neighbour] == UNKNOWN:
                knowledge.own_stack[knowledge.own_targets] = neighbour
                knowledge.own_targets += 1
    # A cell may be on the stack twice, or have been shot at by somebody else.
    while knowledge.own_targets > 0:
        top = knowledge.own_stack[knowledge.own_targets - 1]
        if knowledge.status[top] == UNKNOWN:
            break
        knowledge.own_targets -= 1


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    place = knowledge.own_targets - 1
    while place >= 0:
        cell = int(knowledge.own_stack[place])
        if knowledge.status[cell] == UNKNOWN:  # in a salvo, the top ones may be pending
            return cell
        place -= 1
    if settings[0] == ANYWHERE:
        return random_unknown(board, knowledge, ANY_COLOUR, rng)
    n = smallest_afloat(board, knowledge)
    chosen, found = -1, 0
    for cell in range(board.cells):
        on_pattern = (cell // board.columns + cell % board.columns) % n == 0
        if on_pattern and knowledge.status[cell] == UNKNOWN:
            found += 1
            if below(rng, found) == 0:
                chosen = cell
    return chosen if chosen >= 0 else random_unknown(board, knowledge, ANY_COLOUR, rng)


HUNT = compile_strategy("hunt_stack", choose, reset, update)


@register("hunt-stack", source="L", summary="hunts at random, then all around every hit")
@dataclass(frozen=True)
class HuntStack(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = HUNT

    def settings(self, rules: object) -> tuple[int, ...]:
        return (ANYWHERE,)


@register("hunt-parity", source="L", summary="hunt-stack that hunts on every second cell")
@dataclass(frozen=True)
class HuntParity(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = HUNT

    def settings(self, rules: object) -> tuple[int, ...]:
        return (ON_PATTERN,)
