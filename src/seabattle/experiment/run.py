"""`compare`: cut the games into batches, hand them out, put the results together.

Batches grow until one takes about half a second, so that progress is smooth for a
player that needs seconds a game and cheap for one that plays thousands a second.
No result depends on where the cuts fall: every game is numbered, and is a function
of (player, rules, seed, number) alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from importlib.metadata import entry_points

import numpy as np
import numpy.typing as npt

from ..errors import ExperimentError
from ..layout import layout_for
from ..match import checked_seed
from ..players import BatchPlayer, Player, describe, make_player, player_info
from ..players.registry import ENTRY_POINT_GROUP
from ..rules import Rules
from .comparison import Comparison, PlayerResult
from .workers import Here, Played, Workers, play_numbered, sendable, warm_up

BATCH_SECONDS = 0.5
"""how long a batch should take"""
BATCH_GROWTH = 100
"""how much larger than the last one a batch may be"""
LARGEST_BATCH = 10_000
"""keeps the memory of a batch small beside that of a player"""

Progress = Callable[[str, int, int], None]
"""is told a player's name, how many of its games are played, and how many there will be"""


class ComparisonStopped(KeyboardInterrupt):
    """Ctrl-C in the middle of a comparison; the message says how far it got."""


def compare(
    players: Iterable[str | Player],
    rules: Rules | str = "classic",
    games: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
) -> Comparison:
    """Let every player find the same fleets, and compare the shots they need.

    `jobs` processes play at the same time; with 1 it is this one. An `executor` of
    your own (a cluster's, say) takes their place; `jobs` is then the number of
    batches that it is given at a time.
    """
    chosen = _contestants(players)
    rules = Rules.from_text(rules) if isinstance(rules, str) else rules
    games = _at_least_one("games", games)
    jobs = _at_least_one("jobs", jobs)
    seed = checked_seed(_whole("seed", seed))
    layout_for(rules, seed, 0)  # a fleet that does not fit is found before any worker starts
    scores = [_Score(name, player, games) for name, player in chosen]
    if executor is not None:
        _play(scores, rules, seed, jobs, progress, executor, away=True)
    elif jobs == 1:
        _play(scores, rules, seed, jobs, progress, Here(), away=False)
    else:
        workers = Workers(jobs)
        try:
            _play(scores, rules, seed, jobs, progress, workers, away=True)
        finally:
            workers.stop()
    return Comparison(rules, games, seed, tuple(score.result() for score in scores))


