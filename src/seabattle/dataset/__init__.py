"""Games as data sets: for offline reinforcement learning, for tables, and from other people.

`episodes`         a game as observations, actions and rewards
`duels`            two-sided games, each side an episode
`minari_format`    data sets that `minari.load_dataset` loads
`parquet_format`   the same as one table with a row per shot
`records_file`     records of games, one line of JSON each
`csv_games`        recorded games from CSV
`checking`         whether a data set is whole and for the right rules
"""

from __future__ import annotations

from .checking import check_dataset
from .csv_games import read_csv
from .episodes import Episode, Provenance, episode_of
from .minari_format import read_minari, write_minari
from .parquet_format import read_parquet, write_parquet
from .records_file import read_records, write_records

__all__ = [
    "Episode",
    "Provenance",
    "check_dataset",
    "episode_of",
    "read_csv",
    "read_minari",
    "read_parquet",
    "read_records",
    "write_minari",
    "write_parquet",
    "write_records",
]
