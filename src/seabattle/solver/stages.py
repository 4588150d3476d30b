"""How many layouts any strategy can finish with few misses, by stage of the game.

A stage is what the answers alone have told, without the cells:

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
MOST_STAGES = 5_000
"""With more stages than this, only the number of hits counts."""

Stage = tuple[int, ...]


def stage_after(rules: Rules, struck: tuple[int, ...], coarse: bool = False) -> Stage:
    """The stage when this many cells of each ship are hit; ships of equal length are
    interchangeable."""
    hits = sum(struck)
    lengths = sorted(set(rules.fleet))
    sunk = [n for n, length in zip(struck, rules.fleet, strict=True) if n == length]
    if coarse or rules.answers == "hit-miss":
        return (hits,)
    if rules.answers == "sunk":
        return (hits, len(sunk))
    if rules.answers == "sunk-named":
        return (hits, *(sunk.count(length) for length in lengths))
    return tuple(
        n
        for length in lengths
        for n in sorted(n for n, own in zip(struck, rules.fleet, strict=True) if own == length)
    )


def answers_to_hit(rules: Rules, stage: Stage, coarse: bool) -> dict[Stage, int]:
    """The stages that a hit can lead to, and by how many different answers."""
    cells, ships = rules.ship_cells, len(rules.fleet)
    lengths = sorted(set(rules.fleet))
    if coarse:
        kinds = {"hit-miss": 1, "sunk": 2, "sunk-named": 1 + ships, "named": ships}
        further = (stage[0] + 1,)
        return {further: kinds[rules.answers]} if stage[0] < cells else {}
    found: dict[Stage, int] = {}
    if rules.answers == "hit-miss":
        return {(stage[0] + 1,): 1} if stage[0] < cells else {}
    if rules.answers == "named":
        fleet = sorted(rules.fleet)
        for ship, length in enumerate(fleet):
            if stage[ship] < length:
                struck = list(stage)
                struck[ship] += 1
                parts = [
                    sorted(n for n, own in zip(struck, fleet, strict=True) if own == each)
                    for each in lengths
                ]
                after = tuple(n for part in parts for n in part)
                found[after] = found.get(after, 0) + 1
        return found
    hits = stage[0] + 1
    if hits > cells:
        return {}
    if rules.answers == "sunk":
        afloat = ships - stage[1]
        if cells - hits >= afloat:
            found[(hits, stage[1])] = 1
        least = sum(sorted(rules.fleet)[: stage[1] + 1])
        if afloat and hits >= least and cells - hits >= afloat - 1:
            found[(hits, stage[1] + 1)] = 1
        return found
    sunk = stage[1:]
    afloat = ships - sum(sunk)
    covered = sum(n * length for n, length in zip(sunk, lengths, strict=True))
    if cells - hits >= afloat:
        found[(hits, *sunk)] = 1
    for place, length in enumerate(lengths):
        left = rules.fleet.count(length) - sunk[place]
        if left and hits >= covered + length and cells - hits >= afloat - 1:
            after = (hits, *sunk[:place], sunk[place] + 1, *sunk[place + 1 :])
            found[after] = left
    return found


@dataclass(frozen=True)
class Stages:
    """Tables by stage number; the start of the game has the highest."""

    numbers: dict[Stage, int]
    coarse: bool
    """whether only hits count, because there would be too many stages"""
    profile: npt.NDArray[np.object_]
    """(stages, cells + 1) P; the last column is the number of layouts"""
    after_hit: npt.NDArray[np.object_]
    """(stages, cells + 1) how many layouts can finish after a hit, over all its answers"""

    @property
    def start(self) -> int:
        return len(self.numbers) - 1


def count_stages(rules: Rules, most: dict[Stage, int] | None, layouts: int, cells: int) -> Stages:
    """The tables; without `most`, only the number of layouts bounds each stage."""
    edges = _edges(rules, coarse=False)
    coarse = edges is None
    if edges is None:
        edges = _edges(rules, coarse=True)
        assert edges is not None
    ordered = sorted(edges, key=lambda stage: _hits(rules, stage, coarse), reverse=True)
    numbers = {stage: n for n, stage in enumerate(ordered)}
    caps = [layouts if most is None else most.get(stage, layouts) for stage in ordered]
    profile = np.zeros((len(ordered), cells + 1), dtype=object)
    after_hit = np.zeros_like(profile)
    for n, stage in enumerate(ordered):
        if not edges[stage]:
            profile[n] = 1
            continue
        for after, answers in edges[stage].items():
            number = numbers[after]
            after_hit[n] += answers * np.minimum(profile[number], caps[number])
        # Python's integers: the layouts of a large fleet are more than 64 bits can count.
        profile[n] = [min(count, caps[n]) for count in accumulate(after_hit[n])]
    profile[:, cells] = layouts
    return Stages(numbers, coarse, profile, after_hit)


def _edges(rules: Rules, coarse: bool) -> dict[Stage, dict[Stage, int]] | None:
    """Every stage with the ones that follow; None if there are too many."""
    start = stage_after(rules, tuple(0 for _ in rules.fleet), coarse)
    edges: dict[Stage, dict[Stage, int]] = {}
    stack = [start]
    while stack:
        stage = stack.pop()
        if stage in edges:
            continue
        edges[stage] = answers_to_hit(rules, stage, coarse)
        stack += edges[stage]
        if len(edges) > MOST_STAGES:
            return None
    return edges


def _hits(rules: Rules, stage: Stage, coarse: bool) -> int:
    return sum(stage) if rules.answers == "named" and not coarse else stage[0]


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
        most[stage] = _most_alike(np.concatenate(keys_list))
    return most


def _most_alike(keys: npt.NDArray[np.uint64]) -> int:
    """How often the most frequent row occurs, column by column: much quicker than sorting
    whole rows."""
    same = np.zeros(len(keys), dtype=np.int64)
    for column in keys.T:
        _, place = np.unique(column, return_inverse=True)
        _, same = np.unique(same * (int(place.max()) + 1) + place, return_inverse=True)
    return int(np.bincount(same).max())


def stage_codes(rules: Rules) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Codes of stages that compiled code can add up.

    The first table holds (ship, hits on it) the ship's share of the code; the second
    what an answer (as in `solver.positions_kernels.answer_to`) adds to it.
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
