"""Charts for report pages: SVG without text, in the colours of the page.

A chart stretches to the width available; its lines keep their thickness. Labels around it
are HTML. Players are distinguished by position, labels and dashes, never by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

HEIGHT = 100
"""of every chart, in its own units; horizontally, a unit is one shot"""

Values = npt.NDArray[np.float64]


def ticks(low: int, high: int, most: int = 8) -> list[int]:
    """Round numbers from `low` to `high`, at most `most` of them."""
    steps = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000)
    step = next((each for each in steps if (high - low) // each < most), steps[-1])
    return list(range(-(-low // step) * step, high + 1, step))


def axis(low: int, high: int, most: int = 8) -> str:
    """Labels below a chart that spans `low` to `high`."""
    labels = []
    for tick in ticks(low, high, most):
        place = 100 * (tick - low) / (high - low)
        # A centred label at the very end would overflow a narrow screen.
        end = ' class="end"' if place > 97 else ""
        labels.append(f'<span{end} style="left:{place:.2f}%">{tick}</span>')
    return f'<div class="axis" aria-hidden="true">{"".join(labels)}</div>'


def drawing(low: int, high: int, label: str, content: str, most: int = 8) -> str:
    """An SVG with faint lines at the ticks; screen readers read `label`."""
    grid = "".join(f"M{tick} 0V{HEIGHT}" for tick in ticks(low, high, most))
    return (
        f'<svg viewBox="{low} 0 {high - low} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}"><path class="grid" d="{grid}"/>{content}</svg>'
    )


def silhouette(counts: Sequence[int], low: int, high: int, mean: float, top: float) -> str:
    """A histogram as a stepped area with a line at the mean.

    A count of `top` reaches the upper edge; the counts at `low` and `high` are zero.
    """
    path = [f"M{low} {HEIGHT}"]
    level = 0.0
    for shot in range(low, high + 1):
        height = HEIGHT * float(counts[shot]) / top
        if height != level:
            path.append(f"H{shot - 0.5:g}V{HEIGHT - height:.4g}")
            level = height
    path.append(f"H{high}V{HEIGHT}")
    return (
        f'<path class="area" d="{"".join(path)}"/><path class="mean" d="M{mean:.2f} 0V{HEIGHT}"/>'
    )


def curve(name: str, values: Values, low: int, high: int) -> str:
    """A rising curve from 0 to 1 that charts on the page refer to by name."""
    points, last = [], None
    for shot in range(low, high + 1):
        height = round(HEIGHT * (1 - float(values[shot])), 1)
        following = round(HEIGHT * (1 - float(values[shot + 1])), 1) if shot < high else None
        if height == last == following:
            continue
        points.append(f"{shot} {height:g}")
        last = height
    return f'<path id="{name}" vector-effect="non-scaling-stroke" d="M{"L".join(points)}"/>'


def definitions(content: str) -> str:
    """Shapes that are shown only where they are used."""
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true">'
        f"<defs>{content}</defs></svg>"
    )


def use(name: str, look: str) -> str:
    """One of the shapes, styled by a class of the page."""
    return f'<use href="#{name}" class="{look}"/>'


def key(entries: Sequence[tuple[str, str]]) -> str:
    """A legend: (class of the line, meaning)."""
    items = "".join(
        f'<li><svg viewBox="0 0 32 10" aria-hidden="true"><path class="{look}" d="M0 5H32"/></svg>'
        f"{escape(words)}</li>"
        for look, words in entries
    )
    return f'<ul class="key">{items}</ul>'


def ridge(name: str, label: str, shape: str, low: int, high: int, score: str, half: str) -> str:
    """A row of `ridges`: a name, a chart, and a figure with its ± on the right."""
    return (
        f'<div class="ridge"><div class="who">{escape(name)}</div>'
        f'<div class="plot">{drawing(low, high, label, shape)}</div>'
        f'<div class="score"><b>{escape(score)}</b> <small>±{escape(half)}</small></div></div>'
    )


def ridges(rows: Sequence[str], low: int, high: int, unit: str) -> str:
    """Rows one below the other over a common axis."""
    labels = f'<div class="ridge-axis"><div></div>{axis(low, high)}<div></div></div>'
    foot = f'<div class="ridge-axis"><div></div><p class="unit">{escape(unit)}</p></div>'
    return f'<figure class="ridges">{"".join(rows)}{labels}{foot}</figure>'


def panel(name: str, caption: str, label: str, lines: str, low: int, high: int) -> str:
    """A small chart with its own axis, under a name and a caption."""
    return (
        f'<figure class="panel"><figcaption><b>{escape(name)}</b><small>{escape(caption)}</small>'
        f"</figcaption>{drawing(low, high, label, lines, most=4)}{axis(low, high, most=4)}</figure>"
    )


def panels(charts: Sequence[str]) -> str:
    """Small charts side by side."""
    return f'<div class="panels">{"".join(charts)}</div>'
