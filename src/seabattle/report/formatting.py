"""Numbers and rules as text, the same in every report."""

from __future__ import annotations

import math

from ..dealing import UNIFORM
from ..experiment import Comparison, PairedDifference, PlayerResult
from ..experiment.layout_sets import LayoutSet
from ..observation import Observation
from ..rules import Rules


def number(value: float, digits: int = 2) -> str:
    """`12.35`, or a dash for nan."""
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def signed(value: float, digits: int = 2) -> str:
    """`+0.31` or `−0.31`."""
    return "–" if math.isnan(value) else f"{value:+,.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """`64.2%`"""
    return "–" if math.isnan(share) else f"{100 * share:.1f}%"


def duration(seconds: float) -> str:
    """`1.9 µs`, `12 ms`, `3.4 s`, `5.0 min`: two or three significant digits."""
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms"), (120.0, 1.0, "s")):
        if seconds < limit:
            value = seconds * factor
            return f"{value:.{1 if value < 9.95 else 0}f} {unit}"
    return f"{seconds / 60:.1f} min"


def megabytes(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def rules_line(rules: Rules) -> str:
    """`classic: 10×10, fleet 5,4,3,3,2, contact any, answers sunk-named`"""
    name = f"{rules.name}: " if rules.name else ""
    return (
        f"{name}{rules.rows}×{rules.columns}, fleet {','.join(map(str, rules.fleet))}, "
        f"contact {rules.contact}, answers {rules.answers}"
        + (f", salvo {rules.salvo}" if rules.salvo != 1 else "")
    )


def afloat_line(observation: Observation) -> str:
    """The ships that have not been announced as sunk."""
    rules = observation.rules
    if observation.finished:
        return "none"
    match rules.answers:
        case "hit-miss":
            cells = rules.ship_cells - len(observation.hits)
            return f"{cells} of {rules.ship_cells} ship cells; sinking is not announced"
        case "sunk":
            sunk = sum(shot.answer.sunk for shot in observation.shots)
            ships = len(rules.fleet)
            return f"{ships - sunk} of {ships} ships; which ones is not known"
        case _:
            return ", ".join(
                f"{rules.ship_names[ship]} ({rules.fleet[ship]})" for ship in observation.afloat
            )


def experiment_line(comparison: Comparison) -> str:
    """`1,000 games each on the same layouts, seed 0`; a histogram may have players with more
    games than all of them share"""
    most = max(len(player.shots) for player in comparison.players)
    games = f"{comparison.games:,} game{'s' if comparison.games > 1 else ''}"
    if most > comparison.games:
        games = f"{comparison.games:,} to {most:,} games"
    each = " each on the same layouts" if len(comparison.players) > 1 else ""
    hidden = placed_by(comparison.placer)
    return f"{games}{each}{hidden}, {layouts_line(comparison.layout_set, comparison.seed)}"


def placed_by(placer: str) -> str:
    """` placed by edges`; nothing for uniform layouts"""
    return "" if placer == UNIFORM else f" placed by {placer}"


def layouts_line(layout_set: LayoutSet | None, seed: int) -> str:
    """`seed 0`, `train set, seed 0` or `test set`"""
    match layout_set:
        case None:
            return f"seed {seed}"
        case "test":
            return "test set"
        case _:
            return f"{layout_set} set, seed {seed}"


MOST_PAIRS = 10
"""with more pairs than this, only the differences from the best player are listed"""


def shown_pairs(comparison: Comparison) -> list[PairedDifference]:
    """Every pair, or if there are many, each player against the best."""
    pairs = list(comparison.paired)
    return pairs if len(pairs) <= MOST_PAIRS else against_best(comparison)


def against_best(comparison: Comparison) -> list[PairedDifference]:
    """How many more shots each other player needs than the best, in order of their means."""
    best, *others = comparison.ranking
    return [PairedDifference.of(other, best) for other in others]


def who_is_better(pair: PairedDifference) -> str:
    """`even is better`, or that the two are too close to call."""
    if not pair.clear:
        return "too close to call"
    return f"{pair.b if pair.mean_difference > 0 else pair.a} is better"


def per_game(player: PlayerResult) -> str:
    return duration(player.seconds_per_game)
