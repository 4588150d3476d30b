"""Torch networks exported to ONNX, node by node.

The few kinds of layers used here need no general exporter: each is one node. A module of
another kind exports itself with a method

    to_onnx(self, graph: Graph, x: str) -> str

that adds nodes and returns the name of its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ..onnx_model import INPUT, OUTPUT

if TYPE_CHECKING:
    import torch

OPSET = 17
IR_VERSION = 8
"""Old enough for any recent onnxruntime."""


@runtime_checkable
class ExportsItself(Protocol):
    def to_onnx(self, graph: Graph, x: str) -> str: ...


class Graph:
    """An ONNX graph under construction; values are identified by name."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, array: npt.NDArray[Any]) -> str:
        """Add an array of weights; its name."""
        from onnx import numpy_helper

        name = f"w{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        """Add an operation; the name of its result, `to` if given."""
        from onnx import helper

        name = to or f"x{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def module(self, module: torch.nn.Module, x: str) -> str:
        """Add a torch module with its submodules; the name of its result."""
        import torch

        if isinstance(module, ExportsItself):
            return module.to_onnx(self, x)
        if isinstance(module, torch.nn.Sequential):
            for layer in module:
                x = self.module(layer, x)
            return x
        if isinstance(module, torch.nn.Conv2d):
            return self.node("Conv", x, *self._weights(module), **_conv(module))
        if isinstance(module, torch.nn.Linear):
            return self.node("Gemm", x, *self._weights(module), transB=1)
        if isinstance(module, torch.nn.ReLU):
            return self.node("Relu", x)
        if isinstance(module, torch.nn.Tanh):
            return self.node("Tanh", x)
        if isinstance(module, torch.nn.Flatten):
            return self.node("Flatten", x, axis=1)
        raise TypeError(f"{type(module).__name__} has no to_onnx.")

    def _weights(self, layer: Any) -> list[str]:
        weights = [self.constant(layer.weight.numpy(force=True))]
        if layer.bias is not None:
            weights.append(self.constant(layer.bias.numpy(force=True)))
        return weights

    def finish(self, x: str, position: Sequence[int], cells: int) -> bytes:
        """The ONNX file with `x` as the output, for any number of games."""
        from onnx import TensorProto, checker, helper

        self.node("Identity", x, to=OUTPUT)
        graph = helper.make_graph(
            self._nodes,
            "seabattle",
            [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["games", *position])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["games", cells])],
            self._constants,
        )
        model = helper.make_model(
            graph,
            producer_name="seabattle",
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        checker.check_model(model)
        return bytes(model.SerializeToString())


def _conv(layer: torch.nn.Conv2d) -> dict[str, Any]:
    assert isinstance(layer.padding, tuple)
    down, right = layer.padding
    return {
        "kernel_shape": list(layer.kernel_size),
        "pads": [down, right, down, right],
        "strides": list(layer.stride),
    }


def export_module(module: torch.nn.Module, position: Sequence[int], cells: int) -> bytes:
    """A torch module from (games, *position) to (games, cells), as ONNX."""
    graph = Graph()
    return graph.finish(graph.module(module, INPUT), position, cells)


def with_metadata(content: bytes, about: dict[str, str]) -> bytes:
    """An ONNX file with this metadata."""
    import onnx

    model = onnx.load_model_from_string(content)
    del model.metadata_props[:]
    for key, value in about.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    return bytes(model.SerializeToString())
