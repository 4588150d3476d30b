"""Many games in parallel, one shot per call: the core of the environments.

The layouts are numbered: game `number` of a seed has the layout that `deal_games` gives it,
so a game depends only on rules, seed and number. A layout that rejection sampling does not
find is left to the caller, who places it with `lay_down`.

Functions called from Python take the board and the settings as arrays of one record, which
are passed several times as fast as a record: that is most of the cost of stepping a
single game.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import MOST_CELLS, Board, Ints
from ..compiled.finish_reward import finish_reward
from ..compiled.jit import kernel
from ..compiled.knowledge import (
    MISS,
    SANK,
    UNKNOWN,
    CellKnowledge,
    clear,
    fire,
    hold,
    lay,
    nth_unknown,
    release,
    salvo_size,
    tell,
    tell_held,
    unknown_cells,
)
from ..compiled.prefetch import prefetch
from ..compiled.random_streams import Rng, below, stream
from ..compiled.seeds import LAYOUT_STREAM
from ..compiled.strategy import Boards
from ..compiled.structs import struct_type
from ..dealing.uniform_kernels import deal
from ..learn.encoding_kernels import HIT_PLANE, MISSED_PLANE, Planes, start_planes, update_planes

SHOTS, HITS, ADVANTAGE, FINISH = range(4)
"""The reward designs (see `seabattle.envs.rewards`)."""

AHEAD = 8
"""How many games ahead memory is prefetched."""

PLAYING, OVER, UNDEALT = range(3)
"""State of a game: OVER starts the next one at the next step; UNDEALT has no layout yet."""


class EnvGame(CellKnowledge):
    """One game: what its shooter knows, and the hidden layout."""

    state: Annotated[int, "i8"]
    number: Annotated[int, "i8"]
    """the number of the game's layout"""
    wasted: Annotated[int, "i8"]
    """illegal shots so far; `shots` counts the legal ones that were answered"""
    pending: Annotated[int, "i8"]
    """cells of this salvo so far, in `fired` after the shots"""
    sunk: Annotated[int, "i8"]
    """ships announced sunk; counted under salvo rules only"""
    rng: Annotated[Rng, "u8", (1,)]
    """of `sample`"""
    left: Annotated[Ints, "i8", (MOST_CELLS,)]
    """unhit cells of each ship"""
    ship_at: Annotated[npt.NDArray[np.int16], "i2", (MOST_CELLS,)]
    """the ship on each cell, or -1"""


class EnvSettings:
    """The settings of an environment, the same for all its games."""

    reward: Annotated[int, "i8"]
    most_steps: Annotated[int, "i8"]
    """shots, including illegal ones, after which a game is truncated; 0 for no limit"""
    tries: Annotated[int, "i8"]
    """tries of `deal` per layout"""
    count: Annotated[int, "i8"]
    """games played in parallel; a sub-environment's next game is this many numbers later"""
    seed: Annotated[np.uint64, "u8"]
    salvo: Annotated[int, "i8"]
    """shots per turn; 0 for `ships`"""


EnvGames = npt.NDArray[np.void]


def new_env_games(count: int) -> EnvGames:
    """Memory for some games; `begin` starts them."""
    return np.zeros(count, dtype=struct_type(EnvGame))


@kernel
def prefetch_game(games: EnvGames, index: int) -> None:
    """Prefetch the counters of a game."""
    prefetch(games, index)
    prefetch(games[index].rng, 0)


