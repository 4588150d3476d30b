"""The opening of `admiral`: its first shots, while all of them miss, found by whole games.

Half of all games begin with four misses, and which cells they are hardly depends on luck. So these
positions are worth more games than any move during play could have. For every shot the cells
that the base likes best are compared: the base plays the same layouts to the end after each. In
every round the better half of the cells goes on to more layouts. The layouts are those of
the training set that the shots so far miss, other ones for every shot.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..admiral.choice_kernels import choose
from ..admiral.player import NO_TREES, play_weighted_density
from ..admiral.rollout_kernels import learn_shots
from ..admiral.weighted_density_kernels import new_density, score_of
from ..admiral.weights import Base, Weights
from ..compiled.board_tables import Cells, Ints
from ..compiled.knowledge import MISS, new_knowledge
from ..compiled.rules_tables import board_of, symmetries_of
from ..dealing import place_games
from ..experiment.data_folder import write_whole
from ..experiment.layout_sets import TRAIN, set_seed
from ..rules import Rules
from .tuning import WEIGHTS_FILE

ROUNDS = ((12, 1 / 16), (6, 1 / 8), (3, 1 / 2), (2, 1.0))
"""How many cells are compared in each round, and on which part of the layouts so far."""

DEALT = 50_000
"""Layouts dealt at a time."""

GAMES_PER_SHOT = 10**9
"""Games of the training set from which the layouts of one shot come."""

CERTAIN = 1.0
"""Standard errors by which a cell must be better than the base's choice. A wrong exchange of two
cells this close costs little."""


@dataclass(frozen=True)
class OpeningShot:
    """One shot that was found."""

    cell: int
    base: int
    """where the base would shoot"""
    saved: float
    """shots saved by the cell, compared with the base's"""
    error: float
    """standard error of that"""


OpeningWatcher = Callable[[int, OpeningShot], None]
"""called after each shot with its number, from 1"""


def find_opening(
    weights: Weights,
    rules: Rules,
    shots: int,
    games: int,
    seed: int,
    folder: Path,
    watcher: OpeningWatcher | None = None,
) -> Weights:
    """Go on with the opening until it has this many shots; writes the weights after each."""
    while len(weights.opening) < shots:
        found = next_shot(weights, rules, games, seed)
        weights = replace(
            weights,
            opening=(*weights.opening, rules.cell_name(found.cell)),
            provenance={
                **weights.provenance,
                "opening": {
                    "seabattle": __version__,
                    "date": time.strftime("%Y-%m-%d", time.gmtime()),
                    "method": "whole games of the base, the better half of the cells in each round",
                    "layouts": f"training set, seed {seed}, those that all earlier shots miss",
                    "games": games,
                },
            },
        )
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / WEIGHTS_FILE, json.dumps(weights.to_json(), indent=1).encode())
        if watcher is not None:
            watcher(len(weights.opening), found)
    return weights


def next_shot(weights: Weights, rules: Rules, games: int, seed: int) -> OpeningShot:
    """The shot after the opening so far, compared on up to this many layouts."""
    known = weights.base(rules).opening
    base = Base(weights.settings(), known[:0])
    position = known, np.full(len(known), MISS, dtype=np.int64)
    tried = best_cells(rules, base, position)
    layouts = layouts_missed(rules, known, set_seed(TRAIN, seed))
    shots = {cell: np.empty(0, dtype=np.int32) for cell in tried}
    played = 0
    for number, part in ROUNDS:
        order = sorted(tried[1:], key=lambda cell: float(shots[cell].mean()) if played else 0.0)
        tried = [tried[0], *order[: number - 1]]
        fresh = take(layouts, math.ceil(part * games) - played)
        for cell in tried:
            more, _ = play_weighted_density(rules, base, NO_TREES, fresh, position, cell)
            shots[cell] = np.concatenate([shots[cell], more])
        played += len(fresh)
    best = min(tried[1:], key=lambda cell: float(shots[cell].mean()), default=tried[0])
    saved = shots[tried[0]].astype(np.float64) - shots[best]
    error = float(saved.std() / math.sqrt(played))
    if saved.mean() <= CERTAIN * error:
        return OpeningShot(tried[0], tried[0], 0.0, error)
    return OpeningShot(best, tried[0], float(saved.mean()), error)


def best_cells(rules: Rules, base: Base, position: tuple[Cells, Ints]) -> list[int]:
    """The cells that the base likes best, its own choice first; of cells that are the same by
    symmetry, one."""
    board, root, density = board_of(rules), new_knowledge(), new_density()
    learn_shots(board, root, base.settings, density, *position)
    choice = choose(board, root, base.settings, density)
    known = set(position[0].tolist())
    scores = {
        cell: score_of(board, root, density, cell)
        for cell in range(rules.cells)
        if cell not in known
    }
    turns = [
        turn for turn in symmetries_of(rules).cells if {int(turn[cell]) for cell in known} == known
    ]
    different: dict[int, int] = {}
    for cell in sorted(scores, key=lambda cell: (cell != choice, -scores[cell])):
        different.setdefault(min(int(turn[cell]) for turn in turns), cell)
    return list(different.values())[: ROUNDS[0][0]]


def layouts_missed(rules: Rules, known: Cells, seed: int) -> Iterator[npt.NDArray[np.int32]]:
    """Layouts that shots at these cells miss, without end."""
    board = board_of(rules)
    touched = np.zeros(board.placements, dtype=np.bool_)
    for placement in range(board.placements):
        cover = board.cover[placement, : board.length[placement]]
        touched[placement] = bool(np.isin(cover, known).any())
    first = len(known) * GAMES_PER_SHOT
    while True:
        dealt = place_games(rules, seed, range(first, first + DEALT))
        yield dealt[~touched[dealt].any(axis=1)]
        first += DEALT


def take(layouts: Iterator[npt.NDArray[np.int32]], count: int) -> npt.NDArray[np.int32]:
    """The next `count` layouts."""
    parts: list[npt.NDArray[np.int32]] = []
    while sum(map(len, parts)) < count:
        parts.append(next(layouts))
    return np.concatenate(parts)[:count] if parts else np.empty((0, 0), dtype=np.int32)
