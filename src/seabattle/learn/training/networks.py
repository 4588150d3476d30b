"""The networks, as torch modules that can write themselves as ONNX (see `graph`)."""

from __future__ import annotations

import torch
from torch import nn

from ...rules import Rules
from .onnx_export import Graph


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
    """Two convolutions beside a shortcut; with `pooled`, between them every channel also
    gets a mixture of all channels' means over the board."""

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

    No layer is tied to a place on the board or to its size.
    """
    return nn.Sequential(
        nn.Conv2d(planes, channels, 3, padding=1),
        nn.ReLU(),
        *(Residual(channels, pooled=block % 2 == 1) for block in range(blocks)),
        nn.Conv2d(channels, 1, 1),
        nn.Flatten(),
    )


def density_loss(
    values: torch.Tensor, open_cells: torch.Tensor, wanted: torch.Tensor
) -> torch.Tensor:
    """Cross-entropy between the softmax of `values` over the open cells and `wanted`.

    `wanted` (positions, cells) adds up to 1 over the open cells. If it is the layout, its
    expectation is the chance of a ship on each cell over the hits left, so the best
    network shoots where a ship is most likely.
    """
    values = values.masked_fill(~open_cells, -torch.inf)
    chances = torch.log_softmax(values, dim=1).masked_fill(~open_cells, 0.0)
    return -(wanted * chances).sum(dim=1).mean()


def rate_at(step: int, steps: int, peak: float, warm_up: float = 0.05) -> float:
    """The learning rate: up to `peak` in a straight line, then down to 0 as a cosine."""
    done = (step + 1) / (steps + 1)
    if done < warm_up:
        return peak * done / warm_up
    turn = torch.tensor((done - warm_up) / (1 - warm_up) * torch.pi, dtype=torch.float64)
    return float(peak * (1 + torch.cos(turn)) / 2)
