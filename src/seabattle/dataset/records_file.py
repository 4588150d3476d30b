"""Records of games in a file, one line of JSON each: of one shooter or of two."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import DatasetError, SeabattleError, reason
from ..record import DuelRecord, GameRecord, record_from_json
from ..report.outputs import replaced


def write_records(records: Iterable[GameRecord | DuelRecord], path: Path) -> int:
    """Write the records; returns their number."""
    count = 0
    with replaced(path) as beside, beside.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record.to_json()) + "\n")
            count += 1
    return count


def read_records(path: Path) -> Iterator[GameRecord | DuelRecord]:
    """The records of a file; each is replayed, so that a damaged line is found."""
    line = 0
    try:
        with path.open(encoding="utf-8") as file:
            for text in file:
                line += 1
                if text.strip():
                    yield record_from_json(json.loads(text))
    except OSError as error:
        raise DatasetError(f"Cannot read {path}: {reason(error)}.") from error
    except SeabattleError as error:
        raise DatasetError(f"{path}, line {line}: {error}") from error
    except (ValueError, RecursionError):
        raise DatasetError(
            f"{path}, line {max(1, line)}: this is not the record of a game in JSON."
        ) from None