@dataclass
class _Score:
    """What is known of one player's games so far."""

    name: str
    player: str | Player
    """a name for the registry, or the player itself"""
    games: int
    handed_out: int = 0
    played: int = 0
    batch: int = 1
    """how many games to hand out next"""
    seconds: float = 0.0
    peak_memory_mb: float | None = None
    shots: npt.NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.shots = np.zeros(self.games, dtype=np.int32)

    def hand_out(self, jobs: int) -> range:
        """The next games to play; towards the end in parts that keep all jobs busy."""
        left = self.games - self.handed_out
        start, self.handed_out = (
            self.handed_out,
            self.handed_out + min(self.batch, -(-left // jobs)),
        )
        return range(start, self.handed_out)

    def add(self, batch: Played) -> None:
        """Keep the results of a batch and learn from its time."""
        size = len(batch.games)
        self.shots[batch.games.start : batch.games.stop] = batch.shots
        self.played += size
        self.seconds += batch.seconds
        if batch.peak_memory_mb is not None:
            self.peak_memory_mb = max(self.peak_memory_mb or 0.0, batch.peak_memory_mb)
        fitting = int(BATCH_SECONDS * size / max(batch.elapsed, 1e-9))
        self.batch = max(1, min(fitting, BATCH_GROWTH * size, LARGEST_BATCH))

    def result(self) -> PlayerResult:
        return PlayerResult(
            self.name,
            tuple(self.shots.tolist()),
            self.seconds / self.games,
            self.peak_memory_mb,
        )


def _play(
    scores: list[_Score],
    rules: Rules,
    seed: int,
    jobs: int,
    progress: Progress | None,
    executor: Executor,
    *,
    away: bool,
) -> None:
    """Play all games of all players, one player after the other."""
    sent: dict[str, Player | str | bytes] = {}
    waiting = list(scores)
    underway: dict[Future[Played], _Score] = {}
    # A second batch for each worker waits at its door, so that none ever idles.
    most_underway = 2 * jobs if away else 1
    try:
        while waiting or underway:
            while waiting and len(underway) < most_underway:
                score = waiting[0]
                if score.name not in sent:
                    if progress:
                        progress(score.name, 0, score.games)
                    sent[score.name] = _prepare(score, rules, away)
                batch = score.hand_out(jobs)
                future = executor.submit(
                    play_numbered, sent[score.name], score.name, rules, seed, batch
                )
                underway[future] = score
                if score.handed_out == score.games:
                    waiting.pop(0)
            finished, _ = wait(underway, return_when=FIRST_COMPLETED)
            for future in finished:
                score = underway.pop(future)
                score.add(future.result())
                if progress:
                    progress(score.name, score.played, score.games)
    except KeyboardInterrupt:
        raise ComparisonStopped(_how_far(scores)) from None
    except BrokenProcessPool:
        raise ExperimentError(
            f"A worker process ended unexpectedly while playing {score.name}, perhaps for lack of "
            "memory; play with fewer jobs. (A script that compares with jobs above 1 keeps its "
            "call under if __name__ == '__main__'.)"
        ) from None
    finally:
        for future in underway:
            future.cancel()


def _prepare(score: _Score, rules: Rules, away: bool) -> Player | str | bytes:
    """The player in the form in which its batches are submitted.

    Compiled players are compiled in this process, where it is announced; the workers
    then find the kernels in the cache.
    """
    player = make_player(score.player) if isinstance(score.player, str) else score.player
    if not away or isinstance(player, BatchPlayer):
        warm_up(player, score.name, rules)
    if not away:
        return player
    if isinstance(score.player, str) and _known_everywhere(score.player):
        return score.player
    return sendable(player, score.name)


def _known_everywhere(name: str) -> bool:
    """Whether any process that imports seabattle finds this player by its name; what a
    script or a session registered is known to that alone."""
    made_in = player_info(name.partition(":")[0]).make.__module__
    installed = {point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    return made_in.partition(".")[0] == "seabattle" or made_in in installed


def _how_far(scores: list[_Score]) -> str:
    """`Stopped after 3,200 of 10,000 games of even (done: random).`"""
    done = [score.name for score in scores if score.played == score.games]
    at = next((score for score in scores if score.played < score.games), scores[-1])
    more = f" (done: {', '.join(done)})" if done else ""
    return f"Stopped after {at.played:,} of {at.games:,} games of {at.name}{more}."


def _contestants(players: Iterable[str | Player]) -> list[tuple[str, str | Player]]:
    """Each player with its name, which is unique."""
    given = [players] if isinstance(players, (str, Player)) else list(players)
    if not given:
        raise ExperimentError("A comparison needs at least one player.")
    chosen: dict[str, str | Player] = {}
    for player in given:
        if not isinstance(player, (str, Player)):
            raise ExperimentError(
                f"A player is a name or an object with choose(observation, rng), not {player!r}."
            )
        name = describe(player) if isinstance(player, str) else type(player).__name__
        if name in chosen:
            raise ExperimentError(
                f"The player {name} is named twice; its games would be the same, so name it once."
            )
        chosen[name] = name if isinstance(player, str) else player
    return list(chosen.items())


def _at_least_one(what: str, value: int) -> int:
    if (number := _whole(what, value)) < 1:
        raise ExperimentError(f"The number of {what} is 1 or more, not {number}.")
    return number


def _whole(what: str, value: int) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ExperimentError(f"A whole number is needed for {what}, not {value!r}.") from None
