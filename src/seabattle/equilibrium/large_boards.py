"""An approximate equilibrium for boards whose layouts cannot be listed.

The loop is that of `double_oracle`, with approximate responses:

- The hider's strategies are *styles* (`weighted_placing`): weights of placements. A response
  to a mixture of shooters is found by search: a step of gradient ascent on the expected
  number of shots, estimated from played games.
- The shooter's strategies are posteriors: a response to a mixture of styles shoots where most
  layouts have a ship, among those of a large sample of the mixture that agree with the
  answers. When few are left, the `exact` player finishes the game (with a uniform prior).

A linear program over the mean shots of every shooter against every style gives the mixtures.
The styles are then tempered (see `temper`), against a second kind of shooter too: one who plays
the posterior of the mixture's mean weights to the end of the game. Means are sampled, and both
responses are approximate, so the gaps that are reported are what better responses were found
to gain, not proofs that nothing gains more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import __version__
from ..compiled.board_tables import Cells, Floats, Ints
from ..compiled.random_streams import Rng
from ..compiled.rules_tables import board_of
from ..dealing import deal_games
from ..experiment.statistics import half_width, mean_interval
from ..learners.weighted_player import LearnedPrior, WeightedPlayer
from ..players.batch_play import Placements, play_move_by_move
from ..players.exact import Exact
from ..rules import Rules
from .linear_program import require_scipy, solve_matrix_game
from .sample_pool_kernels import SamplePool, keep_agreeing_in_sample, most_covered_cell
from .weighted_placing import (
    draw_mixture,
    kind_count,
    placement_kinds,
)

POOL = 100_000
"""Layouts that a shooter knows."""

FEW = 30
"""With fewer layouts left than this, `exact` finishes the game."""

EXACT_SECONDS = 0.01
"""Time of `exact` for a position, before it samples."""

STEP = 0.6
"""How far a response moves a style: the logarithm of a weight, per shot gained."""

SCALES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What the mixture's styles are multiplied by in the end: 0 is uniform."""

SHRINKAGE = 30
"""Games that a kind of placement must have been seen in to be believed by half."""


class PosteriorShooter:
    """Shoots where most layouts of a sample have a ship."""

    def __init__(self, rules: Rules, layouts: Placements) -> None:
        board = board_of(rules)
        cover = np.concatenate(
            [board.cover[layouts[:, ship], :length] for ship, length in enumerate(rules.fleet)],
            axis=1,
        ).astype(np.int16)
        ship_at = np.full((len(layouts), rules.cells), -1, dtype=np.int8)
        owner = np.repeat(np.arange(len(rules.fleet), dtype=np.int8), rules.fleet)
        np.put_along_axis(ship_at, cover.astype(np.int64), owner[None], axis=1)
        starts = np.concatenate([[0], np.cumsum(rules.fleet)]).astype(np.int64)
        self.rules = rules
        self._pool = SamplePool(int(board.answers), ship_at, cover, starts)
        self._left = np.empty(len(layouts), dtype=np.int32)
        self._exact = Exact(seconds=EXACT_SECONDS)

    def play(self, placements: Placements) -> Floats:
        """(games,) the shots on each of these layouts."""
        pool, left = self._pool, self._left
        fired = np.zeros(self.rules.cells, dtype=bool)
        totals = np.zeros(self.rules.cells, dtype=np.int64)
        count = 0

        def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
            nonlocal count
            if len(cells) == 0:
                fired[:] = False
                left[:] = np.arange(len(left))
                count = len(left)
            elif count:
                count = keep_agreeing_in_sample(pool, left, count, fired, cells[-1], answers[-1])
                fired[cells[-1]] = True
            if count < FEW:
                count = 0
                return self._exact.next_cell(self.rules, cells, answers, rng)
            return int(most_covered_cell(pool, left, count, fired, totals))

        seeds = np.arange(len(placements), dtype=np.uint64)
        shots, _ = play_move_by_move(self.rules, placements, seeds, choose)
        return shots.astype(np.float64)


@dataclass(frozen=True, eq=False)
class WeightsShooter(WeightedPlayer):
    """Plays the posterior of the mean weights of a mixture, to the end of the game.

    That is the true posterior for a single style, and an approximation for several.
    """

    rules: Rules
    weights: Floats
    """(ships, placements)"""
    seconds: float = 0.0003

    @classmethod
    def of(cls, rules: Rules, styles: Floats, shares: Floats) -> WeightsShooter:
        board, kinds = board_of(rules), placement_kinds(rules)
        mean = (shares @ np.exp(styles))[kinds]
        weights = np.zeros((len(rules.fleet), len(kinds)))
        for ship in range(len(rules.fleet)):
            own = slice(int(board.first[ship]), int(board.last[ship]))
            weights[ship, own] = mean[own]
        return cls(rules, weights)

    def prior_for(self, rules: Rules) -> LearnedPrior:
        return LearnedPrior(self.weights, 0)

    def play(self, placements: Placements) -> Floats:
        """(games,) the shots on each of these layouts."""
        seeds = np.arange(len(placements), dtype=np.uint64)
        return self.play_games(self.rules, placements, seeds)[0].astype(np.float64)


