"""Play a single game, a game between two players, or a batch of one player's games."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..compiled.random_streams import streams
from ..compiled.seeds import PLAYER_STREAM
from ..dealing import UNIFORM, place_games
from ..dealing.placement_numbers import layout_of
from ..dealing.uniform import random_layout
from ..errors import PlayerError
from ..game import Duel, Game
from ..layout import Layout
from ..observation import Observation
from ..players import BatchPlayer, Player, make_player
from ..record import DuelRecord, GameRecord
from ..rules import Rules


def play(
    player: Player | str,
    rules: Rules | str = "classic",
    *,
    seed: int | np.random.Generator = 0,
    layout: Layout | None = None,
) -> GameRecord:
    """Play one game against a random layout, or against the one given."""
    shooter, name = _named(player)
    rng = np.random.default_rng(seed)
    if layout is None:
        layout = random_layout(Rules.of(rules), rng)
    game = Game(layout)
    while not game.finished:
        take_turn(shooter, game, rng)
    return GameRecord.of(game, name)


def play_duel(
    first: Player | str,
    second: Player | str,
    rules: Rules | str = "classic",
    *,
    seed: int | np.random.Generator = 0,
    layouts: tuple[Layout, Layout] | None = None,
) -> DuelRecord:
    """Let two players play each other; `first` moves first."""
    (one, one_name), (other, other_name) = _named(first), _named(second)
    players = (one, other)
    rng = np.random.default_rng(seed)
    if layouts is None:
        layouts = (random_layout(Rules.of(rules), rng), random_layout(Rules.of(rules), rng))
    duel = Duel(*layouts)
    while (side := duel.to_move) is not None:
        cell = ask(players[side], Observation(duel.rules, duel.targets[side].shots), rng)
        duel.fire(cell)
    return DuelRecord.of(duel, (one_name, other_name))


def take_turn(player: Player, game: Game, rng: np.random.Generator) -> None:
    """Let a player fire one shot."""
    game.fire(ask(player, Observation(game.rules, game.shots), rng))


def ask(player: Player, observation: Observation, rng: np.random.Generator) -> int:
    """A player's choice, checked to be an unknown cell."""
    return check_choice(player, player.choose(observation, rng), observation)


def check_choice(player: Player, cell: int, observation: Observation) -> int:
    """The cell that a player chose as an `int`; an error unless it is unknown."""
    if not hasattr(cell, "__index__") or int(cell) not in observation.unknown:
        raise PlayerError(
            f"{type(player).__name__} chose {cell!r}, which is not one of the cells it may "
            "shoot at."
        )
    return int(cell)


@dataclass(frozen=True)
class Batch:
    """Consecutive games of one player."""

    games: range
    shots: npt.NDArray[np.int32]
    """(games,) the number of shots in each game"""
    fired: npt.NDArray[np.int16]
    """(games, cells) the cells fired at, in order; only the first `shots` of a row count"""
    seconds: float
    """the player's time for all games"""
    placements: npt.NDArray[np.int32]
    """(games, ships) the layouts, as placement numbers"""


def play_batch(
    player: Player, rules: Rules, seed: int, games: range, placer: str = UNIFORM
) -> Batch:
    """Play numbered games; each is a function of (player, rules, seed, number, placer) alone."""
    placements = place_games(rules, seed, games, placer)
    seeds = streams(np.uint64(seed), games.start, len(games), PLAYER_STREAM)
    if isinstance(player, BatchPlayer):
        began = time.perf_counter()
        shots, fired = player.play_games(rules, placements, seeds)
        return Batch(games, shots, fired, time.perf_counter() - began, placements)
    shots = np.empty(len(games), dtype=np.int32)
    fired = np.empty((len(games), rules.cells), dtype=np.int16)
    began = time.perf_counter()
    for row in range(len(games)):
        cells = _play_one(player, layout_of(rules, placements[row]), int(seeds[row]))
        shots[row] = len(cells)
        fired[row, : len(cells)] = cells
    return Batch(games, shots, fired, time.perf_counter() - began, placements)


def _play_one(player: Player, layout: Layout, seed: int) -> Sequence[int]:
    game = Game(layout)
    rng = np.random.default_rng(seed)
    while not game.finished:
        take_turn(player, game, rng)
    return [shot.cell for shot in game.shots]


def _named(player: Player | str) -> tuple[Player, str]:
    if isinstance(player, str):
        return make_player(player), player
    return player, type(player).__name__
