"""The difference between two players by summed advantages: few games of an expensive player.

The number of shots of a game has a standard deviation of about 9 on `classic`, most of it the
luck of the layout. To show that one player needs 0.1 shots less than another takes tens of
thousands of games, even on the same layouts. This estimator needs a few hundred.

Let `a` play its own games. In every position where it shoots elsewhere than `b` would, deal
fresh layouts that agree with all answers so far, and let `b` play each of them to the end
twice: after a's shot and after b's own. The mean difference is the advantage of that choice,
and their sum over a game estimates by how many shots `a` differs from `b` over whole games:

    E[shots of a] - E[shots of b] = E[sum over a's positions s of Q_b(s, a's shot) - V_b(s)]

where Q_b(s, x) is the number of shots that `b` needs after a shot at x, and V_b(s) the same
after its own shot. The sum telescopes: after each of a's shots, what `b` was expected to need
is corrected by what `a` did instead. The estimate is unbiased if the fresh layouts are
independent draws from all that agree, given the uniform prior. Where no more layouts are left
than would be drawn, all of them are played instead, and nothing is left to chance. Nor is it where
`b` tells what it needs on average over all of them (`Admiral.expected_shots`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..admiral.endgame_kernels import TOO_MANY, list_layouts, new_endgame
from ..belief.enumeration_kernels import new_evidence
from ..belief.sampling import draw_layouts
from ..compiled.board_tables import Cells, Ints
from ..compiled.knowledge import fire, lay
from ..compiled.rules_tables import board_of
from ..dealing import place_games
from ..errors import ExperimentError
from ..observation import Observation
from ..players import Player, describe, make_player
from ..rules import Rules
from .batches import ExperimentStopped, Progress, at_least_one, whole
from .layout_sets import LayoutSet, set_seed
from .statistics import Interval, mean_interval, standard_deviation
from .test_set_log import SealedLog, logged
from .workers import executor_for, results_in_order

LISTED = 4096
"""Up to this many layouts are listed instead of sampled."""

STEPS = 64 * LISTED
"""Steps of listing, at most."""

BATCH = 4
"""Games that a process plays in one call."""


@dataclass(frozen=True)
class Advantage:
    """How many more shots `a` needs than `b`, estimated from games of `a` alone."""

    rules: Rules
    a: str
    b: str
    games: int
    seed: int
    samples: int
    """fresh layouts per choice, where they are needed"""
    mean_difference: float
    """a's shots minus b's; negative if a is better"""
    ci95: Interval
    sd: float
    """standard deviation of the estimates of single games"""
    choices: float
    """choices per game in which the two differ"""
    shots: float
    """mean shots of a in these games"""
    seconds_per_game: float
    """the time of `a` alone"""
    layout_set: LayoutSet | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rules": self.rules.to_json(),
            "method": "advantage",
            "games": self.games,
            "seed": self.seed,
            **({"set": self.layout_set} if self.layout_set else {}),
            "samples": self.samples,
            **self.summary(),
        }

    def summary(self) -> dict[str, Any]:
        """The result as the log of the test set keeps it."""
        known = [None if np.isnan(end) else end for end in self.ci95]
        return {
            "method": "advantage",
            "games": self.games,
            "a": self.a,
            "b": self.b,
            "mean_difference": self.mean_difference,
            "ci95": known,
            "sd": None if np.isnan(self.sd) else self.sd,
            "different_choices_per_game": self.choices,
            "mean_shots_of_a": self.shots,
            "seconds_per_game_of_a": self.seconds_per_game,
        }


def advantage(
    a: str | Player,
    b: str | Player,
    rules: Rules | str = "classic",
    games: int = 1000,
    seed: int = 0,
    samples: int = 100,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    layout_set: LayoutSet | None = None,
    sealed_log: SealedLog | None = None,
) -> Advantage:
    """Estimate by how many shots `a` differs from `b`, from games of `a` (see above).

    `samples` fresh layouts are played for every choice in which the two differ, unless `b` tells
    what it needs on average.
    """
    rules, games, samples = (
        Rules.of(rules),
        at_least_one("games", games),
        at_least_one("samples", samples),
    )
    jobs, seed = at_least_one("jobs", jobs), whole("seed", seed)
    drawn_from = set_seed(layout_set, seed)
    name_a, name_b = (
        describe(each) if isinstance(each, str) else type(each).__name__ for each in (a, b)
    )
    if jobs > 1 and not (isinstance(a, str) and isinstance(b, str)):
        raise ExperimentError("With more than one job, both players must be given by name.")
    found: list[list[float]] = []

    def result() -> Advantage:
        sums, shots, choices, seconds = np.array(found).T
        return Advantage(
            rules=rules,
            a=name_a,
            b=name_b,
            games=len(found),
            seed=seed,
            samples=samples,
            mean_difference=float(sums.mean()),
            ci95=mean_interval(sums),
            sd=standard_deviation(sums),
            choices=float(choices.mean()),
            shots=float(shots.mean()),
            seconds_per_game=float(seconds.mean()),
            layout_set=layout_set,
        )

    with logged(layout_set, sealed_log, rules) as keep:
        try:
            with executor_for(jobs) as where:
                ranges = (range(at, min(at + BATCH, games)) for at in range(0, games, BATCH))
                calls = ((a, b, rules, drawn_from, each, samples) for each in ranges)
                for batch in results_in_order(where, jobs, advantages_of_games, calls):
                    found += batch
                    if progress is not None:
                        progress(name_a, len(found), games)
        except KeyboardInterrupt:
            stopped = ExperimentStopped(f"Stopped after {len(found):,} of {games:,} games.")
            if found:
                stopped.partial = result()
                keep(result().summary())
            raise stopped from None
        final = result()
        keep(final.summary())
    return final


def advantages_of_games(
    a: str | Player, b: str | Player, rules: Rules, seed: int, games: range, samples: int
) -> list[list[float]]:
    """For each game: the sum of a's advantages, its shots, the choices in which the players
    differ, and the seconds that `a` took."""
    one, other = (make_player(each) if isinstance(each, str) else each for each in (a, b))
    layouts = place_games(rules, seed, games)
    return [
        _one_game(one, other, rules, placements, np.random.default_rng([seed, game]), samples)
        for game, placements in zip(games, layouts, strict=True)
    ]


def _one_game(
    a: Player,
    b: Player,
    rules: Rules,
    placements: npt.NDArray[np.int32],
    rng: np.random.Generator,
    samples: int,
) -> list[float]:
    board = board_of(rules)
    cells, answers = np.empty(rules.cells, np.int16), np.empty(rules.cells, np.int64)
    ship_at, left = np.empty(rules.cells, np.int16), np.empty(len(rules.fleet), np.int64)
    lay(board, placements, ship_at, left)
    total, different, seconds, shot = 0.0, 0, 0.0, 0
    while np.any(left > 0):
        position = Observation.from_arrays(rules, cells[:shot].copy(), answers[:shot].copy())
        began = time.perf_counter()
        cell = int(a.choose(position, rng))
        seconds += time.perf_counter() - began
        usual = int(b.choose(position, rng))
        if cell != usual:
            different += 1
            total += _difference_after(b, position, cell, usual, samples, rng)
        cells[shot], answers[shot] = cell, fire(board, ship_at, left, cell)
        shot += 1
    return [total, float(shot), float(different), seconds]


def _difference_after(
    player: Player,
    position: Observation,
    cell: int,
    usual: int,
    samples: int,
    rng: np.random.Generator,
) -> float:
    """How many more shots the player needs after a shot at `cell` than at `usual`."""
    if hasattr(player, "expected_shots"):
        expected = player.expected_shots(position, (cell, usual))
        if expected is not None:
            return float(expected[0] - expected[1])
    fresh = layouts_that_agree(position, samples, rng)
    after = shots_from(player, position, cell, fresh, rng)
    return float((after - shots_from(player, position, usual, fresh, rng)).mean())


def layouts_that_agree(
    position: Observation, count: int, rng: np.random.Generator
) -> npt.NDArray[np.int32]:
    """(count, ships) independent random layouts that agree with a position; all of them, once
    each, if there are no more than that."""
    board, evidence = board_of(position.rules), new_evidence()
    memory = new_endgame(board, LISTED)
    found = list_layouts(board, *position.arrays, evidence, np.inf, STEPS, memory)
    if found == TOO_MANY:
        samples = draw_layouts(position, count, rng)
        if not samples.independent:
            raise ExperimentError(
                "Under these rules layouts cannot be sampled independently, which this estimate "
                "needs; compare whole games instead."
            )
        return samples.placements
    chosen = np.arange(found) if found <= count else rng.integers(found, size=count)
    return memory.placements[chosen]


def shots_from(
    player: Player,
    position: Observation,
    cell: int,
    placements: npt.NDArray[np.int32],
    rng: np.random.Generator,
) -> npt.NDArray[np.int32]:
    """The shots that the player needs on each of these layouts from this position on, the next
    one at `cell`."""
    if hasattr(player, "play_from"):
        shots: npt.NDArray[np.int32] | None = player.play_from(position, cell, placements)
        if shots is not None:
            return shots
    known, told = position.arrays
    result = [_play_on(player, position.rules, known, told, cell, row, rng) for row in placements]
    return np.array(result, dtype=np.int32)


def _play_on(
    player: Player,
    rules: Rules,
    known: Cells,
    told: Ints,
    cell: int,
    placements: npt.NDArray[np.int32],
    rng: np.random.Generator,
) -> int:
    board = board_of(rules)
    ship_at, left = np.empty(rules.cells, np.int16), np.empty(len(rules.fleet), np.int64)
    lay(board, placements, ship_at, left)
    cells, answers = np.empty(rules.cells, np.int16), np.empty(rules.cells, np.int64)
    shot = len(known)
    cells[:shot], answers[:shot] = known, told
    for struck in known:
        fire(board, ship_at, left, struck)
    while True:
        cells[shot], answers[shot] = cell, fire(board, ship_at, left, cell)
        shot += 1
        if not np.any(left > 0):
            return shot - len(known)
        so_far = Observation.from_arrays(rules, cells[:shot].copy(), answers[:shot].copy())
        cell = int(player.choose(so_far, rng))
