"""An evolved genome as arrays that can be played fast, and as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..neat_network_kernels import STEEPNESS, Wiring
from ..onnx_model import INPUT
from .onnx_export import Graph


def wiring_of(genome: Any, inputs: int, outputs: int) -> Wiring:
    """A genome as arrays, without nodes that lead to no output. One input more than `inputs` is
    the bias node."""
    into: dict[int, list[tuple[int, float]]] = {}
    bias = {key: node.bias for key, node in genome.nodes.items()}
    for (source, target), gene in genome.connections.items():
        if not gene.enabled:
            continue
        if source == -1 - inputs:
            bias[target] += gene.weight
        else:
            into.setdefault(target, []).append((source, gene.weight))
    hidden: dict[int, None] = {}

    def visit(node: int) -> None:
        for source, _ in into.get(node, ()):
            if source >= outputs and source not in hidden:
                visit(source)
                hidden[source] = None

    for cell in range(outputs):
        visit(cell)
    # neat-python numbers inputs -1, -2, ... and outputs 0, 1, ...
    number = {-1 - place: place for place in range(inputs)}
    number |= {node: inputs + place for place, node in enumerate(hidden)}
    nodes = [*hidden, *range(outputs)]
    out: list[list[tuple[int, float]]] = [[] for _ in number]
    for target, node in enumerate(nodes):
        for source, weight in into.get(node, ()):
            out[number[source]].append((target, weight))
    links = [link for each in out for link in each]
    return Wiring(
        inputs,
        np.cumsum([0, *map(len, out)], dtype=np.int64),
        np.array([target for target, _ in links], dtype=np.int64),
        np.array([weight for _, weight in links], dtype=np.float64),
        np.array([bias[node] for node in nodes], dtype=np.float64),
    )


def to_onnx(wiring: Wiring) -> bytes:
    """A network as matrix products, one for each layer of hidden nodes and one for the outputs;
    a layer is the nodes that are fed only by earlier layers."""
    sources = len(wiring.start) - 1
    hidden, inputs = sources - wiring.inputs, wiring.inputs
    outputs = len(wiring.bias) - hidden
    matrix = np.zeros((sources, len(wiring.bias)), dtype=np.float32)
    for source in range(sources):
        links = slice(wiring.start[source], wiring.start[source + 1])
        matrix[source, wiring.target[links]] = wiring.weight[links]
    graph = Graph()
    values, known = INPUT, list(range(inputs))
    for layer in layers_of(wiring):
        nodes = np.array(layer)
        weights = graph.constant(matrix[known][:, nodes] * np.float32(STEEPNESS))
        bias = graph.constant((wiring.bias[nodes] * STEEPNESS).astype(np.float32))
        fired = graph.node("Sigmoid", graph.node("Gemm", values, weights, bias))
        values = graph.node("Concat", values, fired, axis=1)
        known += [inputs + node for node in layer]
    weights = graph.constant(matrix[known][:, hidden:])
    bias = graph.constant(wiring.bias[hidden:].astype(np.float32))
    return graph.finish(graph.node("Gemm", values, weights, bias), (inputs,), outputs)


def layers_of(wiring: Wiring) -> list[list[int]]:
    """The hidden nodes by the length of the longest path of hidden nodes before them."""
    hidden = len(wiring.start) - 1 - wiring.inputs
    depth = [0] * hidden
    for node in range(hidden):
        source = wiring.inputs + node
        for target in wiring.target[wiring.start[source] : wiring.start[source + 1]]:
            if target < hidden:
                depth[target] = max(depth[target], depth[node] + 1)
    deepest = max(depth, default=-1)
    return [[node for node in range(hidden) if depth[node] == at] for at in range(deepest + 1)]
