"""The cells that are known to belong to sunk ships.

They are the cells that `compiled.knowledge` closes, which is what compiled players see. One
case is left out: where the answers do not say which ship sank and ships may touch, `tell`
assumes the longest ship that fits, which is only a guess.

>>> rules = Rules.from_text("classic")
>>> observation = Observation.from_text("A1 hit, A2 hit, C1 hit, A3 sunk cruiser", rules)
>>> sorted(map(rules.cell_name, sunk_cells(observation)))
['A1', 'A2', 'A3']
"""

from __future__ import annotations

from ..compiled.knowledge import CLOSED, clear, new_knowledge, tell
from ..compiled.rules_tables import board_of
from ..observation import Observation
from ..rules import Rules


def sunk_cells(observation: Observation) -> frozenset[int]:
    """Cells that certainly belong to a sunk ship."""
    sinking = frozenset(shot.cell for shot in observation.shots if shot.answer.sunk)
    if not sinking or _is_guessed(observation.rules):
        return sinking
    board, knowledge = board_of(observation.rules), new_knowledge()
    clear(board, knowledge)
    for cell, answer in zip(*observation.arrays, strict=True):
        tell(board, knowledge, cell, answer)
    closed = (knowledge.status[: observation.rules.cells] == CLOSED).nonzero()[0]
    return sinking.union(closed.tolist())


def _is_guessed(rules: Rules) -> bool:
    """Ships that may not touch are whole runs of hits; of others the length must be told."""
    return rules.answers == "sunk" and rules.contact == "any"
