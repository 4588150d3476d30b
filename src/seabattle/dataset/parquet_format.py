"""Data sets as one Parquet file with a row per shot.

| column | contents |
| --- | --- |
| `game`, `step` | numbers, from 0 |
| `player`, `ships` | who shot, and the hidden layout |
| `action`, `cell` | the number and the name of the cell |
| `told`, `ship` | the answer: `miss`, `hit` or `sunk`, and the ship if it was named |
| `reward`, `terminated`, `truncated` | as in the environment |
| `observation` | the planes before the shot, flattened |
| `posterior` | the chance of a ship on each cell before the shot, if it was asked for |

Of two-sided games, each side is a `game`, and there are more columns:

| column | contents |
| --- | --- |
| `duel`, `side` | the number of the two-sided game, and 0 for who moved first |
| `move` | the number of the shot among those of both sides |
| `opponent`, `own_ships`, `result` | the other side, the layout it shot at, how the game ended |

The provenance is JSON in the file's metadata, under `seabattle`, with the shape of an
observation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from ..belief import infer
from ..errors import DatasetError
from ..learn.encoding import planes_shape
from ..observation import Observation
from ..report.outputs import needs, replaced
from ..rules import Rules
from .episodes import DuelSide, Episode, Provenance, episode_of, record_of

GAMES_AT_A_TIME = 200
ROWS_AT_A_TIME = 10_000
KEY = b"seabattle"


def write_parquet(episodes: Iterable[Episode], provenance: Provenance, path: Path) -> int:
    """Write a data set; returns the number of games."""
    needs("pyarrow", "data", "A Parquet file")
    import pyarrow.parquet as pq

    schema, games, source = _schema(provenance), 0, iter(episodes)
    with replaced(path) as beside:
        with pq.ParquetWriter(beside, schema) as writer:
            while chunk := list(islice(source, GAMES_AT_A_TIME)):
                writer.write_table(_table(chunk, schema))
                games += len(chunk)
        if not games:
            raise DatasetError("There is no game to write.")
    return games


def read_parquet(path: Path) -> tuple[Provenance, Iterator[Episode]]:
    """The provenance and the episodes of a file that `write_parquet` wrote."""
    needs("pyarrow", "data", "A Parquet file")
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    about = (file.schema_arrow.metadata or {}).get(KEY)
    provenance = Provenance.from_json(None if about is None else json.loads(about)["provenance"])
    return provenance, _episodes(file, provenance)


def _schema(provenance: Provenance) -> Any:
    import pyarrow as pa

    rules = Rules.from_text(provenance.rules)
    shape = planes_shape(rules)
    columns = [
        ("game", pa.int64()),
        ("step", pa.int32()),
        ("player", pa.string()),
        ("ships", pa.string()),
        ("action", pa.int32()),
        ("cell", pa.string()),
        ("told", pa.string()),
        ("ship", pa.string()),
        ("reward", pa.float64()),
        ("terminated", pa.bool_()),
        ("truncated", pa.bool_()),
        ("observation", pa.list_(pa.int8(), int(np.prod(shape)))),
    ]
    if provenance.sides == 2:
        columns += [(name, pa.int64()) for name in ("duel", "side", "move")]
        columns += [(name, pa.string()) for name in ("opponent", "own_ships", "result")]
    if provenance.posterior:
        columns.append(("posterior", pa.list_(pa.float64(), rules.cells)))
    about = {"provenance": provenance.to_json(), "observation_shape": list(shape)}
    return pa.schema(columns, metadata={KEY: json.dumps(about).encode()})


def _table(episodes: list[Episode], schema: Any) -> Any:
    import pyarrow as pa

    rows: dict[str, list[Any]] = {name: [] for name in schema.names}
    for episode in episodes:
        rules, shots = episode.record.rules, episode.record.shots
        count = len(shots)
        told = [shot.to_json(rules) for shot in shots]
        rows["game"] += [episode.number] * count
        rows["step"] += range(count)
        rows["player"] += [episode.record.player] * count
        rows["ships"] += [episode.record.layout.to_text()] * count
        rows["action"] += episode.actions.tolist()
        for name in ("cell", "told", "ship"):
            rows[name] += [each[name] for each in told]
        rows["reward"] += episode.rewards.tolist()
        rows["terminated"] += episode.terminations.tolist()
        rows["truncated"] += episode.truncations.tolist()
        rows["observation"] += episode.observations[:-1].reshape(count, -1).tolist()
        if episode.duel is not None:
            rows["move"] += episode.duel.moves.tolist()
            for name, fact in episode.duel.facts.items():
                rows[name] += [fact] * count
        if episode.posterior is not None:
            rows["posterior"] += episode.posterior[:-1].reshape(count, -1).tolist()
    return pa.table(rows, schema=schema)


def _episodes(file: Any, provenance: Provenance) -> Iterator[Episode]:
    rules = Rules.from_text(provenance.rules)
    rows = (row for batch in file.iter_batches(ROWS_AT_A_TIME) for row in batch.to_pylist())
    for number, steps in groupby(rows, key=itemgetter("game")):
        yield _episode(int(number), list(steps), rules, provenance)


def _episode(
    number: int, steps: list[dict[str, Any]], rules: Rules, provenance: Provenance
) -> Episode:
    if [step["step"] for step in steps] != list(range(len(steps))):
        raise DatasetError(f"game {number} has lost some of its steps")
    actions = [step["action"] for step in steps]
    record = record_of(rules, steps[0]["ships"], actions, steps[0]["player"])
    told = [shot.to_json(rules) for shot in record.shots]
    if told != [{name: step[name] for name in ("cell", "told", "ship")} for step in steps]:
        raise DatasetError(f"game {number} has answers that its layout does not give")
    # The file has no observation after the last shot; it follows from the record.
    end = episode_of(record, number, provenance.reward)
    shape = (len(steps), *planes_shape(rules))
    before = np.array([step["observation"] for step in steps], dtype=np.int8).reshape(shape)
    posterior = None
    if provenance.posterior:
        values = np.array([step["posterior"] for step in steps])
        last = infer(Observation(rules, record.shots)).probability
        posterior = np.concatenate([values.reshape(-1, rules.rows, rules.columns), last[None]])
    return Episode(
        number,
        record,
        np.concatenate([before, end.observations[-1:]]),
        np.array(actions, dtype=np.int64),
        np.array([step["reward"] for step in steps]),
        bool(steps[-1]["terminated"]),
        posterior,
        _side(number, steps) if provenance.sides == 2 else None,
    )


def _side(number: int, steps: list[dict[str, Any]]) -> DuelSide:
    found = [DuelSide.of(step, [each["move"] for each in steps]) for step in steps]
    if any(each.facts != found[0].facts for each in found):
        raise DatasetError(f"the facts of game {number} are not the same in all rows")
    return found[0]
