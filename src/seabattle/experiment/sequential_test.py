"""`sequential_test`: let two players play until a sequential test is decided.

Both players shoot at the layouts of one seed, in order. In a two-sided game no player sees
the other side's shots, so who wins follows from the shots that each needs (see
`tournament`). Pair k of an `EloTest` has the layouts 2k and 2k + 1: in its first game A
moves first and shoots at layout 2k while B shoots at layout 2k + 1; in its second game B
has A's seat and A has B's.

The test looks at the pairs in the order of their numbers, whoever played them first, so the
verdict depends on neither the number of processes nor an interruption. The games are played
in portions; up to a tenth more than the verdict needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dealing import UNIFORM, describe_placer
from ..errors import ExperimentError
from ..players import Player
from ..rules import Rules
from .batches import ExperimentStopped, Progress, at_least_one, play_series, whole
from .comparison import unique_players
from .layout_sets import LayoutSet, set_seed
from .results_log import InMemoryLog, ResultsLog, Series, SeriesResult
from .sequential import Accepted, EloTest, ErrorRates, ShotsTest, Test, decide
from .test_set_log import SealedLog, logged
from .tournament import first_wins
from .workers import executor_for

MOST_GAMES = 1_000_000
"""the default limit: a test is in effect open-ended"""
FIRST_PORTION = 16
"""pairs"""
GROWTH = 0.1
"""how many more pairs are played, as a share of those played, before the next look"""


@dataclass(frozen=True)
class SequentialVerdict:
    """The result of a sequential test of player `a` against player `b`."""

    rules: Rules
    seed: int
    a: str
    b: str
    test: Test
    results: tuple[int, ...]
    """of each pair that counts: an index of `SCORES`, or a difference in shots"""
    llr: float
    accepted: Accepted | None
    """None if the limit was reached first"""
    most: int
    """the limit, in games"""
    layout_set: LayoutSet | None = None
    placer: str = UNIFORM

    @property
    def pairs(self) -> int:
        return len(self.results)

    @property
    def games(self) -> int:
        """Games that count: two-sided ones, or layouts that both players shot at."""
        return self.pairs * self.test.games_per_pair

    @property
    def pentanomial(self) -> list[int] | None:
        """How many pairs had each of the five scores, for a test of Elo."""
        if self.test.kind != "elo":
            return None
        return [self.results.count(score) for score in range(5)]

    def to_json(self) -> dict[str, Any]:
        results = np.array(self.results)
        estimate, interval = self.test.estimate(results)
        pentanomial = self.pentanomial
        return {
            "rules": self.rules.to_json(),
            "seed": self.seed,
            **({"set": self.layout_set} if self.layout_set else {}),
            **({"placer": self.placer} if self.placer != UNIFORM else {}),
            "a": self.a,
            "b": self.b,
            "test": self.test.to_json(),
            "accepted": self.accepted,
            "pairs": self.pairs,
            "games": self.games,
            "most_games": self.most,
            "llr": self.llr,
            "bounds": list(self.test.errors.bounds),
            "estimate": estimate,
            "ci95": interval,
            "fixed_size_pairs": self.test.fixed_size(results),
            **({} if pentanomial is None else {"pentanomial": pentanomial}),
        }

    @classmethod
    def of(
        cls, settings: dict[str, Any], results: Sequence[tuple[Series, SeriesResult]]
    ) -> SequentialVerdict:
        """A verdict from a store: its settings (see `settings_of`) and results."""
        (first, of_a), (second, of_b) = results
        return cls.after(
            of_a.contested_shots(first.rules),
            of_b.contested_shots(first.rules),
            rules=first.rules,
            seed=settings["seed"],
            a=first.name,
            b=second.name,
            test=read_test(settings["test"]),
            most=settings["games"],
            layout_set=settings.get("set"),
        )

    @classmethod
    def after(
        cls, of_a: npt.NDArray[np.int32], of_b: npt.NDArray[np.int32], **about: Any
    ) -> SequentialVerdict:
        """The verdict after some games, given the shots of both players in each
        (`SeriesResult.contested_shots`)."""
        test, rules = about["test"], about["rules"]
        if isinstance(test, EloTest):
            results = pair_scores(of_a, of_b, rules)
            ratios = test.ratios(results)
        else:
            of_a, of_b = (np.minimum(each, rules.cells) for each in (of_a, of_b))
            results = of_b.astype(np.int64) - of_a
            ratios = test.ratios(results, rules.cells - rules.ship_cells)
        stop, accepted = decide(ratios, test.errors)
        counted = tuple(results[:stop].tolist())
        llr = float(ratios[len(counted) - 1])
        return cls(results=counted, llr=llr, accepted=accepted, **about)


def sequential_test(
    a: str | Player,
    b: str | Player,
    rules: Rules | str = "classic",
    test: Test | None = None,
    games: int = MOST_GAMES,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    executor: Executor | None = None,
    log: ResultsLog | None = None,
    layout_set: LayoutSet | None = None,
    sealed_log: SealedLog | None = None,
    placer: str = UNIFORM,
) -> SequentialVerdict:
    """Let `a` and `b` play until the test is decided, but at most `games` games.

    The other arguments are those of `compare`.

    >>> verdict = sequential_test("even", "random", "mini", ShotsTest(2.0), seed=1)
    >>> verdict.accepted, verdict.pairs < 100
    ('H1', True)
    """
    test = EloTest() if test is None else test
    rules = Rules.of(rules)
    players, placer = unique_players([a, b]), describe_placer(placer)
    games, seed = at_least_one("games", games), whole("seed", seed)
    if games % test.games_per_pair:
        raise ExperimentError(
            f"Games are played in pairs, so their number must be even, not {games}."
        )
    drawn_from = set_seed(layout_set, seed)
    log = InMemoryLog() if log is None else log
    jobs = at_least_one("jobs", jobs)
    names = [name for name, _ in players]
    about: dict[str, Any] = {
        "rules": rules,
        "seed": seed,
        "a": names[0],
        "b": names[1],
        "test": test,
        "most": games,
        "layout_set": layout_set,
        "placer": placer,
    }
    told = _so_far(names, games, progress)
    with logged(layout_set, sealed_log, rules) as keep, executor_for(jobs, executor) as where:
        try:
            for pairs in _portions(games // test.games_per_pair, jobs):
                length = pairs * test.games_per_pair
                series = [
                    Series(name, rules, drawn_from, length, placer, each) for name, each in players
                ]
                play_series(series, log, jobs, told, executor=where)
                of_a, of_b = (log.result(each).contested_shots(rules) for each in series)
                verdict = SequentialVerdict.after(of_a, of_b, **about)
                if verdict.accepted is not None:
                    break
        except ExperimentStopped as stopped:
            raise ExperimentStopped(f"{stopped} The test was not decided.") from None
        kept = verdict.to_json()
        keep({name: value for name, value in kept.items() if name not in ("rules", "seed")})
    return verdict


def settings_of(
    names: Sequence[str],
    rules: Rules,
    test: Test,
    games: int,
    seed: int,
    layout_set: LayoutSet | None,
    placer: str = UNIFORM,
) -> dict[str, Any]:
    """The settings of a test, as a store keeps them."""
    return {
        "players": list(names),
        "rules": rules.to_text(),
        "test": test.to_json(),
        "games": games,
        "seed": seed,
        **({} if layout_set is None else {"set": layout_set}),
        **({} if placer == UNIFORM else {"placer": placer}),
    }


def read_test(value: dict[str, Any]) -> Test:
    """Read what `to_json` of a test wrote."""
    errors = ErrorRates(value["alpha"], value["beta"])
    if value["kind"] == "elo":
        return EloTest(value["elo0"], value["elo1"], errors)
    return ShotsTest(value["better_by"], errors)


def pair_scores(
    of_a: npt.NDArray[np.int32], of_b: npt.NDArray[np.int32], rules: Rules
) -> npt.NDArray[np.int64]:
    """(pairs,) what `a` scored in each pair, as an index of `SCORES`."""
    moving_first = first_wins(of_a[0::2], of_b[1::2], rules)
    moving_second = -first_wins(of_b[0::2], of_a[1::2], rules)
    return moving_first + moving_second + 2


def _portions(most: int, jobs: int) -> Iterator[int]:
    """After how many pairs to look."""
    pairs = 0
    while pairs < most:
        pairs = min(most, pairs + max(FIRST_PORTION, jobs, math.ceil(pairs * GROWTH)))
        yield pairs


def _so_far(names: Sequence[str], games: int, progress: Progress | None) -> Progress | None:
    """Report the progress of both players as one, against the limit."""
    if progress is None:
        return None
    done: dict[str, int] = {}

    def tell(label: str, played: int, portion: int) -> None:
        done[label] = played
        progress(" against ".join(names), min(done.get(name, 0) for name in names), games)

    return tell
