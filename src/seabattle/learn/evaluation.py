"""How good a model is: mean shots, how far behind exact play, and how often it is near-best.

All on the same layouts. A choice is near-best if the exact hit probability of the chosen
cell is within 0.01 of the best cell's, in positions from the player's own games.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..belief import infer
from ..dealing import UNIFORM
from ..dealing.placement_numbers import layout_of
from ..errors import ExperimentError
from ..experiment import compare
from ..experiment.batches import Progress
from ..experiment.comparison import PairedDifference, PlayerResult
from ..experiment.play import play_batch
from ..experiment.statistics import Interval
from ..game import Game
from ..observation import Observation
from ..players import Player, make_player
from ..players.network_player import NetworkPlayer
from ..record import fire_turns
from ..rules import Rules

WITHIN = 0.01
"""How far from the best probability a near-best cell may be."""

EXACT_SECONDS = 5.0
"""Positions that take longer to count are left out."""


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of a player."""

    name: str
    rules: Rules
    seed: int
    result: PlayerResult
    exact: PlayerResult
    behind: PairedDifference
    """how many more shots it takes than exact play"""
    positions: int
    """positions from its own games that were counted"""
    near_best: float
    """share of them in which its choice was near-best"""
    lost_probability: float
    """how much lower the hit probability of its choice is than the best cell's, on average"""
    about: Mapping[str, str]
    """the metadata of the model, if it is a network"""

    def to_json(self) -> dict[str, Any]:
        return {
            "player": self.name,
            "rules": self.rules.to_json(),
            "games": len(self.result.shots),
            "seed": self.seed,
            "mean": self.result.mean,
            "ci95": list(self.result.ci95),
            "exact": {"mean": self.exact.mean, "ci95": list(self.exact.ci95)},
            "behind": {"mean": self.behind.mean_difference, "ci95": list(self.behind.ci95)},
            "near_best": {
                "share": self.near_best,
                "within": WITHIN,
                "positions": self.positions,
                "lost_chance": self.lost_probability,
            },
            "model": dict(self.about),
        }

    def to_text(self) -> str:
        lines = [
            f"{self.name}, {self.rules.to_text()}, {len(self.result.shots):,} games, "
            f"seed {self.seed}",
            "",
            f"mean shots    {_with_interval(self.result.mean, self.result.ci95)}",
            f"exact         {_with_interval(self.exact.mean, self.exact.ci95)}",
            f"behind exact  {_with_interval(self.behind.mean_difference, self.behind.ci95)}",
            f"near-best     {100 * self.near_best:.1f}% of {self.positions:,} positions from its "
            "own games",
            f"              (hit probability within {WITHIN} of the best cell's; on average "
            f"{self.lost_probability:.4f} below)",
        ]
        return "\n".join([*lines, *([""] if self.about else []), *_about_lines(self.about)])


def evaluate(
    what: str,
    rules: Rules,
    games: int = 1000,
    seed: int = 0,
    positions: int = 1000,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    placer: str = UNIFORM,
) -> Evaluation:
    """Measure a model file or a player by name."""
    if games < 2 or positions < 1:
        raise ExperimentError("An evaluation needs at least 2 games and 1 position.")
    player = player_of(what)
    if isinstance(player, NetworkPlayer):
        player.check_rules(rules)
    comparison = compare(
        [player, "exact"], rules, games, seed, jobs, progress, executor=executor, placer=placer
    )
    result, exact = comparison.players
    counted, near_best, lost = near_best_choices(
        player, rules, seed, min(games, positions), positions, placer
    )
    return Evaluation(
        what,
        rules,
        seed,
        result,
        exact,
        comparison.paired[0],
        counted,
        near_best,
        lost,
        player.network().about if isinstance(player, NetworkPlayer) else {},
    )


def player_of(what: str) -> Player:
    """The player of a model file, or the one with this name."""
    if what.endswith(".onnx") or Path(what).is_file():
        return NetworkPlayer(Path(what))
    return make_player(what)


def near_best_choices(
    player: Player, rules: Rules, seed: int, games: int, positions: int, placer: str = UNIFORM
) -> tuple[int, float, float]:
    """Positions counted, the share of near-best choices, and the mean probability lost."""
    batch = play_batch(player, rules, seed, range(games), placer)
    shots_of = [(game, shot) for game in range(games) for shot in range(batch.shots[game])]
    rng = np.random.default_rng([seed, games, positions])
    picked = rng.choice(len(shots_of), size=min(positions, len(shots_of)), replace=False)
    losses = []
    for game, shot in sorted(shots_of[index] for index in picked):
        fired = [int(cell) for cell in batch.fired[game, : shot + 1]]
        played = Game(layout_of(rules, batch.placements[game]))
        fire_turns(played, fired[:-1])
        pending = tuple(fired[len(played.shots) : -1])  # the same salvo
        observation = Observation(rules, played.shots, pending)
        belief = infer(observation, seconds=EXACT_SECONDS)
        if belief.method == "exact":
            probability = belief.probability.ravel()
            best = max(probability[cell] for cell in observation.unknown)
            losses.append(best - probability[fired[-1]])
    if not losses:
        raise ExperimentError("No position of these games could be counted exactly in time.")
    lost = np.array(losses)
    return len(lost), float((lost <= WITHIN + 1e-12).mean()), float(lost.mean())


def _with_interval(mean: float, interval: Interval) -> str:
    return f"{mean:.3f} (95% {interval[0]:.3f} to {interval[1]:.3f})"


def _about_lines(about: Mapping[str, str]) -> list[str]:
    width = max(map(len, about), default=0)
    return [f"{key:<{width}}  {value}" for key, value in about.items()]
