"""Play a single game, a game between two players, or a batch of one player's games."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from ..compiled.knowledge import count_turns
from ..compiled.random_streams import random_words, streams
from ..compiled.rules_tables import board_of, salvo_number
from ..compiled.seeds import PLAYER_STREAM
from ..dealing import UNIFORM, place_games
from ..dealing.placement_numbers import layout_of, placements_of
from ..dealing.uniform import random_layout
from ..engine.exec_player import lose
from ..errors import CellError, PlayerError, ShotError
from ..game import Duel, Game
from ..layout import Layout
from ..observation import Observation
from ..players import BatchPlayer, Player, WordPlayer, make_player
from ..players.in_game import Forfeit, Shooter, seeded_shooter, shooter
from ..record import DuelRecord, GameRecord
from ..rules import Rules
from ..shots import Shot


def play(
    player: Player | str,
    rules: Rules | str = "classic",
    *,
    seed: int | np.random.Generator = 0,
    layout: Layout | None = None,
) -> GameRecord:
    """Play one game against a random layout, or against the one given."""
    made, name = _named(player)
    rng = np.random.default_rng(seed)
    if layout is None:
        layout = random_layout(Rules.of(rules), rng)
    game = Game(layout)
    if _draw_words(alone := (made,)):
        _play_ahead(alone, (layout,), game, rng)
    else:
        try:
            play_alone(forfeiting(made), game, rng)
        except Forfeit:
            lose(game)
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
    # With `again`, the other side's hits decide which words of the generator a side gets; in
    # salvos, the ships that both have left.
    simple = duel.rules.turns != "again" and duel.rules.salvo == 1
    if simple and _draw_words(players):
        _play_ahead(players, layouts[::-1], duel, rng)
    else:
        sides = [shooter(forfeiting(player), duel.rules, rng) for player in players]
        play_out(duel, players, sides)
    return DuelRecord.of(duel, (one_name, other_name))


def play_out(duel: Duel, players: Sequence[Player], shooters: Sequence[Shooter]) -> None:
    """Let two players shoot in turn until the game is over."""
    while (side := duel.to_move) is not None:
        try:
            _take_turn(duel, players[side], shooters[side])
        except Forfeit:
            duel.resign(side)


def forfeiting(player: Player) -> Player:
    """The player as it plays games that are counted: a fault may lose them (see `ExecPlayer`)."""
    return _Forfeiting(player.choose_or_forfeit) if hasattr(player, "choose_or_forfeit") else player


@dataclass(frozen=True)
class _Forfeiting:
    choose: Callable[[Observation, np.random.Generator], int]


# isinstance on a protocol would take as long as a game.
def _draw_words(players: Sequence[Player]) -> TypeGuard[Sequence[WordPlayer]]:
    return all(hasattr(player, "play_with_words") for player in players)


def _plays_batches(player: Player) -> TypeGuard[BatchPlayer]:
    return hasattr(player, "play_games")


def _play_ahead(
    players: Sequence[WordPlayer],
    targets: Sequence[Layout],
    game: Game | Duel,
    rng: np.random.Generator,
) -> None:
    """Let each player shoot at its target to the end in one call, then fire the shots in turn.

    The players draw the words of the generator in turn too, so the game is the one that they
    would play move by move.
    """
    rules, sides = game.rules, len(players)
    before = rng.bit_generator.state
    words = random_words(rng, rules.cells * sides)
    ahead = []
    for side, (player, target) in enumerate(zip(players, targets, strict=True)):
        own = np.ascontiguousarray(words[side::sides])[None]
        shots, fired = player.play_with_words(rules, placements_of(target)[None], own)
        ahead.append(fired[0, : shots[0]].tolist())
    count = 0
    if rules.salvo != 1:  # only in games of one player
        while not game.finished:
            count += len(_fired_salvo(game, players[0], ahead[0][count : count + game.salvo]))
    else:
        for cell in chain.from_iterable(zip(*ahead, strict=False)):  # over when a side is
            _fired(game, players[count % sides], cell)
            count += 1
            if game.finished:
                break
    rng.bit_generator.state = before
    random_words(rng, count)


def play_alone(player: Player, game: Game, rng: np.random.Generator) -> None:
    """Let a player shoot from the start of a game to its end."""
    if game.rules.salvo != 1:
        side = shooter(player, game.rules, rng)
        while not game.finished:
            _take_turn(game, player, side)
        return
    if hasattr(player, "begin_game"):
        side = shooter(player, game.rules, rng)
        while not game.finished:
            side.told(_fired(game, player, side.choose()))
        return
    # The same for a player in plain Python, without a step between it and the game.
    observation, choose, shoot = _start(game.rules), player.choose, game.shoot
    while not game.finished:
        cell = choose(observation, rng)
        try:
            shot = shoot(cell)
        except (ShotError, CellError):
            raise _illegal_choice(player, cell) from None
        observation = observation.told(shot)


@lru_cache(maxsize=16)
def _start(rules: Rules) -> Observation:
    """What a shooter knows at the start, with the legal moves worked out."""
    observation = Observation(rules)
    assert observation.unknown
    return observation


def _take_turn(game: Game | Duel, player: Player, side: Shooter) -> None:
    """Let a player choose the shots of a turn one by one, fire them, and tell it the answers."""
    if game.rules.salvo == 1:
        side.told(_fired(game, player, side.choose()))
        return
    for shot in _fired_salvo(game, player, choose_salvo(player, side, game.salvo)):
        side.told(shot)


def choose_salvo(player: Player, side: Shooter, size: int) -> list[int]:
    """The next cells that a player chooses, one by one."""
    cells: list[int] = []
    for _ in range(size):
        cell = side.choose()
        if not hasattr(cell, "__index__") or int(cell) in cells:
            raise _illegal_choice(player, cell)
        try:
            side.hold(int(cell))
        except (ShotError, CellError):
            raise _illegal_choice(player, cell) from None
        cells.append(int(cell))
    return cells


def _fired_salvo(game: Game | Duel, player: Player, cells: Sequence[int]) -> tuple[Shot, ...]:
    try:
        return game.fire_salvo(cells)
    except (ShotError, CellError):
        raise _illegal_choice(player, list(cells)) from None


def _fired(game: Game | Duel, player: Player, cell: int) -> Shot:
    try:
        return game.shoot(cell)
    except (ShotError, CellError):
        raise _illegal_choice(player, cell) from None


def ask(player: Player, observation: Observation, rng: np.random.Generator) -> int:
    """A player's choice, checked to be an unknown cell."""
    return check_choice(player, player.choose(observation, rng), observation)


