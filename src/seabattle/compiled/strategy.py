"""Whole games in one compiled call.

A compiled player is three functions:

    reset(board, knowledge, settings)                  prepare its own fields of the knowledge
    update(board, knowledge, settings, cell, answer)   keep them in step, after `tell`
    choose(board, knowledge, settings, rng) -> cell    the next shot

All it knows is in `knowledge`, and random numbers are drawn only in `choose`, so the shots
and answers of a game determine its state: `choose_next` rebuilds it from them, or brings it
up to date, for a single move; `play_games` plays the same games, and `play_salvos` those
with several shots per turn. In a salvo, `choose` is called for each shot, with those before
it PENDING, and `update` for each answer once all are chosen.

Both take the board and the knowledge as arrays of one record, which are passed several times
as fast as a record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .board_tables import Board, Cells, Ints
from .jit import compose, kernel
from .knowledge import (
    PENDING,
    SANK,
    Knowledge,
    clear,
    fire,
    hidden_fleet,
    hold,
    lay,
    release,
    salvo_size,
    tell,
    tell_held,
    unknown_cells,
)
from .random_streams import Rng

# Templates call parts that `compose` binds.
# ruff: noqa: F821
reset: Callable[..., None]
update: Callable[..., None]
choose: Callable[..., int]


Boards = npt.NDArray[np.void]
"""an array of one `Board` (see `rules_tables.board_array_of`)"""


class CompiledStrategy(NamedTuple):
    """The compiled forms of one strategy."""

    choose_next: Any
    play_games: Any
    play_salvos: Any


def _choose_next(
    boards: Boards,
    state: npt.NDArray[np.void],
    settings: Ints,
    cells: Cells,
    answers: Ints,
    known: int,
    shots: int,
    chosen: int,
    rng: Rng,
) -> int:
    """The next shot after the first `shots` of `cells`; the first `known` of them are in
    `state` already. If none are, it is set to the start of a game. The cells from `shots` to
    `chosen` are those of this salvo so far, without answers."""
    board, knowledge = boards[0], state[0]
    if known == 0:
        clear(board, knowledge)
        reset(board, knowledge, settings)
    for shot in range(known, shots):
        if knowledge.status[cells[shot]] != PENDING:
            hold(board, knowledge, cells[shot])
    release(knowledge, cells[known:shots])
    for shot in range(known, shots):
        tell_held(board, knowledge, cells[shot], answers[shot])
        update(board, knowledge, settings, cells[shot], answers[shot])
    for shot in range(shots, chosen):
        if knowledge.status[cells[shot]] != PENDING:
            hold(board, knowledge, cells[shot])
    return choose(board, knowledge, settings, rng)


def _play_games(
    boards: Boards,
    state: npt.NDArray[np.void],
    settings: Ints,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> None:
    """Play one game per row of `placements`; its cells go to a row of `fired`.

    `seeds` is (games, 1), where each game's randomness starts; or (games, cells), a new start
    for every shot, as in games that are played move by move.
    """
    board, knowledge = boards[0], state[0]
    rng = np.empty(1, dtype=np.uint64)
    ship_at, left = hidden_fleet(board)
    for game in range(seeds.shape[0]):
        rng[0] = seeds[game, 0]
        lay(board, placements[game], ship_at, left)
        clear(board, knowledge)
        reset(board, knowledge, settings)
        while knowledge.hits < board.ship_cells:
            if seeds.shape[1] > 1:
                rng[0] = seeds[game, knowledge.shots]
            cell = choose(board, knowledge, settings, rng)
            answer = fire(board, ship_at, left, cell)
            fired[game, knowledge.shots] = cell
            tell(board, knowledge, cell, answer)
            update(board, knowledge, settings, cell, answer)
        shots[game] = knowledge.shots


def _play_salvos(
    boards: Boards,
    state: npt.NDArray[np.void],
    settings: Ints,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    salvo: int,
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> None:
    """`_play_games` with `salvo` shots per turn; 0 for as many as ships are afloat."""
    board, knowledge = boards[0], state[0]
    rng = np.empty(1, dtype=np.uint64)
    ship_at, left = hidden_fleet(board)
    for game in range(seeds.shape[0]):
        rng[0] = seeds[game, 0]
        lay(board, placements[game], ship_at, left)
        clear(board, knowledge)
        reset(board, knowledge, settings)
        sunk = 0
        while knowledge.hits < board.ship_cells:
            first = knowledge.shots
            end = first + salvo_size(board, salvo, sunk, unknown_cells(knowledge))
            for shot in range(first, end):
                if seeds.shape[1] > 1:
                    rng[0] = seeds[game, shot]
                cell = choose(board, knowledge, settings, rng)
                hold(board, knowledge, cell)
                fired[game, shot] = cell
            release(knowledge, fired[game, first:end])
            for shot in range(first, end):
                cell = np.int64(fired[game, shot])
                answer = fire(board, ship_at, left, cell)
                if answer & 3 == SANK:
                    sunk += 1
                tell_held(board, knowledge, cell, answer)
                update(board, knowledge, settings, cell, answer)
        shots[game] = knowledge.shots


@kernel
def keep_nothing(board: Board, knowledge: Knowledge, settings: Ints) -> None:
    """`reset` of a player with no fields of its own."""


@kernel
def update_nothing(
    board: Board, knowledge: Knowledge, settings: Ints, cell: int, answer: int
) -> None:
    """`update` of a player with no fields of its own."""


def compile_strategy(
    name: str,
    choose: Callable[..., int],
    reset: Callable[..., None] = keep_nothing,
    update: Callable[..., None] = update_nothing,
) -> CompiledStrategy:
    """The compiled player made of these three functions."""
    parts = {"reset": reset, "update": update, "choose": choose}
    return CompiledStrategy(
        choose_next=compose(_choose_next, name, **parts),
        play_games=compose(_play_games, name, **parts),
        play_salvos=compose(_play_salvos, name, **parts),
    )
