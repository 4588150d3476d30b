"""The networks, as torch modules that can write themselves as ONNX (see `graph`)."""

from __future__ import annotations

import torch
from torch import nn

from ..rules import Rules
from .graph import Graph


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


class ShipNetwork(nn.Module):
    """Residual blocks that rate placements instead of cells.

    For each length of ship, each direction and each cell that a ship could begin on, the
    blocks give a score. Placements that cross a miss or a sunk ship are struck out, the
    others weigh exp(score), and the value of a cell is the logarithm of the weight of all
    placements over it, plus a small correction. That is how chances come about: the chance
    of a ship on a cell is the sum over the placements through it. What is left to learn is
    how likely a placement is.
    """

    def __init__(self, rules: Rules, channels: int, blocks: int) -> None:
        super().__init__()
        planes = 3 + len(rules.fleet)
        lengths = sorted(set(rules.fleet), reverse=True)
        kinds = [(length, 0, 1) for length in lengths]
        kinds += [(length, 1, 0) for length in lengths if length > 1]
        self.reach = lengths[0] - 1
        self.tower = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            *(Residual(channels, pooled=block % 2 == 1) for block in range(blocks)),
        )
        self.score = nn.Conv2d(channels, len(kinds), 1)
        self.correction = nn.Conv2d(channels, 1, 1)
        nn.init.zeros_(self.correction.weight)

        free = torch.zeros(1, planes, 1, 1)
        free[0, 0] = free[0, 2] = -1.0
        ahead = torch.zeros(len(kinds), 1, self.reach + 1, self.reach + 1)
        for kind, (length, down, right) in enumerate(kinds):
            for k in range(length):
                ahead[kind, 0, k * down, k * right] = 1.0
        one_less = torch.tensor([1.0 - length for length, _, _ in kinds])
        for name, weights in (
            ("free", free),
            ("ahead", ahead),
            ("one_less", one_less),
            ("behind", ahead.flip(2, 3).transpose(0, 1).contiguous()),
        ):
            self.register_buffer(name, weights, persistent=False)

    free: torch.Tensor
    """(1, planes, 1, 1) from planes to which cells are blocked, negative"""
    ahead: torch.Tensor
    """(kinds, 1, longest, longest) the cells of a placement from its first one on"""
    one_less: torch.Tensor
    """(kinds,) 1 - length"""
    behind: torch.Tensor
    """(1, kinds, longest, longest) the first cells of the placements over a cell"""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.tower(x)
        with torch.autocast("cpu", enabled=False):  # sums of exponentials need every bit
            features, reach = features.float(), self.reach
            free = 1.0 + nn.functional.conv2d(x, self.free)
            ahead = nn.functional.pad(free, (0, reach, 0, reach))
            fits = torch.relu(nn.functional.conv2d(ahead, self.ahead, self.one_less))
            weight = fits * torch.exp(self.score(features).clamp(-LOUDEST, LOUDEST))
            over = nn.functional.pad(weight, (reach, 0, reach, 0))
            mass = nn.functional.conv2d(over, self.behind)
            values = torch.log(mass + SILENT) + self.correction(features)
        return values.flatten(1)

    def to_onnx(self, graph: Graph, x: str) -> str:
        reach = self.reach
        features = graph.module(self.tower, x)

        def constant(tensor: torch.Tensor) -> str:
            return graph.constant(tensor.numpy(force=True))

        one = constant(torch.ones(1))
        free = graph.node("Conv", x, constant(self.free), one)
        ahead = (constant(self.ahead), constant(self.one_less))
        fits = graph.node("Relu", graph.node("Conv", free, *ahead, pads=[0, 0, reach, reach]))
        least, most = (constant(torch.tensor(end)) for end in (-LOUDEST, LOUDEST))
        score = graph.node("Clip", graph.module(self.score, features), least, most)
        weight = graph.node("Mul", fits, graph.node("Exp", score))
        mass = graph.node("Conv", weight, constant(self.behind), pads=[reach, reach, 0, 0])
        audible = graph.node("Add", mass, constant(torch.tensor(SILENT)))
        correction = graph.module(self.correction, features)
        values = graph.node("Add", graph.node("Log", audible), correction)
        return graph.node("Flatten", values, axis=1)


LOUDEST = 20.0
"""Scores of placements are kept within this, so that no sum of exponentials overflows."""

SILENT = 1e-9
"""The weight of a cell that no placement covers."""


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
