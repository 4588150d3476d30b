"""The cells that are known to belong to sunk ships.

Which cells a sunk ship lay on is often not told. It was a straight run of hits through the
shot that sank it, of the named length if the answer named a ship, and none of those hits came
later. All ways to lay the sunk ships like that are tried together; one that leaves no legal
place for the ships afloat, which must cover the other hits and have a cell not yet shot at,
is no way at all. What the ways that remain have in common is certain.

>>> rules = Rules.from_text("classic")
>>> observation = Observation.from_text("A1 hit, A2 hit, C1 hit, A3 sunk cruiser", rules)
>>> sorted(map(rules.cell_name, sunk_cells(observation)))
['A1', 'A2', 'A3']
>>> [hull.to_json(rules)["cell"] for hull in sunk_ships(observation).hulls]
['A1']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import and_
from typing import Any

from ..observation import Observation
from ..rules import Rules
from ..shots import Shot

MOST_STEPS = 100_000
"""Placements tried per position, which takes some hundredths of a second. If that is not enough,
each sunk ship is looked at alone: nothing uncertain is ever called certain."""


@dataclass(frozen=True)
class Hull:
    """A sunk ship whose every cell is known."""

    ship: int | None
    """its place in the fleet, where it was named"""
    cells: tuple[int, ...]
    """in reading order"""

    def to_json(self, rules: Rules) -> dict[str, Any]:
        across = len(self.cells) == 1 or self.cells[1] == self.cells[0] + 1
        return {
            "ship": None if self.ship is None else rules.ship_names[self.ship],
            "cell": rules.cell_name(self.cells[0]),
            "direction": "across" if across else "down",
            "length": len(self.cells),
        }


@dataclass(frozen=True)
class SunkShips:
    """What an observation tells about the ships that it sank."""

    cells: frozenset[int] = frozenset()
    """cells that certainly belong to a sunk ship"""
    hulls: tuple[Hull, ...] = ()
    """the sunk ships that are known whole, in the order they sank"""

    def to_json(self, rules: Rules) -> dict[str, Any]:
        return {
            "cells": [rules.cell_name(cell) for cell in sorted(self.cells)],
            "hulls": [hull.to_json(rules) for hull in self.hulls],
        }


def sunk_cells(observation: Observation) -> frozenset[int]:
    """Cells that certainly belong to a sunk ship."""
    return sunk_ships(observation).cells


@lru_cache(maxsize=4096)
def sunk_ships(observation: Observation) -> SunkShips:
    """What is certain about the sunk ships."""
    return sunk_ships_after(SunkShips(), observation)


def sunk_ships_after(earlier: SunkShips, observation: Observation) -> SunkShips:
    """`sunk_ships`, when it is known for some of the first shots."""
    sinkings = [shot for shot in observation.shots if shot.answer.sunk]
    if len(sinkings) == len(earlier.hulls):
        return earlier  # each is known whole, and stays so whatever else is found out
    cells, runs = _Ways(observation).certain()
    hulls = [
        Hull(shot.answer.ship, tuple(_cells(run)))
        for shot, run in zip(sinkings, runs, strict=True)
        if run is not None
    ]
    return SunkShips(frozenset(_cells(cells)), tuple(hulls))


class _Ways:
    """The ways to lay the sunk ships of an observation; sets of cells are bit masks."""

    def __init__(self, observation: Observation) -> None:
        self._rules = observation.rules
        self._misses = _mask(observation.misses)
        self._unknown = _mask(observation.unknown)
        self._hits = _mask(observation.hits)
        self._last = _mask(shot.cell for shot in observation.shots if shot.answer.sunk)
        self._candidates = list(self._candidate_runs(observation.shots))
        self._steps = 0

    def certain(self) -> tuple[int, list[int | None]]:
        """The cells that are sunk in every way, and the run of each sunk ship if it is the same
        in every way."""
        cells: int | None = None
        runs: list[int | None] = [None] * len(self._candidates)
        for way, afloat, blocked in self._laid(self._candidates, self._rules.fleet, 0):
            if self._steps > MOST_STEPS:
                return self._certain_one_by_one()
            if cells is None:
                fewer, alike = _union(way), list[int | None](way)
            else:
                fewer, alike = cells & _union(way), _agreeing(runs, way)
            # A way that would change nothing need not be possible.
            if (fewer, alike) != (cells, runs) and self._is_possible(way, afloat, blocked):
                cells, runs = fewer, alike
        # If there is no way at all, the answers contradict each other.
        return self._last if cells is None else cells, runs

    def _certain_one_by_one(self) -> tuple[int, list[int | None]]:
        """The same if there are too many ways: what the candidates of each ship share."""
        cells = [reduce(and_, (run.cells for run in runs)) for runs in self._candidates]
        whole = [runs[0].cells if len(runs) == 1 else None for runs in self._candidates]
        return _union(cells), whole

    def _is_possible(self, way: tuple[int, ...], afloat: tuple[int, ...], blocked: int) -> bool:
        """Whether the ships afloat have a place beside the sunk ones."""
        open_hits = self._hits & ~_union(way)
        return not open_hits & blocked and self._has_room(open_hits, afloat, blocked)

    def _candidate_runs(self, shots: tuple[Shot, ...]) -> Iterator[list[_HitRun]]:
        """Where each ship that sank can lie, in the order they sank."""
        hits: dict[int | None, int] = {}
        """hits so far; by ship, where every hit names one"""
        for shot in shots:
            if shot.answer.hit:
                owner = shot.answer.ship if self._rules.answers == "named" else None
                hits[owner] = hits.get(owner, 0) | 1 << shot.cell
                if shot.answer.sunk:
                    yield self._runs(shot.cell, shot.answer.ship, hits[owner])

    def _runs(self, cell: int, ship: int | None, hits: int) -> list[_HitRun]:
        """Where the ship that sank at a cell can lie."""
        lengths = {self._rules.fleet[ship]} if ship is not None else set(self._rules.fleet)
        others = self._last & ~(1 << cell)
        return [
            run
            for length in sorted(lengths)
            for run in _placements(self._rules, length)
            if run.cells >> cell & 1 and not run.cells & (~hits | others)
        ]

    def _laid(
        self, candidates: list[list[_HitRun]], afloat: tuple[int, ...], blocked: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
        """Ways to lay the first of these ships and the ones after it, with the ships still
        afloat and the cells that no other ship may lie on."""
        if not candidates:
            yield (), afloat, blocked
            return
        for run in candidates[0]:
            self._steps += 1
            length = run.cells.bit_count()
            if run.cells & blocked or length not in afloat:
                continue
            rest = _without(afloat, length)
            for runs, left, taken in self._laid(candidates[1:], rest, blocked | run.halo):
                yield (run.cells, *runs), left, taken

    def _has_room(self, open_hits: int, afloat: tuple[int, ...], blocked: int) -> bool:
        """Whether the ships afloat can lie somewhere, on all these hits; also if that takes too
        long to tell."""
        if not afloat:
            return not open_hits
        hit = open_hits & -open_hits
        # Without a hit to cover, one ship after the other is put down anywhere.
        lengths = sorted(set(afloat), reverse=True) if hit else afloat[:1]
        forbidden = blocked | self._misses
        for length in lengths:
            rest = _without(afloat, length)
            for run in _placements(self._rules, length):
                self._steps += 1
                if self._steps > MOST_STEPS:
                    return True
                if run.cells & forbidden or not run.cells & self._unknown:
                    continue
                if hit and not run.cells & hit:
                    continue
                left = open_hits & ~run.cells
                if left & run.halo:
                    continue
                if self._has_room(left, rest, blocked | run.halo):
                    return True
        return False


@dataclass(frozen=True)
class _HitRun:
    """A place for a ship."""

    cells: int
    halo: int
    """the cells that no other ship may lie on, its own among them"""


@lru_cache(maxsize=256)
def _placements(rules: Rules, length: int) -> tuple[_HitRun, ...]:
    """Every place for a ship of this length."""
    found = {}
    for row in range(rules.rows):
        for column in range(rules.columns):
            for down, right in ((0, 1), (1, 0)):
                if row + down * length <= rules.rows and column + right * length <= rules.columns:
                    cells = [(row + k * down, column + k * right) for k in range(length)]
                    mask = _mask(r * rules.columns + c for r, c in cells)
                    found[mask] = _HitRun(mask, mask | _around(rules, cells))
    return tuple(found.values())


def _around(rules: Rules, cells: list[tuple[int, int]]) -> int:
    """The neighbours of cells on which no other ship may lie."""
    if rules.contact == "any":
        return 0
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1)]
    if rules.contact == "none":
        steps += [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    return _mask(
        (row + down) * rules.columns + column + right
        for row, column in cells
        for down, right in steps
        if 0 <= row + down < rules.rows and 0 <= column + right < rules.columns
    )


def _agreeing(runs: list[int | None], others: tuple[int, ...]) -> list[int | None]:
    return [one if one == other else None for one, other in zip(runs, others, strict=True)]


def _without(lengths: tuple[int, ...], length: int) -> tuple[int, ...]:
    place = lengths.index(length)
    return lengths[:place] + lengths[place + 1 :]


def _mask(cells: Iterable[int]) -> int:
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    return mask


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _cells(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
