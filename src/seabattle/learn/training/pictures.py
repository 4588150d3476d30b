"""Figures of trainings, besides the curve that every one gets (see `curves`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...report.plots import COLOURS, SETTINGS, look
from ...rules import Rules
from ..neat_network_kernels import Wiring

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 150
"""connections drawn in colour; the weaker ones are grey"""

CurveColumns = Mapping[str, list[float]]


def write_picture(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG, without the date, so that the same figure gives the same file."""
    import matplotlib

    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    return path


def evolution(columns: CurveColumns) -> Figure:
    """Moves, species and hidden nodes against the generation (T figure 4.2)."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(7.5, 6.5))
        moves, species, nodes = figure.subplots(
            3, 1, sharex=True, gridspec_kw={"height_ratios": (3, 1, 1)}
        )
        generations = columns["step"]
        for place, (key, label) in enumerate(
            (("mean", "mean of the population"), ("champion", "champion of the generation"))
        ):
            style = {**look(place), "marker": None}
            moves.plot(generations, columns[key], label=label, linewidth=1.2, **style)
        moves.set_ylabel("mean moves per game")
        moves.legend(frameon=False)
        species.plot(generations, columns["species"], color=COLOURS[2], drawstyle="steps-post")
        species.set_ylabel("species")
        species.set_ylim(bottom=0)
        nodes.plot(generations, columns["hidden"], color=COLOURS[3], drawstyle="steps-post")
        nodes.set_ylabel("hidden nodes")
        nodes.set_xlabel("generation")
        nodes.set_ylim(bottom=0)
        figure.align_ylabels()
        figure.suptitle("Evolution of neat", x=0.02, ha="left", fontsize=11)
        figure.tight_layout()
    return figure


def network(wiring: Wiring, layers: list[list[int]], rules: Rules) -> Figure:
    """An evolved network: its nodes by layer, and the weights from each cell to the others."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS | {"axes.grid": False}):  # type: ignore[arg-type]
        figure = Figure(figsize=(13, 7))
        left, right = np.asarray(figure.subfigures(1, 2, width_ratios=(1, 1.05)))
        _graph(left.subplots(), wiring, layers, rules)
        panels = right.subplots(rules.rows, rules.columns, squeeze=False)
        direct = direct_weights(wiring, rules.cells)
        span = float(abs(direct[: rules.cells]).max()) or 1.0
        for cell in range(rules.cells):
            panel = panels[divmod(cell, rules.columns)]
            board = direct[cell].reshape(rules.rows, rules.columns)
            panel.imshow(board, cmap="PuOr_r", vmin=-span, vmax=span)
            row, column = divmod(cell, rules.columns)
            panel.plot(column, row, marker="o", color="black", markersize=3)
            panel.set_xticks([])
            panel.set_yticks([])
            panel.set_title(rules.cell_name(cell), fontsize=8, pad=2)
            for spine in panel.spines.values():
                spine.set_visible(True)
        right.suptitle(
            "What a hit at the dot adds to each cell: orange more, purple less", fontsize=10
        )
        left.suptitle(
            f"{len(wiring.weight)} connections; the strongest {MOST_LINES} in colour", fontsize=10
        )
    return figure


def direct_weights(wiring: Wiring, cells: int) -> npt.NDArray[np.float64]:
    """(inputs, cells) the weight of the connection from each input to each output, or 0."""
    hidden = len(wiring.bias) - cells
    weights = np.zeros((wiring.inputs, cells))
    for source in range(wiring.inputs):
        links = slice(wiring.start[source], wiring.start[source + 1])
        to_output = wiring.target[links] >= hidden
        targets = wiring.target[links][to_output] - hidden
        weights[source, targets] = wiring.weight[links][to_output]
    return weights


def _graph(axes: Axes, wiring: Wiring, layers: list[list[int]], rules: Rules) -> None:
    hidden = len(wiring.bias) - rules.cells
    columns = [list(range(wiring.inputs))]
    columns += [[wiring.inputs + node for node in layer] for layer in layers]
    columns += [[wiring.inputs + hidden + cell for cell in range(rules.cells)]]
    where: dict[int, tuple[float, float]] = {}
    for place, column in enumerate(columns):
        for height, node in enumerate(column):
            where[node] = (place / (len(columns) - 1), 1 - (height + 0.5) / len(column))
    order = np.argsort(abs(wiring.weight))
    strongest = float(abs(wiring.weight).max(initial=0.0)) or 1.0
    sources = np.repeat(np.arange(len(wiring.start) - 1), np.diff(wiring.start))
    for rank, link in enumerate(order):
        start, end = where[int(sources[link])], where[wiring.inputs + int(wiring.target[link])]
        weight = float(wiring.weight[link])
        strong = rank >= len(order) - MOST_LINES
        axes.plot(
            *zip(start, end, strict=True),
            color=("#b35806" if weight > 0 else "#542788") if strong else "#cccccc",
            linewidth=0.3 + 2.2 * abs(weight) / strongest if strong else 0.25,
            alpha=0.85 if strong else 0.6,
            zorder=1 + strong,
        )
    names = [*(rules.cell_name(cell) for cell in range(rules.cells)), "last hit"]
    for node, (x, y) in where.items():
        axes.plot(x, y, "o", color="#222222", markersize=4, zorder=4)
        if node < wiring.inputs:
            axes.text(x - 0.03, y, names[node], ha="right", va="center", fontsize=7)
        elif node >= wiring.inputs + hidden:
            axes.text(x + 0.03, y, names[node - wiring.inputs - hidden], va="center", fontsize=7)
    axes.set_xlim(-0.2, 1.15)
    axes.axis("off")


def learning_curves(curves: Mapping[str, CurveColumns], flat: float, title: str) -> Figure:
    """Mean shots against games, one line per name; `flat` is the mean of random play."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(8, 5))
        axes = figure.subplots()
        for place, (name, columns) in enumerate(curves.items()):
            points = [
                (games, shots)
                for games, shots in zip(columns["games"], columns["shots"], strict=True)
                if shots == shots  # not nan
            ]
            axes.plot(
                *zip(*points, strict=True), label=name, linewidth=1.6, markersize=4, **look(place)
            )
        axes.axhline(flat, color="#888888", linewidth=1, linestyle=":")
        axes.text(0, flat, " random play", va="bottom", fontsize=9, color="#555555")
        axes.set_xlabel("games played in training")
        axes.set_ylabel("mean shots per game, playing the highest cell")
        axes.legend(frameon=False)
        axes.set_title(title, loc="left", fontsize=11)
        figure.tight_layout()
    return figure
