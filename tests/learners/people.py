"""Games of people for the tests of opponents who learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seabattle import Duel, DuelRecord, Rules, random_layout
from seabattle.layout import Layout
from seabattle.learners.person_memory import RememberedGame


def game_of(
    rules: Rules, ships: str, seed: int = 0, order: Sequence[int] | None = None
) -> RememberedGame:
    """A finished game of a person who hides there and shoots in this order, then in reading
    order, against one who shoots and hides at random."""
    rng = np.random.default_rng(seed)
    theirs = [*(order or ()), *(cell for cell in range(rules.cells) if cell not in (order or ()))]
    fired = [iter(theirs), iter(rng.permutation(rules.cells).tolist())]
    duel = Duel(Layout.from_text(ships, rules), random_layout(rules, rng))
    while (side := duel.to_move) is not None:
        duel.fire(next(fired[side]))
    return RememberedGame(DuelRecord.of(duel, ("Ann", "random")), 0)
