"""Games: a hidden layout, the shots fired at it, and the answers.

`Game` is one shooter against one layout, and the only place that decides what is hit,
sunk and won. `Duel` is two such games played in turns.

>>> from seabattle.rules import Rules
>>> rules = Rules(3, 3, (2,))
>>> game = Game(Layout.from_text("destroyer A1 across", rules))
>>> game.fire(rules.cell("A1")), game.finished
(Answer(hit=True, sunk=False, ship=None), False)
>>> game.fire(rules.cell("A2")), game.finished
(Answer(hit=True, sunk=True, ship=0), True)
"""

from __future__ import annotations

from .errors import LayoutError, ShotError
from .layout import Layout
from .rules import Rules
from .shots import MISS, Answer, Shot


class Game:
    """One layout under fire."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._shots: list[Shot] = []
        self._fired: set[int] = set()
        self._left = list(layout.rules.fleet)

    @property
    def rules(self) -> Rules:
        return self._layout.rules

    @property
    def layout(self) -> Layout:
        """The truth. Not for players: they get an `Observation` of `shots`."""
        return self._layout

    @property
    def shots(self) -> tuple[Shot, ...]:
        """Every shot so far with its answer."""
        return tuple(self._shots)

    @property
    def finished(self) -> bool:
        """Every cell of every ship is hit."""
        return not any(self._left)

    def fire(self, cell: int) -> Answer:
        """Shoot at a cell; returns what the rules tell the shooter."""
        cell = self.rules.checked_cell(cell)
        if self.finished:
            raise ShotError("The game is over: every ship is sunk.")
        if cell in self._fired:
            raise ShotError(f"{self.rules.cell_name(cell)} has been shot at already.")
        answer = self._answer(cell)
        self._fired.add(cell)
        self._shots.append(Shot(cell, answer))
        return answer

    def _answer(self, cell: int) -> Answer:
        ship = self._layout.ship_at.get(cell)
        if ship is None:
            return MISS
        self._left[ship] -= 1
        sunk = self._left[ship] == 0
        match self.rules.answers:
            case "hit-miss":
                return Answer(hit=True)
            case "sunk":
                return Answer(hit=True, sunk=sunk)
            case "sunk-named":
                return Answer(hit=True, sunk=sunk, ship=ship if sunk else None)
            case _:
                return Answer(hit=True, sunk=sunk, ship=ship)


class Duel:
    """A game of two: each side shoots at the other's layout.

    Side 0 moves first. `turns` decides who is next and when it ends.
    """

    def __init__(self, first: Layout, second: Layout) -> None:
        if first.rules != second.rules:
            raise LayoutError("Both sides of a game play under the same rules.")
        self.rules = first.rules
        self.targets = (Game(second), Game(first))
        """what each side shoots at: `targets[0]` is the second side's layout"""
        self.moves: list[int] = []
        """the side that fired each shot, in order"""
        self.resigned: int | None = None

    @property
    def shots(self) -> tuple[tuple[int, Shot], ...]:
        """Every shot in order of play, with the side that fired it."""
        fired = [iter(target.shots) for target in self.targets]
        return tuple((side, next(fired[side])) for side in self.moves)

    @property
    def to_move(self) -> int | None:
        """The side that shoots next, or None when the game is over."""
        if self.winner is not None or self.drawn:
            return None
        if not self.moves:
            return 0
        last = self.moves[-1]
        again = self.rules.turns == "again" and self.targets[last].shots[-1].answer.hit
        return last if again else 1 - last

    @property
    def winner(self) -> int | None:
        """The side that won, if one has."""
        if self.resigned is not None:
            return 1 - self.resigned
        first, second = (target.finished for target in self.targets)
        if self.rules.turns == "rounds" and len(self.moves) % 2:
            return None
        if first == second:
            return None
        return 0 if first else 1

    @property
    def drawn(self) -> bool:
        """Both sides finished in the same round."""
        return self.resigned is None and all(target.finished for target in self.targets)

    @property
    def finished(self) -> bool:
        return self.to_move is None

    def fire(self, cell: int) -> Answer:
        """Shoot for the side whose turn it is."""
        side = self.to_move
        if side is None:
            raise ShotError("The game is over.")
        answer = self.targets[side].fire(cell)
        self.moves.append(side)
        return answer

    def resign(self, side: int) -> None:
        """Give up: the other side wins."""
        if self.finished:
            raise ShotError("The game is over.")
        self.resigned = side
