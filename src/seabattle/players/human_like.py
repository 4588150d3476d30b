"""`human-like` (T 2.3): hunt, target, destroy, with a stack of targets.

Hunt: a random unknown cell. A hit puts its unknown neighbours on the stack and starts
Target: cells are popped until a second hit shows the direction of the ship. The stack is
then cleared, the two cells at the ends of the line are pushed, and Destroy pops them,
extending the line at every hit. When the stack is empty, both ends of the ship are at a
miss or at the edge of the board, and Hunt starts again.

The document's game does not announce sinkings, and the player does not need them; where
they are announced, a sinking clears the stack. As in the document, it never concludes that
the cells around a finished ship are empty, even where ships may not touch (`even` does).
Hits on a second ship that the stack did not follow up are found again only by luck.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import HIT, OPEN, SANK, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng
from ..compiled.strategy import CompiledStrategy, compile_strategy
from .compiled_player import CompiledPlayer
from .heuristics_kernels import ANY_COLOUR, random_unknown
from .registry import register

HUNT, TARGET, DESTROY = range(3)


@kernel
def reset(board: Board, knowledge: Knowledge, settings: Ints) -> None:
    knowledge.own_mode = HUNT
    knowledge.own_targets = 0
    knowledge.own_counts[: board.cells] = 0


@kernel
def update(board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int) -> None:
    _drop(knowledge, cell)
    kind = answer & 3
    if kind == SANK:
        knowledge.own_targets = 0
    elif kind == HIT and knowledge.own_mode == HUNT:
        knowledge.own_mode = TARGET
        knowledge.own_anchor = cell
        for direction in range(4):
            _push(knowledge, board.neighbours[cell, direction])
    elif kind == HIT:
        direction = _direction(board, knowledge, knowledge.own_anchor, cell)
        if direction >= 0:
            if knowledge.own_mode == TARGET:
                knowledge.own_mode = DESTROY
                knowledge.own_targets = 0
                _push(knowledge, board.neighbours[knowledge.own_anchor, direction ^ 1])
            _push(knowledge, board.neighbours[cell, direction])
    if knowledge.own_targets == 0:
        knowledge.own_mode = HUNT


@kernel
def choose(board: Board, knowledge: Knowledge, settings: Ints, rng: Rng) -> int:
    cell = top_target(knowledge)
    return cell if cell >= 0 else random_unknown(board, knowledge, ANY_COLOUR, rng)


@kernel
def top_target(knowledge: Knowledge) -> int:
    """The cell on top of the stack, or -1."""
    place = knowledge.own_targets - 1
    while place >= 0:
        cell = np.int64(knowledge.own_stack[place])
        if knowledge.status[cell] == UNKNOWN:  # in a salvo, the top ones may be pending
            return cell
        place -= 1
    return -1


@kernel
def _direction(board: Board, knowledge: Knowledge, start: int, end: int) -> int:
    """The direction from `start` to `end` if only hits lie between them, else -1."""
    for direction in range(4):
        cell = np.int64(board.neighbours[start, direction])
        while cell >= 0 and cell != end and knowledge.status[cell] == OPEN:
            cell = np.int64(board.neighbours[cell, direction])
        if cell == end:
            return direction
    return -1


@kernel
def _push(knowledge: Knowledge, cell: int) -> None:
    # `even` counts the cells that it spares.
    if cell >= 0 and knowledge.status[cell] == UNKNOWN and knowledge.own_counts[cell] == 0:
        knowledge.own_stack[knowledge.own_targets] = cell
        knowledge.own_targets += 1


@kernel
def _drop(knowledge: Knowledge, cell: int) -> None:
    """Remove a cell from the stack: usually the top one, which was just shot at."""
    place = knowledge.own_targets - 1
    while place >= 0 and knowledge.own_stack[place] != cell:
        place -= 1
    if place >= 0:
        for k in range(place, knowledge.own_targets - 1):
            knowledge.own_stack[k] = knowledge.own_stack[k + 1]
        knowledge.own_targets -= 1


@register("human-like", source="T", summary="hunts at random, then follows up hits")
@dataclass(frozen=True)
class HumanLike(CompiledPlayer):
    strategy: ClassVar[CompiledStrategy] = compile_strategy("human_like", choose, reset, update)
