"""Positions labelled with exact probabilities, generated once per training.

The games are numbered, and each depends only on (rules, seed, number, budget). So any
number of processes, or a cluster, can play them, and the data is the same. It is stored in
the folder of the run; after an interruption, what is there is used again.
"""

from __future__ import annotations

import io
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...belief.enumeration import unweighted
from ...belief.enumeration_kernels import new_enumeration_scratch, new_evidence
from ...compiled.knowledge import new_knowledge
from ...compiled.random_streams import streams
from ...compiled.rules_tables import board_of, symmetries_of
from ...compiled.sealed_arrays import array_of, read_array
from ...compiled.seeds import LABELLED_STREAM
from ...dealing.uniform import deal_games
from ...errors import TrainingError
from ...experiment.data_folder import write_whole
from ...experiment.workers import executor_for, results_in_order
from ...regular_files import open_regular
from ...rules import Rules
from .labelled_positions_kernels import Counting, LabelColumns, play_labelled_positions
from .trainer import TrainingSetup

RANDOM_SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of random shots; the games use them in turn."""

DENSITY_WEIGHT = 100
"""The default of the player `density`."""

PART = 250
"""Games per file."""

LabelledPositions = npt.NDArray[np.void]
"""(positions,) records of `labelled_position_type`"""


@lru_cache(maxsize=16)
def labelled_position_type(rules: Rules) -> np.dtype[np.void]:
    """The record of a position; its fields are those of `LabelColumns`."""
    return np.dtype(
        [
            ("status", "u1", (rules.cells,)),
            ("afloat", "u1", (len(rules.fleet),)),
            ("probability", "u2", (rules.cells,)),
            ("exact", "u1"),
        ]
    )


def label_games(rules: Rules, seed: int, games: range, budget: int) -> LabelledPositions:
    """All positions of these games, with their labels."""
    board, symmetries = board_of(rules), symmetries_of(rules)
    prior, kin = unweighted(rules)
    room = len(games) * rules.cells
    columns = LabelColumns(
        status=np.empty((room, rules.cells), dtype=np.uint8),
        afloat=np.empty((room, len(rules.fleet)), dtype=np.uint8),
        probability=np.empty((room, rules.cells), dtype=np.uint16),
        exact=np.empty(room, dtype=np.uint8),
    )
    scratch = new_enumeration_scratch(board, symmetries, weighted=False)
    count = play_labelled_positions(
        board,
        Counting(symmetries, new_evidence(), scratch, prior, kin, budget),
        new_knowledge(),
        deal_games(rules, seed, games),
        streams(np.uint64(seed), games.start, len(games), LABELLED_STREAM),
        np.array([RANDOM_SHARES[game % len(RANDOM_SHARES)] for game in games]),
        np.array([DENSITY_WEIGHT]),
        columns,
    )
    labelled = np.empty(count, dtype=labelled_position_type(rules))
    for name, column in columns._asdict().items():
        labelled[name] = column[:count]
    return labelled


def make_labelled_positions(
    setup: TrainingSetup, seed: int, games: int, budget: int
) -> LabelledPositions:
    """The positions of games 0 to `games` - 1, read from the run's folder if they are there."""
    folder = setup.folder / "positions"
    folder.mkdir(exist_ok=True)
    parts = [range(start, min(start + PART, games)) for start in range(0, games, PART)]
    files = {part: folder / f"{part.start:07}.npy" for part in parts}
    missing = [part for part in parts if not files[part].exists()]
    _make(setup, seed, budget, missing, files, games)
    return np.concatenate([_load(files[part], setup.rules) for part in parts])


def _make(
    setup: TrainingSetup,
    seed: int,
    budget: int,
    missing: list[range],
    files: dict[range, Path],
    games: int,
) -> None:
    """Play the missing parts on the setup's executor, and write each to its file."""
    if not missing:
        return
    label_games(setup.rules, seed, range(1), budget)  # compiles here, where the user is told
    done = games - sum(map(len, missing))
    with executor_for(setup.jobs, setup.executor) as executor:
        calls = ((setup.rules, seed, part, budget) for part in missing)
        labelled = results_in_order(executor, setup.jobs, label_games, calls)
        for part, positions in zip(missing, labelled, strict=True):
            _save(files[part], positions)
            done += len(part)
            setup.tell("labelled games", done, games)


def _load(path: Path, rules: Rules) -> LabelledPositions:
    try:
        with open_regular(path) as file:
            found = read_array(file, os.fstat(file.fileno()).st_size)
        return array_of({"positions": found}, "positions", labelled_position_type(rules), (None,))
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"{path} is not a file of labelled positions for these rules, or is damaged "
            f"({error}); delete it to generate them again."
        ) from error


def _save(path: Path, labelled: LabelledPositions) -> None:
    held = io.BytesIO()
    np.save(held, labelled, allow_pickle=False)
    write_whole(path, held.getvalue())
