"""How many layouts any strategy can finish with few misses, by stage of the game.

A stage is what the answers alone have told, places aside:

`hit-miss`    how many hits
`sunk`        how many hits and how many ships sunk
`sunk-named`  how many hits and which ships sunk
`named`       how many hits on each ship

From each stage there is one answer to a miss and a few to a hit, each leading to
another stage. Let P(stage, m) be the most layouts that a strategy in that stage can
finish with at most m more misses. Until its next hit the strategy shoots a fixed
sequence of cells, so

    P(stage, m) <= sum over i = 0..m, over answers a of min(C(next), P(next, m - i))

where C(next) is the most layouts that agree with any set of hits of that stage, and
at the end, when everything is hit, P is 1: no two layouts end alike (layouts that
do are counted in separate layers, see `Problem.layer`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ..rules import Rules
from .problem import Problem

MOST_SUBSETS = 20_000_000

Stage = tuple[int, ...]


def stage_after(rules: Rules, struck: tuple[int, ...]) -> Stage:
    """The stage when this many cells of each ship are hit."""
    hits = sum(struck)
    sunk = [s for s, length in enumerate(rules.fleet) if struck[s] == length]
    match rules.answers:
        case "hit-miss":
            return (hits,)
        case "sunk":
            return (hits, len(sunk))
        case "sunk-named":
            return (hits, *sunk)
        case _:
            return struck


@dataclass(frozen=True)
class Stages:
    """Tables by stage number."""

    numbers: dict[Stage, int]
    follow: list[list[int]]
    """the stages that the answers to a hit lead to"""
    most: list[int]
    """C: the most layouts of one layer that agree on the hits of this stage"""
    profile: npt.NDArray[np.int64]
    """(stages, cells + 1) P; the last column is at least the number of layouts"""
    after_hit: npt.NDArray[np.int64]
    """(stages, cells + 1) what can finish after a hit, all its answers together"""


def count_stages(rules: Rules, most: dict[Stage, int] | None, layouts: int, cells: int) -> Stages:
    """The tables; without `most`, only the number of layouts bounds each stage."""
    start = tuple(0 for _ in rules.fleet)
    vectors = {start}
    stack = [start]
    edges: dict[Stage, set[Stage]] = {}
    while stack:
        struck = stack.pop()
        here = edges.setdefault(stage_after(rules, struck), set())
        for ship, length in enumerate(rules.fleet):
            if struck[ship] < length:
                further = (*struck[:ship], struck[ship] + 1, *struck[ship + 1 :])
                here.add(stage_after(rules, further))
                if further not in vectors:
                    vectors.add(further)
                    stack.append(further)
    ordered = sorted(edges, key=lambda stage: _hits(rules, stage), reverse=True)
    numbers = {stage: n for n, stage in enumerate(ordered)}
    follow = [sorted(numbers[after] for after in edges[stage]) for stage in ordered]
    caps = [layouts if most is None else most[stage] for stage in ordered]
    profile = np.zeros((len(ordered), cells + 1), dtype=object)
    after_hit = np.zeros_like(profile)
    for n in range(len(ordered)):
        if not follow[n]:
            profile[n] = 1
            continue
        for after in follow[n]:
            after_hit[n] += np.minimum(profile[after], caps[after])
        profile[n] = np.minimum(list(accumulate(after_hit[n])), caps[n])
    profile[:, cells] = layouts
    return Stages(numbers, follow, caps, profile, after_hit)


def _hits(rules: Rules, stage: Stage) -> int:
    return sum(stage) if rules.answers == "named" else stage[0]


def most_agreeing(problem: Problem) -> dict[Stage, int] | None:
    """C for every stage, by going through all subsets of the cells of every layout."""
    rules = problem.rules
    rows = len(problem.ships)
    if rows << rules.ship_cells > MOST_SUBSETS:
        return None
    bits = np.concatenate(
        [
            np.array(
                [[c for c in range(rules.cells) if int(m) >> c & 1] for m in problem.ships[:, s]],
                dtype=np.uint64,
            )
            for s in range(len(rules.fleet))
        ],
        axis=1,
    )
    bits = np.uint64(1) << bits
    owner = [s for s, length in enumerate(rules.fleet) for _ in range(length)]
    named = rules.answers == "named"
    found: dict[Stage, list[npt.NDArray[np.uint64]]] = {}
    for pattern in range(1 << rules.ship_cells):
        struck = [0] * len(rules.fleet)
        keys = np.zeros((rows, len(rules.fleet) + 1 if named else 2), dtype=np.uint64)
        keys[:, 0] = problem.layer
        for k, ship in enumerate(owner):
            if pattern >> k & 1:
                struck[ship] += 1
                keys[:, 1 + (ship if named else 0)] |= bits[:, k]
        found.setdefault(stage_after(rules, tuple(struck)), []).append(keys)
    most = {}
    for stage, keys_list in found.items():
        _, counts = np.unique(np.concatenate(keys_list), axis=0, return_counts=True)
        most[stage] = int(counts.max())
    return most


def stage_codes(rules: Rules) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Codes of stages that compiled code can add up.

    The first table holds (ship, hits on it) the ship's share of the code; the second
    what an answer (as in `kernels.solve.answer_to`) adds to it.
    """
    ships, longest = len(rules.fleet), max(rules.fleet)
    share = np.zeros((ships, longest + 1), dtype=np.int64)
    step = np.zeros(ships + 2, dtype=np.int64)
    unit = {"hit-miss": 1, "sunk": ships + 1, "sunk-named": 1 << ships, "named": 0}[rules.answers]
    radix = 1
    step[1] = unit
    for ship, length in enumerate(rules.fleet):
        share[ship] = unit * np.arange(longest + 1)
        if rules.answers == "sunk":
            share[ship, length] += 1
            step[2] = unit + 1
        elif rules.answers == "sunk-named":
            share[ship, length] += 1 << ship
            step[2 + ship] = unit + (1 << ship)
        elif rules.answers == "named":
            share[ship] = radix * np.arange(longest + 1)
            step[2 + ship] = radix
            radix *= length + 1
        share[ship, length + 1 :] = 0
    return share, step
