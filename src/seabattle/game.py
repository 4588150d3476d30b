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

Under salvo rules a turn is several shots, which are answered together, in the order given.

>>> rules = Rules(3, 3, (2, 1), salvo="ships")
>>> game = Game(Layout.from_text("destroyer A1 across, boat C3 across", rules))
>>> [shot.to_text(rules) for shot in game.fire_salvo([rules.cell("C3"), rules.cell("A1")])]
['C3 sunk boat', 'A1 hit']
>>> game.salvo
1

A duel may allow some sides, those of people, to shoot at a known cell again. Such a move is
wasted: it tells nothing, is never a hit, and passes the turn.

>>> rules = Rules(3, 3, (2,), turns="again")
>>> duel = Duel(*[Layout.from_text("destroyer A1 across", rules)] * 2, repeats=(0,))
>>> [duel.shoot(rules.cell("A1")).to_text(rules) for _ in range(2)], duel.to_move
(['A1 hit', 'A1 wasted'], 1)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .errors import LayoutError, ShotError
from .layout import Layout
from .rules import Rules
from .shots import MISS, Answer, Shot, WastedShot

WATER, FIRED = -1, -2
"""no ship on a cell; a cell that was shot at"""


class Game:
    """One layout under fire."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.rules: Rules = layout.rules
        self._shots: list[Shot] = []
        self._cells = layout.rules.cells
        self._ship_on = [WATER] * self._cells
        """the ship on each cell, WATER or FIRED"""
        for cell, ship in layout.ship_at.items():
            self._ship_on[cell] = ship
        self._left = list(layout.rules.fleet)
        self._to_hit = layout.rules.ship_cells
        self.finished = False
        """every cell of every ship is hit"""
        self._misses = _misses(self._cells)
        self._one_by_one = layout.rules.salvo == 1
        self.announced_sunk = 0
        """ships whose sinking the shooter was told"""
        self._salvos = 0

    @property
    def layout(self) -> Layout:
        """The truth. Not for players: they get an `Observation` of `shots`."""
        return self._layout

    @property
    def shots(self) -> tuple[Shot, ...]:
        """Every shot so far with its answer."""
        return tuple(self._shots)

    @property
    def last(self) -> Shot | None:
        """The last shot with its answer, if any was fired."""
        return self._shots[-1] if self._shots else None

    def was_fired_at(self, cell: int) -> bool:
        return self._ship_on[cell] == FIRED

    @property
    def turns_taken(self) -> int:
        """How many turns the shooter has had: shots, or salvos."""
        return len(self._shots) if self._one_by_one else self._salvos

    @property
    def unfired(self) -> int:
        """How many cells have not been shot at."""
        return self._cells - len(self._shots)

    @property
    def salvo(self) -> int:
        """How many shots the next turn has, in a game of one shooter; 0 if it is over."""
        return 0 if self.finished else self.rules.salvo_size(self.announced_sunk, self.unfired)

    def fire(self, cell: int) -> Answer:
        """Shoot at a cell; returns what the rules tell the shooter."""
        return self.shoot(cell).answer

    def fire_salvo(self, cells: Iterable[int]) -> tuple[Shot, ...]:
        """Take a turn of several shots, answered in this order. If one of them is not allowed,
        or there are too many or too few, none is fired."""
        return self.answer_salvo(cells, self.salvo)

    def shoot(self, cell: int) -> Shot:
        """`fire` that returns the cell with the answer."""
        if not self._one_by_one:
            return self.fire_salvo((cell,))[0]
        if type(cell) is not int or not 0 <= cell < self._cells:
            cell = self.rules.checked_cell(cell)
        if self.finished:
            raise ShotError("The game is over: every ship is sunk.")
        if self._ship_on[cell] != WATER:
            return self._answer(cell)
        self._ship_on[cell] = FIRED
        shot = self._misses[cell]
        self._shots.append(shot)
        return shot

    def answer_salvo(
        self, cells: Iterable[int], size: int, *, repeats: bool = False
    ) -> tuple[Shot, ...]:
        """`fire_salvo` for a turn of this many shots; with `repeats`, those at cells that were
        shot at before are wasted instead of refused."""
        if self.finished:
            raise ShotError("The game is over: every ship is sunk.")
        checked = [self.rules.checked_cell(cell) for cell in cells]
        for place, cell in enumerate(checked):
            if self._ship_on[cell] == FIRED and not repeats:
                raise ShotError(f"{self.rules.cell_name(cell)} has been shot at already.")
            if cell in checked[:place]:
                raise ShotError(f"{self.rules.cell_name(cell)} is in the salvo twice.")
        if len(checked) != size:
            raise ShotError(
                f"This turn has {size} {'shot' if size == 1 else 'shots'}, not {len(checked)}."
            )
        self._salvos += 1
        return tuple(
            WastedShot(cell) if self._ship_on[cell] == FIRED else self._answer(cell)
            for cell in checked
        )

    def _answer(self, cell: int) -> Shot:
        """Answer a shot at a cell of the board."""
        ship = self._ship_on[cell]
        if ship == WATER:
            shot = self._misses[cell]
        elif ship == FIRED:
            raise ShotError(f"{self.rules.cell_name(cell)} has been shot at already.")
        else:
            self._to_hit = to_hit = self._to_hit - 1
            self.finished = not to_hit
            self._left[ship] = left = self._left[ship] - 1
            shot = _hit(cell, self.rules.answers, ship, left == 0)
            self.announced_sunk += shot.answer.sunk
        self._ship_on[cell] = FIRED
        self._shots.append(shot)
        return shot


# Shots are values, so games can share them.
@lru_cache(maxsize=16)
def _misses(cells: int) -> list[Shot]:
    """A miss at each cell."""
    return [Shot(cell, MISS) for cell in range(cells)]


@lru_cache(maxsize=20_000)
def _hit(cell: int, answers: str, ship: int, sunk: bool) -> Shot:
    """A hit on a ship, which sinks it or not, and what the shooter is told."""
    match answers:
        case "hit-miss":
            answer = Answer(hit=True)
        case "sunk":
            answer = Answer(hit=True, sunk=sunk)
        case "sunk-named":
            answer = Answer(hit=True, sunk=sunk, ship=ship if sunk else None)
        case _:
            answer = Answer(hit=True, sunk=sunk, ship=ship)
    return Shot(cell, answer)


class Duel:
    """A two-sided game: each side shoots at the other's layout.

    Side 0 moves first. `turns` decides who is next and when it ends. Under salvo rules a turn
    is a salvo; `rounds` ends when both sides have had equally many, and `ships` counts the ships
    that a side had at the start of the round, so that moving second is no disadvantage.

    The sides in `repeats` may shoot at a known cell again; such a move is wasted.
    """

    def __init__(self, first: Layout, second: Layout, *, repeats: Iterable[int] = ()) -> None:
        if first.rules != second.rules:
            raise LayoutError("Both sides of a game play under the same rules.")
        self.rules = first.rules
        self.targets = (Game(second), Game(first))
        """what each side shoots at: `targets[0]` is the second side's layout"""
        self.moves: list[int] = []
        """the side that fired each shot, in order"""
        self.repeats = tuple(sorted(set(repeats)))
        """the sides that may shoot at a known cell again"""
        self._wasted: dict[int, WastedShot] = {}
        """by place in `moves`"""
        self.resigned: int | None = None
        self._next: int | None = 0
        self._sunk_before_round = 0
        """ships of side 1 announced sunk before this round"""

    @property
    def shots(self) -> tuple[tuple[int, Shot], ...]:
        """Every shot in order of play, with the side that fired it."""
        fired = [iter(target.shots) for target in self.targets]
        return tuple(
            (side, self._wasted.get(place) or next(fired[side]))
            for place, side in enumerate(self.moves)
        )

    def wasted_by(self, side: int) -> int:
        """How many shots a side has wasted on known cells."""
        return sum(self.moves[place] == side for place in self._wasted)

    @property
    def to_move(self) -> int | None:
        """The side that shoots next, or None when the game is over."""
        return self._next if self.resigned is None else None

    @property
    def winner(self) -> int | None:
        """The side that won, if one has."""
        if self.resigned is not None:
            return 1 - self.resigned
        first, second = (target.finished for target in self.targets)
        if self.rules.turns == "rounds" and self._next == 1:
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

    @property
    def salvo(self) -> int:
        """How many shots the turn of the side to move has; 0 if the game is over."""
        side = self.to_move
        return 0 if side is None else self.salvo_of(side)

    def salvo_of(self, side: int) -> int:
        """How many shots a turn of this side would have now."""
        sunk = self.targets[1 - side].announced_sunk  # of what the other side shoots at
        if self.rules.turns == "rounds" and side == 1 and self._next == 1:
            sunk = self._sunk_before_round
        return self.rules.salvo_size(sunk, self.targets[side].unfired)

    def fire(self, cell: int) -> Answer:
        """Shoot for the side whose turn it is."""
        return self.shoot(cell).answer

    def fire_salvo(self, cells: Iterable[int]) -> tuple[Shot, ...]:
        """Take the turn of the side to move. If one of the shots is not allowed, or there are
        too many or too few, none is fired."""
        side = self.to_move
        if side is None:
            raise ShotError("The game is over.")
        # Otherwise a game between two people might never end.
        repeats = side in self.repeats and self.wasted_by(side) < self.rules.cells
        shots = self.targets[side].answer_salvo(cells, self.salvo, repeats=repeats)
        for place, shot in enumerate(shots, start=len(self.moves)):
            if isinstance(shot, WastedShot):
                self._wasted[place] = shot
        self.moves += [side] * len(shots)
        self._next = self._turn_after(side, shots[-1])
        if side == 1:
            self._sunk_before_round = self.targets[0].announced_sunk
        return shots

    def shoot(self, cell: int) -> Shot:
        """`fire` that returns the cell with the answer."""
        if self.rules.salvo != 1 or self.repeats:
            return self.fire_salvo((cell,))[0]
        side = self.to_move
        if side is None:
            raise ShotError("The game is over.")
        shot = self.targets[side].shoot(cell)
        self.moves.append(side)
        self._next = self._turn_after(side, shot)
        return shot

    def _turn_after(self, side: int, shot: Shot) -> int | None:
        """The side that shoots after this one; None if the game is over."""
        turns = self.rules.turns
        if turns == "rounds":
            over = side == 1 and any(target.finished for target in self.targets)
        else:
            over = self.targets[side].finished
        if over:
            return None
        return side if turns == "again" and shot.answer.hit else 1 - side

    def resign(self, side: int) -> None:
        """Give up: the other side wins."""
        if self.finished:
            raise ShotError("The game is over.")
        self.resigned = side
