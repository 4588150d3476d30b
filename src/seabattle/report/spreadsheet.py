"""A comparison as a spreadsheet, the form in which document E kept its results.

Three sheets: `summary` computes the statistics with formulas over `games`, so that a
reader can check and extend them; `games` has one row per game; `paired` has every pair of
players. Formulas are stored with their values, for readers that do not calculate.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..experiment import Comparison
from .formatting import experiment_line, rules_line

MOST_ROWS = 1_048_575
"""rows of a sheet below its header"""


def write_xlsx(comparison: Comparison, path: Path) -> None:
    """Write the three sheets."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as workbook:
        styles = {
            "title": workbook.add_format({"bold": True, "font_size": 14}),
            "head": workbook.add_format({"bold": True, "bottom": 1}),
            "two": workbook.add_format({"num_format": "0.00"}),
            "six": workbook.add_format({"num_format": "0.000000"}),
        }
        _summary(workbook.add_worksheet("summary"), comparison, styles)
        _games(workbook.add_worksheet("games"), comparison, styles)
        _paired(workbook.add_worksheet("paired"), comparison, styles)


def _summary(sheet: Any, comparison: Comparison, styles: dict[str, Any]) -> None:
    from xlsxwriter.utility import xl_col_to_name

    sheet.write(0, 0, "Comparison", styles["title"])
    sheet.write(1, 0, rules_line(comparison.rules))
    sheet.write(2, 0, experiment_line(comparison))
    header = (
        "player",
        "mean",
        "95% low",
        "95% high",
        "sd",
        "median",
        "min",
        "max",
        "p95",
        "seconds per game",
        "peak memory MB",
    )
    sheet.write_row(4, 0, header, styles["head"])
    for place, player in enumerate(comparison.players):
        row, column = 5 + place, xl_col_to_name(place + 1)
        cells = f"games!${column}$2:${column}${comparison.games + 1}"
        sheet.write_string(row, 0, player.name)
        for at, function, value in (
            (1, "AVERAGE", player.mean),
            (4, "STDEV", player.sd),
            (5, "MEDIAN", player.median),
            (6, "MIN", player.min),
            (7, "MAX", player.max),
        ):
            if not math.isnan(value):
                style = styles["two"] if at < 5 else None
                sheet.write_formula(row, at, f"={function}({cells})", style, value)
        for at, end in ((2, player.ci95[0]), (3, player.ci95[1])):
            if not math.isnan(end):
                sheet.write_number(row, at, end, styles["two"])
        sheet.write_number(row, 8, player.p95)
        sheet.write_number(row, 9, player.seconds_per_game, styles["six"])
        if player.peak_memory_mb is not None:
            sheet.write_number(row, 10, player.peak_memory_mb, styles["two"])
    sheet.set_column(0, 0, max(12, *(len(player.name) for player in comparison.players)))
    sheet.set_column(9, 10, 17)
    sheet.freeze_panes(5, 1)


def _games(sheet: Any, comparison: Comparison, styles: dict[str, Any]) -> None:
    sheet.write(0, 0, "game", styles["head"])
    sheet.write_column(1, 0, range(comparison.games))
    for place, player in enumerate(comparison.players):
        sheet.write_string(0, place + 1, player.name, styles["head"])
        sheet.write_column(1, place + 1, player.shots)
        sheet.set_column(place + 1, place + 1, max(8, len(player.name)))
    sheet.freeze_panes(1, 1)


def _paired(sheet: Any, comparison: Comparison, styles: dict[str, Any]) -> None:
    header = ("a", "b", "mean difference (a − b)", "95% low", "95% high")
    sheet.write_row(0, 0, header, styles["head"])
    for row, pair in enumerate(comparison.paired, start=1):
        sheet.write_string(row, 0, pair.a)
        sheet.write_string(row, 1, pair.b)
        for at, value in enumerate((pair.mean_difference, *pair.ci95), start=2):
            if not math.isnan(value):
                sheet.write_number(row, at, value, styles["two"])
    sheet.set_column(0, 1, max(12, *(len(player.name) for player in comparison.players)))
    sheet.set_column(2, 2, 24)
    sheet.freeze_panes(1, 0)
