"""Optimal play by plain recursion over sets of layouts: slow, obvious, no bounds.

Shares no code with `seabattle.solver`: layouts come from `Layout` itself, answers from
`Game`-like counting written out here, and every cell that has not been shot at is
tried in every position, certain hits and certain misses included.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

from seabattle import Layout, Rules
from seabattle.errors import LayoutError
from seabattle.layout import Placement

Ships = tuple[frozenset[int], ...]


def labelled_layouts(rules: Rules) -> list[Ships]:
    """Every layout, ships of equal length told apart."""
    found = []
    for cells in product(range(rules.cells), repeat=len(rules.fleet)):
        directions = [("across", "down") if n > 1 else ("across",) for n in rules.fleet]
        for chosen in product(*directions):
            placed = tuple(Placement(c, d) for c, d in zip(cells, chosen, strict=True))
            try:
                layout = Layout(rules, placed)
            except LayoutError:
                continue
            found.append(tuple(frozenset(ship) for ship in layout.ship_cells))
    return found


def answer(rules: Rules, ships: Ships, hits: frozenset[int], cell: int) -> tuple[object, ...]:
    for number, ship in enumerate(ships):
        if cell in ship:
            sunk = ship <= hits | {cell}
            if rules.answers == "hit-miss":
                return ("hit",)
            if rules.answers == "sunk":
                return ("hit", sunk)
            if rules.answers == "sunk-named":
                return ("hit", sunk, number if sunk else None)
            return ("hit", sunk, number)
    return ("miss",)


def optimum(rules: Rules, *, worst: bool = False) -> float:
    """The least expected number of shots, or the fewest that always suffice."""

    @cache
    def cost(left: frozenset[Ships], shot: frozenset[int]) -> int:
        # Only cells hit in all layouts or in none have been shot, so hits are those shot
        # cells that any one layout covers.
        some = next(iter(left))
        hits = frozenset(c for c in shot if any(c in ship for ship in some))
        if len(hits) == rules.ship_cells:
            return 0
        best = None
        for cell in range(rules.cells):
            if cell in shot:
                continue
            parts: dict[tuple[object, ...], set[Ships]] = {}
            for ships in left:
                parts.setdefault(answer(rules, ships, hits, cell), set()).add(ships)
            below = [cost(frozenset(part), shot | {cell}) for part in parts.values()]
            value = 1 + max(below) if worst else len(left) + sum(below)
            best = value if best is None else min(best, value)
        assert best is not None
        return best

    layouts = labelled_layouts(rules)
    assert max(Counter(layouts).values()) == 1
    total = cost(frozenset(layouts), frozenset())
    return total if worst else total / len(layouts)


def most_finished(rules: Rules, misses: int) -> float:
    """The largest share of the layouts that any strategy finishes with at most `misses` misses."""

    @cache
    def finished(left: frozenset[Ships], shot: frozenset[int], misses: int) -> int:
        some = next(iter(left))
        hits = frozenset(c for c in shot if any(c in ship for ship in some))
        if len(hits) == rules.ship_cells:
            return len(left)
        best = 0
        for cell in set(range(rules.cells)) - shot:
            parts: dict[tuple[object, ...], set[Ships]] = {}
            for ships in left:
                parts.setdefault(answer(rules, ships, hits, cell), set()).add(ships)
            total = 0
            for told, part in parts.items():
                remaining = misses - (told == ("miss",))
                if remaining >= 0:
                    total += finished(frozenset(part), shot | {cell}, remaining)
            best = max(best, total)
        return best

    layouts = labelled_layouts(rules)
    return finished(frozenset(layouts), frozenset(), misses) / len(layouts)
