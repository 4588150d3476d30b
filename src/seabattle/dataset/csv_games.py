"""Recorded games from CSV: one row per game, of one shooter at one layout.

| column | contents |
| --- | --- |
| `ships` | the layout: `carrier A1 across, battleship C3 down, ...` |
| `shots` | the cells in order, `E5 E6 F6`, or with answers, `E5 miss, E6 hit, F6 sunk cruiser` |
| `player` | optional: who shot |
| `rules` | optional: a preset or rules in text form, if not the same for all games |

Other columns are ignored. Answers are checked against the layout. The columns are named in
the first row, in any order.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..errors import DatasetError, SeabattleError
from ..layout import Layout
from ..observation import Observation
from ..record import GameRecord
from ..report.outputs import reason
from ..rules import Rules
from .episodes import record_of

NEEDED = ("ships", "shots")


def read_csv(path: Path, rules: Rules, player: str = "human") -> Iterator[GameRecord]:
    """The games of a file, under `rules` unless a row says otherwise. An error names the line."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield from _games(csv.DictReader(file, strict=True), path, rules, player)
    except OSError as error:
        raise DatasetError(f"Cannot read {path}: {reason(error)}.") from error
    except UnicodeDecodeError:
        raise DatasetError(f"{path} is not text in UTF-8.") from None


def _games(
    rows: csv.DictReader[str], path: Path, rules: Rules, player: str
) -> Iterator[GameRecord]:
    line = 1
    try:
        names = rows.fieldnames or ()
        missing = [name for name in NEEDED if name not in names]
        if missing:
            raise DatasetError(
                f"there is no column {missing[0]!r}; the first row names the columns, which are "
                "ships and shots, and if wanted player and rules"
            )
        for row in rows:
            line = rows.line_num
            yield _game(row, rules, player)
    except csv.Error as error:
        raise DatasetError(f"{path}, line {rows.reader.line_num}: {error}.") from None
    except SeabattleError as error:
        sentence = str(error)
        end = "" if sentence.endswith((".", "?")) else "."
        raise DatasetError(f"{path}, line {line}: {sentence}{end}") from error


def _game(row: dict[str, str | None], rules: Rules, player: str) -> GameRecord:
    if None in row or None in row.values():
        raise DatasetError("the row has not as many values as there are columns")
    text = {name: (value or "").strip() for name, value in row.items()}
    played = Rules.from_text(text["rules"]) if text.get("rules") else rules
    who, shots = text.get("player") or player, text["shots"]
    if not shots:
        raise DatasetError("the game has no shots")
    words = shots.replace(",", " ").split()
    if any(word.lower() in ("hit", "miss", "sunk") for word in words):
        told = Observation.from_text(shots, played).shots
        return GameRecord(Layout.from_text(text["ships"], played), told, who)
    return record_of(played, text["ships"], (played.cell(word) for word in words), who)
