"""P's search: a few likely cells, followed depth first to the end of the game.

At each node the hit probability of every unknown cell is estimated. The `branch` most likely
cells are tried, hit or miss drawn with that probability; below each of them only
`branch` / `decay` cells, then `branch` / `decay`², ... and at last one. The result is the
mean number of shots until all ship cells are hit.

The outcome of a candidate's own shot is drawn too, as in the document: a candidate whose shot
happens to hit has a shorter game, and the smallest mean picks the luckiest draw. With both
outcomes, each weighted by its probability, the candidates differ by what follows.

The document keeps these nodes as a tree in memory and runs out of it. Depth first, one
path of nodes is enough. A budget bounds the nodes visited: from the level on where
branching further would exceed it, one cell is tried at each node.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.atomics import atomic_add
from ..compiled.bitboards import has_bit
from ..compiled.board_tables import MOST_CELLS, Bits, Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISSED, UNKNOWN, Knowledge
from ..compiled.random_streams import Rng, fraction, stream
from ..compiled.seeds import CANDIDATE_STREAM
from ..compiled.structs import struct_type

EMPTY, WATER, SHIP = range(3)

NEIGHBOURS, DENSITY, POSTERIOR = range(3)
"""Estimates: P's, placements per cell, and layouts that agree with the shots."""

HIT_WEIGHT = 100.0
"""Factor of a placement's weight for each hit it covers, as in `density`."""

DRAWN, MISSES, HITS = range(3)
"""The outcome of a candidate's own shot."""

BOTH = 1
"""The setting that weighs both outcomes of a candidate's shot."""


class AgreeingLayouts(NamedTuple):
    """Layouts drawn from those that agree with the shooter's observation; empty arrays unless
    the estimate is POSTERIOR."""

    placements: npt.NDArray[np.int32]
    """(layouts, ships)"""
    masks: Bits
    """(layouts, words) the cells of the fleet"""
    agreeing: npt.NDArray[np.int32]
    """(cells + 2, layouts) those that also agree with the simulated shots down to each depth"""
    counts: Ints
    """(cells + 2,) how many those are"""


class SearchPath:
    """The nodes from a candidate cell to the end of a simulated game."""

    unknown: Annotated[int, "i8"]
    hits: Annotated[int, "i8"]
    nodes: Annotated[int, "i8"]
    """visited so far"""
    estimate: Annotated[int, "i8"]
    """NEIGHBOURS, DENSITY or POSTERIOR"""
    state: Annotated[npt.NDArray[np.uint8], "u1", (MOST_CELLS,)]
    """EMPTY, WATER or SHIP"""
    chance: Annotated[Floats, "f8", (MOST_CELLS,)]
    """the hit probability of each cell at the current node"""
    cells: Annotated[Cells, "i2", (MOST_CELLS + 1, MOST_CELLS)]
    """the cells to try at each depth, most likely first"""
    chances: Annotated[Floats, "f8", (MOST_CELLS + 1, MOST_CELLS)]
    """their hit probabilities"""
    count: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """how many there are"""
    next: Annotated[Ints, "i8", (MOST_CELLS + 1,)]
    """how many of them have been tried"""
    total: Annotated[Floats, "f8", (MOST_CELLS + 1,)]
    """total shots to the end after those"""
    fired: Annotated[Cells, "i2", (MOST_CELLS + 1,)]
    """the cell fired at from each depth"""


SEARCH_PATH = struct_type(SearchPath)


@kernel
def begin_path(board: Board, knowledge: Knowledge, kind: int, path: SearchPath) -> None:
    path.estimate = kind
    path.unknown = 0
    path.hits = knowledge.hits
    for cell in range(board.cells):
        if knowledge.status[cell] == UNKNOWN:
            path.state[cell] = EMPTY
            path.unknown += 1
        else:
            path.state[cell] = WATER if knowledge.status[cell] == MISSED else SHIP


@kernel
def estimate(board: Board, path: SearchPath, layouts: AgreeingLayouts, depth: int) -> None:
    """Fill in the hit probability of every cell."""
    if path.estimate == NEIGHBOURS:
        from_neighbours(board, path)
    elif path.estimate == DENSITY:
        from_placements(board, path)
    else:
        from_layouts(board, path, layouts, depth)


