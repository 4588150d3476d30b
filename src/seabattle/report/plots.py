"""Plots of a comparison as PNG and SVG.

Players differ in colour (Okabe and Ito's palette for colour-blind readers), line style
and marker, so that no plot depends on colour alone. They are ordered by mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..experiment import Comparison
from ..experiment.comparison import finished_share, shot_blocks, shot_counts
from .formatting import experiment_line, number, rules_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
"""the lengths of the three cycles have no common factor, so 308 players look different"""

MOST_POINTS = 400
"""points drawn of a running mean"""

SETTINGS: dict[str, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "seabattle",
}


def write_plots(comparison: Comparison, folder: Path) -> list[Path]:
    """Write every plot into a folder, each as PNG and SVG."""
    import matplotlib

    drawings: dict[str, Callable[[Comparison], Figure]] = {
        "histogram": histogram,
        "finished": finished,
        "running-mean": running_mean,
    }
    written = []
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        for name, draw in drawings.items():
            figure = draw(comparison)
            for kind, metadata in (("png", {}), ("svg", {"Date": None})):
                path = folder / f"{name}.{kind}"
                figure.savefig(path, dpi=150, metadata=metadata, bbox_inches="tight")
                written.append(path)
    return written


def look(place: int) -> dict[str, Any]:
    """Colour, line style and marker of the player at this place."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": LINES[place % len(LINES)],
        "marker": MARKERS[place % len(MARKERS)],
    }


def histogram(comparison: Comparison) -> Figure:
    """The distribution of shots per game: a panel per player, on a common scale."""
    from matplotlib.figure import Figure

    count, cells = len(comparison.players), comparison.rules.cells
    figure = Figure(figsize=(8, 1.2 + 1.3 * count))
    panels = figure.subplots(count, 1, sharex=True, sharey=True, squeeze=False)
    for place, (panel, player) in enumerate(zip(panels[:, 0], comparison.ranking, strict=True)):
        shares = 100 * shot_counts(player.shots, cells) / len(player.shots)
        panel.bar(range(cells + 1), shares, width=1.0, color=COLOURS[place % len(COLOURS)])
        panel.axvline(player.mean, color="#222222", linewidth=1, linestyle="--")
        panel.set_title(f"{player.name}: mean {number(player.mean)}", loc="left", fontsize=10)
        panel.set_ylabel("% of games")
    panels[-1, 0].set_xlabel("shots to find the fleet (dashed: mean)")
    panels[-1, 0].set_xlim(*_shots_range(comparison))
    _title(figure, comparison, "Shots per game")
    return figure


def finished(comparison: Comparison) -> Figure:
    """The share of games finished by each shot."""
    figure, axes = _axes(comparison, "Share of games finished by shot k")
    cells = comparison.rules.cells
    low, high = _shots_range(comparison)
    every = max(1, round((high - low) / 12))
    for place, player in enumerate(comparison.ranking):
        share = 100 * finished_share(player.shots, cells)
        axes.plot(
            range(cells + 1),
            share,
            drawstyle="steps-post",
            markevery=(place % every, every),
            markersize=4.5,
            linewidth=1.6,
            label=f"{player.name} ({number(player.mean)})",
            **look(place),
        )
    axes.set_xlim(low, high)
    axes.set_ylim(0, 101)
    axes.set_xlabel("shot k")
    axes.set_ylabel("% of games finished")
    _legend(axes, len(comparison.players))
    return figure


def running_mean(comparison: Comparison) -> Figure:
    """The mean after each game, with its 95% interval."""
    figure, axes = _axes(comparison, "Mean after n games, with its 95% interval")
    at = np.unique(np.geomspace(1, comparison.games, MOST_POINTS).round().astype(np.int64))
    for place, player in enumerate(comparison.ranking):
        means, reaches = _running(player.shots, at)
        style = look(place)
        axes.plot(
            at,
            means,
            markevery=(place % 7 * 5, 40),
            markersize=4.5,
            linewidth=1.6,
            label=f"{player.name} ({number(player.mean)})",
            **style,
        )
        axes.fill_between(
            at, means - reaches, means + reaches, color=style["color"], alpha=0.15, linewidth=0
        )
    if comparison.games > 1:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda games, _: f"{games:,.0f}")
        axes.set_xlim(1, comparison.games)
    axes.set_xlabel("games n")
    axes.set_ylabel("mean shots")
    _legend(axes, len(comparison.players))
    return figure


