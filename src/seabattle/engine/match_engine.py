"""An engine in a match: it shoots, may place its fleet, and is told about every game.

A match has a program of its own for each side, which begins knowing nothing and ends with the
match. One that has to be started again is told the match so far: the games that are over, up
to `MOST_TOLD` of the last ones, each as a `game` with all its shots and its `over`. The same
happens when a match is resumed.

A game ends when one side has won. So that the shots for a whole fleet are known for both, an
engine that has lost is then asked to play on from its last position. That is a game without
the match's number: what it shows is not part of the match.

With `faults=loss` an answer that is late, illegal or missing loses the game: the shots that
are left are at water, as long as there is any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dealing.uniform import random_layout
from ..errors import PlayerError
from ..game import Game
from ..layout import Layout
from ..observation import Observation
from ..players.base import Faults
from ..revealed import RevealedGame
from ..rules import Rules
from ..shots import Shot
from .host import EngineProgram, OpenGame, Placing, worst_order
from .protocol import encode, shot_text

MATCH = 1
"""a program plays one match"""
MOST_TOLD = 1000
"""finished games that a program is told when it is started again"""


class MatchEngine:
    """One side of a match that is played by an engine."""

    def __init__(
        self,
        engine: EngineProgram,
        rules: Rules,
        games: int,
        opponent: str,
        *,
        faults_lose: bool = False,
        places: bool = False,
    ) -> None:
        self._engine, self._rules = engine, rules
        self._faults_lose = faults_lose
        self._history = [encode("match", match=MATCH, games=games, opponent=opponent)]
        self._current: EngineGame | None = None
        self._forfeits = False
        """the next game is lost, because no fleet was placed for it"""
        self._gave_up = False
        """the last game was lost by a fault"""
        engine.history = self._history
        engine.set_up(rules)
        if places and not engine.places:
            raise PlayerError(
                "It does not place fleets ('places' in its hello), so the placer 'engine' cannot "
                "be used; name another one, such as @uniform."
            )

    def place(self, seed: int) -> Layout:
        """The engine's fleet for the next game; a random one after a fault."""
        self._engine.set_up(self._rules)
        question = Placing(self._rules, seed, fields={"match": MATCH})
        layout = self._engine.place(question)
        self._forfeits = question.failed and self._faults_lose
        return layout or random_layout(self._rules, np.random.default_rng(seed))

    def begin_game(self, played: Game, seed: int, *, first: bool) -> EngineGame:
        """The next game of the match, in which the engine shoots at this layout."""
        self._engine.set_up(self._rules)
        opened = OpenGame(0, seed, Observation(self._rules), played, fields=_fields(first))
        self._current = EngineGame(self._engine, opened, self._faults_lose, self._forfeits)
        self._forfeits = False
        return self._current

    def after_game(self, game: RevealedGame) -> MatchEngine:
        """Tell the engine how a game of the match ended."""
        current, self._current = self._current, None
        self._gave_up = current is not None and current.lost
        revealed = _revealed(game)
        if current is None or not current.opened.id:  # played before, or over before its turn
            seen = Observation(self._rules, game.shots)
            opened = OpenGame(0, 0, seen, fields=_fields(game.moved_first))
            if current is None:
                self._engine.set_up(self._rules)
            self._engine.begin(opened)
            self._engine.forget(opened, game.result, **revealed)
        else:
            opened = current.opened
            self._engine.forget(opened, game.result, current.untold, **revealed)
        self._engine.flush()
        told = _texts(game.shots, self._rules)
        self._history += (
            encode("game", game=opened.id, seed=0, shots=told, **_fields(game.moved_first)),
            encode("over", game=opened.id, shots=[], result=game.result, **revealed),
        )
        if len(self._history) > 1 + 2 * MOST_TOLD:
            del self._history[1:3]
        return self

    def play_on(self, played: Game, seed: int) -> None:
        """Let the engine find the rest of a fleet in a game that it has lost."""
        self._engine.set_up(self._rules)
        opened = OpenGame(0, seed, Observation(self._rules, played.shots), played)
        rest = EngineGame(self._engine, opened, self._faults_lose, self._gave_up)
        while not played.finished:
            rest.told(played.shoot(rest.choose()))
        if opened.id:
            self._engine.forget(opened, "finished", rest.untold)
            self._engine.flush()

    def end(self, wins: int, draws: int, losses: int) -> None:
        """Tell the engine the score, and end it."""
        self._engine.send_line(
            encode("match-over", match=MATCH, wins=wins, draws=draws, losses=losses)
        )
        self._engine.close()

    def take_faults(self) -> Faults:
        return self._engine.take_faults()


class EngineGame:
    """An engine in the course of one game: a `Shooter`."""

    def __init__(
        self, engine: EngineProgram, opened: OpenGame, faults_lose: bool, lost: bool = False
    ) -> None:
        self._engine, self.opened = engine, opened
        self._faults_lose = faults_lose
        self.lost = lost
        """a fault has lost the game: the engine is asked no more"""
        self.untold: list[Shot] = []
        """shots whose answers the engine has not been told"""

    def choose(self) -> int:
        assert self.opened.played is not None
        if not self.lost:
            if self.opened.id:
                self._engine.ask_again(self.opened, tuple(self.untold))
                self.untold.clear()
            else:
                self._engine.open([self.opened])
            _, cell = self._engine.next_choice()
            self.lost = self.opened.failed and self._faults_lose
        return worst_order(self.opened.played)[0] if self.lost else cell

    def told(self, shot: Shot) -> None:
        self.untold.append(shot)

    def hold(self, cell: int) -> None:
        raise NotImplementedError("Matches have one shot per turn.")


def _fields(first: bool) -> dict[str, Any]:
    return {"match": MATCH, "side": "first" if first else "second"}


def _revealed(game: RevealedGame) -> dict[str, Any]:
    ships = {} if game.enemy_layout is None else {"ships": game.enemy_layout.to_text()}
    return {
        **ships,
        "own_ships": game.layout.to_text(),
        "enemy_shots": _texts(game.enemy_shots, game.rules),
    }


def _texts(shots: Sequence[Shot], rules: Rules) -> list[str]:
    return [shot_text(shot, rules) for shot in shots]
