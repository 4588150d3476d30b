"""Advice on a layout: how well it hides, which ship gives it away, what would be better.

Every strategy of a panel plays this layout and random ones. Then each ship in turn is moved to
random other places, the others staying where they are: the ship whose moves gain most shots
on average gives the layout away, and the best layout found on the way is the suggestion. It
is compared with this layout on games that did not choose it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiled.board_tables import Floats
from ..dealing import deal_games, layout_of, placements_of
from ..errors import ExperimentError
from ..experiment.statistics import half_width, mean_interval
from ..layout import Layout
from ..players import Player, make_player, why_not
from ..players.batch_play import Placements
from ..rules import Rules
from ..solver.value import play_placements
from .layout_moves import moved, places_for

PANEL = ("human-like", "hlp", "density", "exact")
"""Strategies that are asked by default: from the weakest to the exact player. (`random` would
only add noise: to it, all layouts are the same.)"""

REPEATS = 20
"""Games of each strategy on this layout; one that is deterministic plays the same game."""

CERTAIN = 3.0
"""A better layout is suggested if its gain exceeds this many standard errors; three, because
it is the best of three."""

MOVES = 12
"""Places that are tried for each ship."""


@dataclass(frozen=True)
class StrategyCost:
    """What a layout costs one strategy."""

    name: str
    shots: float
    """mean on this layout"""
    half_width: float
    """of its 95% interval; 0 if every game was the same"""
    average: float
    """mean on random layouts"""
    average_half_width: float
    better_than: float
    """the share of random layouts that this strategy finds in fewer shots; ties count half"""

    @property
    def gain(self) -> float:
        """Shots that this layout costs more than an average one."""
        return self.shots - self.average

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "shots": self.shots,
            "ci95": [self.shots - self.half_width, self.shots + self.half_width],
            "average": self.average,
            "average_ci95": [
                self.average - self.average_half_width,
                self.average + self.average_half_width,
            ],
            "gain": self.gain,
            "better_than": self.better_than,
        }


@dataclass(frozen=True)
class Advice:
    """What is said about a layout."""

    layout: Layout
    strategies: list[StrategyCost]
    ship_gains: list[float | None]
    """for each ship, the shots gained by moving it elsewhere, on average over places and
    strategies; None if it cannot move"""
    better: Layout | None
    """a layout with one ship moved that costs more; None if none was found"""
    better_gain: float
    """shots that it costs more, on average over strategies"""

    @property
    def giveaway(self) -> int | None:
        """The ship that gives the layout away: moving it gains most. None if none gains."""
        gains = [(gain, ship) for ship, gain in enumerate(self.ship_gains) if gain is not None]
        best, ship = max(gains, default=(0.0, -1))
        return ship if best > 0 else None

    def to_json(self) -> dict[str, Any]:
        names = self.layout.rules.ship_names
        return {
            "rules": self.layout.rules.to_json(),
            "layout": self.layout.to_text(),
            "strategies": [each.to_json() for each in self.strategies],
            "ships": [
                {"ship": name, "gain_if_moved": gain}
                for name, gain in zip(names, self.ship_gains, strict=True)
            ],
            "giveaway": None if self.giveaway is None else names[self.giveaway],
            "better": None
            if self.better is None
            else {
                "layout": self.better.to_text(),
                "ships": self.better.to_json(),
                "gain": self.better_gain,
            },
        }


def advise(
    layout: Layout,
    players: Sequence[str] = (),
    *,
    games: int = 100,
    moves: int = MOVES,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Advice:
    """Advice on a layout from these strategies (or `PANEL`).

    Each is compared on `games` random layouts; `moves` other places are tried for each ship.
    """
    rules = layout.rules
    if not 10 <= games <= 1_000_000:
        raise ExperimentError(f"Advice takes 10 to 1,000,000 random layouts, not {games}.")
    named = list(dict.fromkeys(players)) or [name for name in PANEL if not why_not(name, rules)]
    shooters = [make_player(name) for name in named]
    for name in named:
        reason = why_not(name, rules)
        if reason:
            raise ExperimentError(f"{name} cannot play under these rules: {reason}")
    rng = np.random.default_rng(seed)
    own, others = placements_of(layout), deal_games(rules, seed, range(games))
    costs = []
    for name, shooter in zip(named, shooters, strict=True):
        if progress is not None:
            progress(name)
        costs.append(_cost(name, shooter, rules, own, others, rng))
    if progress is not None:
        progress("layouts nearby")
    gains, nearby = _ship_gains(rules, own, shooters, costs, moves, rng)
    better, gain = _best_nearby(rules, own, nearby, shooters, rng)
    return Advice(layout, costs, gains, better, gain)


def _play(
    shooter: Player, rules: Rules, placements: Placements, repeats: int, rng: np.random.Generator
) -> Floats:
    """(repeats, layouts) shots."""
    seeds = rng.integers(0, 2**63, size=(repeats, len(placements))).astype(np.uint64)
    first = play_placements(shooter, rules, placements, seeds[0])
    if repeats == 1:
        return first[None].astype(np.float64)
    rest = [play_placements(shooter, rules, placements, each) for each in seeds[1:]]
    return np.array([first, *rest], dtype=np.float64)


def _cost(
    name: str,
    shooter: Player,
    rules: Rules,
    own: Placements,
    others: Placements,
    rng: np.random.Generator,
) -> StrategyCost:
    mine = _play(shooter, rules, own[None], REPEATS, rng)[:, 0]
    theirs = _play(shooter, rules, others, 1, rng)[0]
    low, high = mean_interval(theirs)
    return StrategyCost(
        name,
        float(mine.mean()),
        half_width(mean_interval(mine)) if np.ptp(mine) else 0.0,
        (low + high) / 2,
        (high - low) / 2,
        float(((theirs < mine.mean()) + 0.5 * (theirs == mine.mean())).mean()),
    )


def _ship_gains(
    rules: Rules,
    own: Placements,
    shooters: list[Player],
    costs: list[StrategyCost],
    moves: int,
    rng: np.random.Generator,
) -> tuple[list[float | None], list[tuple[float, Placements]]]:
    """The mean gain of moving each ship, and every layout tried with its gain."""
    gains: list[float | None] = []
    nearby: list[tuple[float, Placements]] = []
    for ship in range(len(own)):
        places = places_for(rules, own, ship)
        if not len(places):
            gains.append(None)
            continue
        layouts = moved(own, ship, rng.permutation(places)[:moves])
        change = np.mean(
            [
                _play(shooter, rules, layouts, 1, rng)[0] - cost.shots
                for shooter, cost in zip(shooters, costs, strict=True)
            ],
            axis=0,
        )
        gains.append(float(change.mean()))
        nearby += [(float(gain), each) for gain, each in zip(change, layouts, strict=True)]
    return gains, nearby


def _best_nearby(
    rules: Rules,
    own: Placements,
    nearby: list[tuple[float, Placements]],
    shooters: list[Player],
    rng: np.random.Generator,
) -> tuple[Layout | None, float]:
    """The best of the layouts tried, if games that did not choose it agree that it is better."""
    nearby.sort(key=lambda each: -each[0])
    candidates = [each for _, each in nearby[:3]]
    if not candidates:
        return None, 0.0
    layouts = np.array([own, *candidates])
    # (repeats, layouts): means over the strategies
    shots = np.mean([_play(each, rules, layouts, REPEATS, rng) for each in shooters], axis=0)
    gained = shots[:, 1:] - shots[:, :1]
    means = gained.mean(axis=0)
    best = int(means.argmax())
    error = gained[:, best].std(ddof=1) / np.sqrt(REPEATS)
    if means[best] <= CERTAIN * error:
        return None, 0.0
    return layout_of(rules, candidates[best]), float(means[best])
