"""Whole games in one compiled call.

A compiled player is three functions:

    reset(board, sight, settings)                  prepare its own fields of the sight
    update(board, sight, settings, cell, answer)   keep them in step, after `tell`
    choose(board, sight, settings, rng) -> cell    the next shot

All it knows is in `sight`, and randomness is drawn only in `choose`, so the shots
and answers of a game determine its state: `position` rebuilds it from them for a
single move, and the games that `batch` plays are the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import compose, kernel
from .board import Board, Cells, Ints
from .rng import Rng
from .sight import Sight, clear, fire, lay, tell

# Templates call parts that `compose` binds.
# ruff: noqa: F821
reset: Callable[..., None]
update: Callable[..., None]
choose: Callable[..., int]


class Brain(NamedTuple):
    """The compiled forms of one strategy."""

    choose_next: Any
    play_games: Any


def _choose_next(
    board: Board, sight: Sight, settings: Ints, cells: Cells, answers: Ints, rng: Rng
) -> int:
    clear(board, sight)
    reset(board, sight, settings)
    for shot in range(cells.size):
        tell(board, sight, cells[shot], answers[shot])
        update(board, sight, settings, cells[shot], answers[shot])
    return choose(board, sight, settings, rng)


def _play_games(
    board: Board,
    sight: Sight,
    settings: Ints,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> None:
    """Play one game per row of `placements`; its shots go to a row of `fired`."""
    rng = np.empty(1, dtype=np.uint64)
    ship_at = np.empty(board.cells, dtype=np.int16)
    left = np.empty(board.ships, dtype=np.int64)
    for game in range(seeds.size):
        rng[0] = seeds[game]
        lay(board, placements[game], ship_at, left)
        clear(board, sight)
        reset(board, sight, settings)
        while sight.hits < board.ship_cells:
            cell = choose(board, sight, settings, rng)
            answer = fire(board, ship_at, left, cell)
            fired[game, sight.shots] = cell
            tell(board, sight, cell, answer)
            update(board, sight, settings, cell, answer)
        shots[game] = sight.shots


@kernel
def keep_nothing(board: Board, sight: Sight, settings: Ints) -> None:
    """`reset` of a player with no fields of its own."""


@kernel
def update_nothing(board: Board, sight: Sight, settings: Ints, cell: int, answer: int) -> None:
    """`update` of a player with no fields of its own."""


def brain(
    name: str,
    choose: Callable[..., int],
    reset: Callable[..., None] = keep_nothing,
    update: Callable[..., None] = update_nothing,
) -> Brain:
    """The compiled player made of these three functions."""
    parts = {"reset": reset, "update": update, "choose": choose}
    return Brain(
        choose_next=compose(_choose_next, name, **parts),
        play_games=compose(_play_games, name, **parts),
    )
