"""For authors of players: does mine follow the rules?

>>> from seabattle.players import make_player
>>> check_player(make_player("even"), games=3)
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import numpy as np

from .dealing.uniform import deal_games, layout_for
from .errors import PlayerError
from .game import Game
from .observation import Observation
from .players import BatchPlayer, Player, make_player, temporary_registry
from .record import fire_turns
from .revealed import Learner, RevealedGame
from .rules import ANSWERS, CONTACTS, PRESETS, Rules

__all__ = ["VARIETY", "check_player", "temporary_registry"]

VARIETY: tuple[Rules, ...] = (
    *PRESETS.values(),
    *(Rules(6, 5, (3, 2, 2, 1), contact, answers) for contact in CONTACTS for answers in ANSWERS),
    Rules(2, 2, (1,)),
    Rules(2, 9, (6, 1)),
    Rules(16, 16, (7, 5, 4, 3, 3, 2)),
    Rules(6, 6, (3, 2, 1), salvo="ships"),
    Rules(5, 5, (3, 2), "none", "hit-miss", "rounds", salvo=4),
)
"""Every preset, every combination of contact and answers, the smallest and largest boards, and
salvos."""


def check_player(
    player: Player | str,
    rules: Iterable[Rules | str] = VARIETY,
    games: int = 2,
    seed: int = 0,
    seconds: float = 10.0,
) -> None:
    """Play games under many rules; raise `PlayerError` at the first violation.

    A valid player chooses an unknown cell in every position, including positions that it
    would not have reached itself. It draws random numbers only from the generator it is
    given, so that the same position and generator give the same cell. It keeps no memory
    of earlier games and does not change the observation. In a salvo it never repeats a
    pending cell. If it has `play_games`, those games must be valid too.
    If it learns from game to game (`after_game`), the player that it returns must be valid, and
    it must not change itself.

    A slow player is not asked in every position: after `seconds` under one set of rules, its
    games under them are broken off.
    """
    shooter = make_player(player) if isinstance(player, str) else player
    if not isinstance(shooter, Player):
        raise PlayerError(f"{type(shooter).__name__} has no choose(observation, rng).")
    for each in rules:
        chosen = Rules.of(each)
        end = time.monotonic() + seconds
        for game in range(games):
            _check_game(shooter, chosen, seed, game, end, stray=False)
        _check_game(shooter, chosen, seed, games, end, stray=True)
        if isinstance(shooter, Learner):
            _check_learning(shooter, chosen, seed, end)
        if isinstance(shooter, BatchPlayer) and time.monotonic() < end:
            _check_batch(shooter, chosen, seed, games)


def _check_game(
    player: Player, rules: Rules, seed: int, number: int, end: float, *, stray: bool
) -> None:
    """One game, up to the first turn that begins after `end`, a time of the monotonic clock; with
    `stray`, every other shot is a random one instead of the player's."""
    game = Game(layout_for(rules, seed, number))
    rng = np.random.default_rng([seed, number])
    generators = _global_generators()
    while not game.finished:
        salvo: tuple[int, ...] = ()
        for _ in range(game.salvo):
            observation = Observation(rules, game.shots, salvo)
            again = np.random.default_rng(0)
            again.bit_generator.state = rng.bit_generator.state
            cell = _lawful(player, observation, rng, generators)
            same = Observation(rules, game.shots, salvo)
            if _lawful(player, same, again, generators) != cell:
                raise PlayerError(
                    f"{_who(player)} chose differently in the same position with the same "
                    f"generator {_where(observation)}. Random numbers may come only from the "
                    "generator, and nothing may be remembered between calls."
                )
            if stray and (len(game.shots) + len(salvo)) % 2:
                cell = int(rng.choice(observation.unknown))
            salvo = (*salvo, cell)
        game.fire_salvo(salvo)
        if time.monotonic() >= end:
            return


