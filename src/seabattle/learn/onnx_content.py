"""What is in a model file, read before onnxruntime sees it.

An ONNX file can hold more than a network: loops that never end, weights in other files,
operators of other libraries. Our networks need a few plain operators, so anything else is
refused. The file is a protocol buffer: a list of numbered fields, some of which are lists of
fields themselves. The numbers below are those of `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ModelError
from .onnx_sizes import RESULTS, Node, Shape, Unbounded, check_sizes

OPERATORS = tuple(sorted(RESULTS))
"""none has a graph of its own, or a result whose size depends on the numbers it is given"""
MOST_NODES = 2_000
MOST_IN_ATTRIBUTE = 256
"""kernel sizes, padding and strides lie on the board, which has at most 16 rows"""

GRAPH, TRAINING, FUNCTION = 7, 20, 25  # of a model
NODE, INITIALIZER, INPUT, SPARSE_INITIALIZER = 1, 5, 11, 15  # of a graph
INPUTS, OUTPUTS, OPERATOR, ATTRIBUTE, DOMAIN = 1, 2, 4, 5, 7  # of a node
PLAIN_ATTRIBUTE = (1, 2, 3, 4, 7, 8, 13, 20)  # of an attribute: no tensors and no graphs
ATTRIBUTE_NAME, INTEGER, INTEGERS = 1, 3, 8  # of an attribute
DIMENSIONS, TENSOR_NAME = 1, 8  # of a tensor
VALUE_NAME, TYPE, TENSOR_TYPE, SHAPE, DIMENSION, SIZE = 1, 2, 1, 2, 1, 1  # of an input, nested
EXTERNAL_DATA, DATA_LOCATION = 13, 14  # of a tensor

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def check_content(content: bytes, name: str) -> None:
    """Raise a `ModelError` unless the file is a network of plain operators."""
    try:
        for field, value in _fields(memoryview(content)):
            if field in (TRAINING, FUNCTION):
                raise ModelError(f"{name} is refused: it defines functions of its own.")
            if field == GRAPH:
                _check_graph(_message(value), name)
    except _Malformed:
        raise ModelError(
            f"{name} is not a valid model, or is damaged ({len(content):,} bytes)."
        ) from None


class _Malformed(Exception):
    pass


def _check_graph(graph: memoryview, name: str) -> None:
    nodes: list[Node] = []
    shapes: dict[str, Shape] = {}
    for field, value in _fields(graph):
        if field == NODE:
            nodes.append(_check_node(_message(value), name))
        elif field == INPUT:
            shapes |= _input_shape(_message(value))
        elif field == SPARSE_INITIALIZER:
            raise ModelError(f"{name} is refused: it has sparse weights.")
        elif field == INITIALIZER:
            shapes |= _tensor_shape(_message(value))
            for part, found in _fields(_message(value)):
                if part == EXTERNAL_DATA or (part == DATA_LOCATION and found):
                    raise ModelError(f"{name} is refused: its weights are in another file.")
    if len(nodes) > MOST_NODES:
        raise ModelError(f"{name} is refused: it has {len(nodes):,} operators.")
    try:
        check_sizes(nodes, shapes)
    except Unbounded:
        raise ModelError(
            f"{name} is refused: its operators have results that are too large, or no known size."
        ) from None


def _check_node(node: memoryview, name: str) -> Node:
    operator = ""
    inputs: list[str] = []
    outputs: list[str] = []
    integers: dict[str, tuple[int, ...]] = {}
    for field, value in _fields(node):
        if field in (INPUTS, OUTPUTS):
            (inputs if field == INPUTS else outputs).append(_text(value))
        elif field == OPERATOR:
            operator = _text(value)
            if operator not in OPERATORS:
                raise ModelError(
                    f"{name} is refused: it has the operator {operator!r}; a network may have "
                    f"{', '.join(OPERATORS)}."
                )
        elif field == DOMAIN and bytes(_message(value)) not in (b"", b"ai.onnx"):
            raise ModelError(f"{name} is refused: it has operators of another library.")
        elif field == ATTRIBUTE:
            integers |= _check_attribute(_message(value), name)
    return Node(operator, tuple(inputs), tuple(outputs), integers)


def _check_attribute(attribute: memoryview, name: str) -> dict[str, tuple[int, ...]]:
    own_name, found = "", []
    for field, value in _fields(attribute):
        if field == ATTRIBUTE_NAME:
            own_name = _text(value)
        if field not in PLAIN_ATTRIBUTE:
            raise ModelError(f"{name} is refused: an operator has a graph or weights of its own.")
        if field not in (INTEGER, INTEGERS):
            continue
        # A list of integers may be one field for each, or all of them packed into one.
        for number in [value] if isinstance(value, int) else _varints(value):
            if min(number, 2**64 - number) > MOST_IN_ATTRIBUTE:
                raise ModelError(f"{name} is refused: an operator has a size of {number}.")
            found.append(number if number < 2**63 else number - 2**64)
    return {own_name: tuple(found)} if found else {}


def _tensor_shape(tensor: memoryview) -> dict[str, Shape]:
    """The name and the shape of weights."""
    name, shape = "", []
    for field, value in _fields(tensor):
        if field == DIMENSIONS:
            shape += [value] if isinstance(value, int) else list(_varints(value))
        elif field == TENSOR_NAME:
            name = _text(value)
    return {name: tuple(shape)}


def _input_shape(described: memoryview) -> dict[str, Shape]:
    """The name and the shape of an input, for one position: a dimension without a size is 1."""
    name, shape = "", []
    for field, value in _fields(described):
        if field == VALUE_NAME:
            name = _text(value)
        elif field == TYPE:
            for kind in _parts(_message(value), TENSOR_TYPE):
                for sizes in _parts(kind, SHAPE):
                    shape = [_size(each) for each in _parts(sizes, DIMENSION)]
    return {name: tuple(shape)}


def _size(dimension: memoryview) -> int:
    for field, value in _fields(dimension):
        if field == SIZE and isinstance(value, int):
            return value
    return 1


def _parts(message: memoryview, wanted: int) -> Iterator[memoryview]:
    return (_message(value) for field, value in _fields(message) if field == wanted)


def _text(value: int | memoryview) -> str:
    return bytes(_message(value)).decode("utf-8", "replace")


def _message(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise _Malformed
    return value


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The number and the value of every field."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            length, at = _varint(message, at)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise _Malformed
        if length > len(message) - at:
            raise _Malformed
        yield tag >> 3, message[at : at + length]
        at += length


def _varints(packed: memoryview) -> Iterator[int]:
    at = 0
    while at < len(packed):
        value, at = _varint(packed, at)
        yield value


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number of 7 bits per byte, and where the next thing begins."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            raise _Malformed
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise _Malformed
