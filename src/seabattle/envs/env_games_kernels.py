"""Many games side by side, each one shot further per call: the core of the environments.

A seat is one game: its hidden layout and what its shooter was told. Seats are dealt
from numbered layouts: game `number` of a seed has the layout that `deal_many` gives it,
so what is played depends on nothing but rules, seed and number. A layout that
rejection does not find is left to the caller, who lays it down with `lay_down`.

Functions called from Python take the board and the terms as arrays of one record, which
NumPy hands over several times as fast as a record: that is most of the cost of one step
of one game.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import MOST_CELLS, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    MISS,
    UNKNOWN,
    CellKnowledge,
    clear,
    fire,
    lay,
    nth_unknown,
    tell,
    unknown_cells,
)
from ..compiled.prefetch import prefetch
from ..compiled.random_streams import Rng, below, stream
from ..compiled.seeds import LAYOUT_STREAM
from ..compiled.structs import struct_type
from ..dealing.uniform_kernels import deal
from ..learn.encoding_kernels import HIT_PLANE, MISSED_PLANE, Planes, start_planes, update_planes
from ..search.guessed_outcomes_kernels import quickness

SHOTS, HITS, ADVANTAGE, FINISH = range(4)
"""The reward designs (see `seabattle.envs.rewards`)."""

AHEAD = 8
"""How many seats before its turn the memory of one is asked for."""

PLAYING, OVER, UNDEALT = range(3)
"""What a seat is at: OVER begins its next game at the next step; UNDEALT lacks a layout."""


class EnvGame(CellKnowledge):
    """One game: what its shooter knows, and the truth."""

    state: Annotated[int, "i8"]
    number: Annotated[int, "i8"]
    """the number of the game's layout"""
    wasted: Annotated[int, "i8"]
    """illegal shots of the game so far; `shots` has the legal ones"""
    rng: Annotated[Rng, "u8", (1,)]
    """of `sample`"""
    left: Annotated[Ints, "i8", (MOST_CELLS,)]
    """unhit cells of each ship"""
    ship_at: Annotated[npt.NDArray[np.int16], "i2", (MOST_CELLS,)]
    """the ship on each cell, or -1"""


class Terms:
    """What is played for; the same for all seats."""

    reward: Annotated[int, "i8"]
    most_steps: Annotated[int, "i8"]
    """shots after which a game is cut off, wasted ones included; 0 for no limit"""
    tries: Annotated[int, "i8"]
    """how often `deal` tries"""
    seats: Annotated[int, "i8"]
    """what the number of a seat's game grows by from one game to the next"""
    seed: Annotated[np.uint64, "u8"]


EnvGames = npt.NDArray[np.void]
Boards = npt.NDArray[np.void]
"""an array of one `Board`"""


def new_env_games(count: int) -> EnvGames:
    """Room for some seats; `begin` makes them games."""
    return np.zeros(count, dtype=struct_type(EnvGame))


@kernel
def prefetch_game(seats: EnvGames, index: int) -> None:
    """Have the counters of a seat brought into the cache."""
    prefetch(seats, index)
    prefetch(seats[index].rng, 0)


@kernel
def prefetch_cell(board: Board, seat: EnvGame, cell: int) -> None:
    """Have what a shot at a cell of the board reads brought into the cache."""
    prefetch(seat.status, cell)
    prefetch(seat.where, cell)
    prefetch(seat.ship_at, cell)
    prefetch(seat.fired, seat.shots)
    prefetch(seat.unknown, seat.even - 1)
    prefetch(seat.unknown, (board.cells + 1) // 2 + seat.odd - 1)


@kernel
def begin(
    board: Board,
    terms: Terms,
    seat: EnvGame,
    rng: Rng,
    placements: npt.NDArray[np.int32],
    planes: Planes,
    mask: npt.NDArray[np.bool_],
) -> bool:
    """Start the game of `seat.number`; False if its layout has to come from the caller."""
    clear(board, seat)
    seat.wasted = 0
    start_planes(board, planes)
    mask[:] = True
    rng[0] = stream(terms.seed, seat.number, LAYOUT_STREAM)
    if not deal(board, rng, terms.tries, placements):
        seat.state = UNDEALT
        return False
    lay(board, placements, seat.ship_at, seat.left)
    seat.state = PLAYING
    return True


@kernel
def begin_env_games(
    boards: Boards,
    all_terms: npt.NDArray[np.void],
    seats: EnvGames,
    start: int,
    stop: int,
    chosen: npt.NDArray[np.bool_],
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_],
) -> int:
    """Start the games of the chosen seats from `start` to `stop` - 1.

    Returns how many of them lack a layout.
    """
    board, terms = boards[0], all_terms[0]
    rng = np.empty(1, dtype=np.uint64)
    placements = np.empty(board.ships, dtype=np.int32)
    undealt = 0
    for index in range(start, stop):
        if chosen[index] and not begin(
            board, terms, seats[index], rng, placements, planes[index], masks[index]
        ):
            undealt += 1
    return undealt


