"""Boards and heat maps as PNG, drawn by Matplotlib (the extra `plots`)."""

from __future__ import annotations

import io
from typing import Any

from ...errors import MissingPart
from .colours import Colour, cell_colour, ink
from .picture import HIT, MISS, SUNK, UNKNOWN, Picture


def to_png(*pictures: Picture, dots_per_inch: int = 144) -> bytes:
    """Pictures as the bytes of one PNG file, in rows of three."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPart(
            "A PNG needs Matplotlib; install it with: pip install 'seabattle[plots]'."
        ) from None

    across = min(len(pictures), 3)
    down = -(-len(pictures) // 3)
    rules = pictures[0].rules
    # Half an inch per cell, and space for the labels, the title and the caption.
    width, height = max(rules.columns * 0.5 + 0.6, 4.5), rules.rows * 0.5 + 1.2
    figure = Figure(figsize=(across * width, down * height), layout="constrained")
    for number, picture in enumerate(pictures, start=1):
        _draw(figure.add_subplot(down, across, number), picture)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dots_per_inch)
    return buffer.getvalue()


def _draw(axes: Any, picture: Picture) -> None:
    from matplotlib.patches import Rectangle

    rules = picture.rules
    for cell in range(rules.cells):
        row, column = divmod(cell, rules.columns)
        paper = cell_colour(picture, cell)
        best = cell == picture.suggestion
        axes.add_patch(
            Rectangle(
                (column + 0.03, row + 0.03),
                0.94,
                0.94,
                facecolor=_share(paper),
                edgecolor="black" if best else "none",
                linewidth=2.5,
                zorder=2 if best else 1,
            )
        )
        axes.text(
            column + 0.5,
            row + 0.5,
            _shown(picture, cell),
            ha="center",
            va="center",
            color=_share(ink(paper)),
            fontsize=9,
            zorder=3,
        )
    axes.set(xlim=(0, rules.columns), ylim=(rules.rows, 0), aspect="equal")
    axes.set_xticks([column + 0.5 for column in range(rules.columns)])
    axes.set_xticklabels([str(column + 1) for column in range(rules.columns)])
    axes.set_yticks([row + 0.5 for row in range(rules.rows)])
    axes.set_yticklabels([chr(ord("A") + row) for row in range(rules.rows)])
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.set_title(picture.title, fontsize=11, wrap=True)
    axes.set_xlabel(picture.caption, fontsize=9)


def _shown(picture: Picture, cell: int) -> str:
    mark = picture.marks[cell]
    if mark != UNKNOWN:
        return {MISS: "•", HIT: "×", SUNK: "#"}.get(mark, mark)
    return picture.figure(cell)


def _share(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = (channel / 255 for channel in colour)
    return red, green, blue
