"""One shot, compared with the best one.

Before a shot at a cell that holds a ship with probability p, where the best cell held one
with probability q:

    cost = q - p                        the hit chance that was given away
    luck = (1 for a hit, 0 for a miss) - p
    accuracy = p / q

A move that was wasted on a known cell could not hit: its p is 0.

All of it comes from what the shooter knew, never from the layout. The likeliest cell is not
always the best one in the long run, but nearly so (`seabattle solve` has the optimum of small
boards).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..observation import Observation
from ..record import DuelRecord, GameRecord
from ..shots import Shot

Judgement = Literal["best", "good", "inaccuracy", "mistake", "blunder", "wasted"]

THRESHOLDS: tuple[tuple[Judgement, float], ...] = (
    ("blunder", 0.25),
    ("mistake", 0.10),
    ("inaccuracy", 0.05),
)
"""a shot is called this from this cost on"""

EQUAL = 1e-9
"""Chances that are equal can differ in their last digits as floats."""


@dataclass(frozen=True)
class ShotToReview:
    """What somebody knew who was about to shoot, and the shot."""

    number: int
    """of the shot in the game, from 1"""
    side: int
    known: Observation
    shot: Shot


@dataclass(frozen=True)
class ShotReview:
    """How good and how lucky one shot was."""

    position: ShotToReview
    chance: float
    """p, the chance that it would hit"""
    best_cell: int
    """the likeliest cell; the one that was shot at if none was likelier"""
    best_chance: float
    """q"""
    exact: bool
    """whether the chances were counted, not sampled"""

    @classmethod
    def of(cls, position: ShotToReview, probability: Sequence[float], *, exact: bool) -> ShotReview:
        """The review of a shot from the probability of a ship on each cell before it."""
        unknown, cell = position.known.unknown, position.shot.cell
        chance = 0.0 if position.shot.wasted else float(probability[cell])
        best = max(unknown, key=lambda each: (probability[each], -each))
        if probability[best] - chance < EQUAL:
            best = cell
        return cls(position, chance, best, float(probability[best]), exact)

    @property
    def cost(self) -> float:
        """The hit chance that was given away."""
        return self.best_chance - self.chance

    @property
    def luck(self) -> float:
        return float(self.position.shot.answer.hit) - self.chance

    @property
    def accuracy(self) -> float:
        """1 also for the last shots of a salvo if no cell that is left can hit."""
        return self.chance / self.best_chance if self.best_chance else 1.0

    @property
    def judgement(self) -> Judgement:
        """The shot in a word."""
        if self.position.shot.wasted:
            return "wasted"
        if self.best_cell == self.position.shot.cell:
            return "best"
        return next((word for word, cost in THRESHOLDS if self.cost >= cost), "good")

    def to_json(self) -> dict[str, Any]:
        rules = self.position.known.rules
        return {
            "number": self.position.number,
            "side": self.position.side,
            **self.position.shot.to_json(rules),
            "chance": self.chance,
            "best_cell": rules.cell_name(self.best_cell),
            "best_chance": self.best_chance,
            "cost": self.cost,
            "luck": self.luck,
            "accuracy": self.accuracy,
            "judgement": self.judgement,
            "exact": self.exact,
        }


def positions(record: GameRecord | DuelRecord) -> Iterator[ShotToReview]:
    """Every position of a game in which somebody shot, in order. The shots of a salvo are chosen
    with the same knowledge, one after the other."""
    game, moves = record.replay(0), record.moves
    known = [Observation(record.rules), Observation(record.rules)]
    place = 0
    while place < len(moves):
        turn = moves[place : place + max(1, game.salvo)]
        seen = known[turn[0][0]]
        for number, (side, shot) in enumerate(turn, start=place + 1):
            yield ShotToReview(number, side, seen, shot)
            if shot.wasted:
                continue
            if number < place + len(turn):
                seen = seen.choosing(shot.cell)
            known[side] = known[side].told(shot)
        game.fire_salvo(shot.cell for _, shot in turn)
        place += len(turn)
