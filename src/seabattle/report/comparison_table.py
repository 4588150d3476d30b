"""The table of a comparison: for a terminal of 80 columns, and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from ..experiment import Comparison, PlayerResult
from .formatting import (
    experiment_line,
    megabytes,
    number,
    per_game,
    reach,
    rules_line,
    shown_pairs,
    signed,
    verdict,
)

WIDTH = 80
HEADER = ("player", "mean", "±95%", "sd", "median", "min", "max", "p95", "per game", "MB")
SPACE = 18
"""columns for a player's name; a longer one gets a line of its own"""


def text_table(comparison: Comparison, *, ranked: bool = False) -> str:
    """The players and the paired differences in plain text."""
    players = comparison.ranking if ranked else comparison.players
    lines = [rules_line(comparison.rules), experiment_line(comparison), ""]
    lines += _columns([HEADER, *(_cells(player) for player in players)])
    pairs = shown_pairs(comparison)
    if pairs:
        lines += ["", "Paired differences in shots on the same layouts (mean ±95%):"]
        for pair in pairs:
            lines += _pair_lines(
                f"{pair.a} − {pair.b}",
                f"{signed(pair.mean_difference)} ±{number(reach(pair.ci95))}  {verdict(pair)}",
            )
        if len(pairs) < len(comparison.paired):
            lines.append("Only differences to the best are shown; JSON and XLSX have every pair.")
    if comparison.precision:
        lines += ["", *textwrap.wrap(comparison.precision.rule, WIDTH)]
    return "\n".join(lines)


def markdown_table(comparison: Comparison) -> str:
    """The same as a Markdown document."""
    lines = ["# Comparison", "", f"{rules_line(comparison.rules)}; {experiment_line(comparison)}."]
    header = ("player", "mean", "95% interval", *HEADER[3:])
    rows = [
        (
            cells[0],
            cells[1],
            f"{number(player.ci95[0])} to {number(player.ci95[1])}",
            *cells[3:],
        )
        for player in comparison.players
        for cells in [_cells(player)]
    ]
    lines += ["", *_markdown(header, rows)]
    if comparison.paired:
        lines += ["", "## Paired differences", ""]
        lines += [
            "Shots of a minus shots of b on the same layouts; above zero, b is better.",
            "",
            *_markdown(
                ("a", "b", "mean difference", "95% interval"),
                [
                    (
                        pair.a,
                        pair.b,
                        signed(pair.mean_difference),
                        f"{signed(pair.ci95[0])} to {signed(pair.ci95[1])}",
                    )
                    for pair in comparison.paired
                ],
                words=2,
            ),
        ]
    if comparison.precision:
        lines += ["", comparison.precision.rule]
    return "\n".join(lines) + "\n"


def _cells(player: PlayerResult) -> tuple[str, ...]:
    return (
        player.name,
        number(player.mean),
        number(reach(player.ci95)),
        number(player.sd),
        number(player.median, 1),
        str(player.min),
        str(player.max),
        str(player.p95),
        per_game(player),
        megabytes(player.peak_memory_mb),
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Names to the left, numbers to the right; long names on a line before theirs."""
    names = min(SPACE, max(len(row[0]) for row in rows))
    widths = [max(len(row[k]) for row in rows) for k in range(1, len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        name = row[0]
        if len(name) > names:
            lines += _cut(name)
            name = ""
        parts = [part.rjust(width) for part, width in zip(row[1:], widths, strict=True)]
        lines.append("  ".join([name.ljust(names), *parts]))
    return lines


def _pair_lines(pair: str, finding: str) -> list[str]:
    line = f"  {pair}  {finding}"
    return [line] if len(line) <= WIDTH else [*_cut(f"  {pair}"), *_cut(f"    {finding}")]


def _cut(text: str) -> list[str]:
    return [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]


def _markdown(
    header: tuple[str, ...], rows: Iterable[tuple[str, ...]], words: int = 1
) -> list[str]:
    """A Markdown table whose first `words` columns are text and the others numbers."""
    marks = ["---" if k < words else "---:" for k in range(len(header))]
    return ["| " + " | ".join(row) + " |" for row in (header, marks, *rows)]
