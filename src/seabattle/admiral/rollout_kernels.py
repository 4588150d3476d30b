"""Playing sampled layouts to the end with the weighted density, to compare first shots."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Board, Cells, Floats, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import UNKNOWN, Knowledge, clear, fire, hidden_fleet, lay, tell
from .choice_kernels import choose
from .weighted_density_kernels import WeightedDensity, start_density, weigh_changed


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
    knowledge: Knowledge,
    settings: Floats,
    root_density: WeightedDensity,
    density: WeightedDensity,
    placements: npt.NDArray[np.int32],
    cell: int,
    shots: npt.NDArray[np.int32],
) -> None:
    """Play each layout from the root with `cell` as the next shot; `shots` are those it takes
    from there."""
    ship_at, left = hidden_fleet(board)
    density.grid[:] = 0.0
    density.factor[: board.cells] = root_density.factor[: board.cells]
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at, left)
        for struck in range(board.cells):
            if ship_at[struck] >= 0 and root.status[struck] != UNKNOWN:
                left[ship_at[struck]] -= 1
        copy_density_position(board, root, root_density, knowledge, density)
        play_to_the_end(board, knowledge, settings, density, ship_at, left, cell)
        shots[game] = knowledge.shots - root.shots


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
