"""A player in the course of one game: told each shot as it is answered, asked for the next.

`Player.choose` is given a whole observation and remembers nothing. Somebody who plays a game
from its start can ask a `Shooter` instead: it passes on only what is new, and compiled players
keep their knowledge up to date instead of rebuilding it. Both choose the same cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

import numpy as np

from ..compiled.random_streams import Rng, words_from
from ..observation import Observation
from ..rules import Rules
from ..shots import Shot
from .base import GamePlayer, Player


class Forfeit(Exception):
    """A player has lost the game by a fault."""


class Shooter(Protocol):
    """One side of one game."""

    def told(self, shot: Shot) -> None:
        """A shot of this side was answered."""
        ...

    def hold(self, cell: int) -> None:
        """A cell of this side's salvo was chosen, to be answered later."""
        ...

    def choose(self) -> int:
        """The player's choice of the next cell; not checked."""
        ...


def shooter(
    player: Player, rules: Rules, rng: np.random.Generator, shots: tuple[Shot, ...] = ()
) -> Shooter:
    """Chooses what `player.choose(observation, rng)` would choose, shot after shot."""
    if _follows(player, rules):
        return _Following(player, rules, shots, rng)
    return _Observing(player.choose, rules, shots, rng)


def seeded_shooter(
    player: Player, rules: Rules, seed: int, shots: tuple[Shot, ...] = ()
) -> Shooter:
    """Chooses as in the game with this seed that `BatchPlayer.play_games` plays."""
    compiled = np.array([seed], dtype=np.uint64)
    if _follows(player, rules):
        return _Following(player, rules, shots, compiled)
    if hasattr(player, "choose_with"):
        return _Observing(player.choose_with, rules, shots, compiled)
    return _Observing(player.choose, rules, shots, np.random.default_rng(seed))


def _follows(player: Player, rules: Rules) -> TypeGuard[GamePlayer]:
    # isinstance on a protocol would take as long as some games.
    return hasattr(player, "begin_game") and (
        rules.salvo == 1 or hasattr(player.begin_game(rules), "hold")
    )


class _Observing:
    """A player that is shown the whole observation every time, with one generator or another."""

    __slots__ = ("_choose", "_observation", "_rng")

    def __init__(
        self,
        choose: Callable[[Observation, Any], int],
        rules: Rules,
        shots: tuple[Shot, ...],
        rng: np.random.Generator | Rng,
    ) -> None:
        self._observation = Observation(rules, shots)
        self._choose = choose
        self._rng = rng

    def told(self, shot: Shot) -> None:
        self._observation = self._observation.told(shot)

    def hold(self, cell: int) -> None:
        self._observation = self._observation.choosing(cell)

    def choose(self) -> int:
        return self._choose(self._observation, self._rng)


class _Following:
    """A player that follows the game. NumPy's generator seeds the compiled one at each shot;
    a compiled generator is used as it is."""

    __slots__ = ("_compiled", "_game", "_next_word", "hold", "told")

    def __init__(
        self,
        player: GamePlayer,
        rules: Rules,
        shots: tuple[Shot, ...],
        rng: np.random.Generator | Rng,
    ) -> None:
        self._game = player.begin_game(rules)
        self.told = self._game.told
        for shot in shots:
            self.told(shot)
        self.hold: Callable[[int], None] = getattr(self._game, "hold", _cannot_hold)
        self._next_word: Callable[[], int] | None = None
        if isinstance(rng, np.random.Generator):
            self._next_word, self._compiled = words_from(rng), np.empty(1, dtype=np.uint64)
        else:
            self._compiled = rng

    def choose(self) -> int:
        if self._next_word is not None:
            self._compiled[0] = self._next_word()
        return self._game.choose(self._compiled)


def _cannot_hold(cell: int) -> None:
    raise NotImplementedError("This player does not follow games in salvos.")


class ToldShots:
    """The shots of one game so far, as compiled code takes them."""

    def __init__(self, rules: Rules) -> None:
        self._cells = np.empty(rules.cells, dtype=np.int16)
        self._answers = np.empty(rules.cells, dtype=np.int64)
        self._shots = 0
        self._chosen = 0
        """`_cells` beyond `_shots` and up to here are pending"""

    def told(self, shot: Shot) -> None:
        self._cells[self._shots] = shot.cell
        self._answers[self._shots] = shot.answer.code
        self._shots += 1
        if self._shots > self._chosen:
            self._chosen = self._shots

    def hold(self, cell: int) -> None:
        self._cells[self._chosen] = cell
        self._chosen += 1
