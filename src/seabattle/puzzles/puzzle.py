"""A puzzle: a position, what is asked, and the answer that exact counting gives.

`best`     one unknown cell is clearly likelier than every other: name it.
`certain`  every layout that agrees with the shots covers the same cells: name those that
           are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from ..belief import Belief
from ..belief.sunk_cells import sunk_ships
from ..errors import PuzzleError
from ..observation import Observation
from ..players import make_player
from ..rules import Rules

Kind = Literal["best", "certain"]
Grade = Literal["easy", "medium", "hard"]
KINDS: tuple[Kind, ...] = get_args(Kind)
GRADES: tuple[Grade, ...] = get_args(Grade)

CLEAR_GAP = 0.08
"""How much likelier than the second the best cell of a puzzle is, at least ..."""
CLEAR_RATIO = 1.25
"""... and how many times as likely."""
WIDE_GAP = 0.2
"""from which gap on a best cell is easy to see"""
FEWEST_CELLS = 2
"""cells that are left to name in a `certain` puzzle, at least"""

QUESTIONS: dict[Kind, str] = {
    "best": "One cell is clearly the best next shot. Which one?",
    "certain": "The rest of the fleet is certain. Name all cells of it that are left.",
}


@dataclass(frozen=True)
class PuzzleVerdict:
    """What an answer was worth."""

    right: bool
    sentence: str
    cells: tuple[int, ...]
    """the solution"""

    def to_json(self, rules: Rules) -> dict[str, Any]:
        names = [rules.cell_name(cell) for cell in self.cells]
        return {"right": self.right, "sentence": self.sentence, "solution": names}


@dataclass(frozen=True)
class Puzzle:
    """A position with a question."""

    id: str
    """`daily-2026-11-17`, or kind, rules and number: `best-classic-17`"""
    kind: Kind
    observation: Observation
    grade: Grade
    solution: tuple[int, ...] = field(repr=False)
    """the cell, or the cells, that answer it"""
    chances: tuple[float, ...] = field(repr=False)
    """the probability of a ship on each cell"""

    @property
    def rules(self) -> Rules:
        return self.observation.rules

    @property
    def question(self) -> str:
        return QUESTIONS[self.kind]

    def check(self, cells: Iterable[int]) -> PuzzleVerdict:
        """Whether an answer is right, and why."""
        given = tuple(dict.fromkeys(map(self.rules.checked_cell, cells)))
        for cell in given:
            if cell not in self.observation.unknown:
                raise PuzzleError(f"{self.rules.cell_name(cell)} has been shot at already.")
        if not given:
            raise PuzzleError("Name at least one cell.")
        if self.kind == "best":
            if len(given) > 1:
                raise PuzzleError("Name one cell: the best next shot.")
            return self._check_best(given[0])
        return self._check_certain(set(given))

    def _check_best(self, cell: int) -> PuzzleVerdict:
        name, best = self.rules.cell_name, self.solution[0]
        said = f"{name(best)} hits with {_percent(self.chances[best])}"
        if cell == best:
            second = max(self.chances[each] for each in self.observation.unknown if each != best)
            return PuzzleVerdict(
                True,
                f"Right: {said}, and no other cell with more than {_percent(second)}.",
                (best,),
            )
        return PuzzleVerdict(
            False, f"Not quite: {said}, {name(cell)} with {_percent(self.chances[cell])}.", (best,)
        )

    def _check_certain(self, given: set[int]) -> PuzzleVerdict:
        wanted = set(self.solution)
        if given == wanted:
            return PuzzleVerdict(True, "Right: that is the rest of the fleet.", self.solution)
        wrong, missing = sorted(given - wanted), len(wanted - given)
        parts = []
        if wrong:
            names = ", ".join(map(self.rules.cell_name, wrong))
            parts.append(f"no ship can lie on {names}")
        if missing:
            parts.append(f"{missing} cell{' is' if missing == 1 else 's are'} missing")
        return PuzzleVerdict(False, f"Not quite: {' and '.join(parts)}.", self.solution)

    def to_json(self, *, solution: bool = False) -> dict[str, Any]:
        """What may be known before it is solved; with `solution`, also the answer."""
        shown: dict[str, Any] = {
            "id": self.id,
            "kind": self.kind,
            "grade": self.grade,
            "question": self.question,
            "rules": self.rules.to_json(),
            "shots": self.observation.to_text(),
            "sunk": sunk_ships(self.observation).to_json(self.rules),
            "cells": len(self.solution),
        }
        if solution:
            shown["solution"] = [self.rules.cell_name(cell) for cell in self.solution]
        return shown


def puzzle_from(id: str, kind: Kind, belief: Belief) -> Puzzle | None:
    """The puzzle in a position; None if it has none of this kind."""
    observation = belief.observation
    chances = tuple(map(float, belief.probability.ravel()))
    if kind == "best":
        order = sorted(observation.unknown, key=lambda cell: -chances[cell])
        if len(order) < 2:
            return None
        best, second = (chances[cell] for cell in order[:2])
        if best >= 1 or best - second < CLEAR_GAP or best < CLEAR_RATIO * second:
            return None
        return Puzzle(id, kind, observation, _grade_best(belief, order[0]), (order[0],), chances)
    left = [cell for cell in observation.unknown if chances[cell] > 0]
    # Counts are whole numbers, so a chance of 1 is exactly 1.
    if len(left) < FEWEST_CELLS or any(chances[cell] < 1 for cell in left):
        return None
    return Puzzle(id, kind, observation, _grade_certain(len(left)), tuple(left), chances)


def _grade_best(belief: Belief, best: int) -> Grade:
    """Hard if plain counting of placements would choose another cell."""
    seen = belief.observation
    counted = make_player("density:ties=first").choose(seen, np.random.default_rng(0))
    if counted != best:
        return "hard"
    chances = belief.probability.ravel()
    second = max(chances[cell] for cell in seen.unknown if cell != best)
    return "easy" if chances[best] - second >= WIDE_GAP else "medium"


def _grade_certain(cells: int) -> Grade:
    return "easy" if cells == FEWEST_CELLS else "medium" if cells <= FEWEST_CELLS + 2 else "hard"


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"