@kernel
def prefetch_cell(board: Board, game: EnvGame, cell: int) -> None:
    """Prefetch what a shot at a cell reads."""
    prefetch(game.status, cell)
    prefetch(game.where, cell)
    prefetch(game.ship_at, cell)
    prefetch(game.fired, game.shots)
    prefetch(game.unknown, game.even - 1)
    prefetch(game.unknown, (board.cells + 1) // 2 + game.odd - 1)


@kernel
def begin(
    board: Board,
    settings: EnvSettings,
    game: EnvGame,
    rng: Rng,
    placements: npt.NDArray[np.int32],
    planes: Planes,
    mask: npt.NDArray[np.bool_],
) -> bool:
    """Start game `game.number`; False if the caller has to provide its layout."""
    clear(board, game)
    game.wasted = game.pending = game.sunk = 0
    start_planes(board, planes)
    mask[:] = True
    rng[0] = stream(settings.seed, game.number, LAYOUT_STREAM)
    if not deal(board, rng, settings.tries, placements):
        game.state = UNDEALT
        return False
    lay(board, placements, game.ship_at, game.left)
    game.state = PLAYING
    return True


@kernel
def begin_env_games(
    boards: Boards,
    all_settings: npt.NDArray[np.void],
    games: EnvGames,
    start: int,
    stop: int,
    chosen: npt.NDArray[np.bool_],
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_],
) -> int:
    """Start the chosen games from `start` to `stop` - 1; how many of them have no layout yet."""
    board, settings = boards[0], all_settings[0]
    rng = np.empty(1, dtype=np.uint64)
    placements = np.empty(board.ships, dtype=np.int32)
    undealt = 0
    for index in range(start, stop):
        if chosen[index] and not begin(
            board, settings, games[index], rng, placements, planes[index], masks[index]
        ):
            undealt += 1
    return undealt


@kernel
def lay_down(
    boards: Boards, games: EnvGames, index: int, placements: npt.NDArray[np.int32]
) -> None:
    """Give a game that was just started its layout."""
    lay(boards[0], placements, games[index].ship_at, games[index].left)
    games[index].state = PLAYING


@kernel
def reward_of(
    board: Board, settings: EnvSettings, hit: bool, left: int, unknown: int, shots: int
) -> float:
    """The reward of one shot.

    Before it, `left` ship cells were not hit and `unknown` cells not shot at; `shots` is the
    number of shots including it.
    """
    if settings.reward == SHOTS:
        return -1.0
    if settings.reward == HITS:
        return 1.0 if hit else -1.0
    if settings.reward == ADVANTAGE:
        return 2.0 * ((1.0 if hit else 0.0) - left / unknown)
    if not hit or left > 1:
        return 0.0
    return finish_reward(board, shots)


@kernel
def shoot(
    board: Board,
    settings: EnvSettings,
    game: EnvGame,
    cell: int,
    planes: Planes,
    mask: npt.NDArray[np.bool_],
) -> tuple[float, bool, bool]:
    """Fire a shot in a game that is being played: its reward, terminated, truncated."""
    if settings.salvo != 1:
        return shoot_in_salvo(board, settings, game, cell, planes, mask)
    left, unknown = board.ship_cells - game.hits, unknown_cells(game)
    hit = False
    if 0 <= cell < board.cells and game.status[cell] == UNKNOWN:
        answer = fire(board, game.ship_at, game.left, cell)
        tell(board, game, cell, answer)
        update_planes(board, game, planes, cell, answer)
        mask[cell] = False
        hit = answer != MISS
    else:
        game.wasted += 1
    fired = game.shots + game.wasted
    reward = reward_of(board, settings, hit, left, unknown, fired)
    terminated, truncated = end_step(board, settings, game, fired, mask)
    return reward, terminated, truncated


@kernel
def end_step(
    board: Board, settings: EnvSettings, game: EnvGame, fired: int, mask: npt.NDArray[np.bool_]
) -> tuple[bool, bool]:
    """Whether the game is over, by its end or by the limit of steps."""
    terminated = game.hits == board.ship_cells
    truncated = not terminated and fired == settings.most_steps
    if terminated or truncated:
        game.state = OVER
        # The next action is ignored, but an empty mask would make a masked policy nan.
        mask[:] = True
    return terminated, truncated


