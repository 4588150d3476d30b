"""Lower bounds on the expected number of shots, for boards too large to solve.

Each holds for every strategy, however clever. Let N be the number of layouts and k
of ship cells; a game takes k hits and some misses.

`ship cells`   Every ship cell must be hit: k.
`coverage`     Until the first hit a strategy shoots a fixed sequence of cells. The
               chance that its first i cells all miss is at least 1 minus the i highest
               cell probabilities; the sum over i bounds the misses before the first hit.
`transcripts`  A strategy is a tree: each layout ends in a leaf of its own, told apart
               by the answers. Few leaves have few misses (see `stages`), so at most
               P(m) layouts finish with m misses or fewer.
`both`         `transcripts`, where the i-th cell before the first hit takes no more
               layouts than cover it.
`last ship`    Show the shooter all ships but one. The N layouts fall into groups, one
               for each way the other ships lie; a group of n costs at least G(n) misses,
               as a cell is covered by at most 2 × length placements of one ship, and
               two cells by fewer than its length. G is convex, so with M ways for the
               other ships the mean is at least M G(N / M) / N. The best ship is taken.
`agreement`    `both`, where layouts that agree on so many hits are counted on the board
               itself. Only if all layouts can be listed; every solution starts from it.

Where ships may touch, different layouts can cover the same cells and end alike. The
bounds from transcripts then count as if every hit named its ship, which can only help the
shooter; or let each leaf hold as many layouts as a given set of cells can be cut
into ships, whichever bound is higher.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate

from ..belief import infer
from ..errors import SolveError
from ..observation import Observation
from ..rules import Rules
from .branch_and_bound import BranchAndBound
from .problem import make_problem
from .ranking_kernels import PROBE
from .stages import count_stages

MOST_LISTED = 20_000
"""Boards with more layouts get no bound that lists them."""

TINY = 1e-12
"""Added to probabilities so that rounding never raises a bound."""


@dataclass(frozen=True)
class Bound:
    """One lower bound."""

    name: str
    shots: float
    """no strategy needs fewer on average"""
    why: str
    """one sentence"""


def bounds(rules: Rules, seconds: float | None = None) -> list[Bound]:
    """All bounds; `seconds` limits the time for counting layouts."""
    belief = infer(Observation(rules), seconds=seconds)
    if belief.layouts is None:
        raise SolveError(
            f"The layouts of these rules were not counted in {seconds:g} seconds; allow more."
        )
    layouts, cells, hits = belief.layouts, rules.cells, rules.ship_cells
    chances = sorted(min(1.0, p + TINY) for p in belief.probability.ravel().tolist())[::-1]

    found = [Bound("ship cells", float(hits), "every ship cell must be hit")]
    left, misses = 1.0, 0.0
    for chance in chances:
        left = max(0.0, left - chance)
        misses += left
    found.append(
        Bound(
            "coverage",
            hits + misses,
            "the first hit takes this long even if the likeliest cells are shot first",
        )
    )
    plain = [
        _finishing(each, count, room, cells, None) for each, count, room in _views(rules, layouts)
    ]
    found.append(
        Bound(
            "transcripts",
            hits + max(plain),
            "every layout needs a different game, and few games are short",
        )
    )
    joint = [
        _finishing(each, count, room, cells, chances)
        for each, count, room in _views(rules, layouts)
    ]
    found.append(
        Bound(
            "both", hits + max(joint), "the same, with each first hit at most as likely as its cell"
        )
    )
    ship, misses = max(
        ((length, _last_ship(rules, length, layouts, seconds)) for length in set(rules.fleet)),
        key=lambda pair: pair[1],
    )
    found.append(
        Bound(
            "last ship",
            hits + misses,
            f"a ship of {ship} takes this long to find even if all others are shown",
        )
    )
    labellings = _labellings(rules) if rules.answers in ("sunk-named", "named") else 1
    if cells <= 64 and layouts * labellings <= MOST_LISTED:
        problem = make_problem(rules)
        search = BranchAndBound(problem, memory=0.01)
        total = search.value(search.all_rows, 0, PROBE, 10)
        found.append(
            Bound(
                "agreement",
                hits + total / problem.total,
                "the same, counting how many layouts share their first hits",
            )
        )
    return found


def _last_ship(rules: Rules, length: int, layouts: int, seconds: float | None) -> float:
    """Mean misses to find one ship of this length when the others are shown."""
    others = list(rules.fleet)
    others.remove(length)
    ways = 1
    if others:
        counted = infer(Observation(replace(rules, fleet=tuple(others))), seconds=seconds).layouts
        if counted is None:
            return 0.0
        ways = counted
    # The ships shown tell which of several equal ones is missing, so that one is labelled.
    groups = layouts * rules.fleet.count(length) / ways
    agree = [2 * length if length > 1 else 1, *(length - hit for hit in range(1, length))]
    profile = [1] * (rules.cells + 1)
    for most in reversed(agree):
        profile = list(accumulate(min(most, finish) for finish in profile))
    total = sum(max(0.0, groups - finish) for finish in profile)
    return max(0.0, total / groups - TINY)


def _views(rules: Rules, layouts: int) -> list[tuple[Rules, int, int]]:
    """Rules to count transcripts under, the number of layouts, and how many can have the same
    transcript."""
    same = _labellings(rules)
    if rules.answers == "named":
        return [(rules, layouts * same, 1)]
    labelled = layouts * same if rules.answers == "sunk-named" else layouts
    if rules.contact != "any":
        return [(rules, labelled, 1)]
    alike = cuttings(rules.fleet) * (labelled // layouts)
    return [(rules, labelled, alike), (replace(rules, answers="named"), layouts * same, 1)]


def _labellings(rules: Rules) -> int:
    """Ways to tell ships of equal length apart."""
    return math.prod(math.factorial(rules.fleet.count(each)) for each in set(rules.fleet))


def cuttings(fleet: tuple[int, ...]) -> int:
    """An upper bound on the ways to cut a set of cells into the ships of a fleet.

    The first cell not yet covered, row by row, starts a ship that lies across or down:
    so the lengths in some order, with a direction for each ship of two cells or more.
    """
    orders = math.factorial(len(fleet))
    for length in set(fleet):
        orders //= math.factorial(fleet.count(length))
    return orders << sum(length > 1 for length in fleet)


def _finishing(
    rules: Rules, layouts: int, alike: int, cells: int, chances: list[float] | None
) -> float:
    """Mean misses when the endings with the fewest misses are all used."""
    stages = count_stages(rules, None, layouts, cells)
    start = stages.start
    total = 0.0
    for misses in range(cells - rules.ship_cells):
        if chances is None:
            finish = float(int(stages.profile[start, misses]) * alike / layouts)
        else:
            finish = sum(
                min(chances[shot], int(stages.after_hit[start, misses - shot]) * alike / layouts)
                for shot in range(misses + 1)
            )
        total += max(0.0, 1.0 - finish - TINY)
    return total


def best(found: list[Bound]) -> Bound:
    """The highest bound."""
    return max(found, key=lambda bound: bound.shots)
