"""Tuning the base of `admiral` for a set of rules with CMA-ES.

Every generation plays all its candidates on the same layouts of the training set, and the
next one on new layouts, so that nothing can be learnt by heart. The layouts of final figures
come from the test set and are never seen here (`experiment.layout_sets`).

A run is a folder with one file, which holds the mean shots of every candidate of every
generation. To resume, the search is started again from its seed and given these numbers; so
a run that was stopped and resumed is the same as one that was not.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..admiral.player import EFFORTS, NO_TREES, play_weighted_density
from ..admiral.weights import Weights, shipped_weights
from ..dealing import place_games
from ..errors import SeabattleError
from ..experiment.data_folder import write_whole
from ..experiment.layout_sets import TRAIN, set_seed
from ..experiment.workers import results_in_order
from ..regular_files import read_text
from ..rules import Rules

FILE = "tuning.json"
FIRST_SPREAD = 0.5
"""The spread of the first generation, in the steps below."""

WEIGHT_STEP, FRACTION_STEP, FACTOR_STEP = 0.15, 0.04, 0.03
"""How much is a step: of the logarithm of a weight, of a fraction, of the logarithm of a factor."""

WEIGHTS_FILE = "weights.json"

TuningWatcher = Callable[[int, float], None]
"""called after each generation with its number and the mean shots of its candidates"""


@dataclass
class Tuning:
    """A run: its settings, and the results so far."""

    rules: Rules
    seed: int
    games: int
    """layouts that each candidate plays"""
    candidates: int
    """candidates per generation"""
    start: Weights
    layouts: int = 0
    """layouts in the end-game trees that candidates play with, at most; 0: no trees"""
    results: list[list[float]] = field(default_factory=list)
    """mean shots of each candidate, by generation"""

    def to_json(self) -> dict[str, Any]:
        return {
            "seabattle": __version__,
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "games": self.games,
            "candidates": self.candidates,
            "start": self.start.to_json(),
            "layouts": self.layouts,
            "results": self.results,
        }

    @classmethod
    def from_json(cls, value: Any) -> Tuning:
        try:
            results = [[float(mean) for mean in each] for each in value["results"]]
            tuning = cls(
                Rules.from_json(value["rules"]),
                int(value["seed"]),
                int(value["games"]),
                int(value["candidates"]),
                Weights.from_json(value["start"]),
                int(value.get("layouts", 0)),
                results,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise SeabattleError(f"This is not a file of a tuning run ({error}).") from error
        whole = all(len(each) == tuning.candidates for each in results)
        if not whole or not np.isfinite(np.array(results)).all():
            raise SeabattleError("This file of a tuning run is damaged: a result is missing.")
        return tuning


def tune(
    tuning: Tuning,
    generations: int,
    folder: Path,
    executor: Executor,
    watcher: TuningWatcher | None = None,
) -> Weights:
    """Go on until there are this many generations; the weights at the centre of the last one.

    The run is written to the folder after every generation.
    """
    import cma

    centre, steps = _vector(tuning.start, tuning.rules)
    search = cma.CMAEvolutionStrategy(
        np.zeros(len(centre)),
        FIRST_SPREAD,
        {"popsize": tuning.candidates, "seed": tuning.seed % (2**32 - 1) + 1, "verbose": -9},
    )
    for generation in range(max(generations, len(tuning.results))):
        asked = search.ask()
        if generation == len(tuning.results):
            calls = [
                (
                    tuning.rules,
                    _weights(centre + steps * each, tuning.start, tuning.rules).to_json(),
                    set_seed(TRAIN, tuning.seed),
                    range(generation * tuning.games, (generation + 1) * tuning.games),
                    tuning.layouts,
                )
                for each in asked
            ]
            tuning.results.append(
                list(results_in_order(executor, len(calls), mean_shots_of_weights, calls))
            )
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / FILE, json.dumps(tuning.to_json()).encode())
        search.tell(asked, tuning.results[generation])
        if watcher is not None:
            watcher(generation + 1, float(np.mean(tuning.results[generation])))
    found = _weights(centre + steps * search.result.xfavorite, tuning.start, tuning.rules)
    weights = _with_provenance(found, tuning)
    write_whole(folder / WEIGHTS_FILE, json.dumps(weights.to_json(), indent=1).encode())
    return weights


def read_tuning(folder: Path) -> Tuning | None:
    """The run in a folder, if there is one."""
    try:
        return Tuning.from_json(json.loads(read_text(folder / FILE)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise SeabattleError(f"{folder / FILE} cannot be read: {error}.") from error


def mean_shots_of_weights(
    rules: Rules, weights: dict[str, Any], seed: int, games: range, layouts: int = 0
) -> float:
    """Mean shots of the weighted density, with trees of at most `layouts` layouts, on the
    layouts of these games; one evaluation of a candidate."""
    base = Weights.from_json(weights).base(rules)
    budget = EFFORTS["quick"]._replace(layouts=layouts) if layouts else NO_TREES
    placements = _layouts(rules, seed, games)
    return float(play_weighted_density(rules, base, budget, placements)[0].mean())


@lru_cache(maxsize=2)
def _layouts(rules: Rules, seed: int, games: range) -> npt.NDArray[np.int32]:
    """The layouts of a generation: dealing them takes longer than playing them."""
    return place_games(rules, seed, games)


def starting_weights(rules: Rules) -> Weights:
    """The shipped weights of these rules, or those of `classic` made to fit if there are none."""
    shipped = shipped_weights(rules)
    if shipped is not None:
        return shipped
    classic = shipped_weights(Rules())
    assert classic is not None
    rings = (min(rules.rows, rules.columns) + 1) // 2
    return replace(
        classic,
        lengths={length: classic.weights_of(length) for length in sorted(set(rules.fleet))},
        rings=(classic.rings + classic.rings[-1:] * rings)[:rings],
        opening=(),
        costs={},
        provenance={},
    )


def _vector(weights: Weights, rules: Rules) -> tuple[Any, Any]:
    """The parameters that are tuned, and the size of a step of each."""
    lengths = sorted(set(rules.fleet))
    numbers = [math.log(weights.lengths[each][hits]) for each in lengths for hits in range(3)]
    numbers += [math.log(weights.further_hit), *weights.hunting, *weights.targeting]
    numbers += [math.log(weights.even), *map(math.log, weights.rings[:-1])]
    steps = [WEIGHT_STEP] * (3 * len(lengths) + 1) + [FRACTION_STEP] * 6
    steps += [FACTOR_STEP] * len(weights.rings)
    return np.array(numbers), np.array(steps)


def _weights(vector: Sequence[float], start: Weights, rules: Rules) -> Weights:
    lengths = sorted(set(rules.fleet))
    at = 3 * len(lengths)
    found = [math.exp(min(each, 13.0)) for each in vector[:at]]
    a, b, c, d, e, f = (float(each) for each in vector[at + 1 : at + 7])
    return Weights(
        {
            length: (found[first], found[first + 1], found[first + 2])
            for first, length in zip(range(0, at, 3), lengths, strict=True)
        },
        math.exp(min(vector[at], 13.0)),
        (a, b, c),
        (d, e, f),
        math.exp(vector[at + 7]),
        (*(math.exp(each) for each in vector[at + 8 :]), start.rings[-1]),
    )


def _with_provenance(weights: Weights, tuning: Tuning) -> Weights:
    """Rounded to what matters, and with how they were found."""
    value = weights.to_json()
    value["lengths"] = {
        length: [float(f"{each:.4g}") for each in found]
        for length, found in value["lengths"].items()
    }
    for name in ("hunting", "targeting", "rings"):
        value[name] = [round(each, 3) for each in value[name]]
    value["even"] = round(value["even"], 3)
    value["further_hit"] = float(f"{value['further_hit']:.4g}")
    value["provenance"] = {
        "seabattle": __version__,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "rules": tuning.rules.to_text(),
        "method": "CMA-ES",
        "seed": tuning.seed,
        "generations": len(tuning.results),
        "candidates": tuning.candidates,
        "layouts": f"training set, seed {tuning.seed}, games 0 to "
        f"{len(tuning.results) * tuning.games - 1}",
        "games per candidate": tuning.games,
        "layouts in trees": tuning.layouts,
    }
    return Weights.from_json(value)