@dataclass
class LargeBoardLoop:
    """The populations of both sides, and the games between them."""

    rules: Rules
    seed: int = 0
    games: int = 200
    """per shooter and style"""
    styles: list[Floats] = field(default_factory=list)
    shooters: list[PosteriorShooter] = field(default_factory=list)
    layouts: list[Placements] = field(default_factory=list)
    """those of each style that all shooters play"""
    shots: dict[tuple[int, int], Floats] = field(default_factory=dict)
    """by shooter and style"""

    def __post_init__(self) -> None:
        require_scipy()
        self._rng = np.random.default_rng(self.seed)
        self._add_style(np.zeros(kind_count(self.rules)))
        self._add_shooter(np.ones(1))

    def _add_style(self, style: Floats) -> None:
        self.styles.append(style)
        self.layouts.append(self.draw(np.eye(len(self.styles))[-1], self.games))
        for k in range(len(self.shooters)):
            self._play(k, len(self.styles) - 1)

    def _add_shooter(self, shares: Floats) -> None:
        self.shooters.append(PosteriorShooter(self.rules, self.draw(shares, POOL)))
        for j in range(len(self.styles)):
            self._play(len(self.shooters) - 1, j)

    def _play(self, shooter: int, style: int) -> None:
        self.shots[shooter, style] = self.shooters[shooter].play(self.layouts[style])

    def draw(self, shares: Floats, games: int) -> Placements:
        """Layouts of a mixture of the styles so far."""
        return draw_mixture(self.rules, np.array(self.styles), shares, self._rng, games)

    def matrix(self) -> Floats:
        """(shooters, styles) mean shots."""
        return np.array(
            [
                [self.shots[k, j].mean() for j in range(len(self.styles))]
                for k in range(len(self.shooters))
            ]
        )

    def round(self) -> tuple[float, Floats, Floats]:
        """Solve the matrix, add a response of each side; the value before, and the mixtures."""
        matrix = self.matrix()
        hiders, shooters = solve_matrix_game(matrix)
        value = float(shooters @ matrix @ hiders)
        response = self.hider_response(hiders, shooters)
        self._add_shooter(hiders)
        self._add_style(response)
        return value, hiders, shooters

    def hider_response(self, hiders: Floats, shooters: Floats) -> Floats:
        """A better style than the mean of those in the mixture."""
        played = [
            (
                placements,
                sum(share * self.shots[k, j] for k, share in enumerate(shooters) if share > 0),
            )
            for j, placements in enumerate(self.layouts)
        ]
        return better_style(self.rules, hiders @ np.array(self.styles), played)


def better_style(
    rules: Rules, style: Floats, played: Iterable[tuple[Placements, Floats]]
) -> Floats:
    """A step of gradient ascent from a style; `played` are layouts and their shots.

    The gain of a kind of placement is the mean of the shots, above average, of the games in
    which a ship lay so, shrunk towards 0 where there are few such games.
    """
    kinds = placement_kinds(rules)
    gained, seen = np.zeros(kind_count(rules)), np.zeros(kind_count(rules))
    for placements, shots in played:
        for ship in range(placements.shape[1]):
            np.add.at(gained, kinds[placements[:, ship]], shots)
            np.add.at(seen, kinds[placements[:, ship]], 1)
    average = gained.sum() / seen.sum()
    advantage = (gained - average * seen) / (seen + SHRINKAGE)
    return np.asarray(style + STEP * advantage).clip(-3, 3)


@dataclass(frozen=True)
class ApproximateEquilibrium:
    """Mixtures for a large board, and what better responses were found to gain."""

    rules: Rules
    styles: Floats
    """(styles, kinds of placements)"""
    shares: Floats
    """(styles,)"""
    figures: dict[str, Any]
    """means with 95% intervals, and how they were made"""

    @property
    def value(self) -> float:
        """The mean shots of the shooters' mixture against the hider's."""
        return float(self.figures["mixtures"][0])

    @property
    def gap(self) -> float:
        """The sum of what better responses of both sides were found to gain."""
        return float(
            max(0.0, self.figures["hider_gains"][0]) + max(0.0, self.figures["shooter_gains"][0])
        )

    def hidden_at(self, layouts: int = 20_000) -> Floats:
        """(rows, columns) how often a ship lies on each cell, in a sample of layouts."""
        rng = np.random.default_rng(0)
        drawn = draw_mixture(self.rules, self.styles, self.shares, rng, layouts)
        board, covered = board_of(self.rules), np.zeros(self.rules.cells)
        for ship, length in enumerate(self.rules.fleet):
            cells = board.cover[drawn[:, ship], :length].ravel()
            covered += np.bincount(cells, minlength=self.rules.cells)
        return np.asarray(covered / layouts).reshape(self.rules.rows, self.rules.columns)

    def to_json(self) -> dict[str, Any]:
        """What a file in `styles/` holds; styles of little weight are left out."""
        used = self.shares > 0.005
        return {
            "rules": self.rules.to_json(),
            "shares": [
                round(float(share), 4) for share in self.shares[used] / self.shares[used].sum()
            ],
            "styles": [[round(float(x), 3) for x in style] for style in self.styles[used]],
            "provenance": self.figures,
        }


