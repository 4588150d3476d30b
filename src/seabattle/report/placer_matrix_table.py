"""The matrix of shooters and placers, as text and as a section of the leaderboard's page."""

from __future__ import annotations

import textwrap
from html import escape

from ..experiment.placer_matrix import PlacerMatrix
from ..experiment.statistics import half_width
from . import html_page
from .formatting import number

EXPLANATION = (
    "Mean shots against fleets hidden by each placer. The worst case is the placer against which "
    "a player needs most shots; the players are ordered by it."
)


def matrix_text(matrix: PlacerMatrix) -> str:
    """Plain columns; a mean with an asterisk is the worst of its row."""
    header = ("player", *matrix.placers)
    rows = []
    for name in matrix.ranking:
        worst, _ = matrix.worst(name)
        cells = zip(matrix.placers, matrix.row(name), strict=True)
        rows.append(
            (
                name,
                *(number(each.mean) + ("*" if placer == worst else " ") for placer, each in cells),
            )
        )
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    lines = ["Shooters against placers (* worst case):"]
    for row in (header, *rows):
        first = f"{row[0]:<{widths[0]}}"
        rest = (f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([first, *rest]).rstrip())
    most = max(half_width(result.ci95) for name in matrix.ranking for result in matrix.row(name))
    games = ", ".join(
        f"{placer} {comparison.games:,}"
        for placer, comparison in zip(matrix.placers, matrix.comparisons, strict=True)
    )
    lines += textwrap.wrap(
        f"Games: {games}. Every 95% interval is ±{number(most)} or narrower.", 80
    )
    return "\n".join(lines)


def matrix_section(matrix: PlacerMatrix) -> str:
    """The section of the page."""
    columns = (
        html_page.Column("player", "name"),
        *(html_page.Column(placer) for placer in matrix.placers),
        html_page.Column("worst case", "number wide"),
    )
    rows = []
    for name in matrix.ranking:
        worst, result = matrix.worst(name)
        cells = [
            f'<span class="nowrap">{"<b>" * (placer == worst)}{number(each.mean)}'
            f"{'</b>' * (placer == worst)} <small>±{number(half_width(each.ci95))}</small></span>"
            for placer, each in zip(matrix.placers, matrix.row(name), strict=True)
        ]
        rows.append((escape(name), *cells, f"{number(result.mean)} ({escape(worst)})"))
    table = html_page.table("Mean shots by placer", columns, rows)
    return html_page.section("Shooters against placers", table, EXPLANATION)
