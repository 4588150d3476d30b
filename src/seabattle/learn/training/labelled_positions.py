"""A set of positions with their exact chances, made once for a training.

The games are numbered, and each is a function of (rules, seed, number, budget) alone. So
they can be played in any number of processes, or on a cluster, and the set is the same.
It is kept in the folder of the run; what was made before an interruption is used again.
"""

from __future__ import annotations

import io
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...belief.enumeration import unweighted
from ...belief.enumeration_kernels import new_enumeration_scratch, new_evidence
from ...compiled.knowledge import new_knowledge
from ...compiled.random_streams import streams
from ...compiled.rules_tables import board_of, symmetries_of
from ...compiled.seeds import LABELLED_STREAM
from ...dealing.uniform import deal_games
from ...experiment.workers import LocalExecutor, Workers
from ...rules import Rules
from .checkpoint import write_whole
from .labelled_positions_kernels import play_labelled_positions
from .trainer import Setup

ASTRAY = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Share of random shots, one of these for each game."""

DENSITY_WEIGHT = 100
"""As the player `density` weighs hits by default."""

PART = 250
"""Games that are played in one go."""

Lessons = npt.NDArray[np.void]
"""(positions,) records of `lesson_type`"""


@lru_cache(maxsize=16)
def lesson_type(rules: Rules) -> np.dtype[np.void]:
    """A position: status of the cells (see `compiled.knowledge`), ships afloat, the chance of
    each cell as a fraction of 65535, and whether that was counted or is the layout."""
    return np.dtype(
        [
            ("status", "u1", (rules.cells,)),
            ("afloat", "u1", (len(rules.fleet),)),
            ("chances", "u2", (rules.cells,)),
            ("exact", "u1"),
        ]
    )


def lessons_of(rules: Rules, seed: int, games: range, budget: int) -> Lessons:
    """All positions of these games."""
    board, symmetries = board_of(rules), symmetries_of(rules)
    prior, kin = unweighted(rules)
    room = len(games) * rules.cells
    status = np.empty((room, rules.cells), dtype=np.uint8)
    afloat = np.empty((room, len(rules.fleet)), dtype=np.uint8)
    chances = np.empty((room, rules.cells), dtype=np.uint16)
    exact = np.empty(room, dtype=np.uint8)
    count = play_labelled_positions(
        board,
        symmetries,
        new_evidence(),
        new_enumeration_scratch(board, symmetries, weighted=False),
        prior,
        kin,
        new_knowledge(),
        deal_games(rules, seed, games),
        streams(np.uint64(seed), games.start, len(games), LABELLED_STREAM),
        np.array([ASTRAY[game % len(ASTRAY)] for game in games]),
        np.array([DENSITY_WEIGHT]),
        budget,
        status,
        afloat,
        chances,
        exact,
    )
    lessons = np.empty(count, dtype=lesson_type(rules))
    for name, column in (
        ("status", status),
        ("afloat", afloat),
        ("chances", chances),
        ("exact", exact),
    ):
        lessons[name] = column[:count]
    return lessons


def make_labelled_positions(setup: Setup, seed: int, games: int, budget: int) -> Lessons:
    """The positions of games 0 to `games` - 1, from the folder of the run if they are there."""
    folder = setup.folder / "lessons"
    folder.mkdir(exist_ok=True)
    parts = [range(start, min(start + PART, games)) for start in range(0, games, PART)]
    files = {part: folder / f"{part.start:07}.npy" for part in parts}
    missing = [part for part in parts if not files[part].exists()]
    _make(setup, seed, budget, missing, files, games)
    return np.concatenate([np.load(files[part], allow_pickle=False) for part in parts])


def _make(
    setup: Setup,
    seed: int,
    budget: int,
    missing: list[range],
    files: dict[range, Path],
    games: int,
) -> None:
    """Play the missing parts where the setup says, and put each into its file."""
    if not missing:
        return
    lessons_of(setup.rules, seed, range(1), budget)  # compiles here, where that is announced
    done = games - sum(map(len, missing))
    workers = Workers(setup.jobs) if setup.executor is None and setup.jobs > 1 else None
    executor = setup.executor or workers or LocalExecutor()
    underway: dict[Future[Lessons], range] = {}
    waiting = iter(missing)
    try:
        while True:
            while len(underway) < (2 * setup.jobs if setup.jobs > 1 else 1):
                part = next(waiting, None)
                if part is None:
                    break
                future = executor.submit(lessons_of, setup.rules, seed, part, budget)
                underway[future] = part
            if not underway:
                return
            for future in wait(underway, return_when=FIRST_COMPLETED).done:
                part = underway.pop(future)
                _save(files[part], future.result())
                done += len(part)
                setup.tell("lessons", done, games)
    finally:
        for future in underway:
            future.cancel()
        if workers is not None:
            workers.stop()


def _save(path: Path, lessons: Lessons) -> None:
    held = io.BytesIO()
    np.save(held, lessons, allow_pickle=False)
    write_whole(path, held.getvalue())
