"""Playing sampled layouts to the end with the weighted density, to compare first shots."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.bits import ONE
from ..compiled.board_tables import Board, Cells, Floats, Int32s, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    MISS,
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


class RolloutMemory(NamedTuple):
    """What `roll_out` needs for a number of layouts."""

    states: KnowledgeArray
    """what is known after each number of shots from the root, on the path that is being played"""
    densities: npt.NDArray[np.void]
    """the densities there"""
    order: Int32s
    """(layouts,) the layouts, those that have given the same answers next to each other"""
    answers: Int32s
    """(layouts,) the next answer of each of these"""
    unsorted: Int32s
    unsorted_answers: Int32s
    """scratch for sorting them"""
    counts: Ints
    """scratch: how many have each answer"""


def new_rollout_memory(board: Board, layouts: int) -> RolloutMemory:
    depths = int(board.cells) + 1
    order, answers, unsorted, unsorted_answers = np.zeros((4, layouts), dtype=np.int32)
    return RolloutMemory(
        new_knowledge_array(depths),
        np.zeros(depths, dtype=struct_type(WeightedDensity)),
        order,
        answers,
        unsorted,
        unsorted_answers,
        np.zeros(4 * (int(board.ships) + 2), dtype=np.int64),
    )


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
    states, densities, order = memory.states, memory.densities, memory.order
    for game in range(placements.shape[0]):
        order[game] = game
    copy_density_position(board, root, root_density, states[0], densities[0])
    shot_at[0], following[0], ends[0] = cell, 0, placements.shape[0]
    sort_by_answer(board, states[0], memory, placements, cell, 0, ends[0])
    depth = 0
    while depth >= 0:
        if following[depth] == ends[depth]:
            depth -= 1
            continue
        begin, answer = following[depth], memory.answers[following[depth]]
        end = begin + 1
        while end < ends[depth] and memory.answers[end] == answer:
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
        sort_by_answer(board, state, memory, placements, shot_at[depth], begin, end)


@kernel
def sort_by_answer(
    board: Board,
    knowledge: Knowledge,
    memory: RolloutMemory,
    placements: npt.NDArray[np.int32],
    cell: int,
    begin: int,
    end: int,
) -> None:
    """Sort the layouts from `begin` to `end` by their answers to a shot at `cell`."""
    counts = memory.counts
    counts[:] = 0
    for place in range(begin, end):
        answer = answer_of(board, knowledge, placements[memory.order[place]], cell)
        memory.unsorted[place], memory.unsorted_answers[place] = memory.order[place], answer
        counts[answer + 1] += 1
    for answer in range(1, counts.size):
        counts[answer] += counts[answer - 1]
    for place in range(begin, end):
        answer = memory.unsorted_answers[place]
        to = begin + counts[answer]
        counts[answer] += 1
        memory.order[to], memory.answers[to] = memory.unsorted[place], answer


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
