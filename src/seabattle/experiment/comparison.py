"""What a comparison found: frozen values that reports read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ExperimentError
from ..rules import Rules
from .statistics import Interval, mean_interval, standard_deviation
from .stopping_rule import StoppingRule


@dataclass(frozen=True)
class PlayerResult:
    """How one player did."""

    name: str
    shots: tuple[int, ...]
    """how many shots it needed in each game"""
    seconds_per_game: float = field(compare=False)
    """the player's own time, without compiling and dealing; of this run on this machine"""
    peak_memory_mb: float | None = field(compare=False)
    """largest resident size of a process that played it, interpreter included; None where
    the system does not tell"""
    mean: float = field(init=False)
    ci95: Interval = field(init=False)
    """95% interval of the mean"""
    sd: float = field(init=False)
    median: float = field(init=False)
    min: int = field(init=False)
    max: int = field(init=False)
    p95: int = field(init=False)
    """this many shots finish 95 of 100 games"""

    def __post_init__(self) -> None:
        shots = np.array(self.shots)
        for name, value in (
            ("mean", float(shots.mean())),
            ("ci95", mean_interval(shots)),
            ("sd", standard_deviation(shots)),
            ("median", float(np.median(shots))),
            ("min", int(shots.min())),
            ("max", int(shots.max())),
            ("p95", int(np.quantile(shots, 0.95, method="inverted_cdf"))),
        ):
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "mean": self.mean,
            "ci95": _numbers(self.ci95),
            "sd": _number(self.sd),
            "median": self.median,
            "min": self.min,
            "max": self.max,
            "p95": self.p95,
            "seconds_per_game": self.seconds_per_game,
            "peak_memory_mb": self.peak_memory_mb,
            "shots": list(self.shots),
        }


@dataclass(frozen=True)
class PairedDifference:
    """How many more shots `a` needs than `b` on the same layouts."""

    a: str
    b: str
    mean_difference: float
    """mean of a's shots minus b's; above zero, b is better"""
    ci95: Interval

    @classmethod
    def of(cls, a: PlayerResult, b: PlayerResult) -> PairedDifference:
        differences = np.array(a.shots) - np.array(b.shots)
        return cls(a.name, b.name, float(differences.mean()), mean_interval(differences))

    @property
    def clear(self) -> bool:
        """The interval leaves out zero."""
        return self.ci95[0] > 0 or self.ci95[1] < 0

    def to_json(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "mean_difference": self.mean_difference,
            "ci95": _numbers(self.ci95),
        }


@dataclass(frozen=True)
class Comparison:
    """The games of several players on the same layouts."""

    rules: Rules
    games: int
    seed: int
    players: tuple[PlayerResult, ...]
    """in the order they were named"""
    precision: StoppingRule | None = None
    """the rule that decided the number of games, if one did"""

    @property
    def paired(self) -> tuple[PairedDifference, ...]:
        """Every pair of players, the one named first as `a`."""
        return tuple(PairedDifference.of(a, b) for a, b in combinations(self.players, 2))

    @property
    def ranking(self) -> tuple[PlayerResult, ...]:
        """The players, fewest shots first."""
        return tuple(sorted(self.players, key=lambda player: player.mean))

    def to_json(self) -> dict[str, Any]:
        return {
            "rules": self.rules.to_json(),
            "games": self.games,
            "seed": self.seed,
            "players": [player.to_json() for player in self.players],
            "paired": [pair.to_json() for pair in self.paired],
            **({"precision": self.precision.to_json()} if self.precision else {}),
        }

    @classmethod
    def from_json(cls, value: Any) -> Comparison:
        """Read what `to_json` wrote; everything that follows from the shots is worked out."""
        try:
            rules, games, seed = value["rules"], int(value["games"]), int(value["seed"])
            entries = [
                (
                    str(each["name"]),
                    tuple(int(shots) for shots in each["shots"]),
                    float(each["seconds_per_game"]),
                    each["peak_memory_mb"],
                )
                for each in value["players"]
            ]
            told = value.get("precision")
            precision = told and StoppingRule(
                float(told["wanted"]), int(told["most"]), tuple(told["looks"]), told["reached"]
            )
        except (TypeError, KeyError, ValueError, AttributeError):
            raise ExperimentError(
                "A comparison in JSON is an object with rules, games, seed and players, as "
                "'seabattle compare --json' prints it."
            ) from None
        if games < 1 or any(len(shots) != games for _, shots, _, _ in entries):
            raise ExperimentError(f"Every player of this comparison must have {games} games.")
        players = tuple(PlayerResult(*entry) for entry in entries)
        return cls(Rules.from_json(rules), games, seed, players, precision)


def finished_share(shots: tuple[int, ...], cells: int) -> npt.NDArray[np.float64]:
    """(cells + 1,) the share of games finished by shot 0, 1, ... up to all cells."""
    return np.cumsum(shot_counts(shots, cells)) / len(shots)


def shot_counts(shots: tuple[int, ...], cells: int) -> npt.NDArray[np.int64]:
    """(cells + 1,) in how many games the last shot was shot 0, 1, ..."""
    return np.bincount(np.array(shots, dtype=np.int64), minlength=cells + 1)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _numbers(interval: Interval) -> list[float | None]:
    return [_number(end) for end in interval]
