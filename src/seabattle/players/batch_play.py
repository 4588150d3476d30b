"""Types and loops of players that play many games in one call (see `BatchPlayer`)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Cells, Ints
from ..compiled.knowledge import fire, lay
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of
from ..rules import Rules

Placements = npt.NDArray[np.int32]
"""(games, ships) the placement number of every ship"""

Seeds = npt.NDArray[np.uint64]
"""(games,) where each game's randomness starts"""

PlayedGames = tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]
"""(games,) how many shots each game took; (games, cells) the cells fired at, in order"""


def new_played_games(rules: Rules, games: int) -> PlayedGames:
    """Arrays to be filled."""
    return np.zeros(games, dtype=np.int32), np.zeros((games, rules.cells), dtype=np.int16)


def play_move_by_move(
    rules: Rules, placements: Placements, seeds: Seeds, choose: Callable[[Cells, Ints, Rng], int]
) -> PlayedGames:
    """`BatchPlayer.play_games` of a player that chooses one move at a time.

    `choose` is given the cells and answers so far, and a compiled generator.
    """
    board = board_of(rules)
    shots, fired = new_played_games(rules, len(seeds))
    answers = np.empty(rules.cells, dtype=np.int64)
    ship_at = np.empty(rules.cells, dtype=np.int16)
    left = np.empty(len(rules.fleet), dtype=np.int64)
    for game in range(len(seeds)):
        lay(board, placements[game], ship_at, left)
        rng = seeds[game : game + 1].copy()
        shot, hits = 0, 0
        while hits < rules.ship_cells:
            cell = choose(fired[game, :shot], answers[:shot], rng)
            fired[game, shot] = cell
            answers[shot] = fire(board, ship_at, left, cell)
            hits += bool(answers[shot])
            shot += 1
        shots[game] = shot
    return shots, fired
