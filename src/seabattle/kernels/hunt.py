"""Moves that several rule-based players share."""

from __future__ import annotations

import numpy as np

from . import kernel
from .board import Board, Ints
from .rng import Rng, below
from .sight import CLOSED, HIT, MISSED, OPEN, SANK, UNKNOWN, Sight, nth_unknown, unknown_cells

ANY_COLOUR, EVEN_COLOUR, ODD_COLOUR = range(3)

MOST_WORTH = 10**12
"""Placements are worth no more than this, so that no sum of them passes 2^63."""


@kernel
def random_unknown(board: Board, sight: Sight, colour: int, rng: Rng) -> int:
    """An unknown cell of one colour of the checkerboard; of any when that is used up."""
    if colour == EVEN_COLOUR and sight.even > 0:
        return nth_unknown(board, sight, below(rng, sight.even))
    if colour == ODD_COLOUR and sight.odd > 0:
        return nth_unknown(board, sight, sight.even + below(rng, sight.odd))
    return nth_unknown(board, sight, below(rng, unknown_cells(sight)))


@kernel
def first_unknown(board: Board, sight: Sight) -> int:
    """The unknown cell that comes first in reading order."""
    for cell in range(board.cells):
        if sight.status[cell] == UNKNOWN:
            return cell
    return -1


@kernel
def random_neighbour(board: Board, sight: Sight, cell: int, rng: Rng) -> int:
    """A random unknown neighbour of a cell, or -1."""
    chosen, found = -1, 0
    for direction in range(4):
        other = np.int64(board.neighbours[cell, direction])
        if other >= 0 and sight.status[other] == UNKNOWN:
            found += 1
            if below(rng, found) == 0:
                chosen = other
    return chosen


@kernel
def count_placements(board: Board, sight: Sight, ship: int, counts: Ints) -> None:
    """Add to each cell the number of ways to lay one ship over it on unknown cells."""
    length = board.fleet[ship]
    for placement in range(board.first[ship], board.last[ship]):
        free = True
        for k in range(length):
            if sight.status[board.cover[placement, k]] != UNKNOWN:
                free = False
                break
        if free:
            for k in range(length):
                counts[board.cover[placement, k]] += 1


@kernel
def weigh(board: Board, sight: Sight, settings: Ints) -> None:
    """Fill `own_counts` with the weighted placements of the ships afloat per cell.

    A placement that avoids misses and sunk ships is worth 1, times `settings[0]` for
    each open hit on it. Serves as `reset`; `reweigh` keeps the counts in step.
    """
    sight.own_counts[: board.cells] = 0
    sight.own_ships[:] = 0
    for ship in range(board.ships):
        sight.own_ships[board.fleet[ship]] += sight.afloat[ship]
    for placement in range(board.placements):
        length = board.length[placement]
        worth = 1
        for k in range(length):
            status = sight.status[board.cover[placement, k]]
            if status == MISSED or status == CLOSED:
                worth = 0
                break
            if status == OPEN:
                worth = min(worth * settings[0], MOST_WORTH)
        sight.own_worth[placement] = worth
        total = worth * sight.own_ships[length]
        if total > 0:
            for k in range(length):
                sight.own_counts[board.cover[placement, k]] += total


@kernel
def reweigh(board: Board, sight: Sight, settings: Ints, cell: int, answer: int) -> None:
    """Change only what the last shot changed; all of it when a ship sank."""
    if answer & 3 == SANK:
        weigh(board, sight, settings)
        return
    factor = settings[0] if answer & 3 == HIT else 0
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        placement = board.through[index]
        worth = sight.own_worth[placement]
        if worth > 0 and factor != 1:
            length = board.length[placement]
            changed = min(worth * factor, MOST_WORTH)
            change = (changed - worth) * sight.own_ships[length]
            for k in range(length):
                sight.own_counts[board.cover[placement, k]] += change
            sight.own_worth[placement] = changed


@kernel
def highest_unknown(board: Board, sight: Sight, counts: Ints, random_ties: bool, rng: Rng) -> int:
    """The unknown cell with the highest count; of several, the first or a random one."""
    best, ties = -1, 0
    for cell in range(board.cells):
        if sight.status[cell] != UNKNOWN:
            continue
        if best < 0 or counts[cell] > counts[best]:
            best, ties = cell, 1
        elif random_ties and counts[cell] == counts[best]:
            ties += 1
            if below(rng, ties) == 0:
                best = cell
    return best
