"""Playing sampled layouts to the end with the weighted density, to compare first shots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE
from ..compiled.board_tables import SUNK_NAMED, Board, Cells, Floats, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    MISS,
    SANK,
    UNKNOWN,
    Knowledge,
    KnowledgeArray,
    answer_code,
    clear,
    fire,
    hidden_fleet,
    lay,
    new_knowledge_array,
    tell,
)
from ..compiled.structs import struct_type
from .choice_kernels import choose
from .weighted_density_kernels import WeightedDensity, start_density, weigh_changed


class LayoutOrder(NamedTuple):
    """Layouts in an order in which those that have given the same answers are adjacent."""

    order: Int32s
    """(layouts,)"""
    answers: Int32s
    """(layouts,) the next answer of each of these"""
    unsorted: Int32s
    unsorted_answers: Int32s
    """scratch for sorting them"""
    counts: Ints
    """scratch: how many have each answer"""


class RolloutMemory(NamedTuple):
    """What `roll_out` needs for a number of layouts."""

    states: KnowledgeArray
    """what is known after each number of shots from the root, on the path that is being played"""
    densities: npt.NDArray[np.void]
    """the densities there"""
    layouts: LayoutOrder


def new_rollout_memory(board: Board, layouts: int) -> RolloutMemory:
    depths = int(board.cells) + 1
    order, answers, unsorted, unsorted_answers = np.zeros((4, layouts), dtype=np.int32)
    return RolloutMemory(
        new_knowledge_array(depths),
        np.zeros(depths, dtype=struct_type(WeightedDensity)),
        LayoutOrder(order, answers, unsorted, unsorted_answers, new_answer_counts(board)),
    )


def new_answer_counts(board: Board) -> Ints:
    return np.zeros(4 * (int(board.ships) + 2), dtype=np.int64)


@kernel
def learn_shots(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    density: WeightedDensity,
    cells: Cells,
    answers: Ints,
) -> None:
    """What is known after these shots, with the totals that the density needs."""
    clear(board, knowledge)
    for shot in range(cells.size):
        tell(board, knowledge, cells[shot], answers[shot])
    start_density(board, knowledge, settings, density)


@kernel
def copy_density_position(
    board: Board,
    knowledge: Knowledge,
    density: WeightedDensity,
    to: Knowledge,
    to_density: WeightedDensity,
) -> None:
    """Copy the fields that the weighted density uses."""
    to.shots, to.hits, to.open_hits = knowledge.shots, knowledge.hits, knowledge.open_hits
    to.even, to.odd = knowledge.even, knowledge.odd
    cells = board.cells
    to.status[:cells] = knowledge.status[:cells]
    to.owner[:cells] = knowledge.owner[:cells]
    to.unknown[:cells] = knowledge.unknown[:cells]
    to.where[:cells] = knowledge.where[:cells]
    to.afloat[: board.ships] = knowledge.afloat[: board.ships]
    to_density.totals[:cells] = density.totals[:cells]
    to_density.unknown[:cells] = density.unknown[:cells]
    to_density.ships[:] = density.ships[:]
    to_density.hits[: board.placements] = density.hits[: board.placements]


@kernel
def roll_out(
    board: Board,
    root: Knowledge,
    settings: Floats,
    root_density: WeightedDensity,
    memory: RolloutMemory,
    placements: npt.NDArray[np.int32],
    cell: int,
    shots: npt.NDArray[np.int32],
) -> None:
    """Play each layout from the root with `cell` as the next shot; `shots` are those it takes
    from there.

    Layouts that give the same answers are played together until their answers differ: for
    thousands of them, that is half of the game.
    """
    ship_at, left = hidden_fleet(board)
    ends, following = np.empty(board.cells, np.int64), np.empty(board.cells, np.int64)
    shot_at = np.empty(board.cells, np.int64)
    for depth in range(board.cells + 1):
        memory.densities[depth].factor[: board.cells] = root_density.factor[: board.cells]
    states, densities, order = memory.states, memory.densities, memory.layouts.order
    for game in range(placements.shape[0]):
        order[game] = game
    copy_density_position(board, root, root_density, states[0], densities[0])
    shot_at[0], following[0], ends[0] = cell, 0, placements.shape[0]
    answers = memory.layouts.answers
    sort_by_answer(board, states[0], memory.layouts, placements, cell, 0, ends[0], False)
    depth = 0
    while depth >= 0:
        if following[depth] == ends[depth]:
            depth -= 1
            continue
        begin, answer = following[depth], answers[following[depth]]
        end = begin + 1
        while end < ends[depth] and answers[end] == answer:
            end += 1
        following[depth] = end
        state, density = states[depth + 1], densities[depth + 1]
        copy_density_position(board, states[depth], densities[depth], state, density)
        if end == begin + 1:
            lay_rest(board, placements[order[begin]], state, ship_at, left)
            play_to_the_end(board, state, settings, density, ship_at, left, shot_at[depth])
            shots[order[begin]] = state.shots - root.shots
            continue
        tell(board, state, shot_at[depth], answer)
        if state.hits == board.ship_cells:
            for place in range(begin, end):
                shots[order[place]] = state.shots - root.shots
            continue
        weigh_changed(board, state, settings, density, shot_at[depth], answer)
        depth += 1
        shot_at[depth] = choose(board, state, settings, density)
        following[depth], ends[depth] = begin, end
        sort_by_answer(board, state, memory.layouts, placements, shot_at[depth], begin, end, False)


@kernel
def sort_by_answer(
    board: Board,
    knowledge: Knowledge,
    layouts: LayoutOrder,
    placements: npt.NDArray[np.int32],
    cell: int,
    begin: int,
    end: int,
    alike: bool,
) -> None:
    """Sort the layouts from `begin` to `end` by their answers to a shot at `cell`. If ships of one
    length are `alike`, it makes no difference which of them has sunk."""
    counts = layouts.counts
    counts[:] = 0
    for place in range(begin, end):
        layout = layouts.order[place]
        answer = answer_of(board, knowledge, placements[layout], cell)
        if alike and board.answers == SUNK_NAMED and answer & 3 == SANK:
            answer = first_afloat(board, knowledge, answer)
        layouts.unsorted[place], layouts.unsorted_answers[place] = layout, answer
        counts[answer + 1] += 1
    for answer in range(1, counts.size):
        counts[answer] += counts[answer - 1]
    for place in range(begin, end):
        answer = layouts.unsorted_answers[place]
        to = begin + counts[answer]
        counts[answer] += 1
        layouts.order[to], layouts.answers[to] = layouts.unsorted[place], answer


@kernel
def first_afloat(board: Board, knowledge: Knowledge, answer: int) -> int:
    """The answer with the first ship afloat of the same length."""
    length = board.fleet[(answer >> 2) - 1]
    for ship in range(board.ships):
        if knowledge.afloat[ship] and board.fleet[ship] == length:
            return SANK + 4 * (ship + 1)
    return answer


@kernel
def answer_of(
    board: Board, knowledge: Knowledge, placements: npt.NDArray[np.int32], cell: int
) -> int:
    """The answer to a shot at an unknown cell, for a layout that agrees with what is known."""
    word, bit = cell >> 6, ONE << np.uint64(cell & 63)
    for ship in range(board.ships):
        placement = placements[ship]
        if board.mask[placement, word] & bit != 0:
            unknown = 0
            for k in range(board.length[placement]):
                unknown += knowledge.status[board.cover[placement, k]] == UNKNOWN
            return answer_code(board.answers, ship, unknown == 1)
    return MISS


@kernel
def lay_rest(
    board: Board,
    placements: npt.NDArray[np.int32],
    knowledge: Knowledge,
    ship_at: Cells,
    left: Ints,
) -> None:
    """Place a fleet as it is after the shots so far."""
    lay(board, placements, ship_at, left)
    for cell in range(board.cells):
        if ship_at[cell] >= 0 and knowledge.status[cell] != UNKNOWN:
            left[ship_at[cell]] -= 1


@kernel
def play_to_the_end(
    board: Board,
    knowledge: Knowledge,
    settings: Floats,
    density: WeightedDensity,
    ship_at: Cells,
    left: Ints,
    cell: int,
) -> None:
    """Finish a game, with the next shot at `cell`."""
    while True:
        answer = fire(board, ship_at, left, cell)
        tell(board, knowledge, cell, answer)
        if knowledge.hits == board.ship_cells:
            return
        weigh_changed(board, knowledge, settings, density, cell, answer)
        cell = choose(board, knowledge, settings, density)
