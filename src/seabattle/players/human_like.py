"""`human-like` (T 2.3): hunt, target, destroy, with a stack of targets.

Hunt: a random unknown cell. A hit puts its unknown neighbours on the stack and
starts Target: cells are popped until a second hit shows the direction of the ship.
The stack is then emptied, the two cells at the ends of the line are put on it, and
Destroy pops them, extending the line at every hit. When the stack is empty the
ship has missed or board on both ends, and Hunt begins again.

The document's game announces no sinking, and the player needs none; where sinking
is announced it empties the stack at once. It never concludes that the cells around
a finished ship are empty, even where contact is forbidden; the document's does not
either. Hits on a second ship that the stack did not follow are left to chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels import kernel
from ..kernels.board import Board, Ints
from ..kernels.hunt import random_unknown
from ..kernels.play import Brain, brain
from ..kernels.rng import Rng
from ..kernels.sight import HIT, OPEN, SANK, UNKNOWN, Sight
from .compiled import CompiledPlayer
from .registry import register

HUNT, TARGET, DESTROY = range(3)


@kernel
def reset(board: Board, sight: Sight, settings: Ints) -> None:
    sight.own_mode = HUNT
    sight.own_targets = 0


@kernel
def update(board: Board, sight: Sight, settings: Ints, cell: int, answer: int) -> None:
    _drop(sight, cell)
    kind = answer & 3
    if kind == SANK:
        sight.own_targets = 0
    elif kind == HIT and sight.own_mode == HUNT:
        sight.own_mode = TARGET
        sight.own_anchor = cell
        for direction in range(4):
            _push(sight, board.neighbours[cell, direction])
    elif kind == HIT:
        direction = _direction(board, sight, sight.own_anchor, cell)
        if direction >= 0:
            if sight.own_mode == TARGET:
                sight.own_mode = DESTROY
                sight.own_targets = 0
                _push(sight, board.neighbours[sight.own_anchor, direction ^ 1])
            _push(sight, board.neighbours[cell, direction])
    if sight.own_targets == 0:
        sight.own_mode = HUNT


@kernel
def choose(board: Board, sight: Sight, settings: Ints, rng: Rng) -> int:
    if sight.own_targets > 0:
        return np.int64(sight.own_stack[sight.own_targets - 1])
    return random_unknown(board, sight, settings[0], rng)


@kernel
def _direction(board: Board, sight: Sight, start: int, end: int) -> int:
    """The direction in which `end` lies from `start` behind hits only, or -1."""
    for direction in range(4):
        cell = np.int64(board.neighbours[start, direction])
        while cell >= 0 and cell != end and sight.status[cell] == OPEN:
            cell = np.int64(board.neighbours[cell, direction])
        if cell == end:
            return direction
    return -1


@kernel
def _push(sight: Sight, cell: int) -> None:
    if cell >= 0 and sight.status[cell] == UNKNOWN:
        sight.own_stack[sight.own_targets] = cell
        sight.own_targets += 1


@kernel
def _drop(sight: Sight, cell: int) -> None:
    """Take a cell off the stack: usually the top one, which was just shot at."""
    place = sight.own_targets - 1
    while place >= 0 and sight.own_stack[place] != cell:
        place -= 1
    if place >= 0:
        for k in range(place, sight.own_targets - 1):
            sight.own_stack[k] = sight.own_stack[k + 1]
        sight.own_targets -= 1


HUMAN_LIKE = brain("human_like", choose, reset, update)


@register("human-like", source="T", summary="hunt at random, target, destroy")
@dataclass(frozen=True)
class HumanLike(CompiledPlayer):
    brain: ClassVar[Brain] = HUMAN_LIKE

    def settings(self, rules: object) -> tuple[int, ...]:
        return (0,)
