"""Whether a data set is whole: every game is replayed, and every number computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DatasetError, SeabattleError
from ..rules import Rules
from .duels import check_duels
from .episodes import Episode, Provenance, differs, episode_of
from .minari_format import dataset_folder, read_minari
from .parquet_format import read_parquet
from .records_file import read_records


@dataclass(frozen=True)
class Checked:
    """A data set that is whole."""

    format: str
    """`minari`, `parquet` or `records`"""
    rules: Rules
    games: int
    shots: int
    provenance: Provenance | None
    """None for a file of records"""

    def to_json(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "rules": self.rules.to_json(),
            "games": self.games,
            "shots": self.shots,
            "provenance": None if self.provenance is None else self.provenance.to_json(),
        }


def check_dataset(
    name: str | Path, rules: Rules | None = None, root: Path | None = None
) -> Checked:
    """Check a Parquet file, a file of records, or a data set in Minari's format by its folder
    or its id. An error says what is wrong; data for other rules than `rules` is wrong too."""
    path = Path(name)
    if path.suffix == ".jsonl":
        return _check_records(path, rules)
    if path.suffix == ".parquet":
        kind, where = "parquet", path
    else:
        kind = "minari"
        where = path if path.is_dir() else dataset_folder(str(name), root)
    if not where.exists():
        raise DatasetError(f"There is no data set {name}.")
    try:
        provenance, episodes = read_parquet(where) if kind == "parquet" else read_minari(where)
        found = Rules.from_text(provenance.rules)
        _same_rules(str(name), found, rules)
        games, shots = _compare(episodes, provenance)
    except _Other as other:
        raise DatasetError(str(other)) from None
    except SeabattleError as error:
        raise DatasetError(f"{name} is damaged: {_end(str(error))}") from error
    except Exception as error:  # whatever Minari, Arrow or JSON says about damaged files
        raise DatasetError(f"{name} is damaged or not a data set: {_end(str(error))}") from error
    return Checked(kind, found, games, shots, provenance)


class _Other(Exception):
    """A whole data set, but for other rules."""


def _compare(episodes: Iterator[Episode], provenance: Provenance) -> tuple[int, int]:
    if provenance.sides == 2:
        rules = Rules.from_text(provenance.rules)
        games, shots = check_duels(episodes, rules, provenance.reward, provenance.posterior)
        if not games:
            raise DatasetError("it has no games")
        return games, shots
    games = shots = 0
    for episode in episodes:
        again = episode_of(episode.record, episode.number, provenance.reward, provenance.posterior)
        part = differs(episode, again)
        if part is not None:
            raise DatasetError(
                f"the {part} of game {episode.number} are not those that its layout and shots give"
            )
        games, shots = games + 1, shots + episode.actions.size
    if not games:
        raise DatasetError("it has no games")
    return games, shots


def _check_records(path: Path, rules: Rules | None) -> Checked:
    games = shots = 0
    found = rules
    for record in read_records(path):
        found = record.rules if found is None else found
        if record.rules != found:
            raise DatasetError(
                f"{path} has a game for the rules {record.rules.to_text()!r}, not "
                f"{found.to_text()!r}."
            )
        games, shots = games + 1, shots + len(record.moves)
    if found is None or not games:
        raise DatasetError(f"{path} has no games.")
    return Checked("records", found, games, shots, None)


def _same_rules(name: str, found: Rules, wanted: Rules | None) -> None:
    if wanted is not None and found != wanted:
        raise _Other(f"{name} is for the rules {found.to_text()!r}, not {wanted.to_text()!r}.")


def _end(text: str) -> str:
    """What somebody else's error says, as the end of one sentence."""
    line = " ".join(text.split())[:200] or "it cannot be read"
    return line if line.endswith((".", "?")) else f"{line}."