def check_choice(player: Player, cell: int, observation: Observation) -> int:
    """The cell that a player chose as an `int`; an error unless it is unknown."""
    if not hasattr(cell, "__index__") or int(cell) not in observation.unknown:
        raise _illegal_choice(player, cell)
    return int(cell)


def _illegal_choice(player: Player, cell: object) -> PlayerError:
    return PlayerError(
        f"{type(player).__name__} chose {cell!r}, which is not one of the cells it may shoot at."
    )


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

    def turns(self, rules: Rules) -> npt.NDArray[np.int32]:
        """(games,) the number of turns in each game: shots, or salvos."""
        return turns_of(rules, self.placements, self.shots, self.fired)


def turns_of(
    rules: Rules,
    placements: npt.NDArray[np.int32],
    shots: npt.NDArray[np.int32],
    fired: npt.NDArray[np.int16],
) -> npt.NDArray[np.int32]:
    """(games,) the turns of games of one shooter, from their layouts and shots."""
    if rules.salvo != "ships":
        return -(-shots // rules.salvo)
    turns = np.empty_like(shots)
    count_turns(board_of(rules), salvo_number(rules), placements, shots, fired, turns)
    return turns


def play_batch(
    player: Player, rules: Rules, seed: int, games: range, placer: str = UNIFORM
) -> Batch:
    """Play numbered games; each is a function of (player, rules, seed, number, placer) alone."""
    placements = place_games(rules, seed, games, placer)
    seeds = streams(np.uint64(seed), games.start, len(games), PLAYER_STREAM)
    if _plays_batches(player) and (rules.salvo == 1 or getattr(player, "batches_salvos", False)):
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
    if game.rules.salvo == 1:
        play_alone(player, game, np.random.default_rng(seed))
    else:
        side = seeded_shooter(player, game.rules, seed)
        while not game.finished:
            _take_turn(game, player, side)
    return [shot.cell for shot in game.shots]


def _named(player: Player | str) -> tuple[Player, str]:
    if isinstance(player, str):
        return make_player(player), player
    return player, type(player).__name__