def costs(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]], title: str, unit: str
) -> Figure:
    """Time or memory of each player for several numbers of games."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5))
    axes = figure.subplots()
    _draw_lines(axes, lines, unit)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("games")
    _heading(figure, title)
    _legend(axes, len(lines))
    figure.tight_layout()
    return figure


@dataclass(frozen=True)
class LabelPanel:
    """Values of several lines against named places, in the order in which they are given."""

    lines: Mapping[str, Sequence[tuple[str, float]]]
    unit: str
    logarithmic: bool = False
    above: Mapping[str, str] = field(default_factory=dict)
    """what to write above the highest value of a place"""


def by_label(panels: Sequence[LabelPanel], title: str) -> Figure:
    """Panels below each other that have the same places and lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.5 + 3.5 * len(panels)))
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(every, panels, strict=True):
        points = [point for line in panel.lines.values() for point in line]
        places = list(dict.fromkeys(where for where, _ in points))
        numbered = {
            name: ([places.index(where) for where, _ in line], [value for _, value in line])
            for name, line in panel.lines.items()
        }
        _draw_lines(axes, numbered, panel.unit)
        for where, text in panel.above.items():
            axes.annotate(
                text,
                (places.index(where), max(value for at, value in points if at == where)),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        axes.set_xticks(range(len(places)), places, rotation=30, ha="right")
        if panel.logarithmic:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
    _heading(figure, title)
    _legend(every[0], len(panels[0].lines))
    figure.tight_layout()
    return figure


def _draw_lines(
    axes: Axes, lines: Mapping[str, tuple[Sequence[float], Sequence[float]]], unit: str
) -> None:
    """A line per name, of values against numbers."""
    for place, (name, (at, values)) in enumerate(lines.items()):
        axes.plot(at, values, markersize=5, linewidth=1.6, label=name, **look(place))
    axes.set_ylabel(unit)


def _heading(figure: Figure, title: str) -> None:
    figure.suptitle(title, x=0.02, y=0.99, va="top", ha="left", fontsize=10)


def _running(
    shots: Sequence[int], at: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean and ± of the first `at` games; no ± for fewer than ten games, where it is huge."""
    total, squares = np.zeros(len(at)), np.zeros(len(at))
    before = summed = squared = 0
    for block in shot_blocks(shots):
        within = (at > before) & (at <= before + len(block))
        places = at[within] - before - 1
        total[within] = summed + np.cumsum(block)[places]
        squares[within] = squared + np.cumsum(block * block)[places]
        before += len(block)
        summed += int(block.sum())
        squared += int((block * block).sum())
    means = total / at
    spread = np.maximum(squares - at * means**2, 0) / np.maximum(at - 1, 1)
    return means, np.where(at >= 10, 1.96 * np.sqrt(spread / at), np.nan)


def _axes(comparison: Comparison, title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5))
    axes = figure.subplots()
    _title(figure, comparison, title)
    return figure, axes


def _title(figure: Figure, comparison: Comparison, title: str) -> None:
    figure.suptitle(
        f"{title}\n{rules_line(comparison.rules)}\n{experiment_line(comparison)}",
        x=0.02,
        y=0.99,
        va="top",
        ha="left",
        fontsize=10,
    )
    figure.tight_layout()


def _legend(axes: Axes, players: int) -> None:
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, ncols=1 + players // 24
    )


def _shots_range(comparison: Comparison) -> tuple[float, float]:
    """The range of shots over all games."""
    low = min(player.min for player in comparison.players)
    high = max(player.max for player in comparison.players)
    return max(0, low - 2), high + 1.5
