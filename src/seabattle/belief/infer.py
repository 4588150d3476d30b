"""From an observation to a belief, by the engine that suits it.

Three engines: `enumeration` and `frontier` are exact, `samples` draws layouts
uniformly from those that are left. `auto` runs the enumeration for as long as the
frontier is estimated to take; if it has not finished by then, the frontier runs. If both
would take longer than `seconds`, samples are used instead and the belief says so.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..compiled.rules_tables import board_of
from ..errors import EngineError, FleetDoesNotFit, ImpossibleObservation, TooLarge
from ..naming.choice import chosen
from ..observation import Observation
from ..rules import Rules
from .enumeration import enumeration_marginals, find_any
from .marginals import Marginals
from .priors import Prior, prior_array

Engine = Literal["auto", "enumeration", "frontier", "samples"]
"""How a belief may be computed."""

ExactEngine = Literal["auto", "enumeration", "frontier"]
UsedEngine = Literal["enumeration", "frontier", "samples"]
Method = Literal["exact", "sampled"]

ENGINES: tuple[Engine, ...] = get_args(Engine)
EXACT_ENGINES: tuple[ExactEngine, ...] = get_args(ExactEngine)

SAMPLES = 10_000
"""Layouts drawn for a sampled belief: its standard error is then at most 0.005."""

AT_ONCE = 0.5
"""Seconds that the enumeration may take before the frontier is considered."""

BATCHES = 20
"""Parts of a sample: where its layouts are not independent, the spread of the parts' means
gives the standard error."""

_Weights = npt.NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Belief:
    """How likely a ship is on each cell, given what was observed."""

    observation: Observation
    method: Method
    engine: UsedEngine
    layouts: int | None
    """distinct layouts left, where ships of one length are interchangeable unless an answer
    named them; None if they were sampled or weighted by a prior"""
    probability: npt.NDArray[np.float64]
    """(rows, columns) the probability of a ship on each cell: 1 on hits, 0 on misses"""
    per_ship: npt.NDArray[np.float64]
    """(ships, rows, columns) the same for each ship; equal for ships of one length that no
    answer has named"""
    standard_error: float | None
    """the largest of any cell; None if exact"""
    milliseconds: float
    """the time it took"""

    @property
    def rules(self) -> Rules:
        return self.observation.rules

    @cached_property
    def suggestion(self) -> int | None:
        """The unknown cell with the highest probability, the first of several; None once
        the whole fleet is found."""
        if self.observation.finished:
            return None
        chances = self.probability.ravel()
        return max(self.observation.unknown, key=lambda cell: (chances[cell], -cell))

    @cached_property
    def bits(self) -> float | None:
        """The information in the shots: log2 of the layouts before the first shot over those
        left; None if either is not known."""
        if self.layouts is None:
            return None
        before = layouts_before(self.rules)
        return None if before is None else math.log2(before) - math.log2(self.layouts)

    @cached_property
    def bits_left(self) -> float | None:
        """The information still missing: log2 of the layouts left."""
        return None if self.layouts is None else math.log2(self.layouts)

    def to_json(self) -> dict[str, Any]:
        """The object that `analyze --json` prints."""
        best = self.suggestion
        return {
            "rules": self.rules.to_json(),
            "method": self.method,
            "layouts": self.layouts,
            "probability": self.probability.tolist(),
            "standard_error": self.standard_error,
            "suggestion": None if best is None else self.rules.cell_name(best),
            "milliseconds": self.milliseconds,
        }

    def _repr_svg_(self) -> str:
        from ..report.drawing import picture_of_belief, to_svg

        return to_svg(picture_of_belief(self))

    def _repr_html_(self) -> str:
        from ..report.drawing import picture_of_belief, to_html

        return to_html(picture_of_belief(self))


def checked_engine(name: str) -> Engine:
    """The engine of this name."""
    return chosen(name, ENGINES, "engine", EngineError)


def infer(
    observation: Observation,
    engine: Engine = "auto",
    prior: Prior | None = None,
    seconds: float | None = None,
    rng: np.random.Generator | None = None,
    samples: int = SAMPLES,
) -> Belief:
    """The posterior over the cells of an observation.

    `prior` is described in `belief.priors`. `seconds` limits the exact engines; without a
    limit, `auto` is exact however long it takes. A sampled belief draws `samples` layouts
    with `rng`.
    """
    began = time.perf_counter()
    engine = checked_engine(engine)
    if samples < BATCHES:
        raise EngineError(f"At least {BATCHES} samples are needed, not {samples}.")
    weights = None if prior is None else prior_array(observation.rules, prior)
    used, marginals = _exact(observation, engine, weights, seconds)
    if marginals is None:
        rng = np.random.default_rng(0) if rng is None else rng
        per_ship, error = _sampled(observation, weights, rng, samples)
        layouts = None
    else:
        if not marginals.labelled:
            raise _impossible(observation, weights)
        per_ship, error = _shares(marginals), None
        layouts = None if prior is not None else int(marginals.labelled) // _orders(observation)
    rules = observation.rules
    per_ship = per_ship.reshape(len(rules.fleet), rules.rows, rules.columns)
    probability = per_ship.sum(axis=0)
    flat = probability.reshape(-1)
    flat[sorted(observation.hits)] = 1.0
    flat[sorted(observation.misses)] = 0.0
    return Belief(
        observation,
        "exact" if marginals is not None else "sampled",
        used,
        layouts,
        probability,
        per_ship,
        error,
        1000 * (time.perf_counter() - began),
    )


def count_layouts(observation: Observation, engine: ExactEngine = "auto") -> int:
    """How many distinct layouts agree with an observation; none is not an error."""
    exactly = chosen(engine, EXACT_ENGINES, "exact engine", EngineError)
    _, marginals = _exact(observation, exactly, None, None)
    assert marginals is not None
    return int(marginals.labelled) // _orders(observation)


@lru_cache(maxsize=64)
def layouts_before(rules: Rules) -> int | None:
    """Distinct layouts before the first shot; None if counting takes more than a few seconds."""
    observation = Observation(rules)
    _, marginals = _exact(observation, "auto", None, 5.0)
    return None if marginals is None else int(marginals.labelled) // _orders(observation)


def _exact(
    observation: Observation, engine: Engine, weights: _Weights, seconds: float | None
) -> tuple[UsedEngine, Marginals | None]:
    """The engine to use and its result; None if layouts have to be sampled."""
    if engine == "samples":
        return "samples", None
    if engine == "enumeration":
        marginals = enumeration_marginals(observation, weights, seconds)
        if marginals is None and seconds is None:
            raise TooLarge(
                f"A fleet of {len(observation.rules.fleet)} ships has too many placements to "
                "enumerate here; use the frontier engine."
            )
        return ("samples" if marginals is None else "enumeration"), marginals
    if engine == "auto":
        soon = AT_ONCE if seconds is None else min(AT_ONCE, seconds)
        marginals = enumeration_marginals(observation, weights, soon)
        if marginals is not None:
            return "enumeration", marginals
    from .frontier import frontier_cost, frontier_marginals

    if engine == "frontier":
        return "frontier", frontier_marginals(observation, weights)
    cost = frontier_cost(observation, weights)
    limit = cost if seconds is None else min(cost, seconds)
    if limit > AT_ONCE:
        marginals = enumeration_marginals(observation, weights, limit)
        if marginals is not None:
            return "enumeration", marginals
    if seconds is not None and cost > seconds:
        return "samples", None
    try:
        return "frontier", frontier_marginals(observation, weights)
    except TooLarge:
        if seconds is None:
            raise
    return "samples", None


def _sampled(
    observation: Observation, weights: _Weights, rng: np.random.Generator, samples: int
) -> tuple[npt.NDArray[np.float64], float]:
    """Shares of sampled layouts per ship and cell, and the largest standard error."""
    from .sampling import draw_layouts

    try:
        drawn = draw_layouts(observation, samples, rng, weights)
    except ImpossibleObservation:
        raise _impossible(observation, weights) from None
    rules, board = observation.rules, board_of(observation.rules)
    covered = np.zeros((BATCHES, len(rules.fleet), rules.cells))
    for batch, placements in enumerate(np.array_split(drawn.placements, BATCHES)):
        for ship, length in enumerate(rules.fleet):
            cells = board.cover[placements[:, ship], :length].ravel()
            covered[batch, ship] = np.bincount(cells, minlength=rules.cells)
    shares = covered.sum(axis=0) / samples
    for group in _alike(observation):
        shares[group] = shares[group].mean(axis=0)
    chances = shares.sum(axis=0)
    if drawn.independent:
        error = np.sqrt(np.clip(chances * (1 - chances), 0, None) / samples)
    else:
        # Layouts of a chain are correlated; means of long stretches hardly are.
        means = covered.sum(axis=1) * BATCHES / samples
        error = means.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    return shares, float(error.max())


def _shares(marginals: Marginals) -> npt.NDArray[np.float64]:
    """Totals as probabilities; Python rounds quotients of integers of any size correctly."""
    labelled = marginals.labelled
    totals = marginals.cell_totals
    if isinstance(totals, np.ndarray) and totals.dtype != object:
        return np.asarray(totals / labelled, dtype=np.float64)
    return np.array([[float(total / labelled) for total in row] for row in totals])


def _alike(observation: Observation) -> list[list[int]]:
    """Ships that no answer has named, grouped by length."""
    named = {shot.answer.ship for shot in observation.shots}
    groups: dict[int, list[int]] = {}
    for ship, length in enumerate(observation.rules.fleet):
        if ship not in named:
            groups.setdefault(length, []).append(ship)
    return list(groups.values())


def _orders(observation: Observation) -> int:
    """How many labelled layouts each distinct one stands for."""
    return math.prod(math.factorial(len(group)) for group in _alike(observation))


def _impossible(observation: Observation, weights: _Weights) -> Exception:
    """An error that names the first shot with which no layout agrees."""
    shots = observation.shots

    def possible(count: int) -> bool:
        before = Observation(observation.rules, shots[:count])
        found = find_any(before, weights, 5.0)
        if found is None:
            _, marginals = _exact(before, "auto", weights, None)
            return marginals is not None and bool(marginals.labelled)
        return found

    if not possible(0):
        if weights is not None:
            return ImpossibleObservation("No layout has any weight under this prior.")
        rules = observation.rules
        return FleetDoesNotFit(
            f"The fleet {','.join(map(str, rules.fleet))} does not fit on a board of "
            f"{rules.rows}x{rules.columns} with contact={rules.contact}."
        )
    fine, wrong = 0, len(shots)
    while wrong - fine > 1:
        middle = (fine + wrong) // 2
        if possible(middle):
            fine = middle
        else:
            wrong = middle
    text = shots[wrong - 1].to_text(observation.rules)
    reason = "is impossible" if wrong == 1 else "contradicts those before it"
    return ImpossibleObservation(
        f"No layout agrees with the shots: {text!r} (shot {wrong}) {reason}."
    )
