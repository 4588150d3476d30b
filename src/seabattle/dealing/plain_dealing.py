"""Random layouts without compiled code: uniform over all legal ones, by rejection.

The first game after an installation would wait until dealing is compiled. Fleets with enough
room are dealt here in less than a millisecond; for the others, `uniform` has better ways.

>>> rules = Rules.from_text("mini")
>>> plain_layout(rules, random.Random(1)).rules == rules
True
"""

from __future__ import annotations

import random
from functools import lru_cache

from ..compiled.board_tables import Bits
from ..compiled.rules_tables import board_of
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import layout_of_numbers

TRIES = 1000
"""some milliseconds"""


def plain_layout(rules: Rules, rng: random.Random, tries: int = TRIES) -> Layout | None:
    """A layout drawn uniformly from all legal ones; None if that many tries gave none.

    Each try puts every ship anywhere and keeps the layout only if it is legal as a whole, so
    no layout is likelier than another.
    """
    ships = _ship_masks(rules)
    if not all(masks for _, masks in ships):
        return None  # a ship fits nowhere
    for _ in range(tries):
        numbers: list[int] = []
        taken = 0
        for first, masks in ships:
            place = rng.randrange(len(masks))
            cells, halo = masks[place]
            if cells & taken:
                break
            taken |= halo
            numbers.append(first + place)
        else:
            return layout_of_numbers(rules, numbers)
    return None


@lru_cache(maxsize=16)
def _ship_masks(rules: Rules) -> list[tuple[int, list[tuple[int, int]]]]:
    """For each ship the number of its first placement and, for every placement, its cells and
    the cells that it keeps others from, as bit masks."""
    board = board_of(rules)
    used = slice(int(board.placements))
    halos = map(_joined, board.halo[used])
    masks = list(zip(map(_joined, board.mask[used]), halos, strict=True))
    bounds = zip(board.first[: board.ships], board.last[: board.ships], strict=True)
    return [(int(first), masks[first:last]) for first, last in bounds]


def _joined(words: Bits) -> int:
    """The 64-bit words of a mask as one number."""
    return sum(int(word) << 64 * place for place, word in enumerate(words))
