"""Write results to files: check that a path is writable; JSON, CSV and folders."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from ..errors import MissingPart, OutputError, reason
from ..experiment import Comparison
from .comparison_table import markdown_table


def checked_file(path: Path, suffix: str = "") -> Path:
    """`path` itself if a file with this suffix can be written there; leaves no file behind."""
    if path.is_dir():
        raise OutputError(f"Cannot write {path}: it is a folder; give a file name.")
    if suffix and path.suffix.lower() != suffix:
        raise OutputError(f"Cannot write {path}: the name must end in {suffix}.")
    existed = path.exists()
    try:
        with path.open("a"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason(error)}.") from error
    return path


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` once it is complete."""
    checked_file(path)
    beside = path.with_name(f".{path.name}.part")
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason(error)}.") from error
    finally:
        beside.unlink(missing_ok=True)


def checked_folder(path: Path) -> Path:
    """`path` itself, created if necessary, if files can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except FileExistsError as error:
        raise OutputError(f"Cannot write to {path}: it is a file; give a folder.") from error
    except OSError as error:
        raise OutputError(f"Cannot write to {path}: {reason(error)}.") from error
    return path


def needs(module: str, extra: str, what: str) -> None:
    """Raise an error that says how to install an optional dependency if it is missing."""
    if find_spec(module) is None:
        raise MissingPart(f"{what} needs {module}: pip install 'seabattle[{extra}]'")


def write_json(comparison: Comparison, path: Path) -> None:
    """What `compare --json` prints."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(comparison.json_parts())
        file.write("\n")


def write_csv(comparison: Comparison, path: Path) -> None:
    """A row per game: its number, then the shots each player needed."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["game", *(player.name for player in comparison.players)])
        columns = (player.shots for player in comparison.players)
        for game, shots in enumerate(zip(*columns, strict=True)):
            writer.writerow([game, *shots])


def write_folder(comparison: Comparison, folder: Path) -> list[Path]:
    """The table, the data and the plots of a comparison."""
    from .plots import write_plots

    table, data, games = folder / "table.md", folder / "comparison.json", folder / "games.csv"
    table.write_text(markdown_table(comparison), encoding="utf-8")
    write_json(comparison, data)
    write_csv(comparison, games)
    return [table, data, games, *write_plots(comparison, folder)]
