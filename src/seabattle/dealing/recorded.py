"""`recorded:FILE`: layouts from a file, each as likely as any other.

A text file has one layout per line, in the form that the program prints:

    carrier A1 across, battleship C3 down, cruiser E5 across, submarine G2 down, destroyer J8 across

Empty lines and lines that begin with `#` are skipped. A `.csv` file has them in a column
`ships`, as the files have that `seabattle runs export` writes; if it has a column `rules`,
the games under other rules are an error.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..errors import PlacerError, SeabattleError, reason
from ..layout import Layout
from ..rules import Rules
from .placement_numbers import layout_of, placements_of
from .placers import register_placer

MOST_BYTES = 200_000_000


@register_placer("recorded", "layouts from a file: recorded:FILE", reads_files=True)
@dataclass(frozen=True)
class Recorded:
    """Draws one of the layouts in a file."""

    path: Path

    @classmethod
    def from_text(cls, text: str) -> Recorded:
        if not text.strip():
            raise PlacerError("The placer 'recorded' needs a file; write recorded:FILE.")
        return cls(Path(text.strip()))

    def to_text(self) -> str:
        return str(self.path)

    def check_rules(self, rules: Rules) -> None:
        recorded_layouts(self.path, rules)

    def place(self, rules: Rules, rng: np.random.Generator) -> Layout:
        layouts = recorded_layouts(self.path, rules)
        return layout_of(rules, layouts[int(rng.integers(len(layouts)))])

    def place_games(self, rules: Rules, seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        layouts = recorded_layouts(self.path, rules)
        rows = [int(np.random.default_rng(int(seed)).integers(len(layouts))) for seed in seeds]
        return layouts[rows]


def recorded_layouts(path: Path, rules: Rules) -> npt.NDArray[np.int32]:
    """(layouts, ships) the layouts of a file as placement numbers. An error names the line."""
    return _layouts(path, _stamp(path), rules)


def _stamp(path: Path) -> tuple[int, int]:
    """Tells whether a file has changed; an error if there is none to read."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        raise PlacerError(f"There is no file {path} with layouts.") from None
    if not path.is_file() or found.st_size > MOST_BYTES:
        raise PlacerError(f"{path} is not a file of layouts of at most {MOST_BYTES:,} bytes.")
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _layouts(path: Path, stamp: tuple[int, int], rules: Rules) -> npt.NDArray[np.int32]:
    found = []
    for line, text, of_rules in _lines(path):
        try:
            if of_rules is not None and Rules.from_text(of_rules) != rules:
                raise PlacerError(f"a game under {of_rules}, not under {rules.to_text()}.")
            found.append(placements_of(Layout.from_text(text, rules)))
        except SeabattleError as error:
            told = str(error)
            raise PlacerError(
                f"{path}, line {line}, is not a layout under these rules: "
                f"{told[:1].lower()}{told[1:]}"
            ) from None
    if not found:
        raise PlacerError(f"{path} has no layouts.")
    return np.array(found, dtype=np.int32)


def _lines(path: Path) -> Iterator[tuple[int, str, str | None]]:
    """The number of each line with a layout, the layout, and its rules if they are given."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            if path.suffix.lower() != ".csv":
                for line, text in enumerate(file, 1):
                    if text.strip() and not text.lstrip().startswith("#"):
                        yield line, text, None
                return
            rows = csv.DictReader(file, strict=True)
            if "ships" not in (rows.fieldnames or ()):
                raise PlacerError(f"{path} has no column 'ships'.")
            for row in rows:
                yield rows.line_num, row["ships"] or "", row.get("rules")
    except OSError as error:
        raise PlacerError(f"Cannot read {path}: {reason(error)}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise PlacerError(f"{path} is not a text file of layouts.") from None
