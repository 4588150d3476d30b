"""How far each move was from exact play.

A move is scored by its hit chance under the exact posterior: the share of all layouts that
agree with the shots so far which have a ship on its cell. Its regret is the best hit chance
of any cell minus its own. The player `exact` has regret 0 on every move. (Shooting at the
likeliest cell is not always optimal in the long run, but nearly so; on small boards,
`seabattle solve` has the optimum.)

Moves that are not shots are counted and answered in words: text that is not a cell of the
board is illegal, and a cell that has been shot at is a repeated one. Neither changes the
position. An attempt with too many of them ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from ..belief import Belief, infer
from ..errors import CellError, ShotError
from ..experiment.play import ask
from ..game import Game
from ..observation import Observation
from ..players import Player
from ..rules import Rules
from ..shots import Shot
from .tasks import Task

MoveKind = Literal["shot", "illegal", "repeated"]

MOST_REFUSED = 50
"""illegal and repeated moves after which an attempt ends"""
LONGEST_MOVE = 40
"""characters of a move that are kept"""


@dataclass(frozen=True)
class MoveScore:
    """One move of an attempt."""

    move: str
    """as it was given"""
    kind: MoveKind
    told: str = ""
    """the answer, such as `hit`"""
    chance: float | None = None
    """the hit chance of the cell; None unless it is a shot"""
    best_cell: str = ""
    """the first cell with the best hit chance"""
    best_chance: float | None = None

    @property
    def regret(self) -> float | None:
        """How much hit chance the move gave away."""
        if self.chance is None or self.best_chance is None:
            return None
        return self.best_chance - self.chance

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "regret": self.regret}


@dataclass(frozen=True)
class TaskScore:
    """The score of one attempt at a task."""

    task: Task
    moves: tuple[MoveScore, ...]
    finished: bool
    """whether the fleet was found, or the one shot of a position was fired"""

    @property
    def shots(self) -> int:
        return self._count("shot")

    @property
    def illegal(self) -> int:
        return self._count("illegal")

    @property
    def repeated(self) -> int:
        return self._count("repeated")

    @property
    def regrets(self) -> list[float]:
        """The regret of each shot."""
        return [move.regret for move in self.moves if move.regret is not None]

    @property
    def mean_regret(self) -> float | None:
        """None without a shot."""
        return mean(self.regrets)

    def _count(self, kind: MoveKind) -> int:
        return sum(move.kind == kind for move in self.moves)

    def to_json(self) -> dict[str, Any]:
        return {
            "task": self.task.id,
            "kind": self.task.kind,
            "finished": self.finished,
            "shots": self.shots,
            "illegal": self.illegal,
            "repeated": self.repeated,
            "mean_regret": self.mean_regret,
            "total_regret": sum(self.regrets),
            "moves": [move.to_json() for move in self.moves],
        }


def summary_of(scores: Iterable[TaskScore]) -> dict[str, Any]:
    """The score of a whole set of attempts."""
    scored = list(scores)
    regrets = [regret for score in scored for regret in score.regrets]
    # Exact chances that are equal can differ in their last digit as floats.
    best = [regret < 1e-12 for regret in regrets]
    return {
        "tasks": len(scored),
        "finished": sum(score.finished for score in scored),
        "shots": sum(score.shots for score in scored),
        "illegal": sum(score.illegal for score in scored),
        "repeated": sum(score.repeated for score in scored),
        "mean_regret": mean(regrets),
        "best_moves": mean(best),
    }


@dataclass
class Attempt:
    """One attempt at a task, move by move. The layout is never told before its end.

    >>> from seabattle.agents.tasks import find_task
    >>> attempt = Attempt(find_task("mini-game-1"))
    >>> attempt.move("C3 please").kind, attempt.move("C3").kind, attempt.move("c3").kind
    ('illegal', 'shot', 'repeated')
    """

    task: Task
    moves: list[MoveScore] = field(default_factory=list)
    """scored when they are made, so that the end of a long game is not a long wait"""
    _game: Game = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._game = Game(self.task.layout)
        for shot in self.task.observation.shots:
            self._game.fire(shot.cell)

    @property
    def rules(self) -> Rules:
        return self.task.rules

    @property
    def observation(self) -> Observation:
        """What the agent knows."""
        return Observation(self.rules, self._game.shots)

    @property
    def fired(self) -> tuple[Shot, ...]:
        """The shots of this attempt."""
        return self._game.shots[len(self.task.observation.shots) :]

    @property
    def finished(self) -> bool:
        """Whether what was asked for is done."""
        return bool(self.fired) if self.task.kind == "position" else self._game.finished

    @property
    def refused(self) -> int:
        """Moves that were not shots."""
        return sum(move.kind != "shot" for move in self.moves)

    @property
    def over(self) -> bool:
        """Finished, or given up after too many moves that were not shots."""
        return self.finished or self.refused >= MOST_REFUSED

    def move(self, text: str) -> Reply:
        """Make a move; text that is no legal shot is counted and explained."""
        if self.over:
            raise ShotError("This task is over; start another one.")
        score, sentence = self._try(text)
        self.moves.append(score)
        if score.kind != "shot" and self.refused == MOST_REFUSED:
            sentence += f" The task ends after {MOST_REFUSED} such moves."
        return Reply(score.kind, sentence)

    def _try(self, text: str) -> tuple[MoveScore, str]:
        rules, known = self.rules, self.observation
        given = " ".join(text.split())[:LONGEST_MOVE]
        try:
            cell = rules.cell(text)
        except CellError as error:
            return MoveScore(given, "illegal"), f"Illegal move: {shortened(str(error))}"
        try:
            answer = self._game.fire(cell)
        except ShotError as error:
            said = f"Repeated cell: {error} Choose an unknown cell."
            return MoveScore(given, "repeated"), said
        belief = exact_belief(known)
        chances, best = belief.probability.ravel(), belief.suggestion
        assert best is not None
        score = MoveScore(
            given,
            "shot",
            answer.word,
            float(chances[cell]),
            rules.cell_name(best),
            float(chances[best]),
        )
        return score, f"{Shot(cell, answer).to_text(rules)}."

    def score(self) -> TaskScore:
        """The score of the moves so far."""
        return TaskScore(self.task, tuple(self.moves), self.finished)


@dataclass(frozen=True)
class Reply:
    """What a move was, and what the agent is told."""

    kind: MoveKind
    sentence: str


@lru_cache(maxsize=256)
def exact_belief(observation: Observation) -> Belief:
    """The exact posterior; the first positions of a task are asked for again and again."""
    return infer(observation)


def shortened(sentence: str) -> str:
    """A sentence that quotes what was given, without most of it if it is long."""
    return sentence if len(sentence) <= 300 else f"{sentence[:120]} ... {sentence[-120:]}"


def mean(values: list[float] | list[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def play_task(player: Player, task: Task, seed: int = 0) -> TaskScore:
    """Let a player of this package do a task."""
    attempt, rng = Attempt(task), np.random.default_rng(seed)
    while not attempt.over:
        attempt.move(task.rules.cell_name(ask(player, attempt.observation, rng)))
    return attempt.score()
