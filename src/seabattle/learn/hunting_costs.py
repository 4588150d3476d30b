"""What a cell costs while no hit is open, for the base of `admiral`, by least squares.

The base plays games of the training set. In every position without an open hit, each of the cells
with the highest scores is shot at, and the base plays on from there on the same layout. The shots
that these games need are noisy: two cells of one position differ by a few shots either way and by
some hundredths on average. But there are tens of millions of such pairs, and a linear function of a
few dozen numbers (`admiral.choice_kernels`) that explains their differences is found exactly from
sums over them. The differences of late positions vary less and count more. The numbers are pulled a
little towards 0 (ridge regression), as they would otherwise follow the noise.

The sums are kept in a file, so a run can be stopped and resumed, and prolonged by more games.
A run may begin with costs found before: then the base plays with them, and the costs that it finds
are those of better play.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..admiral.weighted_density_kernels import new_density
from ..admiral.weights import COSTED_FEATURES, Weights, feature_of
from ..compiled.board_tables import Floats
from ..compiled.knowledge import new_knowledge
from ..compiled.rules_tables import board_of
from ..dealing import place_games
from ..errors import SeabattleError
from ..experiment.data_folder import write_whole
from ..experiment.layout_sets import TRAIN, set_seed
from ..experiment.workers import results_in_order
from ..regular_files import open_regular
from ..rules import Rules
from .hunting_costs_kernels import Sums, add_games
from .tuning import WEIGHTS_FILE

FILE = "costs.npz"

BATCH = 1000
"""Games that a process plays in one call."""

KEPT_EVERY = 10
"""Batches between two writes of the file."""

RIDGE = 0.01
"""How strongly the numbers are pulled towards 0; 1 would halve them if they were independent."""

FEWEST_PAIRS = 100
"""Pairs after a number of shots from which their variance is known well enough."""

CostsWatcher = Callable[[int], None]
"""called with the number of games played so far"""


@dataclass
class CostsRun:
    """A run: its settings, and the sums so far."""

    rules: Rules
    seed: int
    start: Weights
    games: int
    """games played so far"""
    sums: Sums

    @classmethod
    def new(cls, rules: Rules, seed: int, start: Weights) -> CostsRun:
        return cls(rules, seed, start, 0, new_sums(rules, start))

    def began_with(self, weights: Weights) -> bool:
        """Whether these are the weights that the run began with, whatever their costs."""
        one, other = (replace(each, costs={}, provenance={}) for each in (weights, self.start))
        return one == other

    def to_bytes(self) -> bytes:
        settings = {
            "seabattle": __version__,
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "start": self.start.to_json(),
            "games": self.games,
        }
        file = io.BytesIO()
        np.savez(file, settings=np.array(json.dumps(settings)), **self.sums._asdict())
        return file.getvalue()

    @classmethod
    def read(cls, path: Path) -> CostsRun | None:
        """The run in a file, if there is one."""
        if not path.exists():
            return None
        try:
            with open_regular(path) as file, np.load(file, allow_pickle=False) as content:
                settings = json.loads(str(content["settings"]))
                run = cls.new(
                    Rules.from_json(settings["rules"]),
                    int(settings["seed"]),
                    Weights.from_json(settings["start"]),
                )
                run.games = int(settings["games"])
                for name, sums in run.sums._asdict().items():
                    sums[:] = content[name]
        except SeabattleError:
            raise
        except Exception as error:  # damaged archives raise errors of many kinds
            raise SeabattleError(f"{path} is not a file of a run for costs: {error}.") from error
        return run


def new_sums(rules: Rules, weights: Weights) -> Sums:
    numbers = len(features_of(weights)) * (2 + len(weights.lengths))
    return Sums(
        np.zeros((rules.cells, numbers, numbers)),
        np.zeros((rules.cells, numbers)),
        np.zeros(rules.cells),
        np.zeros(rules.cells),
    )


def features_of(weights: Weights) -> list[str]:
    """The features of a cell that have costs, by their names in the file of weights."""
    return [*COSTED_FEATURES, *map(str, sorted(weights.lengths))]


def find_costs(
    run: CostsRun,
    games: int,
    folder: Path,
    executor: Executor,
    jobs: int = 1,
    watcher: CostsWatcher | None = None,
) -> Weights:
    """Go on until there are this many games; writes the run as it goes, and the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    batches = [range(at, min(at + BATCH, games)) for at in range(run.games, games, BATCH)]
    calls = ((run.rules, run.start.to_json(), set_seed(TRAIN, run.seed), each) for each in batches)
    results = results_in_order(executor, jobs, sums_of_games, calls)
    try:
        for number, (batch, more) in enumerate(zip(batches, results, strict=True), 1):
            run.sums = Sums(*(total + part for total, part in zip(run.sums, more, strict=True)))
            run.games = batch.stop
            if number % KEPT_EVERY == 0:
                write_whole(folder / FILE, run.to_bytes())
            if watcher is not None:
                watcher(run.games)
    finally:
        write_whole(folder / FILE, run.to_bytes())
    before = {"begun with": run.start.provenance.get("costs", {})} if run.start.costs else {}
    weights = replace(
        run.start,
        costs=fitted_costs(run.sums, run.start),
        provenance={
            **run.start.provenance,
            "costs": {
                "seabattle": __version__,
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "method": "least squares over the cells with the highest scores, played to the end",
                "layouts": f"training set, seed {run.seed}, games 0 to {run.games - 1}",
                "pairs of cells": int(run.sums.pairs.sum()),
                **before,
            },
        },
    )
    write_whole(folder / WEIGHTS_FILE, json.dumps(weights.to_json(), indent=1).encode())
    return weights


def sums_of_games(rules: Rules, weights: dict[str, Any], seed: int, games: range) -> Sums:
    """The sums over the positions of these games."""
    start = Weights.from_json(weights)
    base, sums = start.base(rules), new_sums(rules, start)
    add_games(
        board_of(rules), new_knowledge(), base.settings, base.opening, new_density(),
        new_knowledge(), new_density(), np.array([feature_of(each) for each in features_of(start)]),
        np.array(sorted(start.lengths)), place_games(rules, seed, games), sums,
    )  # fmt: skip
    return sums


def fitted_costs(sums: Sums, weights: Weights) -> dict[str, tuple[float, ...]]:
    """The costs that explain the differences best."""
    numbers = sums.by_shots.shape[1]
    products, by_shots = np.zeros((numbers, numbers)), np.zeros(numbers)
    for shot in np.flatnonzero(sums.pairs >= FEWEST_PAIRS):
        variance = sums.squares[shot] / sums.pairs[shot]
        if variance > 0:
            products += sums.products[shot] / variance
            by_shots += sums.by_shots[shot] / variance
    found = ridge(products + np.tril(products, -1).T, by_shots)
    shaped = found.reshape(len(features_of(weights)), -1)
    return {
        name: tuple(float(f"{each:.5g}") for each in row)
        for name, row in zip(features_of(weights), shaped, strict=True)
    }


def ridge(products: Floats, by_shots: Floats) -> Floats:
    """Solve the normal equations, each number measured in units of its spread."""
    spread = np.sqrt(np.diag(products))
    used = spread > 0
    scale = spread[used]
    matrix = products[np.ix_(used, used)] / np.outer(scale, scale)
    found = np.zeros(len(by_shots))
    found[used] = np.linalg.solve(matrix + RIDGE * np.eye(len(scale)), by_shots[used] / scale)
    found[used] /= scale
    return found