def _check_learning(player: Learner, rules: Rules, seed: int, end: float) -> None:
    """A player that is told about a game returns a valid player, and stays as it was."""
    assert isinstance(player, Player)
    start = Observation(rules)
    before = _lawful(player, start, np.random.default_rng(seed), _global_generators())
    learned: object = player
    for number in range(2):
        games = [Game(layout_for(rules, seed, 2 * number + side)) for side in (0, 1)]
        rng = np.random.default_rng([seed, number])
        for game in games:
            for cell in rng.permutation(rules.cells):
                if not game.finished:
                    game.fire(int(cell))
        revealed = RevealedGame(
            layout=games[1].layout,
            shots=tuple(games[0].shots),
            enemy_shots=tuple(games[1].shots),
            enemy_layout=None if number else games[0].layout,
            result="won",
            moved_first=True,
        )
        try:
            learned = learned.after_game(revealed)  # type: ignore[attr-defined]
        except Exception as error:
            raise PlayerError(
                f"{_who(player)} failed to learn with {type(error).__name__}: {error}."
            ) from error
        if not isinstance(learned, Player):
            raise PlayerError(
                f"{_who(player)} returned {learned!r} from after_game, which is not a player; "
                "return the player for the next game."
            )
    assert isinstance(learned, Player)
    _check_game(learned, rules, seed, 0, end, stray=True)
    after = _lawful(player, start, np.random.default_rng(seed), _global_generators())
    if after != before:
        raise PlayerError(
            f"{_who(player)} changed itself in after_game; return a new player instead, so that "
            "the next match begins from nothing."
        )


def _lawful(
    player: Player,
    observation: Observation,
    rng: np.random.Generator,
    generators: dict[str, object],
) -> int:
    """The player's choice, if it is legal and leaves the global generators as given."""
    try:
        cell = player.choose(observation, rng)
    except Exception as error:
        raise PlayerError(
            f"{_who(player)} failed with {type(error).__name__}: {error} {_where(observation)}."
        ) from error
    for generator, state in _global_generators().items():
        if state != generators[generator]:
            raise PlayerError(
                f"{_who(player)} drew from {generator}'s global generator instead of the one it "
                "was handed."
            )
    if isinstance(cell, bool) or not hasattr(cell, "__index__"):
        raise PlayerError(f"{_who(player)} chose {cell!r}; a cell is a whole number.")
    number = cell.__index__()
    if number in observation.hits or number in observation.misses:
        name = observation.rules.cell_name(number)
        raise PlayerError(f"{_who(player)} shot at {name} a second time {_where(observation)}.")
    if number in observation.pending:
        name = observation.rules.cell_name(number)
        raise PlayerError(
            f"{_who(player)} chose {name} twice in one salvo {_where(observation)}. The cells to "
            "choose from are observation.unknown."
        )
    if number not in observation.unknown:
        raise PlayerError(f"{_who(player)} chose {number}, which is not a cell of the board.")
    return number


def _global_generators() -> dict[str, object]:
    """The whole states: most draws only advance the position in NumPy's table of numbers."""
    _, table, *rest = np.random.get_state()
    return {"NumPy": (np.asarray(table).tobytes(), *rest), "Python": random.getstate()}


def _check_batch(player: BatchPlayer, rules: Rules, seed: int, games: int) -> None:
    if rules.salvo != 1 and not getattr(player, "batches_salvos", False):
        return
    placements = deal_games(rules, seed, range(games))
    seeds = np.arange(games, dtype=np.uint64)
    shots, fired = player.play_games(rules, placements, seeds)
    for number in range(games):
        game = Game(layout_for(rules, seed, number))
        cells = [int(cell) for cell in fired[number, : shots[number]]]
        fire_turns(game, cells)
        if not game.finished or len(game.shots) < len(cells):
            raise PlayerError(f"{_who(player)} says a game is over that is not.")


def _who(player: object) -> str:
    return type(player).__name__


def _where(observation: Observation) -> str:
    shots = observation.to_text() or "no shots"
    return f"under {observation.rules.to_text()} after {shots}"
