"""The value of a player on a small board: over every layout, not a sample of them.

A deterministic player is asked once in each position it can reach, so its mean is
exact. A random one plays every layout several times, and its mean has a confidence
interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..dealing.placement_numbers import layout_of
from ..errors import PlayerError
from ..game import Game
from ..layout import Layout, Placement
from ..observation import Observation
from ..rules import Rules
from ..shots import MISS, Answer
from .problem import MOST_LAYOUTS, Problem, enumerate_placements

TRIES = 4
"""Seeds that are tried in each position to see whether a player is deterministic."""


class Chooser(Protocol):
    """What this module needs of a player."""

    def choose(self, observation: Observation, rng: np.random.Generator) -> int: ...


class NotDeterministic(Exception):
    """The player chose differently with another seed."""


@dataclass(frozen=True)
class PlayerValue:
    """Shots that a player needs, over all layouts."""

    name: str
    mean: float
    exact: bool
    """whether the player is deterministic, so that the mean has no sampling error"""
    half_width: float
    """of the 95% interval of a sampled mean; 0 if exact"""
    most: int
    """shots of the longest game"""


def player_value(
    name: str, player: Chooser, problem: Problem, *, samples: int = 20, seed: int = 0
) -> PlayerValue:
    """The value of a player: exact if it is deterministic, else over `samples` games of each
    layout."""
    try:
        misses = misses_of_rows(player, problem)
    except NotDeterministic:
        return _play_samples(name, player, problem, samples, seed)
    mean = problem.rules.ship_cells + int(misses @ problem.weight) / problem.total
    return PlayerValue(name, mean, True, 0.0, problem.rules.ship_cells + int(misses.max()))


def misses_of_rows(player: Chooser, problem: Problem) -> npt.NDArray[np.int64]:
    """(rows,) the misses of a deterministic player, from one choice in each position.

    Raises `NotDeterministic` if its choices depend on the seed.
    """
    rules = problem.rules
    misses = np.zeros(len(problem.ships), dtype=np.int64)
    everything = np.arange(len(problem.ships))
    stack = [(Observation(rules), everything, np.uint64(0))]
    while stack:
        observation, rows, hits = stack.pop()
        if observation.finished:
            continue
        cell = _sure_choice(player, observation)
        ship = problem.ship_at[rows, cell].astype(np.int64)
        bit = np.uint64(1 << cell)
        away = ship < 0
        if away.any():
            misses[rows[away]] += 1
            stack.append((observation.after(cell, MISS), rows[away], hits))
        struck, owner = rows[~away], ship[~away]
        if not len(struck):
            continue
        sunk = (problem.ships[struck, owner] & ~hits) == bit
        match rules.answers:
            case "hit-miss":
                told = np.zeros(len(struck), dtype=np.int64)
            case "sunk":
                told = sunk.astype(np.int64)
            case "sunk-named":
                told = np.where(sunk, 2 * owner + 3, 0)
            case _:
                told = 2 * owner + 2 + sunk
        for code in np.unique(told):
            answer = Answer(True, bool(code & 1), int(code) // 2 - 1 if code > 1 else None)
            stack.append((observation.after(cell, answer), struck[told == code], hits | bit))
    return misses


def _sure_choice(player: Chooser, observation: Observation) -> int:
    """The player's choice; raises `NotDeterministic` if it depends on the seed."""
    first = None
    for seed in range(TRIES):
        rng = np.random.default_rng(seed)
        before = rng.bit_generator.state
        cell = player.choose(observation, rng)
        if not hasattr(cell, "__index__") or int(cell) not in observation.unknown:
            raise PlayerError(
                f"{type(player).__name__} chose {cell!r}, which is not one of the cells it may "
                "shoot at."
            )
        if first is not None and int(cell) != first:
            raise NotDeterministic
        first = int(cell)
        if rng.bit_generator.state == before:
            break
    assert first is not None
    return first


def _play_samples(
    name: str, player: Chooser, problem: Problem, samples: int, seed: int
) -> PlayerValue:
    """Play every layout `samples` times; as all layouts are played, only the player's own
    randomness adds to the error."""
    rules = problem.rules
    placements = all_placements(rules, problem)
    means = np.empty(samples)
    most = 0
    for sample in range(samples):
        rng = np.random.default_rng([seed, sample])
        seeds = rng.integers(0, 2**63, size=len(placements)).astype(np.uint64)
        shots = play_placements(player, rules, placements, seeds)
        means[sample] = shots.mean()
        most = max(most, int(shots.max()))
    error = float(means.std(ddof=1) / np.sqrt(samples))
    return PlayerValue(name, float(means.mean()), False, _student(samples) * error, most)


def play_placements(
    player: Chooser,
    rules: Rules,
    placements: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
) -> npt.NDArray[np.int32]:
    """(games,) the shots of a game on each row of placement numbers (of `board_of`)."""
    if hasattr(player, "play_games"):
        shots, _ = player.play_games(rules, placements, seeds)
        return np.asarray(shots)
    return np.array(
        [
            _play_one(player, rules, placements[row], int(seeds[row]))
            for row in range(len(placements))
        ],
        dtype=np.int32,
    )


def _student(samples: int) -> float:
    """The 97.5% quantile of Student's t for a mean of `samples` values (at most 2% too wide)."""
    return 1.96 + 2.5 / (samples - 1) + 4.0 / (samples - 1) ** 2


def _play_one(player: Chooser, rules: Rules, placements: npt.NDArray[np.int32], seed: int) -> int:
    game = Game(layout_of(rules, placements))
    rng = np.random.default_rng(seed)
    while not game.finished:
        game.fire(player.choose(Observation(rules, game.shots), rng))
    return len(game.shots)


def all_placements(rules: Rules, problem: Problem) -> npt.NDArray[np.int32]:
    """Placement numbers (of `board_of`) of every layout, one row per layout."""
    chosen = enumerate_placements(rules, MOST_LAYOUTS)
    if problem.relabelled > 1:
        chosen = np.concatenate(
            [
                chosen[:, list(order)]
                for order in permutations(range(len(rules.fleet)))
                if all(rules.fleet[a] == rules.fleet[b] for a, b in enumerate(order))
            ]
        )
    assert int(board_of(rules).placements) > int(chosen.max())
    return np.ascontiguousarray(chosen, dtype=np.int32)


def layouts_of_rows(problem: Problem, rows: Iterable[int]) -> list[Layout]:
    """A layout that each of these rows stands for."""
    rules = problem.rules
    found = []
    for row in rows:
        cells = [
            tuple(cell for cell in range(rules.cells) if int(mask) >> cell & 1)
            for mask in problem.ships[row]
        ]
        ships = tuple(
            Placement(each[0], "down" if len(each) > 1 and each[1] > each[0] + 1 else "across")
            for each in cells
        )
        found.append(Layout(rules, ships))
    return found


def row_numbers(problem: Problem) -> dict[bytes, int]:
    """The row of the problem for each key that `row_key` makes."""
    return {row_key(problem, ships): row for row, ships in enumerate(problem.ships)}


def row_key(problem: Problem, ships: npt.NDArray[np.uint64]) -> bytes:
    """Equal for layouts, given as the cells of each ship, that are one row of the problem."""
    match problem.rules.answers:
        case "hit-miss":
            return bytes(np.bitwise_or.reduce(ships))
        case "sunk":
            return np.sort(ships).tobytes()
        case _:
            return np.ascontiguousarray(ships).tobytes()
