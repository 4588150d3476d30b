"""Sweeps over the diagram of `belief.frontier_kernels`: counts, marginals and random paths.

A path from the first layer to the last is a layout. `forward` sums over the ways to
reach a node, `backward` over the ways to finish from it, `through_starts` puts the two
together, and `walk` draws paths in proportion to their weight.

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
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats, Ints
from ..compiled.jit import kernel
from ..compiled.random_streams import Rng, below, fraction
from .frontier_kernels import BUILT, Diagram, FrontierTask, Int32s, build, list_stocks

Value = TypeVar("Value", np.uint64, np.float64)

WORD = 1 << 64

SMALL = 1 << 26
"""Bytes of values that are simply kept ..."""

KEPT = 1 << 30
"""... and of those that are kept for further draws."""


@kernel
def forward(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    begin: int,
    offsets: Ints,
    values: npt.NDArray[Value],
) -> None:
    """Sum over the ways to reach each node and stock, layer after layer.

    `values` holds the layers from `begin` on, layer begin + n from `offsets[n]`; the
    first of them is given and the others are filled. A start counts `weights` (kinds,
    2, cells). Whole numbers are taken modulo 2**64 if `modulus` is 0.
    """
    stocks, kinds = diagram.stocks, diagram.kinds
    values[offsets[1] : offsets[offsets.size - 1]] = 0
    for layer in range(begin, begin + offsets.size - 2):
        width = stocks.first[layer + 1] - stocks.first[layer]
        next_width = stocks.first[layer + 2] - stocks.first[layer + 1]
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        for node in range(diagram.node_first[layer], diagram.node_first[layer + 1]):
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                event, factor = _event(label), _weight(weights, label, layer)
                to = there + diagram.edge_to[edge] * next_width
                step = layer * (kinds + 1) + event
                for pair in range(stocks.pair_first[step], stocks.pair_first[step + 1]):
                    there_at = to + stocks.target[pair]
                    sum_ = values[there_at] + values[here + stocks.source[pair]] * factor
                    if sum_ >= modulus and modulus > 0:
                        sum_ -= modulus
                    values[there_at] = sum_
            here += width


@kernel
def backward(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    begin: int,
    offsets: Ints,
    values: npt.NDArray[Value],
) -> None:
    """Sum over the ways to finish from each node and stock; the last layer is given."""
    stocks, kinds = diagram.stocks, diagram.kinds
    values[: offsets[offsets.size - 2]] = 0
    for layer in range(begin + offsets.size - 3, begin - 1, -1):
        width = stocks.first[layer + 1] - stocks.first[layer]
        next_width = stocks.first[layer + 2] - stocks.first[layer + 1]
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        for node in range(diagram.node_first[layer], diagram.node_first[layer + 1]):
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                event, factor = _event(label), _weight(weights, label, layer)
                to = there + diagram.edge_to[edge] * next_width
                step = layer * (kinds + 1) + event
                for pair in range(stocks.pair_first[step], stocks.pair_first[step + 1]):
                    here_at = here + stocks.source[pair]
                    sum_ = values[here_at] + values[to + stocks.target[pair]] * factor
                    if sum_ >= modulus and modulus > 0:
                        sum_ -= modulus
                    values[here_at] = sum_
            here += width


@kernel
def through_starts(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    begin: int,
    offsets: Ints,
    reach: npt.NDArray[Value],
    finish: npt.NDArray[Value],
    totals: npt.NDArray[Value],
) -> None:
    """Add to `totals` (kinds, 2, cells) the paths through each start in these layers."""
    stocks, kinds = diagram.stocks, diagram.kinds
    for layer in range(begin, begin + offsets.size - 2):
        width = stocks.first[layer + 1] - stocks.first[layer]
        next_width = stocks.first[layer + 2] - stocks.first[layer + 1]
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        for node in range(diagram.node_first[layer], diagram.node_first[layer + 1]):
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                if label == 0:
                    continue
                kind, direction = (label - 1) >> 1, (label - 1) & 1
                to = there + diagram.edge_to[edge] * next_width
                step = layer * (kinds + 1) + kind + 1
                sum_ = totals[kind, direction, layer]
                for pair in range(stocks.pair_first[step], stocks.pair_first[step + 1]):
                    product = reach[here + stocks.source[pair]] * finish[to + stocks.target[pair]]
                    if modulus > 0:
                        product %= modulus
                    sum_ += product * weights[kind, direction, layer]
                if modulus > 0:
                    sum_ %= modulus
                totals[kind, direction, layer] = sum_
            here += width


@kernel
def _event(label: int) -> int:
    """What happens to the stock: 0 for nothing, else the kind that starts, plus 1."""
    return (label + 1) >> 1


@kernel
def _weight(weights: npt.NDArray[Any], label: int, cell: int) -> Any:
    if label == 0:
        return weights.dtype.type(1)
    return weights[(label - 1) >> 1, (label - 1) & 1, cell]


@kernel
def walk(
    diagram: Diagram,
    task: FrontierTask,
    weights: Floats,
    begin: int,
    offsets: Ints,
    finish: Floats,
    at_node: Ints,
    at_stock: Ints,
    rng: Rng,
    drawn: Int32s,
) -> None:
    """Take paths on through these layers, each step in proportion to what it leads to.

    Path n stands on node `at_node[n]` with stock `at_stock[n]`; the placements it
    passes are written to its row of `drawn` (paths, ships), ships of a kind in a row.
    Each path has a generator of its own in `rng`.
    """
    stocks, kinds = diagram.stocks, diagram.kinds
    slot = np.zeros(kinds + 1, dtype=np.int64)
    for kind in range(kinds):
        slot[kind + 1] = slot[kind] + task.numbers[kind]
    for layer in range(begin, begin + offsets.size - 2):
        width = stocks.first[layer + 1] - stocks.first[layer]
        next_width = stocks.first[layer + 2] - stocks.first[layer + 1]
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        after = np.full((kinds + 1, width), -1, dtype=np.int64)
        for event in range(kinds + 1):
            step = layer * (kinds + 1) + event
            for pair in range(stocks.pair_first[step], stocks.pair_first[step + 1]):
                after[event, stocks.source[pair]] = stocks.target[pair]
        for path in range(at_node.size):
            node = diagram.node_first[layer] + at_node[path]
            stock = at_stock[path]
            left = finish[here + at_node[path] * width + stock]
            edges = diagram.edge_first[node + 1] - diagram.edge_first[node]
            if edges > 1:
                left *= fraction(rng[path : path + 1])
            chosen = -1
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                event = _event(label)
                to_stock = after[event, stock]
                if to_stock < 0:
                    continue
                value = finish[there + diagram.edge_to[edge] * next_width + to_stock]
                value *= _weight(weights, label, layer)
                if value > 0.0:
                    chosen = edge
                    left -= value
                    if left < 0.0:
                        break
            label = np.int64(diagram.edge_label[chosen])
            at_node[path] = diagram.edge_to[chosen]
            event = _event(label)
            at_stock[path] = after[event, stock]
            if label > 0:
                kind = (label - 1) >> 1
                place = slot[kind]
                while drawn[path, place] >= 0:
                    place += 1
                drawn[path, place] = task.start[kind, (label - 1) & 1, layer]


@kernel
def assign(task: FrontierTask, drawn: Int32s, rng: Rng, placements: Int32s) -> None:
    """Give the placements of each kind to its ships, in random order."""
    slot = np.zeros(task.numbers.size + 1, dtype=np.int64)
    for path in range(drawn.shape[0]):
        slot[0] = 0
        for kind in range(task.numbers.size):
            slot[kind + 1] = slot[kind] + task.numbers[kind]
            for last in range(slot[kind + 1] - 1, slot[kind], -1):
                other = slot[kind] + below(rng[path : path + 1], last - slot[kind] + 1)
                kept = drawn[path, last]
                drawn[path, last] = drawn[path, other]
                drawn[path, other] = kept
        for ship in range(task.kind_of.size):
            placements[path, ship] = drawn[path, slot[task.kind_of[ship]]]
            slot[task.kind_of[ship]] += 1


class Plan(NamedTuple):
    """A diagram that fits, and the segments in which its values are computed."""

    task: FrontierTask
    diagram: Diagram
    paths: float
    """how many paths there are, to about fifteen digits"""
    most_bytes: int
    """what the values of a sweep may take"""


class NoRoom(Exception):
    """A diagram, or the values on it, would not fit into the memory allowed."""


def make_plan(task: FrontierTask, most_bytes: int) -> Plan:
    """Build the diagram of a task; `NoRoom` if counting on it would not fit."""
    listed, stocks = list_stocks(task)
    if not listed:
        raise NoRoom
    status, diagram, paths = build(task, stocks, most_bytes)
    if status != BUILT or not math.isfinite(paths):
        raise NoRoom
    taken = diagram.edge_first.nbytes + diagram.edge_to.nbytes + diagram.edge_label.nbytes
    plan = Plan(task, diagram, paths, most_bytes - taken)
    _segments(plan, SMALL)
    return plan


def _segments(plan: Plan, kept: int) -> list[tuple[int, int]]:
    """First and last layer of each segment; the last of one is the first of the next.

    One segment if its values take no more than `kept` bytes, else the segments that
    need the least memory; to use the same pages again is also faster.
    """
    diagram, most_bytes = plan.diagram, plan.most_bytes
    sizes = 8 * np.diff(diagram.node_first) * np.diff(diagram.stocks.first)
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
        raise NoRoom
    return segments


def _room(
    diagram: Diagram, segments: list[tuple[int, int]], kind: npt.DTypeLike
) -> npt.NDArray[Any]:
    """An array for the values of any one segment."""
    return np.empty(max(_offsets(diagram, *each)[-1] for each in segments), kind)


def _offsets(diagram: Diagram, begin: int, end: int) -> Ints:
    sizes = np.diff(diagram.node_first) * np.diff(diagram.stocks.first)
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
    reach = _room(diagram, segments, weights.dtype)
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
    """Random paths of a plan; what the draws share is computed once."""

    def __init__(self, plan: Plan, weights: Floats) -> None:
        self.plan, self.weights = plan, weights
        self._segments = _segments(plan, KEPT)
        self._values = _room(plan.diagram, self._segments, np.float64)
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
        at_node, at_stock = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        drawn = np.full((count, task.kind_of.size), -1, dtype=np.int32)
        kept = len(self._segments) == 1
        for (begin, end), exit_ in zip(self._segments, self._exits, strict=True):
            offsets = _offsets(diagram, begin, end) if kept else self._finish(begin, end, exit_)
            walk(
                diagram,
                task,
                self.weights,
                begin,
                offsets,
                self._values,
                at_node,
                at_stock,
                rng,
                drawn,
            )
        placements = np.empty_like(drawn)
        assign(task, drawn, rng, placements)
        return placements
