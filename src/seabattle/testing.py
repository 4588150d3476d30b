"""For authors of players: does mine follow the rules?

>>> from seabattle.players import make_player
>>> check_player(make_player("even"), games=3)
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from .dealing.uniform import layout_for
from .errors import PlayerError
from .game import Game
from .observation import Observation
from .players import BatchPlayer, Player, make_player, temporary_registry
from .rules import ANSWERS, CONTACTS, PRESETS, Rules

__all__ = ["VARIETY", "check_player", "temporary_registry"]

VARIETY: tuple[Rules, ...] = (
    *PRESETS.values(),
    *(Rules(6, 5, (3, 2, 2, 1), contact, answers) for contact in CONTACTS for answers in ANSWERS),
    Rules(2, 2, (1,)),
    Rules(2, 9, (6, 1)),
    Rules(16, 16, (7, 5, 4, 3, 3, 2)),
)
"""Every preset, every combination of contact and answers, the smallest and largest boards."""


def check_player(
    player: Player | str,
    rules: Iterable[Rules | str] = VARIETY,
    games: int = 2,
    seed: int = 0,
) -> None:
    """Play games under many rules; raise `PlayerError` at the first violation.

    A valid player chooses an unknown cell in every position, including positions that it
    would not have reached itself. It draws random numbers only from the generator it is
    given, so that the same position and generator give the same cell. It keeps no memory
    of earlier games and does not change the observation. If it has `play_games`, those
    games must be valid too.
    """
    shooter = make_player(player) if isinstance(player, str) else player
    if not isinstance(shooter, Player):
        raise PlayerError(f"{type(shooter).__name__} has no choose(observation, rng).")
    for each in rules:
        chosen = Rules.of(each)
        for game in range(games):
            _check_game(shooter, chosen, seed, game, stray=False)
        _check_game(shooter, chosen, seed, games, stray=True)
        if isinstance(shooter, BatchPlayer):
            _check_batch(shooter, chosen, seed, games)


def _check_game(player: Player, rules: Rules, seed: int, number: int, stray: bool) -> None:
    """One game; with `stray`, every other shot is a random one instead of the player's."""
    game = Game(layout_for(rules, seed, number))
    rng = np.random.default_rng([seed, number])
    while not game.finished:
        observation = Observation(rules, game.shots)
        again = copy.deepcopy(rng)
        cell = _lawful(player, observation, rng)
        if _lawful(player, Observation(rules, game.shots), again) != cell:
            raise PlayerError(
                f"{_who(player)} chose differently in the same position with the same generator "
                f"{_where(observation)}. Random numbers may come only from the "
                "generator, and nothing may be remembered between calls."
            )
        if stray and len(game.shots) % 2:
            cell = int(rng.choice(observation.unknown))
        game.fire(cell)


def _lawful(player: Player, observation: Observation, rng: np.random.Generator) -> int:
    before = np.random.get_state()[1].tobytes()  # type: ignore[index]
    try:
        cell = player.choose(observation, rng)
    except Exception as error:
        raise PlayerError(
            f"{_who(player)} failed with {type(error).__name__}: {error} {_where(observation)}."
        ) from error
    if before != np.random.get_state()[1].tobytes():  # type: ignore[index]
        raise PlayerError(
            f"{_who(player)} drew from NumPy's global generator instead of the one it was handed."
        )
    if isinstance(cell, bool) or not hasattr(cell, "__index__"):
        raise PlayerError(f"{_who(player)} chose {cell!r}; a cell is a whole number.")
    number = cell.__index__()
    if number in observation.hits or number in observation.misses:
        name = observation.rules.cell_name(number)
        raise PlayerError(f"{_who(player)} shot at {name} a second time {_where(observation)}.")
    if number not in observation.unknown:
        raise PlayerError(f"{_who(player)} chose {number}, no cell of the board.")
    return number


def _check_batch(player: BatchPlayer, rules: Rules, seed: int, games: int) -> None:
    from .dealing.uniform import deal_games

    placements = deal_games(rules, seed, range(games))
    seeds = np.arange(games, dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, seeds)
    for number in range(games):
        game = Game(layout_for(rules, seed, number))
        for cell in fired[number, : shots[number]]:
            game.fire(int(cell))
        if not game.finished:
            raise PlayerError(f"{_who(player)} says a game is over that is not.")


def _who(player: object) -> str:
    return type(player).__name__


def _where(observation: Observation) -> str:
    shots = observation.to_text() or "no shots"
    return f"under {observation.rules.to_text()} after {shots}"
