"""Many games side by side: every game of a batch fires its next shot in one call.

For players whose choice is best worked out for many positions at once. `sights` are
told what the player's own rules would tell, which may be less than those of the game
(see `weaken`): a player that learnt without the news of a sinking plays on without it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import kernel
from .board import HIT_MISS, SUNK, SUNK_NAMED, Board, Ints
from .planes import fill_planes
from .record import record_type
from .rng import below, fraction
from .sight import (
    HIT,
    MISS,
    MISSED,
    UNKNOWN,
    Sight,
    clear,
    fire,
    lay,
    nth_unknown,
    tell,
    unknown_cells,
)

Sights = npt.NDArray[np.void]
"""(games,) a `Sight` each"""


def new_sights(games: int) -> Sights:
    return np.zeros(games, dtype=record_type(Sight))


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
    sights: Sights,
    ship_at: npt.NDArray[np.int16],
    left: Ints,
) -> None:
    """Lay the fleet of every game and clear every sight."""
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at[game], left[game])
        clear(board, sights[game])


@kernel
def fire_all(
    board: Board,
    own: Board,
    games: Ints,
    cells: Ints,
    sights: Sights,
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
        sight = sights[game]
        answer = fire(board, ship_at[game], left[game], cell)
        fired[game, sight.shots] = cell
        tell(own, sight, cell, weaken(answer, own.answers))
        shots[game] = sight.shots
        if sight.hits < board.ship_cells:
            games[going] = game
            going += 1
    return going


@kernel
def tell_shots(
    board: Board, own: Board, cells: npt.NDArray[np.int16], answers: Ints, sight: Sight
) -> None:
    """Make a sight of one position."""
    clear(own, sight)
    for shot in range(cells.size):
        tell(own, sight, cells[shot], weaken(answers[shot], own.answers))


@kernel
def highest_unshot(
    board: Board, sights: Sights, games: Ints, values: npt.NDArray[np.float32], cells: Ints
) -> None:
    """The unshot cell of highest value in each game, the first one of equals."""
    for k in range(games.size):
        status = sights[games[k]].status
        best = -1
        for cell in range(board.cells):
            if status[cell] == UNKNOWN and (best < 0 or values[k, cell] > values[k, best]):
                best = cell
        cells[k] = best


@kernel
def go_astray(
    board: Board,
    sights: Sights,
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
            left = unknown_cells(sights[game])
            cells[k] = nth_unknown(board, sights[game], below(rng, left))


@kernel
def fill_signs(board: Board, sights: Sights, games: Ints, signs: npt.NDArray[np.float32]) -> None:
    """(games, 1, rows, columns): 0 for an unknown cell, -1 for a missed one, 1 for a hit."""
    for k in range(games.size):
        status = sights[games[k]].status
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
    board: Board, sights: Sights, games: Ints, planes: npt.NDArray[np.int8]
) -> None:
    """(games, 3 + ships, cells): see `planes`."""
    for k in range(games.size):
        fill_planes(board, sights[games[k]], planes[k])