@kernel
def shoot_in_salvo(
    board: Board,
    settings: EnvSettings,
    game: EnvGame,
    cell: int,
    planes: Planes,
    mask: npt.NDArray[np.bool_],
) -> tuple[float, bool, bool]:
    """`shoot` where a turn has several shots: they are answered and rewarded with the last."""
    reward = 0.0
    left, unknown = board.ship_cells - game.hits, unknown_cells(game) + game.pending
    if 0 <= cell < board.cells and game.status[cell] == UNKNOWN:
        hold(board, game, cell)
        game.fired[game.shots + game.pending] = cell
        game.pending += 1
        mask[cell] = False
    else:
        game.wasted += 1
        fired = game.shots + game.pending + game.wasted
        reward = reward_of(board, settings, False, left, unknown, fired)
    if game.pending == salvo_size(board, settings.salvo, game.sunk, unknown):
        first, size = game.shots, game.pending
        release(game, game.fired[first : first + size])
        for shot in range(first, first + size):
            struck = np.int64(game.fired[shot])
            answer = fire(board, game.ship_at, game.left, struck)
            if answer & 3 == SANK:
                game.sunk += 1
            left = board.ship_cells - game.hits
            tell_held(board, game, struck, answer)
            update_planes(board, game, planes, struck, answer)
            hit = answer != MISS
            fired = game.shots + game.wasted
            reward += reward_of(board, settings, hit, left, unknown - shot + first, fired)
        game.pending = 0
    fired = game.shots + game.pending + game.wasted
    terminated, truncated = end_step(board, settings, game, fired, mask)
    return reward, terminated, truncated


@kernel
def step_env_games(
    boards: Boards,
    all_settings: npt.NDArray[np.void],
    games: EnvGames,
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
    """Fire one shot in each game from `start` to `stop` - 1, or start the next game if the last
    one is over; how many games have no layout yet."""
    board, settings = boards[0], all_settings[0]
    rng = np.empty(1, dtype=np.uint64)
    placements = np.empty(board.ships, dtype=np.int32)
    undealt = 0
    for index in range(start, stop):
        if index + 2 * AHEAD < stop:
            prefetch_game(games, index + 2 * AHEAD)
        later = index + AHEAD
        if later < stop and 0 <= actions[later] < board.cells:
            prefetch_cell(board, games[later], actions[later])
            prefetch(masks[later], actions[later])
            prefetch(planes[later, MISSED_PLANE], actions[later])
            prefetch(planes[later, HIT_PLANE], actions[later])
        game = games[index]
        rewards[index] = 0.0
        terminated[index] = truncated[index] = False
        shots[index] = wasted[index] = 0
        if game.state != PLAYING:
            game.number += settings.count
            if not begin(board, settings, game, rng, placements, planes[index], masks[index]):
                undealt += 1
            continue
        rewards[index], terminated[index], truncated[index] = shoot(
            board, settings, game, actions[index], planes[index], masks[index]
        )
        shots[index] = game.shots + game.pending + game.wasted
        wasted[index] = game.wasted
    return undealt


@kernel
def step_single(
    boards: Boards,
    all_settings: npt.NDArray[np.void],
    games: EnvGames,
    planes: Planes,
    mask: npt.NDArray[np.bool_],
    cell: int,
) -> tuple[float, bool, bool, int, int]:
    """Fire one shot in the only game: its reward, terminated, truncated, shots and wasted shots.

    It does the same as `step_env_games` with fewer arrays, since passing one to compiled code
    takes longer than the shot.
    """
    game = games[0]
    reward, terminated, truncated = shoot(boards[0], all_settings[0], game, cell, planes, mask)
    shots = game.shots + game.pending + game.wasted
    return reward, terminated, truncated, shots, game.wasted


@kernel
def sample(
    boards: Boards,
    all_settings: npt.NDArray[np.void],
    games: EnvGames,
    start: int,
    stop: int,
    actions: Ints,
) -> int:
    """Draw a random legal action for each game, 0 if it is over. Returns 0."""
    board = boards[0]
    for index in range(start, stop):
        if index + AHEAD < stop:
            prefetch_game(games, index + AHEAD)
        game = games[index]
        if game.state == PLAYING:
            actions[index] = nth_unknown(board, game, below(game.rng, unknown_cells(game)))
        else:
            actions[index] = 0
    return 0
