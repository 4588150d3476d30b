"""What to draw: a board with a mark on each cell and, for a heat map, a probability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from ...belief.sunk_cells import sunk_cells
from ...errors import OutputError
from ...layout import Layout
from ...naming.choice import chosen
from ...observation import Observation
from ...rules import Rules
from ...shots import Shot

if TYPE_CHECKING:
    from ...belief import Belief

UNKNOWN, MISS, HIT, SUNK = ".", "o", "X", "#"

Scale = Literal["relative", "thesis"]
"""`relative`: dark to bright, up to the highest cell. `thesis`: T's scale (figure 2.9), light to
dark, the darkest from 70% on whatever the highest cell is."""
SCALES: tuple[Scale, ...] = get_args(Scale)


def checked_scale(text: str) -> Scale:
    """The scale of this name."""
    return chosen(text, SCALES, "scale", OutputError)


MEANING = {UNKNOWN: "unknown", MISS: "miss", HIT: "hit", SUNK: "sunk"}


@dataclass(frozen=True)
class Picture:
    """A board to be drawn."""

    rules: Rules
    marks: tuple[str, ...]
    """for each cell `.`, `o`, `X` or `#`, or a ship's length (`+` from 10 on)"""
    probability: tuple[float, ...] | None = None
    """the probability of a ship on each cell, or another share from 0 to 1 that colours it;
    nan where there is none"""
    suggestion: int | None = None
    """the cell to mark as the best next shot"""
    last: int | None = None
    """the cell to mark as the latest shot"""
    title: str = ""
    caption: str = ""
    figures: tuple[str, ...] | None = None
    """written on the unknown cells instead of the share in percent; at most two characters
    each"""
    highest_are: str = "Likeliest"
    """a word for the cells with the highest shares"""
    scale: Scale = "relative"
    """the colours: one of `SCALES`"""

    def meaning(self, cell: int) -> str:
        """What a cell shows, in words."""
        name, mark = self.rules.cell_name(cell), self.marks[cell]
        told = MEANING.get(mark, "ship")
        if self.probability is None or mark in (MISS, HIT, SUNK):
            return f"{name} {told}"
        if math.isnan(self.probability[cell]):
            return f"{name} not tried"
        best = ", the suggestion" if cell == self.suggestion else ""
        shown = percent(self.probability[cell]) if self.figures is None else self.figures[cell]
        return f"{name} {shown}{best}"

    def figure(self, cell: int) -> str:
        """What is written on an unknown cell."""
        if self.probability is None or math.isnan(self.probability[cell]):
            return ""
        if self.figures is not None:
            return self.figures[cell]
        return percent(self.probability[cell])[:-1]

    @property
    def highest(self) -> float:
        """The highest probability of an unknown cell, which the colours are scaled to."""
        if self.probability is None:
            return 0.0
        return max(
            (
                p
                for p, mark in zip(self.probability, self.marks, strict=True)
                if mark == UNKNOWN and not math.isnan(p)
            ),
            default=0.0,
        )


def percent(probability: float) -> str:
    """A probability as a whole percentage that is 0 or 100 only when it is certain."""
    if probability <= 0:
        return "0%"
    if probability >= 1:
        return "100%"
    return "<1%" if probability < 0.005 else f"{min(99, round(100 * probability))}%"


def picture_of_observation(observation: Observation) -> Picture:
    """The shooter's view of a board."""
    marks = [UNKNOWN] * observation.rules.cells
    for shot in observation.shots:
        marks[shot.cell] = HIT if shot.answer.hit else MISS
    for cell in sunk_cells(observation):
        marks[cell] = SUNK
    last = observation.shots[-1].cell if observation.shots else None
    shots = len(observation.shots)
    title = f"{observation.rules.to_text()}, {shots} shot{'' if shots == 1 else 's'}"
    return Picture(observation.rules, tuple(marks), last=last, title=title)


def picture_of_layout(layout: Layout) -> Picture:
    """Where the ships lie."""
    return picture_of_game(layout, ())


def picture_of_game(layout: Layout, shots: Iterable[Shot]) -> Picture:
    """The owner's view of a board: the ships, and the shots at them."""
    cells = [shot.cell for shot in shots]
    fired = set(cells)
    marks = [UNKNOWN] * layout.rules.cells
    for length, ship in zip(layout.rules.fleet, layout.ship_cells, strict=True):
        mark = SUNK if fired.issuperset(ship) else HIT
        for cell in ship:
            marks[cell] = mark if cell in fired else str(length) if length < 10 else "+"
    for cell in cells:
        if cell not in layout.ship_at:
            marks[cell] = MISS
    last = cells[-1] if cells else None
    return Picture(layout.rules, tuple(marks), last=last, title=layout.rules.to_text())


def picture_of_belief(belief: Belief) -> Picture:
    """The heat map of a belief."""
    board = picture_of_observation(belief.observation)
    return Picture(
        board.rules,
        board.marks,
        tuple(map(float, belief.probability.ravel())),
        suggestion=belief.suggestion,
        last=board.last,
        title=board.title,
        caption=_caption(belief),
    )


def picture_of_ship(belief: Belief, ship: int) -> Picture:
    """Where one ship of the fleet may lie."""
    rules, misses = belief.rules, belief.observation.misses
    name, length = rules.ship_names[ship], rules.fleet[ship]
    # Hit cells stay open here: the question is whether they are this ship's.
    return Picture(
        rules,
        tuple(MISS if cell in misses else UNKNOWN for cell in range(rules.cells)),
        tuple(map(float, belief.per_ship[ship].ravel())),
        title=f"{name}, {length} cell{'' if length == 1 else 's'}",
    )


def picture_of_shares(rules: Rules, shares: Iterable[float], title: str = "") -> Picture:
    """A share from 0 to 1 on each cell of an empty board."""
    return Picture(rules, (UNKNOWN,) * rules.cells, tuple(map(float, shares)), title=title)


def picture_of_visits(
    observation: Observation, visits: Sequence[float], suggestion: int, title: str = ""
) -> Picture:
    """How a search divided its simulations among the cells, in percent."""
    total = math.fsum(visits)
    return replace(
        picture_of_observation(observation),
        probability=tuple(count / total if count > 0 else math.nan for count in visits),
        suggestion=suggestion,
        title=title,
        caption="percent of the visits",
        highest_are="Most visited",
    )


def picture_of_values(
    observation: Observation, values: Sequence[float], suggestion: int, title: str = ""
) -> Picture:
    """How good the cells looked to a search: 0 is the worst cell that it tried, 99 the best.

    Values of neighbouring cells often differ only in the third digit, so a map of the values
    themselves would show nothing.
    """
    tried = [value for value in values if math.isfinite(value)]
    low, high = min(tried, default=0.0), max(tried, default=0.0)
    shares = tuple(
        math.nan
        if not math.isfinite(value)
        else (value - low) / (high - low)
        if high > low
        else 1.0
        for value in values
    )
    return replace(
        picture_of_observation(observation),
        probability=shares,
        figures=tuple("" if math.isnan(share) else str(round(99 * share)) for share in shares),
        suggestion=suggestion,
        title=title,
        caption=f"0 is {low:.4g}, 99 is {high:.4g}" if tried else "",
        highest_are="Best",
    )


def _caption(belief: Belief) -> str:
    if belief.standard_error is not None:
        return f"sampled, standard error {100 * belief.standard_error:.1f} points"
    if belief.layouts is None:
        return "exact, weighted by a prior"
    layouts = f"{belief.layouts:,} layout{'' if belief.layouts == 1 else 's'}"
    return f"exact: {layouts}, {belief.bits_left:.1f} bits"
