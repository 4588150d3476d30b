"""P's search: a few likely cells, followed depth first to the end of the game.

At each node the hit probability of every unknown cell is estimated from its neighbours
alone, the likeliest `branch` cells are tried, hit or miss drawn with that probability, and
below each of them only `branch` / `decay` cells, then `branch` / `decay`², ... and at last
one. What counts is how many shots it takes until all ship cells are hit, on average.

The document builds these nodes as a tree in memory and runs out of it. Depth first, one
line of nodes is all there is. How many are visited is bounded by a budget: from the level
on where going on branching would pass it, one cell is tried at each node.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add
from ..compiled.board_tables import MOST_CELLS, Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISSED, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, fraction, stream
from ..compiled.seeds import CANDIDATE_STREAM
from ..compiled.structs import struct_type

EMPTY, WATER, SHIP = range(3)


class Line:
    """One line of nodes, from the candidate to the end of a simulated game."""

    unknown: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    nodes: Annotated[int, "i8"]
    """visited so far"""
    state: Annotated[npt.NDArray[np.uint8], "u1", (MOST_CELLS,)]
    """EMPTY, WATER or SHIP"""
    chance: Annotated[Floats, "f8", (MOST_CELLS,)]
    """the hit probability of each cell at the node just looked at"""
    cells: Annotated[Cells, "i2", (MOST_CELLS + 1, MOST_CELLS)]
    """the cells to be tried at each depth, likeliest first"""
    chances: Annotated[Floats, "f8", (MOST_CELLS + 1, MOST_CELLS)]
    """their hit probabilities"""
    count: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """how many there are"""
    next: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """how many of them have been tried"""
    total: Annotated[Floats, "f8", (MOST_CELLS + 1,)]
    """sum of the shots that those took"""
    fired: Annotated[Cells, "i2", (MOST_CELLS + 1,)]
    """the cell on the way down from each depth"""


LINE = struct_type(Line)


@kernel
def begin_line(board: Board, knowledge: Knowledge, line: Line) -> None:
    line.unknown = 0
    line.hits = knowledge.hits
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN:
            line.state[cell] = EMPTY
            line.unknown += 1
        else:
            line.state[cell] = WATER if knowledge.status[cell] == MISSED else SHIP


@kernel
def estimate(board: Board, line: Line) -> None:
    """Hit probabilities by neighbours, as P computes them.

    With f ship cells to be found: a hit gives each of its e empty neighbours f / e, or
    nothing if a neighbour is a hit too; an empty cell gives each empty neighbour f
    divided by all empty cells; a miss gives nothing. A probability is at most 1.
    """
    to_find = board.ship_cells - line.hits
    share = to_find / max(line.unknown, 1)
    for cell in range(board.cells):
        line.chance[cell] = 0.0
    for cell in range(board.cells):
        state = line.state[cell]
        if state == WATER:
            continue
        if state == EMPTY:
            # Seen from the receiver: as many shares as it has empty neighbours.
            empty = 0
            for direction in range(4):
                other = board.neighbours[cell, direction]
                if other >= 0 and line.state[other] == EMPTY:
                    empty += 1
            line.chance[cell] += share * empty
            continue
        empty, ships = 0, 0
        for direction in range(4):
            other = board.neighbours[cell, direction]
            if other >= 0:
                empty += line.state[other] == EMPTY
                ships += line.state[other] == SHIP
        if ships > 0 or empty == 0:
            continue
        for direction in range(4):
            other = board.neighbours[cell, direction]
            if other >= 0 and line.state[other] == EMPTY:
                line.chance[other] += to_find / empty
    for cell in range(board.cells):
        line.chance[cell] = min(line.chance[cell], 1.0)


@kernel
def likeliest(board: Board, line: Line, depth: int, most: int, rng: Rng) -> int:
    """List the `most` likeliest empty cells at a depth, in random order among equals."""
    estimate(board, line)
    found = 0
    cells, chances = line.cells[depth], line.chances[depth]
    for cell in range(board.cells):
        if line.state[cell] != EMPTY:
            continue
        # A random billionth decides between equals without a second pass.
        chance = line.chance[cell] + 1e-9 * fraction(rng)
        if found == most and chance <= chances[most - 1]:
            continue
        place = found if found < most else most - 1
        while place > 0 and chances[place - 1] < chance:
            chances[place] = chances[place - 1]
            cells[place] = cells[place - 1]
            place -= 1
        chances[place] = chance
        cells[place] = cell
        found = min(found + 1, most)
    line.count[depth] = found
    return found


@kernel
def widths(branch: int, decay: float, unknown: int, budget: int, wide: Ints) -> int:
    """How many cells are tried at each depth below a candidate; what that visits at most.

    `wide[0]` is the candidates themselves. The budget is for all of them together.
    """
    lines, nodes = 1, 0
    spread = float(branch)
    for depth in range(unknown):
        width = max(1, min(int(spread), unknown - depth))
        if depth > 0:
            # Every line may go on for as many nodes as there are unknown cells left.
            room = (budget - nodes) // (lines * (unknown - depth))
            width = min(width, max(room, 1))
        wide[depth] = width
        lines *= width
        nodes += lines
        spread /= decay
    return nodes


@kernel
def average_depth(
    board: Board, line: Line, cell: int, chance: float, wide: Ints, rng: Rng
) -> float:
    """Shots until every ship cell is hit, on average, when the next one is at `cell`."""
    begin_hits, begin_unknown = line.hits, line.unknown
    line.nodes += 1
    depth = 0
    line.total[0] = 0.0
    line.count[0] = 1
    line.next[0] = 0
    line.cells[0, 0] = cell
    line.chances[0, 0] = chance
    result = 0.0
    while True:
        if line.next[depth] < line.count[depth] and line.hits < board.ship_cells:
            # Down: shoot at the next cell of this node.
            k = line.next[depth]
            line.next[depth] += 1
            target = line.cells[depth, k]
            line.fired[depth] = target
            hit = fraction(rng) < line.chances[depth, k]
            line.state[target] = SHIP if hit else WATER
            line.hits += hit
            line.unknown -= 1
            line.nodes += 1
            depth += 1
            line.total[depth] = 0.0
            line.next[depth] = 0
            line.count[depth] = 0
            if line.hits < board.ship_cells and line.unknown > 0:
                likeliest(board, line, depth, wide[depth], rng)
            continue
        # Up: this node is done.
        result = 0.0
        if line.next[depth] > 0:
            result = line.total[depth] / line.next[depth]
        if depth == 0:
            break
        depth -= 1
        target = line.fired[depth]
        line.hits -= line.state[target] == SHIP
        line.unknown += 1
        line.state[target] = EMPTY
        line.total[depth] += 1.0 + result
    line.hits, line.unknown = begin_hits, begin_unknown
    return result


@kernel
def try_candidates(
    board: Board,
    line: Line,
    cells: Cells,
    chances: Floats,
    wide: Ints,
    seed: np.uint64,
    share: int,
    shares: int,
    taken: Ints,
    depths: Floats,
) -> None:
    """Add the average depths of some candidates to `depths`.

    With `shares`, every `shares`-th candidate from `share` on; without (0), whichever one
    is next on the counter `taken` that threads have in common. Each candidate has a random
    stream of its own, so it makes no difference who tries it.
    """
    rng = np.empty(1, dtype=np.uint64)
    number = share
    while True:
        if shares == 0:
            number = atomic_add(taken, 0, 1)
        if number >= cells.size:
            return
        rng[0] = stream(seed, number, CANDIDATE_STREAM)
        depths[number] += average_depth(board, line, cells[number], chances[number], wide, rng)
        number += shares
