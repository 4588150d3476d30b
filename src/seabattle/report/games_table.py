"""The games of a run as a table with one row per game: CSV, Parquet or XLSX."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import OutputError, reason
from ..experiment.store import StoredGame
from .outputs import checked_file, needs
from .spreadsheet import MOST_ROWS

COLUMNS = (
    "entrant",
    "opponent",
    "player",
    "rules",
    "seed",
    "placer",
    "game",
    "shots",
    "seconds",
    "ships",
    "cells",
)
CHUNK = 50_000
"""rows of a Parquet file held in memory at a time"""


def export(games: Iterable[StoredGame], path: Path) -> int:
    """Write the games in the format of the file's extension; returns their number."""
    kinds = {".csv": _csv, ".parquet": _parquet, ".xlsx": _xlsx}
    kind = path.suffix.lower()
    if kind not in kinds:
        raise OutputError(f"The file name must end in .csv, .parquet or .xlsx, not {path.name!r}.")
    if kind == ".parquet":
        needs("pyarrow", "parquet", "A Parquet file")
    if kind == ".xlsx":
        needs("xlsxwriter", "xlsx", "A spreadsheet")
    checked_file(path)
    try:
        return kinds[kind](_rows(games), path)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason(error)}.") from error


def _rows(games: Iterable[StoredGame]) -> Iterator[tuple[Any, ...]]:
    for game in games:
        yield (
            game.entrant,
            game.opponent,
            game.player,
            game.rules.to_text(),
            game.seed,
            game.placer,
            game.number,
            game.shots,
            game.seconds,
            game.ships,
            game.cells,
        )


def _csv(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(row)
            count += 1
    return count


def _parquet(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "seed": pa.int64(),
        "game": pa.int64(),
        "shots": pa.int32(),
        "seconds": pa.float64(),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    count = 0
    with pq.ParquetWriter(path, schema) as writer:
        while chunk := list(islice(rows, CHUNK)):
            columns = dict(zip(COLUMNS, zip(*chunk, strict=True), strict=True))
            writer.write_table(pa.table(columns, schema=schema))
            count += len(chunk)
    return count


def _xlsx(rows: Iterator[tuple[Any, ...]], path: Path) -> int:
    import xlsxwriter

    count = 0
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet("games")
        sheet.write_row(0, 0, COLUMNS, workbook.add_format({"bold": True, "bottom": 1}))
        sheet.freeze_panes(1, 0)
        for row in rows:
            count += 1
            if count > MOST_ROWS:
                raise OutputError(
                    f"A spreadsheet holds at most {MOST_ROWS:,} games; export CSV or Parquet."
                )
            for column, value in enumerate(row):
                # A 63-bit seed is too large for a number in a spreadsheet.
                if isinstance(value, str) or COLUMNS[column] == "seed":
                    sheet.write_string(count, column, str(value))
                else:
                    sheet.write_number(count, column, value)
    return count
