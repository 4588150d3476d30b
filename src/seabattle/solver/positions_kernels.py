"""Positions of the solver: sets of layouts, the answers that split them, and the proof table.

A position is the set of layouts that are still possible, together with the cells that were
hit. Proofs are stored in a table under a 128-bit sum of random words, one per layout, the
least over the symmetries of the board; so a position is recognised in whatever order and
orientation it was reached.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from ..compiled.bits import ONE, lowest, popcount
from ..compiled.board_tables import HIT_MISS, NAMED, SUNK, Bits, Int8s, Int32s, Ints
from ..compiled.jit import kernel

MOST_SOLVER_CELLS = 64
"""Cells of a board that can be searched: one word."""

MOST_KINDS = MOST_SOLVER_CELLS + 2
"""Different answers to a shot: a miss, a hit, and one for each ship."""

MOST_DEPTH = 2 * MOST_SOLVER_CELLS + 4
"""Shots on the way to any position, and some to spare."""

MOST_IMAGES = 48
"""Symmetries that keys are made under."""

ENDLESS = 1 << 40

WINDOW = 16
"""Places of the proof table that are tried for one position."""


class SearchTables(NamedTuple):
    """The unchanging tables of one problem.

    A hit can be answered in `ships` + 1 ways, numbered from 1 (see `answer_to`); a miss is 0.
    """

    answers: int
    """HIT_MISS, SUNK, SUNK_NAMED or NAMED"""
    ordered: bool
    """whether the order of the same shots can tell more or less"""
    worst: bool
    """whether the cost is the most misses of any layout, not their sum"""
    weighted: bool
    """whether layouts are not equally likely, so that bounds go by weight"""
    cells: int
    ships: int
    ship_cells: int
    mask: Bits
    """(layouts,) the cells of the fleet"""
    weight: Ints
    """(layouts,) how many layouts a row stands for, or how likely it is"""
    ship_at: Int8s
    """(layouts, cells) the ship on each cell, or -1"""
    ship_mask: Bits
    """(layouts, ships) the cells of each ship"""
    layout_words: Bits
    """(layouts, 2 × symmetries) random words of each layout's images"""
    cell_words: Bits
    """(cells, 2 × symmetries) the same for cells"""
    cell_image: Int8s
    """(symmetries, cells) from the cells of an image back to those of the board"""
    layer: Int8s
    """(layouts,) see `Problem.layer`"""
    stage_share: Ints
    """(ships, hits) each ship's share of the code of a stage (see `stages`)"""
    stage_step: Ints
    """(answers,) what an answer adds to the code"""
    stage_number: Ints
    """(codes,) the number of each stage"""
    after_hit: Ints
    """(stages, misses) layouts that can finish after a hit"""
    size_bound: Int32s
    """(stages, layouts) the least cost of this many layouts"""
    profile: Ints
    """(stages, misses) how many layouts can finish"""
    heaviest: Ints
    """(layouts + 1,) scratch of weighted bounds: the weight of the k heaviest layouts"""


class ProofTable(NamedTuple):
    """What has been proven, by position."""

    entries: Ints
    """(1,) how many entries are used"""
    keys: Bits
    """(entries, 2); the second word is 0 for a free entry and odd for a used one"""
    proofs: Ints
    """(entries,) 2 × cost, + 1 if it is exact and not a lower bound"""
    moves: Int8s
    """(entries,) the best cell, as the key's symmetry turns it, or -1"""