def shots_of_the_informed(
    rules: Rules, styles: Floats, shares: Floats, pool: Placements, hidden: Placements
) -> Floats:
    """(games,) the shots on `hidden` of the better of two shooters who know the mixture, one of
    them by a sample of it."""
    both = [
        PosteriorShooter(rules, pool).play(hidden),
        WeightsShooter.of(rules, styles, shares).play(hidden),
    ]
    return min(both, key=lambda shots: float(shots.mean()))


def temper(
    rules: Rules,
    styles: Floats,
    shares: Floats,
    games: int,
    *,
    seed: int = 0,
    progress: Callable[[str], None] = print,
) -> dict[float, list[float]]:
    """What each scale of the styles is sure of: shots against a shooter who knows it.

    A few rounds leave styles that are good against the shooters so far and bad against the
    next one. Milder ones give less away.
    """
    sure = {}
    for scale in SCALES:
        rng = np.random.default_rng([seed, 2])
        milder = scale * styles
        pool = draw_mixture(rules, milder, shares, rng, POOL)
        hidden = draw_mixture(rules, milder, shares, rng, games)
        sure[scale] = figure(shots_of_the_informed(rules, milder, shares, pool, hidden))
        progress(f"scale {scale:g}: sure of {sure[scale][0]:.2f} ± {sure[scale][1]:.2f} shots")
    return sure


def approximate(
    rules: Rules,
    rounds: int,
    games: int,
    *,
    seed: int = 0,
    final_games: int = 600,
    progress: Callable[[str], None] = print,
) -> ApproximateEquilibrium:
    """Run the loop, then measure the mixtures on fresh layouts."""
    loop = LargeBoardLoop(rules, seed, games)
    for number in range(rounds):
        value, hiders, shooters = loop.round()
        progress(
            f"round {number + 1} of {rounds}: {value:.2f} shots between {len(hiders)} styles and "
            f"{len(shooters)} shooters"
        )
    matrix = loop.matrix()
    hiders, shooters = solve_matrix_game(matrix)
    sure = temper(rules, np.array(loop.styles), hiders, final_games, seed=seed, progress=progress)
    scale = max(sure, key=lambda each: sure[each][0])
    loop.styles = [scale * style for style in loop.styles]
    rng = np.random.default_rng([seed, 1])
    hidden, uniform = loop.draw(hiders, final_games), deal_games(rules, seed, range(final_games))
    used = [k for k, share in enumerate(shooters) if share > 0.005]
    weight = shooters[used] / shooters[used].sum()

    def against(placements: Placements) -> Floats:
        return np.asarray(weight @ np.array([loop.shooters[k].play(placements) for k in used]))

    mixture = against(hidden)
    progress("measuring the responses")
    response = loop.hider_response(hiders, shooters)
    hider = against(draw_mixture(rules, response[None], np.ones(1), rng, final_games))
    styles = np.array(loop.styles)
    pool = loop.draw(hiders, 2 * POOL)
    shooter = shots_of_the_informed(rules, styles, hiders, pool, hidden)
    pool = deal_games(rules, seed, range(final_games, final_games + 2 * POOL))
    knows_uniform = shots_of_the_informed(rules, 0 * styles, hiders, pool, uniform)
    naive = Exact(seconds=EXACT_SECONDS)
    seeds = np.arange(final_games, dtype=np.uint64)
    on_hidden = naive.play_games(rules, hidden, seeds)[0].astype(np.float64)
    on_uniform = naive.play_games(rules, uniform, seeds)[0].astype(np.float64)
    return ApproximateEquilibrium(
        rules,
        np.array(loop.styles),
        hiders,
        {
            "method": "seabattle.equilibrium.large_boards",
            "version": __version__,
            "rounds": rounds,
            "games": games,
            "final_games": final_games,
            "seed": seed,
            "pool": POOL,
            "sure_by_scale": {f"{each:g}": found for each, found in sure.items()},
            "scale": scale,
            "mixtures": figure(mixture),
            "hider_gains": difference(hider, mixture),
            "shooter_gains": figure(mixture - shooter),
            "known": figure(shooter),
            "uniform_known": figure(knows_uniform),
            "worth": difference(shooter, knows_uniform),
            "exact_on_mixture": figure(on_hidden),
            "exact_on_uniform": figure(on_uniform),
        },
    )


def figure(shots: Floats) -> list[float]:
    """A mean, and the half width of its 95% interval."""
    low, high = mean_interval(shots)
    return [round((low + high) / 2, 3), round((high - low) / 2, 3)]


def difference(one: Floats, other: Floats) -> list[float]:
    """The difference of two independent means, and the half width of its 95% interval."""
    width = float(np.hypot(half_width(mean_interval(one)), half_width(mean_interval(other))))
    return [round(float(one.mean() - other.mean()), 3), round(width, 3)]
