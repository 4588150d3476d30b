"""Optimal search: depth-first branch and bound over sets of layouts.

A position is the set of layouts that are still possible, together with the cells
that were hit. Only misses are counted: every layout also costs one shot for each of
its ship cells, whatever the strategy. With M(S) the least total of misses over the
layouts of S,

    M(S) = min over cells c of |S without c| + sum over answers a of M(S that answer a to c)

(`worst` asks for the most misses of any layout instead: max for sum, 1 for the size).

`search` proves either the exact value, if it is at most `limit`, or a lower bound
above it. Three things keep it small: dominated cells and finishing profiles (see
`ranking_kernels`), and free hits. A cell that every layout covers must be hit anyway. Where
the order of shots tells nothing (`ordered` is off) it is shot at once.

Layouts may have weights (`weighted`): |S| is then the weight of S.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.bits import ONE, lowest
from ..compiled.board_tables import HIT_MISS, Int32s
from ..compiled.jit import kernel
from .positions_kernels import (
    ENDLESS,
    Position,
    ProofKey,
    ProofTable,
    SearchScratch,
    SearchTables,
    find_proof,
    free_hit,
    likeliest_cell,
    part_of,
    proof_key,
    split,
    store_proof,
    survey,
    turned,
)
from .ranking_kernels import PROBE, rank_cells


@kernel
def search(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    items: Int32s,
    depth: int,
    position: Position,
    top: int,
    limit: int,
) -> int:
    """The exact cost of a position if it is at most `limit`, else a lower bound above it.

    From `top` on, `items` is free.
    """
    scratch.nodes += 1
    if scratch.nodes > scratch.node_limit:
        scratch.stopped = 1
        return 0
    outlook = survey(tables, items, position)
    if outlook.unsure == 0:
        return 0
    forced = -1
    if tables.answers == HIT_MISS:
        # Certain hits tell nothing; they count as shot.
        position = Position(position.start, position.count, outlook.certain)
    else:
        waiting = outlook.certain & ~position.hits
        forced = free_hit(tables, items, position, waiting)

    order, promise = scratch.order[depth], scratch.promise[depth]
    key = ProofKey(np.uint64(0), np.uint64(0), np.int64(0))
    known, move, best = 0, -1, limit + 1
    if forced >= 0:
        order[0], promise[0] = forced, 0
        choices = 1
        if limit == PROBE:
            best = ENDLESS
    else:
        key = proof_key(tables, items, scratch.words, position, outlook.certain & ~position.hits)
        entry = find_proof(proven, key)
        if entry >= 0:
            known = np.int64(proven.proofs[entry]) >> 1
            if proven.proofs[entry] & 1 or known > limit:
                return known
            if proven.moves[entry] >= 0:
                move = np.int64(tables.cell_image[key.image, proven.moves[entry]])
        ranking = rank_cells(tables, scratch, items, depth, position, outlook, move)
        choices = ranking.choices
        known = max(known, ranking.bound)
        if choices == 0:
            return ranking.bound
        if known > limit:
            return known

    parts, bounds = scratch.parts[depth], scratch.bounds[depth]
    # A literal argument would make a second specialisation of this recursive function,
    # and those crash when loaded from Numba's cache.
    probe = min(limit, PROBE)
    worst, kinds = tables.worst, tables.ships + 2
    best_move, least = -1, ENDLESS
    for choice in range(choices):
        if promise[choice] >= best:
            least = min(least, promise[choice])
            continue
        cell = order[choice]
        split(tables, items, position, cell, top, parts, scratch.sizes)
        after = position.hits | (ONE << np.uint64(cell))
        missed = scratch.sizes[kinds - 1]
        value = 0 if worst else missed
        # In the worst case a miss costs 1, and only the layouts that are missed.
        extra = min(missed, 1) if worst else 0
        for part in range(kinds):
            struck = part < kinds - 1
            child = part_of(parts, part, after if struck else position.hits)
            bounds[part] = 0
            if child.count > 1:
                bounds[part] = search(
                    tables, proven, scratch, items, depth + 1, child, parts[kinds], probe
                )
                if scratch.stopped:
                    return 0
            if worst:
                value = max(value, bounds[part] + (0 if struck else extra))
            else:
                value += bounds[part]
            if value >= best:
                break
        if value >= best:
            least = min(least, value)
            continue
        if limit == PROBE:
            return value
        for part in range(kinds):
            struck = part < kinds - 1
            child = part_of(parts, part, after if struck else position.hits)
            if child.count <= 1:
                continue
            others = (0 if struck else extra) if worst else value - bounds[part]
            found = search(
                tables,
                proven,
                scratch,
                items,
                depth + 1,
                child,
                parts[kinds],
                best - 1 - others,
            )
            if scratch.stopped:
                return 0
            value = max(value, found + others) if worst else found + others
            if value >= best:
                break
        if value < best:
            best, best_move = value, cell
            if best <= known:
                break
        else:
            least = min(least, value)
    if forced >= 0:
        return best if best_move >= 0 else least
    proof = 2 * best + 1 if best_move >= 0 else 2 * max(known, least)
    if best_move >= 0:
        move = best_move
    store_proof(proven, key, proof, turned(tables.cell_image, key.image, move))
    return proof >> 1


GREEDY, INFORMED = range(2)
"""Policies of `play_policy`."""


class PolicyCost(NamedTuple):
    """What a policy costs against all layouts of a position."""

    misses: int
    """in total"""
    most: int
    """of any layout"""
    first: int
    """the first cell"""


@kernel
def play_policy(
    tables: SearchTables,
    proven: ProofTable,
    scratch: SearchScratch,
    items: Int32s,
    policy: int,
    root: Position,
) -> PolicyCost:
    """Play a policy against all layouts of a position at once.

    GREEDY shoots where most layouts have a ship, the first such cell. INFORMED
    plays what the table has solved, else the cell with the least promise of misses.
    In the worst case, solved positions count towards the most misses only.
    """
    kinds = tables.ships + 2
    parts, sizes = scratch.parts[0], scratch.sizes
    misses, most, first = 0, 0, -1
    scratch.stack_start[0], scratch.stack_count[0] = root.start, root.count
    scratch.stack_hits[0], scratch.stack_missed[0] = root.hits, 0
    height = 1
    while height > 0:
        height -= 1
        position = Position(
            scratch.stack_start[height], scratch.stack_count[height], scratch.stack_hits[height]
        )
        missed = scratch.stack_missed[height]
        most = max(most, missed)
        outlook = survey(tables, items, position)
        waiting = outlook.certain & ~position.hits
        if (
            first < 0
            and waiting != 0
            and (outlook.unsure == 0 or (policy == INFORMED and tables.answers == HIT_MISS))
        ):
            first = lowest(waiting)
        if outlook.unsure == 0:
            continue
        cell = -1
        if policy == GREEDY:
            cell = likeliest_cell(tables, items, scratch.degrees, position, True)
        elif tables.answers == HIT_MISS:
            position = Position(position.start, position.count, outlook.certain)
            waiting = np.uint64(0)
        else:
            cell = free_hit(tables, items, position, waiting)
        if cell < 0:
            key = proof_key(tables, items, scratch.words, position, waiting)
            entry = find_proof(proven, key)
            if entry >= 0 and proven.proofs[entry] & 1:
                if first < 0:
                    first = np.int64(tables.cell_image[key.image, proven.moves[entry]])
                cost = np.int64(proven.proofs[entry]) >> 1
                if tables.worst:
                    most = max(most, missed + cost)
                else:
                    misses += cost
                continue
            if rank_cells(tables, scratch, items, 0, position, outlook, -1).choices > 0:
                cell = scratch.order[0, 0]
            else:
                # One hit is left everywhere: the likeliest cell first.
                cell = likeliest_cell(tables, items, scratch.degrees, position, True)
        if first < 0:
            first = cell
        split(tables, items, position, cell, position.start + position.count, parts, sizes)
        misses += sizes[kinds - 1]
        for part in range(kinds):
            if parts[part + 1] > parts[part]:
                struck = part < kinds - 1
                scratch.stack_start[height] = parts[part]
                scratch.stack_count[height] = parts[part + 1] - parts[part]
                scratch.stack_hits[height] = position.hits
                if struck:
                    scratch.stack_hits[height] |= ONE << np.uint64(cell)
                scratch.stack_missed[height] = missed if struck else missed + 1
                height += 1
    return PolicyCost(misses, most, first)
