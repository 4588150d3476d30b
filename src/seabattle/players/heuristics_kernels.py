"""Functions that several rule-based players share."""

from __future__ import annotations

import numpy as np

from ..compiled.board_tables import Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    CLOSED,
    HIT,
    MISSED,
    OPEN,
    SANK,
    UNKNOWN,
    Knowledge,
    nth_unknown,
    unknown_cells,
)
from ..compiled.random_streams import Rng, below

ANY_COLOUR, EVEN_COLOUR, ODD_COLOUR = range(3)

MOST_WORTH = 10**12
"""The largest weight of a placement, so that no sum of weights exceeds 2^63."""


@kernel
def random_unknown(board: Board, knowledge: Knowledge, colour: int, rng: Rng) -> int:
    """A random unknown cell of one colour of the checkerboard, or of any if none is left."""
    if colour == EVEN_COLOUR and knowledge.even > 0:
        return nth_unknown(board, knowledge, below(rng, knowledge.even))
    if colour == ODD_COLOUR and knowledge.odd > 0:
        return nth_unknown(board, knowledge, knowledge.even + below(rng, knowledge.odd))
    return nth_unknown(board, knowledge, below(rng, unknown_cells(knowledge)))


@kernel
def first_unknown(board: Board, knowledge: Knowledge) -> int:
    """The first unknown cell in reading order."""
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN:
            return cell
    return -1


@kernel
def random_neighbour(board: Board, knowledge: Knowledge, cell: int, rng: Rng) -> int:
    """A random unknown neighbour of a cell, or -1."""
    chosen, found = -1, 0
    for direction in range(4):
        other = np.int64(board.neighbours[cell, direction])
        if other >= 0 and knowledge.status[other] == UNKNOWN:
            found += 1
            if below(rng, found) == 0:
                chosen = other
    return chosen


@kernel
def count_placements(board: Board, knowledge: Knowledge, ship: int, counts: Ints) -> None:
    """Add to each cell the number of placements of one ship, on unknown cells, that cover it."""
    length = board.fleet[ship]
    for placement in range(board.first[ship], board.last[ship]):
        free = True
        for k in range(length):
            if knowledge.status[board.cover[placement, k]] != UNKNOWN:
                free = False
                break
        if free:
            for k in range(length):
                counts[board.cover[placement, k]] += 1


@kernel
def weigh(board: Board, knowledge: Knowledge, settings: Ints) -> None:
    """Fill `own_counts` with the total weight of the placements over each cell.

    A placement of a ship afloat that avoids misses and sunk ships has weight 1, multiplied
    by `settings[0]` for each open hit it covers. Serves as `reset`; `reweigh` updates the counts.
    """
    knowledge.own_counts[: board.cells] = 0
    knowledge.own_ships[:] = 0
    for ship in range(board.ships):
        knowledge.own_ships[board.fleet[ship]] += knowledge.afloat[ship]
    for placement in range(board.placements):
        length = board.length[placement]
        worth = 1
        for k in range(length):
            status = knowledge.status[board.cover[placement, k]]
            if status == MISSED or status == CLOSED:
                worth = 0
                break
            if status == OPEN:
                worth = min(worth * settings[0], MOST_WORTH)
        knowledge.own_worth[placement] = worth
        total = worth * knowledge.own_ships[length]
        if total > 0:
            for k in range(length):
                knowledge.own_counts[board.cover[placement, k]] += total


@kernel
def reweigh(board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int) -> None:
    """Update only what the last shot changed; everything if a ship sank."""
    if answer & 3 == SANK:
        weigh(board, knowledge, settings)
        return
    factor = settings[0] if answer & 3 == HIT else 0
    for index in range(board.through_start[cell], board.through_start[cell + 1]):
        placement = board.through[index]
        worth = knowledge.own_worth[placement]
        if worth > 0 and factor != 1:
            length = board.length[placement]
            changed = min(worth * factor, MOST_WORTH)
            change = (changed - worth) * knowledge.own_ships[length]
            for k in range(length):
                knowledge.own_counts[board.cover[placement, k]] += change
            knowledge.own_worth[placement] = changed


@kernel
def highest_unknown(
    board: Board, knowledge: Knowledge, counts: Ints, random_ties: bool, rng: Rng
) -> int:
    """The unknown cell with the highest count; if several are equal, the first or a random one."""
    best, highest, ties = -1, -1, 0
    for cell in range(board.cells):
        if knowledge.status[cell] != UNKNOWN or counts[cell] < highest:
            continue
        if counts[cell] > highest:
            best, highest, ties = cell, counts[cell], 1
        elif random_ties:
            ties += 1
            if below(rng, ties) == 0:
                best = cell
    return best
