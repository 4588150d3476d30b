"""The curve of a training: loss and mean shots against positions or games, and against time."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from ...report.plots import COLOURS, SETTINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = {"states": "positions seen", "games": "games seen", "minutes": "minutes"}
MEASURES = {"loss": "loss", "shots": "mean shots per game"}


def read_metrics(path: Path) -> dict[str, list[float]]:
    """The columns of a metrics file; nan where a number was not computed."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [float(row[key] or "nan") for row in rows] for key in rows[0]} if rows else {}


def write_curves(metrics: Path, title: str, folder: Path) -> list[Path]:
    """Write `curve.svg` and `curve.png` of a training."""
    import matplotlib

    written = []
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = curve(read_metrics(metrics), title)
        for kind, metadata in (("png", {}), ("svg", {"Date": None})):
            path = folder / f"curve.{kind}"
            figure.savefig(path, dpi=150, metadata=metadata, bbox_inches="tight")
            written.append(path)
    return written


def curve(columns: dict[str, list[float]], title: str) -> Figure:
    from matplotlib.figure import Figure

    # Positions, if counted: the games may all have been played beforehand.
    seen = "states" if "states" in columns else "games"
    across = [key for key in (seen, "minutes") if key in columns] or ["step"]
    down = [key for key in MEASURES if key in columns]
    figure = Figure(figsize=(4.5 * len(across), 1 + 2.6 * max(1, len(down))))
    panels = figure.subplots(max(1, len(down)), len(across), squeeze=False)
    for row, measure in enumerate(down):
        for column, axis in enumerate(across):
            panel = panels[row, column]
            points = [
                (x, y)
                for x, y in zip(columns[axis], columns[measure], strict=True)
                if y == y  # not nan
            ]
            few = len(points) < 60
            panel.plot(
                *(zip(*points, strict=True) if points else ((), ())),
                color=COLOURS[row],
                linewidth=1.4,
                marker="o" if few else None,
                markersize=3,
            )
            panel.set_xlabel(AXES.get(axis, axis))
            panel.set_ylabel(MEASURES[measure])
    figure.suptitle(f"Training {title}", x=0.02, y=0.99, va="top", ha="left", fontsize=10)
    figure.tight_layout()
    return figure
