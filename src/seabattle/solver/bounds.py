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
`shown ships`  Show the shooter all ships but the j shortest, and each of these whole when it is
               first hit, but for the last one. A first hit on a ship of length L then has at
               most 2 L answers, so the most layouts of a group that finish with at most m
               misses are P(ships, m) <= sum over i = 0..m, over ships of 2 L P(the others,
               m - i), down to a single ship, which is counted as in `last ship`. For every m
               the best j is taken: long ships are found soon, and late in the game only the
               short ones matter.
`all`          For every m, whichever of these curves leaves the fewest layouts finished.
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
from functools import lru_cache
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
    curves = finished_shares(rules, layouts, chances, seconds)
    found.append(
        Bound(
            "transcripts",
            hits + max(map(_misses, curves.transcripts)),
            "every layout needs a different game, and few games are short",
        )
    )
    found.append(
        Bound(
            "both",
            hits + max(map(_misses, curves.both)),
            "the same, with each first hit at most as likely as its cell",
        )
    )
    ship = max(curves.last_ship, key=lambda length: _misses(curves.last_ship[length]))
    found.append(
        Bound(
            "last ship",
            hits + _misses(curves.last_ship[ship]),
            f"a ship of {ship} takes this long to find even if all others are shown",
        )
    )
    found.append(
        Bound(
            "shown ships",
            hits + _misses(_lowest(curves.shown_ships)),
            "the shorter ships take this long to find even if the longer ones are shown",
        )
    )
    found.append(
        Bound(
            "all",
            hits + _misses(_lowest(curves.every)),
            "for each number of misses, the strictest of the bounds above",
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


Curve = list[float]
"""at most this share of all layouts is finished with at most 0, 1, 2, ... misses"""


@dataclass(frozen=True)
class Curves:
    """What each argument says about the layouts that a strategy finishes with few misses."""

    transcripts: list[Curve]
    both: list[Curve]
    last_ship: dict[int, Curve]
    """by length"""
    shown_ships: list[Curve]

    @property
    def every(self) -> list[Curve]:
        return [*self.transcripts, *self.both, *self.last_ship.values(), *self.shown_ships]


def finished_shares(
    rules: Rules, layouts: int, chances: list[float], seconds: float | None = None
) -> Curves:
    """The curves under these rules; `chances` are those of the cells, the highest first."""
    views = _views(rules, layouts)
    last_ship = {length: _last_ship(rules, length, layouts, seconds) for length in set(rules.fleet)}
    several = range(2, len(rules.fleet) + 1)
    return Curves(
        transcripts=[_finishing(*view, rules.cells, None) for view in views],
        both=[_finishing(*view, rules.cells, chances) for view in views],
        last_ship=last_ship,
        shown_ships=[
            last_ship[min(rules.fleet)],
            *(_shown_ships(rules, hidden, layouts, seconds) for hidden in several),
        ],
    )


def _misses(curve: Curve) -> float:
    """Mean misses if no more layouts are finished than the curve says."""
    return sum(max(0.0, 1.0 - share - TINY) for share in curve)


def _lowest(curves: list[Curve]) -> Curve:
    return [min(shares) for shares in zip(*curves, strict=True)]


def _last_ship(rules: Rules, length: int, layouts: int, seconds: float | None) -> Curve:
    """The layouts finished when all ships but one of this length are shown."""
    others = list(rules.fleet)
    others.remove(length)
    return _by_group(rules, tuple(others), _profile((length,), rules.cells), layouts, seconds)


def _shown_ships(rules: Rules, hidden: int, layouts: int, seconds: float | None) -> Curve:
    """The layouts finished when all ships but the `hidden` shortest are shown."""
    fleet = tuple(sorted(rules.fleet))
    profile = _profile(fleet[:hidden], rules.cells)
    return _by_group(rules, fleet[hidden:], profile, layouts, seconds)


@lru_cache(maxsize=256)
def _profile(hidden: tuple[int, ...], cells: int) -> list[int]:
    """How many of the ways that these ships lie can be finished with at most 0, 1, ... misses, if
    each ship but the last is shown when it is first hit."""
    if len(hidden) == 1:
        (length,) = hidden
        agree = [_most_through_a_cell(length), *(length - hit for hit in range(1, length))]
        profile = [1] * cells
        for most in reversed(agree):
            profile = list(accumulate(min(most, finish) for finish in profile))
        return profile
    after_hit = [0] * cells
    for ship, length in enumerate(hidden):
        others = _profile(hidden[:ship] + hidden[ship + 1 :], cells)
        answers = _most_through_a_cell(length)
        after_hit = [so_far + answers * n for so_far, n in zip(after_hit, others, strict=True)]
    return list(accumulate(after_hit))


def _most_through_a_cell(length: int) -> int:
    return 2 * length if length > 1 else 1


def _by_group(
    rules: Rules, shown: tuple[int, ...], profile: list[int], layouts: int, seconds: float | None
) -> Curve:
    """The curve if, for each way that the ships shown lie, at most `profile[m]` layouts are
    finished with m misses. Ships of equal length are told apart."""
    most_misses = rules.cells - rules.ship_cells
    ways = 1
    if shown:
        others = replace(rules, fleet=shown)
        counted = infer(Observation(others), seconds=seconds).layouts
        if counted is None:
            return [1.0] * most_misses
        ways = counted * _labellings(others)
    labelled = layouts * _labellings(rules)
    return [profile[misses] * ways / labelled for misses in range(most_misses)]


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
) -> Curve:
    """The layouts finished when the endings with the fewest misses are all used."""
    stages = count_stages(rules, None, layouts, cells)
    start = stages.start
    if chances is None:
        finished = stages.profile[start]
        return [int(finished[m]) * alike / layouts for m in range(cells - rules.ship_cells)]
    after_hit = [int(count) * alike / layouts for count in stages.after_hit[start]]
    return [
        sum(min(chances[shot], after_hit[misses - shot]) for shot in range(misses + 1))
        for misses in range(cells - rules.ship_cells)
    ]


def best(found: list[Bound]) -> Bound:
    """The highest bound."""
    return max(found, key=lambda bound: bound.shots)