@kernel
def from_placements(board: Board, path: SearchPath) -> None:
    """Hit probabilities from the weight of the placements over each cell.

    Scaled so that they add up to the number of ship cells left to find, and at most 1.
    """
    for cell in range(board.cells):
        path.chance[cell] = 0.0
    for ship in range(board.ships):
        for placement in range(board.first[ship], board.last[ship]):
            weight = 1.0
            for k in range(board.fleet[ship]):
                state = path.state[board.cover[placement, k]]
                if state == WATER:
                    weight = 0.0
                    break
                if state == SHIP:
                    weight *= HIT_WEIGHT
            if weight > 0.0:
                for k in range(board.fleet[ship]):
                    path.chance[board.cover[placement, k]] += weight
    total = 0.0
    for cell in range(board.cells):
        if path.state[cell] == EMPTY:
            total += path.chance[cell]
    scale = (board.ship_cells - path.hits) / total if total > 0.0 else 0.0
    for cell in range(board.cells):
        path.chance[cell] = min(scale * path.chance[cell], 1.0)


@kernel
def from_layouts(board: Board, path: SearchPath, layouts: AgreeingLayouts, depth: int) -> None:
    """Hit probabilities as shares of the layouts that agree with all shots."""
    for cell in range(board.cells):
        path.chance[cell] = 0.0
    count = layouts.counts[depth]
    for k in range(count):
        layout = layouts.agreeing[depth, k]
        for ship in range(board.ships):
            placement = layouts.placements[layout, ship]
            for part in range(board.fleet[ship]):
                path.chance[board.cover[placement, part]] += 1.0
    for cell in range(board.cells):
        path.chance[cell] /= max(count, 1)


@kernel
def filter_layouts(layouts: AgreeingLayouts, depth: int, cell: int, hit: bool) -> None:
    """The layouts that agree one shot deeper."""
    kept = 0
    for k in range(layouts.counts[depth]):
        layout = layouts.agreeing[depth, k]
        if has_bit(layouts.masks[layout], cell) == hit:
            layouts.agreeing[depth + 1, kept] = layout
            kept += 1
    layouts.counts[depth + 1] = kept


@kernel
def from_neighbours(board: Board, path: SearchPath) -> None:
    """Hit probabilities from the neighbours, as in P.

    With f ship cells left to find: a hit adds f / e to each of its e empty neighbours, or
    nothing if it is next to another hit; an empty cell adds f / (number of empty cells) to
    each empty neighbour; a miss adds nothing. A probability is at most 1.
    """
    to_find = board.ship_cells - path.hits
    share = to_find / max(path.unknown, 1)
    for cell in range(board.cells):
        path.chance[cell] = 0.0
    for cell in range(board.cells):
        state = path.state[cell]
        if state == WATER:
            continue
        if state == EMPTY:
            # Counted at the receiving cell: one share per empty neighbour.
            empty = 0
            for direction in range(4):
                other = board.neighbours[cell, direction]
                if other >= 0 and path.state[other] == EMPTY:
                    empty += 1
            path.chance[cell] += share * empty
            continue
        empty, ships = 0, 0
        for direction in range(4):
            other = board.neighbours[cell, direction]
            if other >= 0:
                empty += path.state[other] == EMPTY
                ships += path.state[other] == SHIP
        if ships > 0 or empty == 0:
            continue
        for direction in range(4):
            other = board.neighbours[cell, direction]
            if other >= 0 and path.state[other] == EMPTY:
                path.chance[other] += to_find / empty
    for cell in range(board.cells):
        path.chance[cell] = min(path.chance[cell], 1.0)


@kernel
def likeliest(
    board: Board, path: SearchPath, layouts: AgreeingLayouts, depth: int, most: int, rng: Rng
) -> int:
    """List the `most` likeliest empty cells at a depth, ties in random order; how many."""
    estimate(board, path, layouts, depth)
    found = 0
    cells, chances = path.cells[depth], path.chances[depth]
    for cell in range(board.cells):
        if path.state[cell] != EMPTY:
            continue
        # A random billionth breaks ties without a second pass.
        chance = path.chance[cell] + 1e-9 * fraction(rng)
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
    path.count[depth] = found
    return found


