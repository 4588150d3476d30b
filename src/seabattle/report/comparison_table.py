"""The table of a comparison: for a terminal of 80 columns, and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from ..experiment import Comparison, PlayerResult
from ..experiment.advantage import Advantage
from ..experiment.results_log import Series, SeriesResult
from ..experiment.statistics import half_width
from ..rules import Rules
from .formatting import (
    duration,
    experiment_line,
    megabytes,
    number,
    per_game,
    rules_line,
    shown_pairs,
    signed,
    who_is_better,
)

WIDTH = 80
HEADER = ("player", "mean", "±95%", "sd", "median", "min", "max", "p95", "per game", "MB")
SALVO_HEADER = (*HEADER[:3], "turns", "±95%", *HEADER[4:9])
"""under salvo rules: turns in place of what is left out for lack of space"""
SALVO_NOTE = (
    "Mean, median and so on are of shots, including those of the last salvo that were not needed; "
    "turns are salvos."
)
SPACE = 18
"""columns for a player's name; a longer name gets a line of its own"""


def text_table(comparison: Comparison) -> str:
    """The players, fewest shots first, and the paired differences in plain text."""
    lines = [rules_line(comparison.rules), experiment_line(comparison), ""]
    lines += _columns([_header(comparison), *(_cells(player) for player in comparison.ranking)])
    if comparison.rules.salvo != 1:
        lines += ["", *textwrap.wrap(SALVO_NOTE, WIDTH)]
    lines += fault_lines(comparison)
    pairs = shown_pairs(comparison)
    if pairs:
        lines += ["", "Paired differences in shots on the same layouts (mean ±95%):"]
        for pair in pairs:
            difference = f"{signed(pair.mean_difference)} ±{number(half_width(pair.ci95))}"
            lines += _pair_lines(f"{pair.a} − {pair.b}", f"{difference}  {who_is_better(pair)}")
        if len(pairs) < len(comparison.paired):
            lines.append("Only differences from the best are shown; JSON and XLSX have every pair.")
    if comparison.precision:
        lines += ["", *textwrap.wrap(comparison.precision.rule, WIDTH)]
    return "\n".join(lines)


def advantage_text(found: Advantage) -> str:
    """The result of `compare --advantage` in plain text."""
    choices = f"{found.choices:.1f} choices per game differ"
    layouts = f"up to {found.samples:,} fresh layouts each"
    return "\n".join(
        [
            rules_line(found.rules),
            f"{found.games:,} games of {found.a}: {found.shots:.2f} shots, "
            f"{duration(found.seconds_per_game)} per game; {choices}, {layouts}",
            "",
            "Difference in shots, estimated by summed advantages (mean ±95%):",
            f"  {found.a} − {found.b}: {found.mean_difference:+.3f} "
            f"±{half_width(found.ci95):.3f}  (sd {found.sd:.2f} per game)",
        ]
    )


def fault_lines(comparison: Comparison) -> list[str]:
    """A sentence on each player that failed to choose."""
    found = []
    for player in comparison.players:
        if player.faults:
            rule = (
                "A game with a late, illegal or missing answer was lost: it counts as shots at "
                "every cell."
                if "faults=loss" in player.name
                else "Without a legal answer, a random cell was shot at."
            )
            told = f"{player.name}: {player.faults.to_text()}. {rule}"
            if player.faults.example:
                told += f" The first: {player.faults.example}"
            found += ["", *textwrap.wrap(told, WIDTH)]
    return found


def series_table(results: Sequence[tuple[Series, SeriesResult]]) -> str:
    """Results of series that are not one comparison, grouped by rules."""
    groups: dict[Rules, list[tuple[str, ...]]] = {}
    for series, result in results:
        player = PlayerResult.of(series, result)
        mean, half = number(player.mean), number(half_width(player.ci95))
        row = (series.label, f"{series.games:,}", mean, half, per_game(player))
        groups.setdefault(series.rules, []).append(row)
    header = ("player", "games", "mean", "±95%", "per game")
    tables = [
        "\n".join([rules_line(rules), *_columns([header, *rows])]) for rules, rows in groups.items()
    ]
    return "\n\n".join(tables)


def markdown_table(comparison: Comparison) -> str:
    """The same in Markdown."""
    lines = ["# Comparison", "", f"{rules_line(comparison.rules)}; {experiment_line(comparison)}."]
    header = ("player", "mean", "95% interval", *_header(comparison)[3:])
    rows = [
        (
            cells[0],
            cells[1],
            f"{number(player.ci95[0])} to {number(player.ci95[1])}",
            *cells[3:],
        )
        for player in comparison.ranking
        for cells in [_cells(player)]
    ]
    lines += ["", *_markdown(header, rows), *fault_lines(comparison)]
    if comparison.rules.salvo != 1:
        lines += ["", SALVO_NOTE]
    if comparison.paired:
        lines += ["", "## Paired differences", ""]
        lines += [
            "Shots of a minus shots of b on the same layouts; if positive, b is better.",
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


def _header(comparison: Comparison) -> tuple[str, ...]:
    salvos = any(player.turns is not None for player in comparison.players)
    return SALVO_HEADER if salvos else HEADER


def _cells(player: PlayerResult) -> tuple[str, ...]:
    if player.turns is not None:
        return (
            player.name,
            number(player.mean),
            number(half_width(player.ci95)),
            number(player.mean_turns),
            number(half_width(player.turns_ci95)),
            number(player.median, 1),
            str(player.min),
            str(player.max),
            str(player.p95),
            per_game(player),
        )
    return (
        player.name,
        number(player.mean),
        number(half_width(player.ci95)),
        number(player.sd),
        number(player.median, 1),
        str(player.min),
        str(player.max),
        str(player.p95),
        per_game(player),
        megabytes(player.peak_memory_mb),
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Names left-aligned, numbers right-aligned; a long name on a line of its own."""
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


def _pair_lines(pair: str, difference: str) -> list[str]:
    line = f"  {pair}  {difference}"
    return [line] if len(line) <= WIDTH else [*_cut(f"  {pair}"), *_cut(f"    {difference}")]


def _cut(text: str) -> list[str]:
    return [text[start : start + WIDTH] for start in range(0, len(text), WIDTH)]


def _markdown(
    header: tuple[str, ...], rows: Iterable[tuple[str, ...]], words: int = 1
) -> list[str]:
    """A Markdown table whose first `words` columns are text and the others numbers."""
    return markdown_rows(header, ["---" if k < words else "---:" for k in range(len(header))], rows)


def markdown_rows(
    header: Sequence[str], alignment: Sequence[str], rows: Iterable[Sequence[str]]
) -> list[str]:
    """The lines of a Markdown table."""
    return ["| " + " | ".join(row) + " |" for row in (header, alignment, *rows)]
