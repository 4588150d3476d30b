"""The game by brute force: slow, obvious, and sharing no code with the package.

Everything here takes plain numbers: rows, columns, a tuple of ship lengths, the words
of `contact` and `answers`. A layout is a tuple of frozensets of cells, one per ship.
An answer is ("miss",), ("hit",), ("hit", ship), ("sunk",) or ("sunk", ship).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

Layout = tuple[frozenset[int], ...]
Told = tuple[object, ...]


def ways_to_lie(rows: int, columns: int, length: int) -> list[frozenset[int]]:
    """Every straight run of `length` cells, each once."""
    runs = set()
    for row in range(rows):
        for column in range(columns):
            if column + length <= columns:
                runs.add(frozenset(row * columns + column + k for k in range(length)))
            if row + length <= rows:
                runs.add(frozenset((row + k) * columns + column for k in range(length)))
    return sorted(runs, key=sorted)


def may_lie_together(
    one: frozenset[int], other: frozenset[int], columns: int, contact: str
) -> bool:
    for a in one:
        for b in other:
            down = abs(a // columns - b // columns)
            right = abs(a % columns - b % columns)
            if down + right == 0:
                return False
            if contact != "any" and down + right == 1:
                return False
            if contact == "none" and down == right == 1:
                return False
    return True


@lru_cache(maxsize=4096)
def all_layouts(
    rows: int, columns: int, fleet: tuple[int, ...], contact: str
) -> tuple[Layout, ...]:
    """Every layout with the ships told apart."""

    def grow(placed: Layout) -> Iterator[Layout]:
        if len(placed) == len(fleet):
            yield placed
            return
        for run in ways_to_lie(rows, columns, fleet[len(placed)]):
            if all(may_lie_together(run, other, columns, contact) for other in placed):
                yield from grow((*placed, run))

    return tuple(grow(()))


def replay(layout: Layout, cells: tuple[int, ...], answers: str) -> list[Told]:
    """What a shooter is told who fires at these cells in this order."""
    told: list[Told] = []
    fired: set[int] = set()
    for cell in cells:
        fired.add(cell)
        struck = [ship for ship, run in enumerate(layout) if cell in run]
        if not struck:
            told.append(("miss",))
            continue
        ship = struck[0]
        word = "sunk" if layout[ship] <= fired else "hit"
        if answers == "hit-miss":
            told.append(("hit",))
        elif answers == "sunk" or (answers == "sunk-named" and word == "hit"):
            told.append((word,))
        else:
            told.append((word, ship))
    return told


def layouts_left(
    layouts: tuple[Layout, ...], cells: tuple[int, ...], told: list[Told], answers: str
) -> list[Layout]:
    """Those that give these answers to these shots."""
    return [layout for layout in layouts if replay(layout, cells, answers) == told]


def distinct(layouts: list[Layout], told: list[Told]) -> int:
    """How many there are when ships of one length that no answer named are alike."""
    named = {answer[1] for answer in told if len(answer) > 1}
    kinds = set()
    for layout in layouts:
        known = tuple((ship, layout[ship]) for ship in sorted(named))  # type: ignore[index,type-var]
        others = frozenset(run for ship, run in enumerate(layout) if ship not in named)
        kinds.add((known, others))
    return len(kinds)


def chances(
    layouts: list[Layout], cells: int, weights: list[Fraction] | None = None
) -> list[list[Fraction]]:
    """For each ship, the chance that it covers each cell."""
    weights = weights or [Fraction(1)] * len(layouts)
    total = sum(weights)
    ships = len(layouts[0])
    sums = [[Fraction(0)] * cells for _ in range(ships)]
    for layout, weight in zip(layouts, weights, strict=True):
        for ship, run in enumerate(layout):
            for cell in run:
                sums[ship][cell] += weight
    return [[each / total for each in row] for row in sums]
