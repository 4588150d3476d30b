"""Counts, marginals and random paths by sweeps over the diagram of the frontier engine.

Whole numbers stay whole: sweeps run modulo 2**64 and, where counts may be larger, also
modulo as many primes as it takes to put the number together again. Under weights the
same sweeps run in floating point.

The values of a sweep can be much larger than the diagram. Where all of them would not
fit, only some layers are kept and the rest is computed again, segment by segment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats, Int32s, Ints
from ..compiled.random_streams import Rng
from ..compiled.structs import new_struct
from .frontier_kernels import (
    BUILT,
    Diagram,
    FrontierTask,
    Scan,
    build,
    list_subfleets,
)
from .frontier_sweeps_kernels import (
    Value,
    assign_ships,
    backward,
    draw_paths,
    forward,
    through_starts,
)

WORD = 1 << 64

SMALL = 1 << 26
"""Bytes of values that are kept all at once ..."""

KEPT = 1 << 30
"""... and of those that are kept for further draws."""


class Plan(NamedTuple):
    """A diagram that fits into memory."""

    task: FrontierTask
    diagram: Diagram
    paths: float
    """how many paths there are, to about fifteen digits"""
    most_bytes: int
    """memory for the values of a sweep"""


class DiagramTooLarge(Exception):
    """A diagram, or the values of a sweep, would need more memory than allowed."""


def make_plan(task: FrontierTask, most_bytes: int) -> Plan:
    """Build the diagram of a task; raises `DiagramTooLarge` if counting would not fit."""
    listed, subfleets = list_subfleets(task)
    if not listed:
        raise DiagramTooLarge
    status, diagram, paths = build(task, subfleets, new_struct(Scan), most_bytes)
    if status != BUILT or not math.isfinite(paths):
        raise DiagramTooLarge
    taken = diagram.edge_first.nbytes + diagram.edge_to.nbytes + diagram.edge_label.nbytes
    plan = Plan(task, diagram, paths, most_bytes - taken)
    _segments(plan, SMALL)
    return plan


def _segments(plan: Plan, kept: int) -> list[tuple[int, int]]:
    """First and last layer of each segment; the last of one is the first of the next.

    One segment if its values take no more than `kept` bytes, else the segments that need
    the least memory; reusing the same pages is also faster.
    """
    diagram, most_bytes = plan.diagram, plan.most_bytes
    sizes = 8 * np.diff(diagram.node_first) * np.diff(diagram.subfleets.first)
    layers, reached = diagram.cells, np.cumsum(sizes)
    if reached[-1] <= min(kept, most_bytes // 2):
        return [(0, layers)]
    plans = []
    for parts in (2, 4, 8, 16, 32):
        marks = np.searchsorted(reached, reached[-1] * np.arange(1, parts) / parts)
        bounds = sorted({0, layers, *(int(mark) for mark in marks)})
        segments = list(pairwise(bounds))
        largest = max(int(sizes[begin : end + 1].sum()) for begin, end in segments)
        plans.append((2 * largest + int(sizes[bounds].sum()), segments))
    needed, segments = min(plans)
    if needed > most_bytes:
        raise DiagramTooLarge
    return segments


def _values(
    diagram: Diagram, segments: list[tuple[int, int]], kind: npt.DTypeLike
) -> npt.NDArray[Any]:
    """An array for the values of any one segment."""
    return np.empty(max(_offsets(diagram, *each)[-1] for each in segments), kind)


def _offsets(diagram: Diagram, begin: int, end: int) -> Ints:
    sizes = np.diff(diagram.node_first) * np.diff(diagram.subfleets.first)
    return np.concatenate(([0], np.cumsum(sizes[begin : end + 1]))).astype(np.int64)


def sweep(
    plan: Plan, weights: npt.NDArray[Value], modulus: Value
) -> tuple[Value, npt.NDArray[Value]]:
    """The total weight of all paths, and that of the paths through each start."""
    diagram = plan.diagram
    totals = np.zeros_like(weights)
    value = weights.dtype.type
    if plan.paths == 0:
        return value(0), totals
    segments = _segments(plan, SMALL)
    reach = _values(diagram, segments, weights.dtype)
    finish = np.empty_like(reach)
    entry = np.ones(1, dtype=weights.dtype)
    entries = []
    for begin, end in segments:
        entries.append(entry)
        offsets = _offsets(diagram, begin, end)
        reach[: offsets[1]] = entry
        forward(diagram, weights, modulus, begin, offsets, reach)
        entry = reach[offsets[-2] : offsets[-1]].copy()
    exit_ = np.ones(1, dtype=weights.dtype)
    for part, (begin, end) in reversed(list(enumerate(segments))):
        offsets = _offsets(diagram, begin, end)
        if part < len(segments) - 1:
            reach[: offsets[1]] = entries[part]
            forward(diagram, weights, modulus, begin, offsets, reach)
        finish[offsets[-2] : offsets[-1]] = exit_
        backward(diagram, weights, modulus, begin, offsets, finish)
        through_starts(diagram, weights, modulus, begin, offsets, reach, finish, totals)
        exit_ = finish[: offsets[1]].copy()
    return exit_[0], totals


def exact_totals(plan: Plan) -> tuple[int, list[int]]:
    """The number of paths and the number through each start, as whole numbers.

    The second is flat, in the order of `FrontierTask.start`.
    """
    ones = np.ones(plan.task.start.shape, dtype=np.uint64)
    total, through = sweep(plan, ones, np.uint64(0))
    number, numbers = int(total), [int(each) for each in through.ravel()]
    known = WORD
    primes = _primes_below(1 << 31)
    # The estimate is a sum of positive terms, so its relative error is tiny.
    while known <= plan.paths * 1.001:
        prime = next(primes)
        total, through = sweep(plan, ones, np.uint64(prime))
        inverse = pow(known, -1, prime)
        number += known * ((int(total) - number) * inverse % prime)
        for place, residue in enumerate(through.ravel()):
            numbers[place] += known * ((int(residue) - numbers[place]) * inverse % prime)
        known *= prime
    return number, numbers


def _primes_below(bound: int) -> Iterator[int]:
    for number in range(bound - 1, 2, -2):
        if all(number % divisor for divisor in range(3, math.isqrt(number) + 1, 2)):
            yield number


class Paths:
    """Draws random paths of a plan; what all draws need is computed once."""

    def __init__(self, plan: Plan, weights: Floats) -> None:
        self.plan, self.weights = plan, weights
        self._segments = _segments(plan, KEPT)
        self._values = _values(plan.diagram, self._segments, np.float64)
        exit_ = np.ones(1)
        self._exits: list[Floats] = []
        for begin, end in reversed(self._segments):
            self._exits.append(exit_)
            offsets = self._finish(begin, end, exit_)
            exit_ = self._values[: offsets[1]].copy()
        self._exits.reverse()

    def _finish(self, begin: int, end: int, exit_: Floats) -> Ints:
        """Compute the values of one segment."""
        offsets = _offsets(self.plan.diagram, begin, end)
        self._values[offsets[-2] : offsets[-1]] = exit_
        backward(self.plan.diagram, self.weights, np.float64(0), begin, offsets, self._values)
        return offsets

    def draw(self, rng: Rng) -> Int32s:
        """(len(rng), ships) placements, drawn in proportion to weight.

        Row n depends on `rng[n]` alone.
        """
        task, diagram, count = self.plan.task, self.plan.diagram, len(rng)
        rng = rng.copy()
        at_node = np.zeros(count, dtype=np.int64)
        at_subfleet = np.zeros(count, dtype=np.int64)
        drawn = np.full((count, task.kind_of.size), -1, dtype=np.int32)
        kept = len(self._segments) == 1
        for (begin, end), exit_ in zip(self._segments, self._exits, strict=True):
            offsets = _offsets(diagram, begin, end) if kept else self._finish(begin, end, exit_)
            draw_paths(
                diagram,
                task,
                self.weights,
                begin,
                offsets,
                self._values,
                at_node,
                at_subfleet,
                rng,
                drawn,
            )
        placements = np.empty_like(drawn)
        assign_ships(task, drawn, rng, placements)
        return placements
