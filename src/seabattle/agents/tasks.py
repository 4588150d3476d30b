"""The tasks: a fixed set of games and positions that agents are scored on.

A game starts on an empty board and ends when the fleet is found. A position asks for one
shot. All layouts come from a random stream of their own, so that the set is the same
everywhere and shares no layout stream with anything that is tuned or measured. Positions are
taken from games of simple players: `density`, which follows up its hits, and `random`, which
leaves several damaged ships behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np

from ..compiled.seeds import TASK_STREAM
from ..dealing import layout_for
from ..errors import AgentError, one_of
from ..experiment.layout_sets import purpose_seed
from ..experiment.play import play
from ..layout import Layout
from ..observation import Observation
from ..rules import Rules

FIND_ALL = "Find the whole fleet with as few shots as possible."

TaskKind = Literal["game", "position"]

GAMES = {"mini": 3, "trio": 2, "patrol": 1, "named": 1, "classic": 2, "thesis": 1}
"""whole games per preset"""
POSITIONS: dict[str, tuple[tuple[str, int], ...]] = {
    "mini": (("density", 3), ("random", 8)),
    "trio": (("density", 5), ("random", 10)),
    "patrol": (("density", 10), ("random", 25)),
    "named": (("density", 15), ("random", 30)),
    "classic": (("density", 6), ("density", 20), ("random", 35)),
    "thesis": (("density", 20), ("random", 35)),
    "blind": (("density", 15), ("random", 30)),
    "russian": (("density", 30), ("random", 45)),
}
"""positions per preset: whose game, and after how many shots"""


@dataclass(frozen=True)
class Task:
    """Something that an agent is asked to do."""

    id: str
    kind: TaskKind
    observation: Observation
    """where it starts"""
    layout: Layout = field(repr=False)
    """hidden from the agent"""

    @property
    def rules(self) -> Rules:
        return self.observation.rules

    @property
    def question(self) -> str:
        """What is asked for, in words."""
        if self.kind == "position":
            return "Fire one shot: choose the cell with the best chance of a hit."
        return FIND_ALL

    def to_json(self) -> dict[str, Any]:
        """What may be known before the task is done."""
        return {
            "id": self.id,
            "kind": self.kind,
            "question": self.question,
            "rules": self.rules.to_json(),
            "shots": self.observation.to_text(),
        }


@cache
def all_tasks() -> tuple[Task, ...]:
    """Every task, in order."""
    tasks = []
    for preset, count in GAMES.items():
        rules = Rules.from_text(preset)
        for number in range(1, count + 1):
            layout = _layout(rules, number)
            tasks.append(Task(f"{preset}-game-{number}", "game", Observation(rules), layout))
    for preset, cuts in POSITIONS.items():
        rules = Rules.from_text(preset)
        for number, (player, shots) in enumerate(cuts, start=1):
            layout = _layout(rules, 100 + number)
            rng = np.random.default_rng(purpose_seed(TASK_STREAM, number))
            record = play(player, rules, seed=rng, layout=layout)
            start = Observation(rules, record.shots[:shots])
            assert not start.finished
            tasks.append(Task(f"{preset}-position-{number}", "position", start, layout))
    return tuple(tasks)


def find_task(name: str) -> Task:
    """The task with this id."""
    for task in all_tasks():
        if task.id == name.strip():
            return task
    raise AgentError(one_of("task", name[:40], [task.id for task in all_tasks()]))


def _layout(rules: Rules, number: int) -> Layout:
    return layout_for(rules, purpose_seed(TASK_STREAM), number)
