"""Sweeps over the diagram of `belief.frontier_kernels`, compiled.

A path from the first layer to the last is a layout. `forward` sums over the ways to
reach a node, `backward` over the ways to finish from it, `through_starts` puts the two
together, and `draw_paths` draws paths in proportion to their weight.

Values are kept for a run of layers, the *segment* from layer `begin` on: those of layer
begin + n stand in `values[offsets[n] : offsets[n + 1]]`, a block for each node with one
value per subfleet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..compiled.board_tables import Floats, Int32s, Ints
from ..compiled.jit import compose, kernel
from ..compiled.random_streams import Rng, below, fraction
from .frontier_kernels import Diagram, FrontierTask, Subfleets, event_of

# Templates call parts that `compose` binds.
# ruff: noqa: F821
ends: Callable[..., tuple[int, int]]

Value = TypeVar("Value", np.uint64, np.float64)


class Widths(NamedTuple):
    """How many subfleets a layer and the next one have."""

    here: int
    there: int


@kernel
def _widths(first: Ints, layer: int) -> Widths:
    return Widths(first[layer + 1] - first[layer], first[layer + 2] - first[layer + 1])


@kernel
def _weight(weights: npt.NDArray[Any], label: int, cell: int) -> Any:
    if label == 0:
        return weights.dtype.type(1)
    return weights[(label - 1) >> 1, (label - 1) & 1, cell]


def _sweep_layer(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    layer: int,
    here: int,
    there: int,
    values: npt.NDArray[Value],
) -> None:
    """Carry values along the edges of one layer, in the direction that `ends` says.

    `here` and `there` are where the values of the layer and of the next one begin. A start
    counts `weights` (kinds, 2, cells). Whole numbers are taken modulo 2**64 if `modulus` is 0.
    """
    subfleets = diagram.subfleets
    source, target, step_first = subfleets.source, subfleets.target, subfleets.step_first
    widths = _widths(subfleets.first, layer)
    for node in range(diagram.node_first[layer], diagram.node_first[layer + 1]):
        for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
            label = np.int64(diagram.edge_label[edge])
            factor = _weight(weights, label, layer)
            to = there + diagram.edge_to[edge] * widths.there
            event = layer * (diagram.kinds + 1) + event_of(label)
            for step in range(step_first[event], step_first[event + 1]):
                given, into = ends(here + source[step], to + target[step])
                sum_ = values[into] + values[given] * factor
                if sum_ >= modulus and modulus > 0:
                    sum_ -= modulus
                values[into] = sum_
        here += widths.here


@kernel
def _onwards(before: int, after: int) -> tuple[int, int]:
    return before, after


@kernel
def _backwards(before: int, after: int) -> tuple[int, int]:
    return after, before


_sweep_layer_forward = compose(_sweep_layer, "forward", ends=_onwards)
_sweep_layer_backward = compose(_sweep_layer, "backward", ends=_backwards)


@kernel
def forward(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    begin: int,
    offsets: Ints,
    values: npt.NDArray[Value],
) -> None:
    """Sum over the ways to reach each node and subfleet; the first layer is given."""
    layers = offsets.size - 2
    values[offsets[1] : offsets[layers + 1]] = 0
    for n in range(layers):
        _sweep_layer_forward(
            diagram, weights, modulus, begin + n, offsets[n], offsets[n + 1], values
        )


@kernel
def backward(
    diagram: Diagram,
    weights: npt.NDArray[Value],
    modulus: Value,
    begin: int,
    offsets: Ints,
    values: npt.NDArray[Value],
) -> None:
    """Sum over the ways to finish from each node and subfleet; the last layer is given."""
    layers = offsets.size - 2
    values[: offsets[layers]] = 0
    for n in range(layers - 1, -1, -1):
        _sweep_layer_backward(
            diagram, weights, modulus, begin + n, offsets[n], offsets[n + 1], values
        )


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
    subfleets = diagram.subfleets
    for layer in range(begin, begin + offsets.size - 2):
        widths = _widths(subfleets.first, layer)
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        for node in range(diagram.node_first[layer], diagram.node_first[layer + 1]):
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                if label == 0:
                    continue
                kind, direction = (label - 1) >> 1, (label - 1) & 1
                to = there + diagram.edge_to[edge] * widths.there
                event = layer * (diagram.kinds + 1) + kind + 1
                sum_ = totals[kind, direction, layer]
                for step in range(subfleets.step_first[event], subfleets.step_first[event + 1]):
                    product = reach[here + subfleets.source[step]]
                    product *= finish[to + subfleets.target[step]]
                    if modulus > 0:
                        product %= modulus
                    sum_ += product * weights[kind, direction, layer]
                if modulus > 0:
                    sum_ %= modulus
                totals[kind, direction, layer] = sum_
            here += widths.here


@kernel
def _subfleets_after(subfleets: Subfleets, kinds: int, layer: int) -> Ints:
    """(kinds + 1, width) where each event takes each subfleet of a layer, or -1."""
    after = np.full((kinds + 1, _widths(subfleets.first, layer).here), -1, dtype=np.int64)
    for event in range(kinds + 1):
        at = layer * (kinds + 1) + event
        for step in range(subfleets.step_first[at], subfleets.step_first[at + 1]):
            after[event, subfleets.source[step]] = subfleets.target[step]
    return after


@kernel
def _first_columns(numbers: Ints) -> Ints:
    """(kinds + 1,) the columns of `drawn` in which the ships of each kind begin."""
    first = np.zeros(numbers.size + 1, dtype=np.int64)
    for kind in range(numbers.size):
        first[kind + 1] = first[kind] + numbers[kind]
    return first


@kernel
def draw_paths(
    diagram: Diagram,
    task: FrontierTask,
    weights: Floats,
    begin: int,
    offsets: Ints,
    finish: Floats,
    at_node: Ints,
    at_subfleet: Ints,
    rng: Rng,
    drawn: Int32s,
) -> None:
    """Take paths on through these layers, each edge in proportion to what it leads to.

    Path n stands on node `at_node[n]` with subfleet `at_subfleet[n]`; the placements it
    passes are written to its row of `drawn` (paths, ships), ships of a kind side by side.
    Each path has a generator of its own in `rng`.
    """
    first = _first_columns(task.numbers)
    for layer in range(begin, begin + offsets.size - 2):
        widths = _widths(diagram.subfleets.first, layer)
        here, there = offsets[layer - begin], offsets[layer - begin + 1]
        after = _subfleets_after(diagram.subfleets, diagram.kinds, layer)
        for path in range(at_node.size):
            node = diagram.node_first[layer] + at_node[path]
            subfleet = at_subfleet[path]
            left = finish[here + at_node[path] * widths.here + subfleet]
            edges = diagram.edge_first[node + 1] - diagram.edge_first[node]
            if edges > 1:
                left *= fraction(rng[path : path + 1])
            chosen = -1
            for edge in range(diagram.edge_first[node], diagram.edge_first[node + 1]):
                label = np.int64(diagram.edge_label[edge])
                event = event_of(label)
                to = after[event, subfleet]
                if to < 0:
                    continue
                value = finish[there + diagram.edge_to[edge] * widths.there + to]
                value *= _weight(weights, label, layer)
                if value > 0.0:
                    chosen = edge
                    left -= value
                    if left < 0.0:
                        break
            label = np.int64(diagram.edge_label[chosen])
            at_node[path] = diagram.edge_to[chosen]
            event = event_of(label)
            at_subfleet[path] = after[event, subfleet]
            if label > 0:
                kind = (label - 1) >> 1
                column = first[kind]
                while drawn[path, column] >= 0:
                    column += 1
                drawn[path, column] = task.start[kind, (label - 1) & 1, layer]


@kernel
def assign_ships(task: FrontierTask, drawn: Int32s, rng: Rng, placements: Int32s) -> None:
    """Give the placements of each kind to its ships, in random order."""
    first = _first_columns(task.numbers)
    for path in range(drawn.shape[0]):
        for kind in range(task.numbers.size):
            for last in range(first[kind + 1] - 1, first[kind], -1):
                other = first[kind] + below(rng[path : path + 1], last - first[kind] + 1)
                kept = drawn[path, last]
                drawn[path, last] = drawn[path, other]
                drawn[path, other] = kept
        column = first.copy()
        for ship in range(task.kind_of.size):
            kind = task.kind_of[ship]
            placements[path, ship] = drawn[path, column[kind]]
            column[kind] += 1
