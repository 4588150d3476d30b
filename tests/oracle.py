"""The game by brute force: slow, obvious, and sharing no code with the package.

Everything here takes plain numbers: rows, columns, a tuple of ship lengths, the words
of `contact` and `answers`. A layout is a tuple of frozensets of cells, one per ship.
An answer is ("miss",), ("hit",), ("hit", ship), ("sunk",) or ("sunk", ship).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from operator import eq

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


def replay(layout: Layout, cells: tuple[int, ...], answers: str) -> Iterator[Told]:
    """What a shooter is told when firing at these cells in this order."""
    fired: set[int] = set()
    for cell in cells:
        fired.add(cell)
        ship = -1
        for number, run in enumerate(layout):
            if cell in run:
                ship = number
        if ship < 0:
            yield ("miss",)
            continue
        word = "sunk" if layout[ship] <= fired else "hit"
        if answers == "hit-miss":
            yield ("hit",)
        elif answers == "sunk" or (answers == "sunk-named" and word == "hit"):
            yield (word,)
        else:
            yield (word, ship)


def layouts_left(
    layouts: tuple[Layout, ...], cells: tuple[int, ...], told: list[Told], answers: str
) -> list[Layout]:
    """The layouts that give these answers to these shots."""
    return [layout for layout in layouts if all(map(eq, replay(layout, cells, answers), told))]


def distinct(layouts: list[Layout], told: list[Told]) -> int:
    """How many layouts there are if ships of one length are alike unless an answer named them."""
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
    each_weighs = weights or [1] * len(layouts)
    total = sum(each_weighs)
    ships = len(layouts[0])
    sums: list[list[Fraction | int]] = [[0] * cells for _ in range(ships)]
    for layout, weight in zip(layouts, each_weighs, strict=True):
        for ship, run in enumerate(layout):
            for cell in run:
                sums[ship][cell] += weight
    return [[Fraction(each) / total for each in row] for row in sums]


def valid_ship_cells(
    rows: int, columns: int, fleet: tuple[int, ...], contact: str, hits: frozenset[int]
) -> int:
    """How many hits lie on ships that could be real: T's validation, step by step."""
    left, seen, valid = list(fleet), set(), 0
    for cell in range(rows * columns):
        if cell not in hits or cell in seen:
            continue
        row, column = divmod(cell, columns)
        run = [cell]
        for down, right in ((0, 1), (1, 0)):
            while len(run) == 1 or (run[1] - run[0] == (columns if down else 1)):
                r, c = row + down * len(run), column + right * len(run)
                here = r * columns + c
                if r >= rows or c >= columns or here not in hits or here in seen:
                    break
                run.append(here)
        seen.update(run)
        others = hits - set(run)
        apart = may_lie_together(frozenset(run), others, columns, contact)
        if len(run) in left and apart:
            left.remove(len(run))
            valid += len(run)
    return valid


def neighbour_chances(
    rows: int, columns: int, ship_cells: int, hits: frozenset[int], misses: frozenset[int]
) -> dict[int, float]:
    """P's hit probability of each unknown cell, shared out cell by cell as P describes it."""
    cells = range(rows * columns)
    empty = {cell for cell in cells if cell not in hits | misses}

    def around(cell: int) -> list[int]:
        row, column = divmod(cell, columns)
        near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * columns + c for r, c in near if 0 <= r < rows and 0 <= c < columns]

    to_find = ship_cells - len(hits)
    chance = dict.fromkeys(cells, 0.0)
    for cell in cells:
        free = [other for other in around(cell) if other in empty]
        if cell in empty:
            for other in free:
                chance[other] += to_find / len(empty)
        elif cell in hits and not any(other in hits for other in around(cell)):
            for other in free:
                chance[other] += to_find / len(free)
    return {cell: min(1.0, chance[cell]) for cell in empty}


def known_sunk(
    rows: int,
    columns: int,
    fleet: tuple[int, ...],
    answers: str,
    shots: list[tuple[int, Told]],
) -> tuple[set[int], list[bool]]:
    """The cells that are surely of sunk ships, and which ships are afloat, as told.

    A ship that sank was a straight run, through the shot, of hits not yet known to be sunk:
    of the length of the ship that was named (and named at each of those hits, where hits
    are named), else of the longest length afloat that there is such a run of. The cells
    that all such runs share are sunk.
    """
    standing: dict[int, object] = {}
    sunk: set[int] = set()
    afloat = [True] * len(fleet)
    for cell, (word, *named) in shots:
        if word == "miss":
            continue
        standing[cell] = named[0] if named else None
        if word != "sunk":
            continue
        runs = {
            length: [
                run
                for run in ways_to_lie(rows, columns, length)
                if cell in run and run <= standing.keys()
            ]
            for length in fleet
        }
        if named:
            ship = range(len(fleet)).index(named[0])
        else:
            lengths = [n for n, up in zip(fleet, afloat, strict=True) if up and runs[n]]
            if not lengths:
                continue
            ship = max(s for s, n in enumerate(fleet) if n == max(lengths) and afloat[s])
        afloat[ship] = False
        possible = runs[fleet[ship]]
        if answers == "named":
            possible = [run for run in possible if all(standing[c] == ship for c in run)]
        shared = frozenset.intersection(*possible) if possible else frozenset()
        sunk |= shared
        for each in shared:
            del standing[each]
    return sunk, afloat


def salvo_duel(
    layouts: tuple[Layout, Layout],
    orders: tuple[tuple[int, ...], tuple[int, ...]],
    cells: int,
    answers: str,
    turns: str,
    salvo: int | str,
) -> tuple[list[tuple[int, tuple[int, ...], tuple[Told, ...]]], int | None]:
    """Two sides that fire at `orders`, cell after cell, in salvos.

    Side s hides `layouts[s]`. Returns the turns (side, cells, answers) and the winner: None for
    a draw.
    """
    fired: list[list[int]] = [[], []]
    history: list[tuple[int, tuple[int, ...], tuple[Told, ...]]] = []

    def told(side: int) -> list[Told]:
        return list(replay(layouts[1 - side], tuple(fired[side]), answers))

    def announced(side: int) -> int:
        """How many of this side's ships its enemy was told to be sunk."""
        return sum(each[0] == "sunk" for each in told(1 - side))

    def has_won(side: int) -> bool:
        return all(run <= set(fired[side]) for run in layouts[1 - side])

    while True:
        at_start = [announced(side) for side in (0, 1)]
        for side in (0, 1):
            sunk = at_start[side] if turns == "rounds" else announced(side)
            size = len(layouts[side]) - sunk if salvo == "ships" else int(salvo)
            before = len(fired[side])
            fired[side] += orders[side][before : before + min(size, cells - before)]
            history.append((side, tuple(fired[side][before:]), tuple(told(side)[before:])))
            if turns == "alternate" and has_won(side):
                return history, side
        if has_won(0) or has_won(1):
            return history, None if has_won(0) and has_won(1) else 0 if has_won(0) else 1
