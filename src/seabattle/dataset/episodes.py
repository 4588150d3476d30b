"""A game as observations, actions and rewards: those of the environment `Battleship-v0`.

Episodes are made by stepping the environment through a record, so a policy that is trained
on them can be run in it. The posterior is exact: the chance of a ship on each cell, 1 on hits
and 0 on misses.

>>> from seabattle import play
>>> episode = episode_of(play("even", "mini", seed=1), 0)
>>> episode.observations.shape[0] == len(episode.actions) + 1, float(episode.rewards[0])
(True, -1.0)
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..belief import infer
from ..dealing import UNIFORM, layout_of
from ..envs import BattleshipEnv
from ..errors import DatasetError
from ..experiment.layout_sets import LayoutSet, set_seed
from ..experiment.play import play_batch
from ..layout import Layout
from ..learn.training.provenance import commit
from ..observation import Observation
from ..players import describe, make_player
from ..record import GameRecord, played_game
from ..rules import Rules

AT_A_TIME = 500
"""games that are played before they are written"""


@dataclass(frozen=True)
class Provenance:
    """Where a data set comes from."""

    rules: str
    """in text form"""
    reward: str
    """one of `seabattle.envs.REWARDS`"""
    posterior: bool
    """whether every observation has its exact posterior"""
    source: str
    """who played, or the file the games were read from"""
    command: str
    date: str
    version: str
    """of seabattle"""
    commit: str
    sides: int = 1
    """2 if the games are duels: then every side has an episode"""

    @classmethod
    def now(
        cls,
        rules: Rules,
        reward: str,
        posterior: bool,
        source: str,
        command: str | None = None,
        sides: int = 1,
    ) -> Provenance:
        today = datetime.now(UTC).isoformat(timespec="seconds")
        line = shlex.join(sys.argv) if command is None else command
        about = (rules.to_text(), reward, posterior, source, line, today, __version__, commit())
        return cls(*about, sides)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Any) -> Provenance:
        """Read what `to_json` wrote; an error if it is not that."""
        try:
            found = cls(**value)
            Rules.from_text(found.rules)
        except (TypeError, ValueError, AttributeError):
            raise DatasetError("it has no provenance of seabattle") from None
        return found


@dataclass(frozen=True)
class DuelSide:
    """Which side of which two-sided game an episode is."""

    duel: int
    side: int
    """0 moved first"""
    opponent: str
    own_ships: str
    """the layout of the side that shoots, at which its opponent shot"""
    result: str
    """`won`, `lost`, `drawn`, `resigned` or `unfinished`"""
    moves: npt.NDArray[np.int64]
    """(T,) the numbers of its shots among those of both sides"""

    @property
    def facts(self) -> dict[str, Any]:
        """All but the moves, which are data."""
        return {
            "duel": self.duel,
            "side": self.side,
            "opponent": self.opponent,
            "own_ships": self.own_ships,
            "result": self.result,
        }

    @classmethod
    def of(cls, facts: Mapping[str, Any], moves: npt.ArrayLike) -> DuelSide:
        """From what a file says; other facts are ignored."""
        opponent, own_ships, result = (
            str(facts[name]) for name in ("opponent", "own_ships", "result")
        )
        numbers = np.asarray(moves, dtype=np.int64)
        return cls(int(facts["duel"]), int(facts["side"]), opponent, own_ships, result, numbers)


@dataclass(frozen=True)
class Episode:
    """One game, with T shots."""

    number: int
    record: GameRecord
    observations: npt.NDArray[np.int8]
    """(T + 1, planes, rows, columns) before each shot and after the last"""
    actions: npt.NDArray[np.int64]
    """(T,) the cells"""
    rewards: npt.NDArray[np.float64]
    """(T,)"""
    finished: bool
    """whether the last shot found the whole fleet; a recorded game may stop before"""
    posterior: npt.NDArray[np.float64] | None
    """(T + 1, rows, columns) the exact chance of a ship on each cell, if wanted"""
    duel: DuelSide | None = None
    """which side of a two-sided game it is, if it is one"""

    @property
    def terminations(self) -> npt.NDArray[np.bool_]:
        return self._last(self.finished)

    @property
    def truncations(self) -> npt.NDArray[np.bool_]:
        return self._last(not self.finished)

    def _last(self, value: bool) -> npt.NDArray[np.bool_]:
        flags = np.zeros(self.actions.size, dtype=np.bool_)
        flags[-1] = value
        return flags


def episode_of(
    record: GameRecord,
    number: int,
    reward: str = "shots",
    posterior: bool = False,
    duel: DuelSide | None = None,
) -> Episode:
    """The episode of a recorded game."""
    if not record.shots:
        raise DatasetError(f"Game {number} has no shots, so it is not an episode.")
    env = _environment(record.rules, reward)
    first, _ = env.reset(seed=0, options={"layout": record.layout})
    steps = [env.step(shot.cell) for shot in record.shots]
    beliefs = None
    if posterior:
        # In a salvo, the shooter knows the answers of whole salvos only.
        known = (
            Observation(record.rules, record.replay(count).shots)
            for count in range(len(record.shots) + 1)
        )
        beliefs = np.stack([infer(each).probability for each in known])
    return Episode(
        number,
        record,
        np.stack([first, *(step[0] for step in steps)]),
        np.array([shot.cell for shot in record.shots], dtype=np.int64),
        np.array([step[1] for step in steps]),
        steps[-1][2],
        beliefs,
        duel,
    )


def episodes_of(
    records: Iterable[GameRecord], rules: Rules, reward: str = "shots", posterior: bool = False
) -> Iterator[Episode]:
    """The episodes of recorded games, which must all be under these rules."""
    for number, record in enumerate(records):
        of_these_rules(record.rules, rules, number)
        yield episode_of(record, number, reward, posterior)


def of_these_rules(found: Rules, rules: Rules, number: int) -> None:
    """Raise an error unless a game is under the rules of its data set."""
    if found != rules:
        raise DatasetError(
            f"Game {number} is for the rules {found.to_text()!r}, not {rules.to_text()!r}; a data "
            "set has one set of rules."
        )


def played_records(
    player: str,
    rules: Rules,
    games: int,
    seed: int = 0,
    layout_set: LayoutSet | None = None,
    placer: str = UNIFORM,
) -> Iterator[GameRecord]:
    """The games of a player on the layouts of `compare` with the same seed."""
    name, shooter, drawn_from = describe(player), make_player(player), set_seed(layout_set, seed)
    for start in range(0, games, AT_A_TIME):
        numbers = range(start, min(start + AT_A_TIME, games))
        batch = play_batch(shooter, rules, drawn_from, numbers, placer)
        for row in range(len(numbers)):
            cells = batch.fired[row, : batch.shots[row]].tolist()
            game = played_game(layout_of(rules, batch.placements[row]), cells)
            yield GameRecord.of(game, name)


def differs(episode: Episode, other: Episode) -> str | None:
    """The first part in which two episodes differ, in words; None if they are the same."""
    if not np.array_equal(episode.observations, other.observations):
        return "observations"
    if not np.array_equal(episode.actions, other.actions):
        return "actions"
    if not np.allclose(episode.rewards, other.rewards, rtol=0, atol=1e-9):
        return "rewards"
    if episode.finished != other.finished:
        return "end"
    if episode.duel is not None and other.duel is not None:
        if episode.duel.facts != other.duel.facts:
            return "facts"
        if not np.array_equal(episode.duel.moves, other.duel.moves):
            return "turns"
    if episode.posterior is None or other.posterior is None:
        return None if episode.posterior is other.posterior else "posterior"
    same = episode.posterior.shape == other.posterior.shape and np.allclose(
        episode.posterior, other.posterior, rtol=0, atol=1e-9
    )
    return None if same else "posterior"


def record_of(rules: Rules, ships: str, cells: Iterable[int], player: str) -> GameRecord:
    """A record from its layout and the cells fired at."""
    return GameRecord.of(played_game(Layout.from_text(ships, rules), list(cells)), player)


@lru_cache(maxsize=4)
def _environment(rules: Rules, reward: str) -> BattleshipEnv:
    return BattleshipEnv(rules, reward=reward)