@kernel
def plan_widths(branch: int, decay: float, unknown: int, budget: int, widths: Ints) -> int:
    """How many cells to try at each depth; the most nodes that this can visit.

    `widths[0]` is the number of candidates. The budget is for all of them together.
    """
    paths, nodes = 1, 0
    spread = float(branch)
    for depth in range(unknown):
        width = max(1, min(int(spread), unknown - depth))
        if depth > 0:
            # Every path may be as long as there are unknown cells left.
            room = (budget - nodes) // (paths * (unknown - depth))
            width = min(width, max(room, 1))
        widths[depth] = width
        paths *= width
        nodes += paths
        spread /= decay
    return nodes


@kernel
def average_depth(
    board: Board,
    path: SearchPath,
    layouts: AgreeingLayouts,
    cell: int,
    chance: float,
    outcome: int,
    widths: Ints,
    rng: Rng,
) -> float:
    """Mean shots until every ship cell is hit if the next one is at `cell` and has this outcome
    (DRAWN: hit with probability `chance`)."""
    begin_hits, begin_unknown = path.hits, path.unknown
    path.nodes += 1
    depth = 0
    path.total[0] = 0.0
    path.count[0] = 1
    path.next[0] = 0
    path.cells[0, 0] = cell
    path.chances[0, 0] = chance
    result = 0.0
    while True:
        if path.next[depth] < path.count[depth] and path.hits < board.ship_cells:
            # Down: shoot at the next cell of this node.
            k = path.next[depth]
            path.next[depth] += 1
            target = path.cells[depth, k]
            path.fired[depth] = target
            hit = fraction(rng) < path.chances[depth, k]
            if depth == 0 and outcome != DRAWN:
                hit = outcome == HITS
            path.state[target] = SHIP if hit else WATER
            path.hits += hit
            path.unknown -= 1
            path.nodes += 1
            if path.estimate == POSTERIOR:
                filter_layouts(layouts, depth, target, hit)
            depth += 1
            path.total[depth] = 0.0
            path.next[depth] = 0
            path.count[depth] = 0
            if path.hits < board.ship_cells and path.unknown > 0:
                likeliest(board, path, layouts, depth, widths[depth], rng)
            continue
        # Up: this node is done.
        result = 0.0
        if path.next[depth] > 0:
            result = path.total[depth] / path.next[depth]
        if depth == 0:
            break
        depth -= 1
        target = path.fired[depth]
        path.hits -= path.state[target] == SHIP
        path.unknown += 1
        path.state[target] = EMPTY
        path.total[depth] += 1.0 + result
    path.hits, path.unknown = begin_hits, begin_unknown
    return result


class Candidates(NamedTuple):
    """Cells for the next shot, and how they are tried."""

    cells: Cells
    chances: Floats
    """(cells,) the probability of a hit"""
    outcomes: int
    """of a candidate's own shot: DRAWN or BOTH"""
    widths: Ints
    """how many cells are tried at each depth"""


@kernel
def try_candidates(
    board: Board,
    path: SearchPath,
    layouts: AgreeingLayouts,
    candidates: Candidates,
    seed: np.uint64,
    share: int,
    shares: int,
    taken: Ints,
    depths: Floats,
) -> None:
    """Add the average depths of some candidates to `depths`.

    If `shares` is not 0, every `shares`-th candidate from `share` on; otherwise whichever is
    next on the counter `taken` that the threads share. Each candidate has its own random
    stream, so it makes no difference which thread tries it.
    """
    cells, chances, outcomes, widths = candidates
    rng = np.empty(1, dtype=np.uint64)
    number = share
    while True:
        if shares == 0:
            number = atomic_add(taken, 0, 1)
        if number >= cells.size:
            return
        rng[0] = stream(seed, number, CANDIDATE_STREAM)
        cell, chance = cells[number], min(chances[number], 1.0)
        if outcomes != BOTH:
            depths[number] += average_depth(board, path, layouts, cell, chance, DRAWN, widths, rng)
        else:
            for hit in range(2):
                share = chance if hit else 1.0 - chance
                if share > 0.0:
                    outcome = HITS if hit else MISSES
                    depths[number] += share * average_depth(
                        board, path, layouts, cell, chance, outcome, widths, rng
                    )
        number += shares