class SearchScratch:
    """Working memory of a search; rows of one depth outlive the search of the next.

    One struct, as large as a board of 64 cells needs: Numba counts no references to it.
    """

    nodes: Annotated[int, "i8"]
    """positions searched so far"""
    node_limit: Annotated[int, "i8"]
    """stop when there are more"""
    stopped: Annotated[int, "i8"]
    """1 if a search was stopped by the limit"""
    parts: Annotated[Ints, "i8", (MOST_DEPTH, MOST_KINDS + 1)]
    """where the layouts of each answer begin in `items`"""
    bounds: Annotated[Ints, "i8", (MOST_DEPTH, MOST_KINDS)]
    """a lower bound for each answer"""
    order: Annotated[Ints, "i8", (MOST_DEPTH, MOST_SOLVER_CELLS)]
    """the cells worth a shot, most promising first"""
    promise: Annotated[Ints, "i8", (MOST_DEPTH, MOST_SOLVER_CELLS)]
    """a lower bound for each of them"""
    sizes: Annotated[Ints, "i8", (MOST_KINDS,)]
    """the weight of the layouts that give each answer"""
    counts: Annotated[Ints, "i8", (MOST_KINDS, MOST_SOLVER_CELLS)]
    """the weight of the layouts that give this answer at this cell"""
    units: Annotated[Ints, "i8", (MOST_KINDS, MOST_SOLVER_CELLS)]
    """how many of them are in layer 0"""
    degrees: Annotated[Ints, "i8", (MOST_SOLVER_CELLS,)]
    """how many layouts cover each cell, most first"""
    implied: Annotated[Bits, "u8", (MOST_SOLVER_CELLS,)]
    """the cells that all layouts through each cell cover"""
    words: Annotated[Bits, "u8", (2 * MOST_IMAGES,)]
    """a key under each symmetry"""
    stack_start: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    stack_count: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    stack_hits: Annotated[Bits, "u8", (MOST_DEPTH * MOST_KINDS,)]
    stack_missed: Annotated[Ints, "i8", (MOST_DEPTH * MOST_KINDS,)]
    """positions that `play_policy` has yet to play, and the misses on the way there"""


class Position(NamedTuple):
    """`count` layouts from `items[start]` on, and the cells that were hit."""

    start: int
    count: int
    hits: np.uint64


class Outlook(NamedTuple):
    """The cells of a position, and its size."""

    certain: np.uint64
    """covered by every layout"""
    unsure: np.uint64
    """covered by some layouts and not by others"""
    total: int
    """the weight of its layouts"""


class ProofKey(NamedTuple):
    """A position in the proof table, and the symmetry under which it stands there."""

    first: np.uint64
    second: np.uint64
    image: int


@kernel
def survey(tables: SearchTables, items: Int32s, position: Position) -> Outlook:
    every, some = ~np.uint64(0), np.uint64(0)
    total = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        every &= tables.mask[layout]
        some |= tables.mask[layout]
        total += tables.weight[layout]
    return Outlook(every, some & ~every, total)


@kernel
def answer_to(
    answers: int, ship_at: Int8s, ship_mask: Bits, hits: np.uint64, layout: int, cell: int
) -> int:
    """0 for a miss, else what tells one kind of hit from another."""
    ship = np.int64(ship_at[layout, cell])
    if ship < 0:
        return 0
    if answers == HIT_MISS:
        return 1
    if answers == NAMED:
        return 2 + ship
    if ship_mask[layout, ship] & ~hits != ONE << np.uint64(cell):
        return 1
    return 2 if answers == SUNK else 2 + ship


@kernel
def split(
    tables: SearchTables,
    items: Int32s,
    position: Position,
    cell: int,
    top: int,
    parts: Ints,
    sizes: Ints,
) -> None:
    """Sort a position's layouts by their answer to a shot.

    They are written from `top` on, in the order of answers 1, 2, ..., then 0: part k
    is `parts[k]` to `parts[k + 1]`, the last part being the misses; `sizes` are weights.
    """
    answers, ship_at, ship_mask = tables.answers, tables.ship_at, tables.ship_mask
    weight = tables.weight
    kinds = tables.ships + 2
    start, end = position.start, position.start + position.count
    for k in range(kinds):
        sizes[k] = 0
        parts[k + 1] = 0
    for index in range(start, end):
        layout = items[index]
        code = answer_to(answers, ship_at, ship_mask, position.hits, layout, cell)
        part = code - 1 if code > 0 else kinds - 1
        parts[part + 1] += 1
        sizes[part] += weight[layout]
    parts[0] = top
    for k in range(kinds):
        parts[k + 1] += parts[k]
    for index in range(start, end):
        layout = items[index]
        code = answer_to(answers, ship_at, ship_mask, position.hits, layout, cell)
        part = code - 1 if code > 0 else kinds - 1
        items[parts[part]] = layout
        parts[part] += 1
    for k in range(kinds, 0, -1):
        parts[k] = parts[k - 1]
    parts[0] = top


@kernel
def part_of(parts: Ints, part: int, hits: np.uint64) -> Position:
    """One of the positions that `split` made."""
    return Position(parts[part], parts[part + 1] - parts[part], hits)


