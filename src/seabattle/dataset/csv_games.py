"""Recorded games from CSV: one row per game, of one shooter at one layout or of two.

| column | contents |
| --- | --- |
| `ships` | the layout: `carrier A1 across, battleship C3 down, ...` |
| `shots` | the cells in order, `E5 E6 F6`, or with answers, `E5 miss, E6 hit, F6 sunk cruiser` |
| `player` | optional: who shot |
| `rules` | optional: a preset or rules in text form, if not the same for all games |

A two-sided game has the columns `first_ships` and `second_ships` instead of `ships`, the shots of
both in order of play, and if wanted `first` and `second`, who they were.

Other columns are ignored. Answers are checked against the layout. The columns are named in
the first row, in any order.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..errors import DatasetError, SeabattleError, reason
from ..layout import Layout
from ..observation import Observation
from ..record import DuelRecord, GameRecord
from ..rules import Rules
from .episodes import record_of

NEEDED = ("ships", "shots")
TOLD = ("hit", "miss", "sunk")
NEEDED_FOR_TWO = ("first_ships", "second_ships", "shots")


def read_csv(path: Path, rules: Rules, player: str = "human") -> Iterator[GameRecord | DuelRecord]:
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
) -> Iterator[GameRecord | DuelRecord]:
    line = 1
    try:
        names = rows.fieldnames or ()
        of_two = "first_ships" in names or "second_ships" in names
        missing = [name for name in (NEEDED_FOR_TWO if of_two else NEEDED) if name not in names]
        if missing:
            raise DatasetError(
                f"there is no column {missing[0]!r}; the first row names the columns, which are "
                "ships and shots, and if wanted player and rules"
            )
        for row in rows:
            line = rows.line_num
            yield (_duel if of_two else _game)(row, rules, player)
    except csv.Error as error:
        raise DatasetError(f"{path}, line {rows.reader.line_num}: {error}.") from None
    except SeabattleError as error:
        sentence = str(error)
        end = "" if sentence.endswith((".", "?")) else "."
        raise DatasetError(f"{path}, line {line}: {sentence}{end}") from error


def _texts(row: dict[str, str | None], rules: Rules) -> tuple[dict[str, str], Rules]:
    """The values of a row, and the rules of its game."""
    if None in row or None in row.values():
        raise DatasetError("the row does not have one value per column")
    text = {name: (value or "").strip() for name, value in row.items()}
    if not text["shots"]:
        raise DatasetError("the game has no shots")
    return text, Rules.from_text(text["rules"]) if text.get("rules") else rules


def _duel(row: dict[str, str | None], rules: Rules, player: str) -> DuelRecord:
    text, played = _texts(row, rules)
    first, second = (
        Layout.from_text(text[name], played) for name in ("first_ships", "second_ships")
    )
    names = (text.get("first") or player, text.get("second") or player)
    told = any(word.lower() in TOLD for word in text["shots"].replace(",", " ").split())
    entries = text["shots"].split(",") if told else text["shots"].replace(",", " ").split()
    cells = tuple(played.cell((entry.split() or [""])[0]) for entry in entries)
    record = DuelRecord(first, second, cells, names)
    duel = record.replay(len(cells))
    for side, target in enumerate(duel.targets) if told else ():
        own = [entry for entry, mover in zip(entries, duel.moves, strict=True) if mover == side]
        if Observation.from_text(",".join(own), played).shots != target.shots:
            right = Observation(played, target.shots).to_text()
            raise DatasetError(f"the answers to {names[side]} should be {right!r}")
    return record


def _game(row: dict[str, str | None], rules: Rules, player: str) -> GameRecord:
    text, played = _texts(row, rules)
    who, shots = text.get("player") or player, text["shots"]
    words = shots.replace(",", " ").split()
    if any(word.lower() in TOLD for word in words):
        told = Observation.from_text(shots, played).shots
        return GameRecord(Layout.from_text(text["ships"], played), told, who)
    return record_of(played, text["ships"], (played.cell(word) for word in words), who)
