"""The tuned weights of the base player: read from a small file per set of rules."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..compiled.board_tables import LONGEST, Cells, Floats
from ..compiled.rules_tables import board_of
from ..errors import SeabattleError
from ..regular_files import open_regular
from ..rules import PRESETS, Rules
from .weighted_density_kernels import (
    BESIDE,
    BEYOND,
    CONSTANT,
    COSTED,
    COSTS,
    DIAGONAL,
    EVEN,
    HITS,
    HUNTING,
    MOST_WEIGHT,
    RING,
    RINGS,
    SCORE,
    SETTINGS,
    TARGETING,
    TERMS,
    UNIT,
    UNKNOWN_PART,
)

LARGEST_FILE = 100_000

MOST_COUNTED = 1e12
"""Bound of the layouts (see `layout_bound`) up to which exact counting takes well under a second
per move; `classic` has 8e10, `russian` 2e21."""

FEWEST_WEIGHTED = 1e7
"""The same for boards where trees do not decide almost every move."""

MOST_SHIPS_SAMPLED = 5
"""Ships up to which positions that are too large to count are sampled in well under a second;
with eight, some take ten."""


COSTED_FEATURES = {"score": SCORE, "beside": BESIDE, "diagonal": DIAGONAL, "beyond": BEYOND}
"""Features of a cell in `costs`, besides the lengths of ships."""


class Base(NamedTuple):
    """Weights as the compiled functions take them."""

    settings: Floats
    opening: Cells
    """the first shots, while all of them miss"""


@dataclass(frozen=True)
class Weights:
    """The parameters of the weighted density (see `weighted_density_kernels`)."""

    lengths: Mapping[int, tuple[float, float, float]]
    """for each length of ship: the weight of a placement that covers 0, 1 and 2 open hits"""
    further_hit: float
    """the factor for every further hit"""
    hunting: tuple[float, float, float]
    """fractions for neighbours, diagonals and cells two away, while no hit is open"""
    targeting: tuple[float, float, float]
    """the same while a hit is open"""
    even: float
    """the factor for cells of even colour"""
    rings: tuple[float, ...]
    """factors by distance from the edge; the last one holds further inside too"""
    opening: tuple[str, ...] = ()
    """the first shots, while all of them miss"""
    costs: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """what each feature of a cell costs while no hit is open (see `choice_kernels`): a constant, a
    number for the unknown part of the board, and one for each of `lengths` in ascending order.
    Features are `COSTED_FEATURES` and the lengths. Empty: scores decide"""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """how they were found"""

    def weights_of(self, length: int) -> tuple[float, float, float]:
        """The weights of a length, or else those of the nearest one."""
        nearest = min(self.lengths, key=lambda each: (abs(each - length), each))
        return self.lengths[nearest]

    def settings(self) -> Floats:
        """As the compiled functions take them."""
        settings = np.zeros(SETTINGS)
        for length in range(1, LONGEST + 1):
            known = self.weights_of(length)
            for hits in range(length + 1):
                weight = known[min(hits, 2)] * self.further_hit ** max(0, hits - 2)
                settings[HITS * length + hits] = min(round(UNIT * weight), MOST_WEIGHT)
        settings[HUNTING : HUNTING + 3] = self.hunting
        settings[TARGETING : TARGETING + 3] = self.targeting
        settings[EVEN] = self.even
        settings[RING : RING + RINGS] = [*self.rings, *[self.rings[-1]] * RINGS][:RINGS]
        settings[COSTED] = 1.0 if self.costs else 0.0
        for name, numbers in self.costs.items():
            places = [
                CONSTANT,
                UNKNOWN_PART,
                *(UNKNOWN_PART + each for each in sorted(self.lengths)),
            ]
            settings[COSTS + feature_of(name) * TERMS + np.array(places)] = numbers
        return settings

    def base(self, rules: Rules) -> Base:
        """The base under these rules."""
        opening = [rules.cell(name) for name in self.opening]
        return Base(self.settings(), np.array(opening, dtype=np.int16))

    def to_json(self) -> dict[str, Any]:
        return {
            "lengths": {str(length): list(found) for length, found in self.lengths.items()},
            "further_hit": self.further_hit,
            "hunting": list(self.hunting),
            "targeting": list(self.targeting),
            "even": self.even,
            "rings": list(self.rings),
            **({"opening": list(self.opening)} if self.opening else {}),
            **(
                {"costs": {name: list(each) for name, each in self.costs.items()}}
                if self.costs
                else {}
            ),
            "provenance": dict(self.provenance),
        }

    @classmethod
    def from_json(cls, value: Any) -> Weights:
        try:
            weights = cls(
                lengths={
                    int(length): (float(found[0]), float(found[1]), float(found[2]))
                    for length, found in value["lengths"].items()
                },
                further_hit=float(value["further_hit"]),
                hunting=_three(value["hunting"]),
                targeting=_three(value["targeting"]),
                even=float(value["even"]),
                rings=tuple(float(each) for each in value["rings"]),
                opening=tuple(str(each) for each in value.get("opening", ())),
                costs={
                    str(name): tuple(float(each) for each in numbers)
                    for name, numbers in value.get("costs", {}).items()
                },
                provenance=dict(value.get("provenance", {})),
            )
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise SeabattleError(f"This is not a file of admiral's weights ({error}).") from error
        numbers = [
            *(each for found in weights.lengths.values() for each in found),
            *(weights.further_hit, weights.even, *weights.rings),
            *(abs(each) for each in (*weights.hunting, *weights.targeting)),
        ]
        if not weights.lengths or not weights.rings or not all(0 <= n <= 1e6 for n in numbers):
            raise SeabattleError(
                "admiral's weights must be numbers from 0 to 1,000,000, with at least one length "
                "and one ring."
            )
        if len(set(weights.opening)) < len(weights.opening):
            raise SeabattleError("The opening in admiral's weights has a cell twice.")
        _check_costs(weights)
        return weights


def feature_of(name: str) -> int:
    """The number of a feature in `costs`."""
    return COSTED_FEATURES[name] if name in COSTED_FEATURES else BEYOND + int(name)


def _check_costs(weights: Weights) -> None:
    known = {*COSTED_FEATURES, *map(str, weights.lengths)}
    if not set(weights.costs) <= known:
        names = ", ".join(sorted(known))
        raise SeabattleError(f"The costs in admiral's weights must be those of: {names}.")
    if weights.costs and not all(1 <= length <= LONGEST for length in weights.lengths):
        raise SeabattleError(f"The lengths in admiral's weights must be from 1 to {LONGEST}.")
    count = 2 + len(weights.lengths)
    if not all(
        len(numbers) == count and all(abs(each) <= 1e6 for each in numbers)
        for numbers in weights.costs.values()
    ):
        raise SeabattleError(
            f"The costs in admiral's weights must be {count} numbers each, from -1,000,000 to "
            "1,000,000."
        )


def _three(value: Any) -> tuple[float, float, float]:
    first, second, third = value
    return float(first), float(second), float(third)


def read_weights(path: Path) -> Weights:
    """Weights from a file."""
    try:
        with open_regular(path) as file:
            text = file.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise SeabattleError(f"{path} is too large to be a file of admiral's weights.")
        return Weights.from_json(json.loads(text))
    except SeabattleError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise SeabattleError(f"{path} is not a file of admiral's weights: {error}.") from error


@lru_cache(maxsize=64)
def shipped_weights(rules: Rules) -> Weights | None:
    """The weights tuned for these rules, or None. Turns and salvos do not matter to them."""
    for name, preset in PRESETS.items():
        if replace(preset, turns=rules.turns, salvo=rules.salvo) == rules:
            file = files(__package__) / "tuned" / f"{name}.json"
            return Weights.from_json(json.loads(file.read_text())) if file.is_file() else None
    return None


@lru_cache(maxsize=64)
def fitting_weights(rules: Rules) -> Weights | None:
    """The weights to play these rules with: their own or, without the opening, those of similar
    rules; None where exact counting is better. Costs are borrowed for the same ships only.

    It is better where answers do not say which ship sank, or where ships may not touch. But large
    fleets take too long to count, and then weights are used even so.
    """
    own = shipped_weights(rules)
    if own is not None:
        return own
    told = rules.answers in ("sunk-named", "named") and rules.contact == "any"
    sampled = rules.answers == "hit-miss" and len(rules.fleet) <= MOST_SHIPS_SAMPLED
    if not (told and layout_bound(rules) >= FEWEST_WEIGHTED) and (sampled or is_counted(rules)):
        return None
    if rules.contact != "any":
        similar = PRESETS["russian"]
    else:
        similar = PRESETS["named" if rules.answers == "named" else "classic"]
    weights = shipped_weights(similar)
    assert weights is not None
    # With other ships, costs would be extrapolated.
    same_ships = told and rules.fleet == similar.fleet
    return replace(weights, opening=(), costs=weights.costs if same_ships else {})


def is_counted(rules: Rules) -> bool:
    """Whether the layouts of a position are counted in well under a second."""
    return layout_bound(rules) <= MOST_COUNTED


def layout_bound(rules: Rules) -> float:
    """At least the number of layouts: any placement for each ship."""
    board = board_of(rules)
    placements = (float(board.last[ship] - board.first[ship]) for ship in range(board.ships))
    return math.prod(placements)