@kernel
def lay_down(
    boards: Boards, seats: EnvGames, index: int, placements: npt.NDArray[np.int32]
) -> None:
    """Give a seat that has just begun its layout."""
    lay(boards[0], placements, seats[index].ship_at, seats[index].left)
    seats[index].state = PLAYING


@kernel
def reward_of(board: Board, terms: Terms, hit: bool, left: int, unknown: int, shots: int) -> float:
    """What one shot earns.

    `left` ship cells were unhit and `unknown` cells not shot at before it; `shots` counts
    the game's shots with it.
    """
    if terms.reward == SHOTS:
        return -1.0
    if terms.reward == HITS:
        return 1.0 if hit else -1.0
    if terms.reward == ADVANTAGE:
        return 2.0 * ((1.0 if hit else 0.0) - left / unknown)
    if not hit or left > 1:
        return 0.0
    return quickness(board, shots)


@kernel
def step_env_games(
    boards: Boards,
    all_terms: npt.NDArray[np.void],
    seats: EnvGames,
    start: int,
    stop: int,
    actions: Ints,
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_],
    rewards: npt.NDArray[np.float64],
    terminated: npt.NDArray[np.bool_],
    truncated: npt.NDArray[np.bool_],
    shots: npt.NDArray[np.int32],
    wasted: npt.NDArray[np.int32],
) -> int:
    """Fire one shot in each seat from `start` to `stop` - 1, or begin its next game if the
    last one is over. Returns how many seats lack a layout."""
    board, terms = boards[0], all_terms[0]
    rng = np.empty(1, dtype=np.uint64)
    placements = np.empty(board.ships, dtype=np.int32)
    undealt = 0
    for index in range(start, stop):
        if index + 2 * AHEAD < stop:
            prefetch_game(seats, index + 2 * AHEAD)
        later = index + AHEAD
        if later < stop and 0 <= actions[later] < board.cells:
            prefetch_cell(board, seats[later], actions[later])
            prefetch(masks[later], actions[later])
            prefetch(planes[later, MISSED_PLANE], actions[later])
            prefetch(planes[later, HIT_PLANE], actions[later])
        seat = seats[index]
        rewards[index] = 0.0
        terminated[index] = truncated[index] = False
        shots[index] = wasted[index] = 0
        if seat.state != PLAYING:
            seat.number += terms.seats
            if not begin(board, terms, seat, rng, placements, planes[index], masks[index]):
                undealt += 1
            continue
        cell = actions[index]
        left, unknown = board.ship_cells - seat.hits, unknown_cells(seat)
        hit = False
        if 0 <= cell < board.cells and seat.status[cell] == UNKNOWN:
            answer = fire(board, seat.ship_at, seat.left, cell)
            tell(board, seat, cell, answer)
            update_planes(board, seat, planes[index], cell, answer)
            masks[index, cell] = False
            hit = answer != MISS
        else:
            seat.wasted += 1
        fired = seat.shots + seat.wasted
        rewards[index] = reward_of(board, terms, hit, left, unknown, fired)
        shots[index], wasted[index] = fired, seat.wasted
        terminated[index] = seat.hits == board.ship_cells
        truncated[index] = not terminated[index] and fired == terms.most_steps
        if terminated[index] or truncated[index]:
            seat.state = OVER
            # The next action is ignored; a mask with no action in it would make nan of a
            # policy that is masked by it.
            masks[index, :] = True
    return undealt


@kernel
def sample(
    boards: Boards,
    all_terms: npt.NDArray[np.void],
    seats: EnvGames,
    start: int,
    stop: int,
    actions: Ints,
) -> int:
    """A uniform random legal action for each seat; 0 where the game is over. Returns 0."""
    board = boards[0]
    for index in range(start, stop):
        if index + AHEAD < stop:
            prefetch_game(seats, index + AHEAD)
        seat = seats[index]
        if seat.state == PLAYING:
            actions[index] = nth_unknown(board, seat, below(seat.rng, unknown_cells(seat)))
        else:
            actions[index] = 0
    return 0
