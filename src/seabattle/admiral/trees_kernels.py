"""Comparing shots on all layouts that are left, by what the play after them costs.

The play after a shot is that of the weighted density. Greedy play on the list (`endgame_kernels`)
knows more, but it does not plan, and needs more shots wherever many layouts are left. Where few are
left, the two are equally good and greedy play is quicker. Rules without a weighted density are
played greedily throughout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..belief.evidence_kernels import Evidence
from ..compiled.board_tables import WORDS, Board, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import MISS, Knowledge, KnowledgeArray, new_knowledge_array, tell
from ..compiled.structs import struct_type
from .choice_kernels import choose
from .endgame_kernels import (
    TOO_MANY,
    ZERO,
    Endgame,
    TreeNode,
    greedy_misses,
    number_bits,
    number_cells,
    renumber,
)
from .rollout_kernels import (
    LayoutOrder,
    copy_density_position,
    new_answer_counts,
    sort_by_answer,
)
from .weighted_density_kernels import WeightedDensity, weigh_changed

FEW = 64
"""Layouts up to which greedy play takes over from the weighted density."""

SHORT = 256
"""If trees may have at most this many layouts, greedy play alone decides: there the two choose
equally well."""

ALL = 2**62
"""No limit: more than any list holds."""


class TreeBase(NamedTuple):
    """The weighted density in trees: its settings, and its state from the root to the node that is
    being played."""

    few: int
    """layouts up to which greedy play takes over; ALL without a weighted density"""
    settings: Floats
    states: KnowledgeArray
    """what is known after each number of shots from the root; the first one is the root"""
    densities: npt.NDArray[np.void]
    """the densities there"""
    layouts: LayoutOrder
    """the list of the end-game"""


def new_tree_base(
    board: Board, settings: Floats | None, game: Endgame, few: int | None = None
) -> TreeBase:
    """For trees on the list of an end-game, whose capacity decides `few` if it is not given.
    Without settings, greedy play decides at every node."""
    if few is None:
        few = FEW if len(game.order) > SHORT else ALL
    depths = int(board.cells) + 1 if settings is not None else 1
    scratch = np.zeros_like(game.sorted), new_answer_counts(board)
    return TreeBase(
        few if settings is not None else ALL,
        np.zeros(0) if settings is None else settings,
        new_knowledge_array(depths),
        np.zeros(depths, dtype=struct_type(WeightedDensity)),
        LayoutOrder(game.order, game.answers, game.sorted, *scratch),
    )


@kernel
def set_root(board: Board, base: TreeBase, knowledge: Knowledge, density: WeightedDensity) -> None:
    """Begin trees in this position."""
    for depth in range(base.densities.size):
        base.densities[depth].factor[: board.cells] = density.factor[: board.cells]
    copy_density_position(board, knowledge, density, base.states[0], base.densities[0])


@kernel
def misses_after(
    board: Board, game: Endgame, base: TreeBase, layouts: int, number: int, limit: int
) -> int:
    """Misses that the layouts listed cost together: by a shot at the cell of this number, then by
    the weighted density where many layouts are left and by greedy play elsewhere. At least
    `limit` as soon as that is reached."""
    if layouts <= base.few:
        return greedy_misses(board, game, TreeNode(0, layouts, ZERO, ZERO), number, limit)
    ends, following = np.empty(board.cells, np.int64), np.empty(board.cells, np.int64)
    shot_at = np.empty(board.cells, np.int64)
    fired = np.zeros((board.cells + 1, 2), np.uint64)
    states, densities, answers = base.states, base.densities, game.answers
    misses, depth = 0, 0
    shot_at[0], following[0], ends[0] = game.live[number], 0, layouts
    fired[1, 0], fired[1, 1] = number_bits(number)
    sort_by_answer(board, states[0], base.layouts, game.placements, shot_at[0], 0, layouts, True)
    while depth >= 0:
        if following[depth] == ends[depth]:
            depth -= 1
            continue
        begin, answer = following[depth], answers[following[depth]]
        # As in `roll_out`; a function for both would make trees a seventh slower.
        end = begin + 1
        while end < ends[depth] and answers[end] == answer:
            end += 1
        following[depth] = end
        if answer == MISS:
            misses += end - begin
        if misses >= limit:
            return misses
        if end == begin + 1:
            continue
        if end - begin <= base.few:
            node = TreeNode(begin, end, fired[depth + 1, 0], fired[depth + 1, 1])
            misses += greedy_misses(board, game, node, -1, limit - misses)
            continue
        state, density = states[depth + 1], densities[depth + 1]
        copy_density_position(board, states[depth], densities[depth], state, density)
        tell(board, state, shot_at[depth], answer)
        if state.hits == board.ship_cells:
            continue
        weigh_changed(board, state, base.settings, density, shot_at[depth], answer)
        depth += 1
        cell = choose(board, state, base.settings, density)
        shot_at[depth], following[depth], ends[depth] = cell, begin, end
        low, high = number_bits(game.numbers[cell])
        fired[depth + 1, 0], fired[depth + 1, 1] = fired[depth, 0] | low, fired[depth, 1] | high
        sort_by_answer(board, state, base.layouts, game.placements, cell, begin, end, True)
    return misses


@kernel
def best_by_trees(
    board: Board,
    game: Endgame,
    evidence: Evidence,
    base: TreeBase,
    layouts: int,
    width: int,
    cut: bool,
    tried: Ints,
    misses: Ints,
) -> tuple[int, int]:
    """Compare the `width` cells that most layouts have a ship on, with the choice of the weighted
    density among them; returns how many there are and which is best, or TOO_MANY if too many cells
    matter.

    `tried` holds the cells, the most likely first, and `misses` what all layouts together
    cost after each; if trees are `cut` when they cannot be best, at least that, and 0 if a certain
    hit is the only cell.
    """
    fired = np.empty(WORDS, dtype=np.uint64)
    for word in range(WORDS):
        fired[word] = evidence.hit_bits[word] | evidence.miss_bits[word]
    live = number_cells(board, game, layouts, fired)
    if live == TOO_MANY:
        return TOO_MANY, 0
    numbers = np.empty(width, dtype=np.int64)
    number = 0
    for _ in range(width):
        best = -1
        for each in range(live):
            used = False
            for earlier in range(number):
                used = used or numbers[earlier] == each
            if not used and (best < 0 or is_likelier(game, game.live[each], game.live[best])):
                best = each
        if best < 0:
            break
        numbers[number], tried[number] = best, game.live[best]
        number += 1
        if game.cell_counts[game.live[best]] == layouts:
            misses[0] = 0
            break  # a certain hit
    if number == width > 1 and layouts > base.few:
        include_choice(board, game, base, live, numbers, tried)
    best = 0
    if number > 1 or not cut:
        renumber(board, game, layouts, live)
        limit = ALL
        for each in range(number):
            misses[each] = misses_after(board, game, base, layouts, numbers[each], limit)
            if misses[each] < misses[best]:
                best = each
            if cut:
                limit = misses[best]
    return number, best


@kernel
def is_likelier(game: Endgame, cell: int, other: int) -> bool:
    """Whether more layouts have a ship on the one cell than on the other or, if as many have,
    fewer around it."""
    if game.cell_counts[cell] != game.cell_counts[other]:
        return bool(game.cell_counts[cell] > game.cell_counts[other])
    return bool(game.around[cell] < game.around[other])


@kernel
def include_choice(
    board: Board, game: Endgame, base: TreeBase, live: int, numbers: Ints, tried: Ints
) -> None:
    """Put the weighted density's own choice in the place of the last cell, if it is not there."""
    cell = choose(board, base.states[0], base.settings, base.densities[0])
    for each in range(tried.size):
        if tried[each] == cell:
            return
    for each in range(live):
        if game.live[each] == cell:
            numbers[-1], tried[-1] = each, cell
