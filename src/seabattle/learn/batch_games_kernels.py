"""Games in lockstep: every game of a batch fires its next shot in one call.

For players that choose for many positions at once. `known` is told what the player's own
rules would tell, which may be less than the rules of the game tell (see `weaken`): a
network trained without announcements of sinking plays without them.
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
    KnowledgeArray,
    clear,
    fire,
    lay,
    nth_unknown,
    tell,
    unknown_cells,
)
from ..compiled.random_streams import below, fraction
from .encoding_kernels import fill_planes


@kernel
def weaken(answer: int, answers: int) -> int:
    """An answer as rules that tell less would give it."""
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
    known: KnowledgeArray,
    ship_at: npt.NDArray[np.int16],
    left: Ints,
) -> None:
    """Place the fleet of every game and clear what is known."""
    for game in range(placements.shape[0]):
        lay(board, placements[game], ship_at[game], left[game])
        clear(board, known[game])


@kernel
def fire_all(
    board: Board,
    own: Board,
    games: Ints,
    cells: Ints,
    known: KnowledgeArray,
    ship_at: npt.NDArray[np.int16],
    left: Ints,
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> int:
    """Fire at `cells[k]` in game `games[k]`; unfinished games move to the front of `games`.

    `own` is the board under the player's rules. Returns the number of unfinished games.
    """
    going = 0
    for k in range(games.size):
        game, cell = games[k], cells[k]
        knowledge = known[game]
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
    """Fill `knowledge` from the shots and answers of one position."""
    clear(own, knowledge)
    for shot in range(cells.size):
        tell(own, knowledge, cells[shot], weaken(answers[shot], own.answers))


@kernel
def highest_unknown_cells(
    board: Board, known: KnowledgeArray, games: Ints, values: npt.NDArray[np.float32], cells: Ints
) -> None:
    """The unknown cell with the highest value in each game, the first one if several are equal."""
    for k in range(games.size):
        status = known[games[k]].status
        best = -1
        for cell in range(board.cells):
            if status[cell] == UNKNOWN and (best < 0 or values[k, cell] > values[k, best]):
                best = cell
        cells[k] = best


@kernel
def mix_in_random_shots(
    board: Board,
    known: KnowledgeArray,
    games: Ints,
    share: npt.NDArray[np.float64],
    rngs: npt.NDArray[np.uint64],
    cells: Ints,
) -> None:
    """Replace the choice in game g by a random unknown cell with probability `share[g]`."""
    for k in range(games.size):
        game = games[k]
        rng = rngs[game : game + 1]
        if fraction(rng) < share[game]:
            left = unknown_cells(known[game])
            cells[k] = nth_unknown(board, known[game], below(rng, left))


@kernel
def fill_signs(
    board: Board, known: KnowledgeArray, games: Ints, signs: npt.NDArray[np.float32]
) -> None:
    """(games, 1, rows, columns): 0 for an unknown cell, -1 for a missed one, 1 for a hit."""
    for k in range(games.size):
        status = known[games[k]].status
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
    board: Board, known: KnowledgeArray, games: Ints, planes: npt.NDArray[np.int8]
) -> None:
    """(games, planes, cells): see `encoding_kernels`."""
    for k in range(games.size):
        fill_planes(board, known[games[k]], planes[k])
