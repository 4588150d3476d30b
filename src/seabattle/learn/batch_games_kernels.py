"""Many games side by side: every game of a batch fires its next shot in one call.

For players whose choice is best worked out for many positions at once. `knowledges` are
told what the player's own rules would tell, which may be less than those of the game
(see `weaken`): a player that learnt without the news of a sinking plays on without it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import HIT_MISS, SUNK, SUNK_NAMED, Board, Ints
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    HIT,
    MISS,
    MISSED,
    UNKNOWN,
    Knowledge,
    clear,
    fire,
    lay,
    nth_unknown,
    tell,
    unknown_cells,
)
from ..compiled.random_streams import below, fraction
from ..compiled.structs import struct_type
from .encoding_kernels import fill_planes

Knowledges = npt.NDArray[np.void]
"""(games,) a `Knowledge` each"""


def new_knowledges(games: int) -> Knowledges:
    return np.zeros(games, dtype=struct_type(Knowledge))


@kernel
def weaken(answer: int, answers: int) -> int:
    """What is left of an answer under rules that tell less."""
    kind = answer & 3
    if answers == HIT_MISS:
        return MISS if kind == MISS else HIT
    if answers == SUNK or (answers == SUNK_NAMED and kind == HIT):
        return kind
    return answer


@kernel
def begin_games(
    board: Board,
    placements: npt.NDArray[np.int32],
    knowledges: Knowledges,
    ship_at: npt.NDArray[np.int16],
    left: Ints,
) -> None:
    """Lay the fleet of every game and clear every knowledge."""
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at[game], left[game])
        clear(board, knowledges[game])


@kernel
def fire_all(
    board: Board,
    own: Board,
    games: Ints,
    cells: Ints,
    knowledges: Knowledges,
    ship_at: npt.NDArray[np.int16],
    left: Ints,
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> int:
    """Fire `cells[k]` in game `games[k]`; the games that go on move to the front of `games`.

    `own` is the board of the player's rules. Returns how many games go on.
    """
    going = 0
    for k in range(games.size):
        game, cell = games[k], cells[k]
        knowledge = knowledges[game]
        answer = fire(board, ship_at[game], left[game], cell)
        fired[game, knowledge.shots] = cell
        tell(own, knowledge, cell, weaken(answer, own.answers))
        shots[game] = knowledge.shots
        if knowledge.hits < board.ship_cells:
            games[going] = game
            going += 1
    return going


@kernel
def tell_shots(
    board: Board, own: Board, cells: npt.NDArray[np.int16], answers: Ints, knowledge: Knowledge
) -> None:
    """What is known in one position."""
    clear(own, knowledge)
    for shot in range(cells.size):
        tell(own, knowledge, cells[shot], weaken(answers[shot], own.answers))


@kernel
def highest_unshot(
    board: Board, knowledges: Knowledges, games: Ints, values: npt.NDArray[np.float32], cells: Ints
) -> None:
    """The unshot cell of highest value in each game, the first one of equals."""
    for k in range(games.size):
        status = knowledges[games[k]].status
        best = -1
        for cell in range(board.cells):
            if status[cell] == UNKNOWN and (best < 0 or values[k, cell] > values[k, best]):
                best = cell
        cells[k] = best


@kernel
def go_astray(
    board: Board,
    knowledges: Knowledges,
    games: Ints,
    chances: npt.NDArray[np.float64],
    rngs: npt.NDArray[np.uint64],
    cells: Ints,
) -> None:
    """Replace the choice of game g by a random unshot cell, with probability `chances[g]`."""
    for k in range(games.size):
        game = games[k]
        rng = rngs[game : game + 1]
        if fraction(rng) < chances[game]:
            left = unknown_cells(knowledges[game])
            cells[k] = nth_unknown(board, knowledges[game], below(rng, left))


@kernel
def fill_signs(
    board: Board, knowledges: Knowledges, games: Ints, signs: npt.NDArray[np.float32]
) -> None:
    """(games, 1, rows, columns): 0 for an unknown cell, -1 for a missed one, 1 for a hit."""
    for k in range(games.size):
        status = knowledges[games[k]].status
        cell = 0
        for row in range(board.rows):
            for column in range(board.columns):
                seen = status[cell]
                sign = np.float32(1.0)
                if seen == UNKNOWN:
                    sign = np.float32(0.0)
                elif seen == MISSED:
                    sign = np.float32(-1.0)
                signs[k, 0, row, column] = sign
                cell += 1


@kernel
def fill_all_planes(
    board: Board, knowledges: Knowledges, games: Ints, planes: npt.NDArray[np.int8]
) -> None:
    """(games, 3 + ships, cells): see `planes`."""
    for k in range(games.size):
        fill_planes(board, knowledges[games[k]], planes[k])