@kernel
def proof_key(
    tables: SearchTables, items: Int32s, words: Bits, position: Position, waiting: np.uint64
) -> ProofKey:
    """The key of a position; `waiting` are certain hits that were not shot yet."""
    layout_words = tables.layout_words
    width = layout_words.shape[1]
    for k in range(width):
        words[k] = np.uint64(0)
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        for k in range(width):
            words[k] += layout_words[layout, k]
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        for k in range(width):
            words[k] += tables.cell_words[cell, k]
    least = 0
    for image in range(1, width >> 1):
        if words[2 * image] < words[2 * least]:
            least = image
    return ProofKey(words[2 * least], words[2 * least + 1] | ONE, least)


@kernel
def find_proof(proven: ProofTable, key: ProofKey) -> int:
    """The entry of a position, or -1."""
    last = proven.proofs.size - 1
    entry = np.int64(key.first & np.uint64(last))
    for _ in range(WINDOW):
        if proven.keys[entry, 0] == key.first and proven.keys[entry, 1] == key.second:
            return entry
        if proven.keys[entry, 1] == 0:
            return -1
        entry = (entry + 1) & last
    return -1


@kernel
def store_proof(proven: ProofTable, key: ProofKey, proof: int, move: int) -> None:
    """Store a proof; where the table is full it replaces the cheapest one nearby."""
    keys, proofs = proven.keys, proven.proofs
    last = proofs.size - 1
    entry = np.int64(key.first & np.uint64(last))
    cheapest, least = -1, ENDLESS
    for _ in range(WINDOW):
        if keys[entry, 1] == 0:
            proven.entries[0] += 1
            cheapest = -1
            break
        if keys[entry, 0] == key.first and keys[entry, 1] == key.second:
            cheapest = -1
            break
        if proofs[entry] < least:
            cheapest, least = entry, np.int64(proofs[entry])
        entry = (entry + 1) & last
    if cheapest >= 0:
        entry = cheapest
    keys[entry, 0], keys[entry, 1] = key.first, key.second
    proofs[entry] = proof
    proven.moves[entry] = move


@kernel
def copy_proofs(proven: ProofTable, other: ProofTable) -> None:
    """Store every entry of another table in this one."""
    for entry in range(other.proofs.size):
        if other.keys[entry, 1] != 0:
            key = ProofKey(other.keys[entry, 0], other.keys[entry, 1], 0)
            proof, move = np.int64(other.proofs[entry]), np.int64(other.moves[entry])
            store_proof(proven, key, proof, move)


@kernel
def turned(cell_image: Int8s, image: int, move: int) -> int:
    """The cell that the symmetry `image` takes to `move`: how a move is stored."""
    for cell in range(cell_image.shape[1]):
        if cell_image[image, cell] == move:
            return cell
    return -1


@kernel
def free_hit(tables: SearchTables, items: Int32s, position: Position, waiting: np.uint64) -> int:
    """A certain hit among `waiting` that may be shot at once, or -1.

    Where the order of shots tells something, it may if it completes its ship in every
    layout: later answers stay the same. It also may if sinking is named and the cell
    is known to belong to one ship: each answer to come either stays the same, or
    tells earlier that this ship has sunk.
    """
    if not tables.ordered:
        return lowest(waiting) if waiting != 0 else -1
    while waiting != 0:
        cell = lowest(waiting)
        waiting &= waiting - ONE
        last, same = True, tables.answers != SUNK
        ship = tables.ship_at[items[position.start], cell]
        bit = ONE << np.uint64(cell)
        for index in range(position.start, position.start + position.count):
            layout = items[index]
            own = tables.ship_at[layout, cell]
            if tables.ship_mask[layout, own] & ~position.hits != bit:
                last = False
            if own != ship:
                same = False
            if not last and not same:
                break
        if last or same:
            return cell
    return -1


@kernel
def stage_of(tables: SearchTables, items: Int32s, position: Position) -> int:
    """The code of the stage of a position (see `stages`)."""
    code = 0
    for ship in range(tables.ships):
        struck = popcount(position.hits & tables.ship_mask[items[position.start], ship])
        code += tables.stage_share[ship, struck]
    return code


@kernel
def likeliest_cell(
    tables: SearchTables, items: Int32s, counts: Ints, position: Position, weighted: bool
) -> int:
    """The cell with the most weight, or the most layouts, not hit yet; the first of several."""
    counts[: tables.cells] = 0
    for index in range(position.start, position.start + position.count):
        layout = items[index]
        share = tables.weight[layout] if weighted else 1
        rest = tables.mask[layout] & ~position.hits
        while rest != 0:
            counts[lowest(rest)] += share
            rest &= rest - ONE
    best, most = -1, 0
    for cell in range(tables.cells):
        if counts[cell] > most:
            best, most = cell, counts[cell]
    return best
