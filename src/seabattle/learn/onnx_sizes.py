"""How large the results of a network's operators can get, before anything is computed.

Joining a value to itself doubles it, and so does adding a row to a column: thirty such
operators in a small file would fill any memory. The shape of every result follows from the
shapes of the input and the weights, so an upper bound of the sizes is known in advance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

Shape = tuple[int, ...]

MOST_NUMBERS = 1 << 24
"""Numbers in all results together, for one position: 64 MB."""


class Node(NamedTuple):
    """One operator of a network."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    integers: Mapping[str, tuple[int, ...]]
    """attributes that are integers or lists of them"""

    def integer(self, name: str, default: int) -> int:
        return self.integers.get(name, (default,))[0]


class Unbounded(Exception):
    """The results would be too large, or the shapes make no sense."""


def check_sizes(nodes: list[Node], shapes: dict[str, Shape]) -> None:
    """Raise `Unbounded` if the results may have more than `MOST_NUMBERS` numbers; `shapes` are
    those of the input, for one position, and of the weights."""
    shapes, total = dict(shapes), 0
    for node in nodes:
        try:
            given = [shapes[name] for name in node.inputs if name]
            shape = RESULTS[node.operator](node, *given)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            # Operators stand in the order in which they are computed, or the file is no network.
            raise Unbounded from error
        total += math.prod(shape)
        if total > MOST_NUMBERS:
            raise Unbounded
        for name in node.outputs:
            shapes[name] = shape


def _same(node: Node, given: Shape) -> Shape:
    return given


def _broadcast(node: Node, one: Shape, other: Shape) -> Shape:
    rank = max(len(one), len(other))
    padded = [(1,) * (rank - len(each)) + each for each in (one, other)]
    return tuple(map(max, *padded)) if rank else ()


def _concat(node: Node, *given: Shape) -> Shape:
    axis = node.integer("axis", 0)
    joined = list(map(max, *given)) if len(given) > 1 else list(given[0])
    joined[axis] = sum(each[axis] for each in given)
    return tuple(joined)


def _flatten(node: Node, given: Shape) -> Shape:
    axis = node.integer("axis", 1)
    return math.prod(given[:axis]), math.prod(given[axis:])


def _gemm(node: Node, one: Shape, other: Shape, added: Shape = (1,)) -> Shape:
    rows = one[1 if node.integer("transA", 0) else 0]
    columns = other[0 if node.integer("transB", 0) else 1]
    return _broadcast(node, (rows, columns), added)


def _matmul(node: Node, one: Shape, other: Shape) -> Shape:
    if len(one) < 2 or len(other) < 2:
        return _broadcast(node, one, other)  # more than the vector that it is
    return (*_broadcast(node, one[:-2], other[:-2]), one[-2], other[-1])


def _conv(node: Node, given: Shape, weights: Shape, bias: Shape = ()) -> Shape:
    pads = node.integers.get("pads", ())
    # With `auto_pad` no result is larger than the input; a kernel or a stride only takes away.
    around = [sum(pads[side :: len(given) - 2]) for side in range(len(given) - 2)]
    sides = [size + max(0, more) for size, more in zip(given[2:], around, strict=True)]
    return (given[0], weights[0], *sides)


def _pooled(node: Node, given: Shape) -> Shape:
    return (*given[:2], *(1 for _ in given[2:]))


RESULTS: dict[str, Callable[..., Shape]] = {
    **dict.fromkeys(("Identity", "Relu", "Sigmoid", "Tanh"), _same),
    **dict.fromkeys(("Add", "Mul", "Sub"), _broadcast),
    "Concat": _concat,
    "Conv": _conv,
    "Flatten": _flatten,
    "Gemm": _gemm,
    "GlobalAveragePool": _pooled,
    "MatMul": _matmul,
}
"""an upper bound of the shape of a result, for each operator that a network may have"""
