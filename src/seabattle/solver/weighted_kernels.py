"""Playing what was proven against layouts that are not equally likely.

Layouts of weight 0 are last in the list of a position. They do not count in the search;
`play_proofs` shoots at them, once nothing else is possible, where most of them have a ship.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE, lowest
from ..compiled.board_tables import HIT_MISS, Int8s, Int32s, Ints
from ..compiled.jit import kernel
from .positions_kernels import (
    MOST_DEPTH,
    MOST_KINDS,
    MOST_SOLVER_CELLS,
    Position,
    ProofTable,
    SearchScratch,
    SearchTables,
    find_proof,
    free_hit,
    likeliest_cell,
    proof_key,
    split,
    survey,
)
from .ranking_kernels import rank_cells

Int16s = npt.NDArray[np.int16]

UNFINISHED = -1
"""The cost of a layout whose game has not been played to the end."""


class ReplayStack:
    """Positions that are yet to be played."""

    start: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    count: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    hits: Annotated[npt.NDArray[np.uint64], "u8", (MOST_DEPTH * MOST_KINDS,)]
    fired: Annotated[npt.NDArray[np.uint64], "u8", (MOST_DEPTH * MOST_KINDS,)]
    missed: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    parts: Annotated[Ints, "i8", (MOST_KINDS + 1,)]
    sizes: Annotated[Ints, "i8", (MOST_KINDS,)]
    counts: Annotated[Ints, "i8", (MOST_SOLVER_CELLS,)]


@kernel
def next_weighted(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    stack: ReplayStack,
    items: Int32s,
    position: Position,
) -> int:
    """The cell that the proofs tell to shoot at; layouts of weight 0 are last in a position."""
    likely = 0
    while likely < position.count and tables.weight[items[position.start + likely]] > 0:
        likely += 1
    if likely == 0:
        return likeliest_cell(tables, items, stack.counts, position, False)
    chosen = Position(position.start, likely, position.hits)
    outlook = survey(tables, items, chosen)
    waiting = outlook.certain & ~position.hits
    if waiting != 0 and (outlook.unsure == 0 or tables.answers == HIT_MISS):
        return lowest(waiting)
    cell = free_hit(tables, items, chosen, waiting) if waiting != 0 else -1
    if cell >= 0:
        return cell
    key = proof_key(tables, items, scratch.words, chosen, waiting)
    entry = find_proof(proven, key)
    if entry >= 0 and proven.moves[entry] >= 0:
        return np.int64(tables.cell_image[key.image, proven.moves[entry]])
    if rank_cells(tables, scratch, items, 0, chosen, outlook, -1).choices > 0:
        return scratch.order[0, 0]
    return likeliest_cell(tables, items, stack.counts, chosen, True)


@kernel
def is_settled(tables: SearchTables, items: Int32s, position: Position) -> bool:
    """Whether all layouts of a position cover the same cells, so that nothing can miss."""
    first = tables.mask[items[position.start]]
    for index in range(position.start + 1, position.start + position.count):
        if tables.mask[items[index]] != first:
            return False
    return True


@kernel
def play_proofs(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    stack: ReplayStack,
    items: Int32s,
    rows: int,
    replayed: bool,
    moves: Int8s,
    misses: Int16s,
) -> int:
    """Play a strategy against all layouts at once; the misses of each go to `misses`.

    The strategy is what the proofs tell, and its cells are written to `moves`, in the order
    in which positions are played; or, if it is `replayed`, the one that `moves` holds.
    Returns how many moves there are, or -1 if those in `moves` are not a strategy.
    """
    kinds = tables.ships + 2
    stack.start[0], stack.count[0], stack.missed[0] = 0, rows, 0
    stack.hits[0] = stack.fired[0] = np.uint64(0)
    height, length = 1, 0
    while height > 0:
        height -= 1
        position = Position(stack.start[height], stack.count[height], stack.hits[height])
        missed, fired = stack.missed[height], stack.fired[height]
        if is_settled(tables, items, position):
            for index in range(position.start, position.start + position.count):
                misses[items[index]] = missed
            continue
        if length >= moves.size:
            return -1
        if replayed:
            cell = np.int64(moves[length])
            if cell < 0 or cell >= tables.cells or fired >> np.uint64(cell) & ONE != 0:
                return -1
        else:
            cell = next_weighted(tables, proven, scratch, stack, items, position)
            moves[length] = cell
        length += 1
        top = position.start + position.count
        split(tables, items, position, cell, top, stack.parts, stack.sizes)
        bit = ONE << np.uint64(cell)
        for part in range(kinds):
            if stack.parts[part + 1] == stack.parts[part]:
                continue
            struck = part < kinds - 1
            stack.start[height] = stack.parts[part]
            stack.count[height] = stack.parts[part + 1] - stack.parts[part]
            stack.hits[height] = position.hits | bit if struck else position.hits
            stack.fired[height] = fired | bit
            stack.missed[height] = missed if struck else missed + 1
            height += 1
    return length
