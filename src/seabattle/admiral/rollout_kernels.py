"""Playing sampled layouts to the end with the weighted density, to compare first shots."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Cells, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import UNKNOWN, Knowledge, clear, fire, lay, tell
from .weighted_density_kernels import choose, weigh_all, weigh_changed


@kernel
def learn_shots(
    board: Board, knowledge: Knowledge, settings: Ints, cells: Cells, answers: Ints
) -> None:
    """What is known after these shots, with the weights that the density needs."""
    clear(board, knowledge)
    for shot in range(cells.size):
        tell(board, knowledge, cells[shot], answers[shot])
    weigh_all(board, knowledge, settings)


@kernel
def copy_knowledge(board: Board, source: Knowledge, target: Knowledge) -> None:
    """Copy the fields that the weighted density uses."""
    target.shots, target.hits, target.open_hits = source.shots, source.hits, source.open_hits
    target.even, target.odd = source.even, source.odd
    cells = board.cells
    target.status[:cells] = source.status[:cells]
    target.owner[:cells] = source.owner[:cells]
    target.unknown[:cells] = source.unknown[:cells]
    target.where[:cells] = source.where[:cells]
    target.own_counts[:cells] = source.own_counts[:cells]
    target.afloat[: board.ships] = source.afloat[: board.ships]
    target.own_ships[:] = source.own_ships[:]
    target.own_worth[: board.placements] = source.own_worth[: board.placements]


@kernel
def roll_out(
    board: Board,
    root: Knowledge,
    knowledge: Knowledge,
    settings: Ints,
    placements: npt.NDArray[np.int32],
    cell: int,
    shots: npt.NDArray[np.int32],
    rng: npt.NDArray[np.uint64],
) -> None:
    """Play each layout from the root with `cell` as the next shot; `shots` are those it takes
    from there."""
    ship_at = np.empty(board.cells, dtype=np.int16)
    left = np.empty(board.ships, dtype=np.int64)
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at, left)
        for struck in range(board.cells):
            if ship_at[struck] >= 0 and root.status[struck] != UNKNOWN:
                left[ship_at[struck]] -= 1
        copy_knowledge(board, root, knowledge)
        shot = cell
        while True:
            answer = fire(board, ship_at, left, shot)
            tell(board, knowledge, shot, answer)
            if knowledge.hits == board.ship_cells:
                break
            weigh_changed(board, knowledge, settings, shot, answer)
            shot = choose(board, knowledge, settings, rng)
        shots[game] = knowledge.shots - root.shots
