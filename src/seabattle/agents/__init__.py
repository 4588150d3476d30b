"""Language models as players: positions in words, tasks with exact scores, an MCP server.

`position_text`  rules and positions in words
`scoring`        how far each move was from exact play
`tasks`          a fixed set of games and positions to be scored on
`agent_games`    the games of one client: what it may do, and what it is told
`mcp_server`     these games as tools of the Model Context Protocol

>>> from seabattle import Observation, Rules
>>> print(position_text(Observation.from_text("C3 hit, C4 miss", Rules.from_text("mini"))))
Board after 2 shots (. unknown, o miss, X hit, # sunk, < the last shot):
   1 2 3 4 5
A  . . . . .
B  . . . . .
C  . . X o<.
D  . . . . .
E  . . . . .
Shots in order: C3 hit, C4 miss
Afloat: 4 of 5 ship cells; sinking is not announced
You may shoot at any unknown cell; 23 are left.
"""

from __future__ import annotations

from .position_text import position_text, rules_text
from .scoring import Attempt, MoveScore, TaskScore
from .tasks import Task, all_tasks, find_task

__all__ = [
    "Attempt",
    "MoveScore",
    "Task",
    "TaskScore",
    "all_tasks",
    "find_task",
    "position_text",
    "rules_text",
]
