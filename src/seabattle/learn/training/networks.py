"""The networks, as torch modules that can be exported to ONNX (see `onnx_export`)."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

from ...rules import Rules
from .onnx_export import Graph

N = TypeVar("N", bound=nn.Module)


def channels_last(net: N) -> N:
    """The network with its weights in the memory layout in which convolutions are fastest."""
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def three_convolutions(rules: Rules, width: int) -> nn.Sequential:
    """L's network: filters 32, 64 and 5 of `width` × `width` cells, then an output per cell."""
    around = width // 2
    return nn.Sequential(
        nn.Conv2d(1, 32, width, padding=around),
        nn.ReLU(),
        nn.Conv2d(32, 64, width, padding=around),
        nn.ReLU(),
        nn.Conv2d(64, 5, width, padding=around),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(5 * rules.cells, rules.cells),
    )


class Residual(nn.Module):
    """Two convolutions with a skip connection; with `pooled`, a linear combination of all
    channels' means over the board is added to every channel between them."""

    def __init__(self, channels: int, pooled: bool) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.whole = nn.Conv2d(channels, channels, 1) if pooled else None
        nn.init.zeros_(self.second.weight)
        assert self.second.bias is not None
        nn.init.zeros_(self.second.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inside = torch.relu(self.first(x))
        if self.whole is not None:
            inside = inside + self.whole(inside.mean(dim=(2, 3), keepdim=True))
        return torch.relu(x + self.second(inside))

    def to_onnx(self, graph: Graph, x: str) -> str:
        inside = graph.node("Relu", graph.module(self.first, x))
        if self.whole is not None:
            means = graph.node("GlobalAveragePool", inside)
            inside = graph.node("Add", inside, graph.module(self.whole, means))
        return graph.node("Relu", graph.node("Add", x, graph.module(self.second, inside)))


def residual_tower(planes: int, channels: int, blocks: int) -> nn.Sequential:
    """A convolution, `blocks` residual blocks, every other one pooled, and a value per cell.

    Fully convolutional: no layer depends on the size of the board.
    """
    return nn.Sequential(
        nn.Conv2d(planes, channels, 3, padding=1),
        nn.ReLU(),
        *(Residual(channels, pooled=block % 2 == 1) for block in range(blocks)),
        nn.Conv2d(channels, 1, 1),
        nn.Flatten(),
    )


def density_loss(values: torch.Tensor, unknown: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Cross-entropy between the softmax of `values` over the unknown cells and `target`.

    `target` (positions, cells) sums to 1 over the unknown cells. If it is made from the
    layout, its expectation is the probability of a ship on each cell divided by the hits
    left, so the best network shoots where a ship is most likely.
    """
    values = values.masked_fill(~unknown, -torch.inf)
    logs = torch.log_softmax(values, dim=1).masked_fill(~unknown, 0.0)
    return -(target * logs).sum(dim=1).mean()


def rate_at(step: int, steps: int, peak: float, warm_up: float = 0.05) -> float:
    """The learning rate: a linear warm-up to `peak`, then a cosine down to 0."""
    done = (step + 1) / (steps + 1)
    if done < warm_up:
        return peak * done / warm_up
    turn = torch.tensor((done - warm_up) / (1 - warm_up) * torch.pi, dtype=torch.float64)
    return float(peak * (1 + torch.cos(turn)) / 2)
