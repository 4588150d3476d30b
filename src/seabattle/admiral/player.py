"""`admiral`: a tuned base, trees of the end-game, and rollouts.

Each move is decided by the first stage that applies:

0. *Solution.* Boards that are solved in about a second are played optimally (`players.optimal`).
1. *End-game.* If at most `layouts` layouts are left, all of them are listed, and the most
   likely cells are compared by the shots that the play after each needs: the base's in large
   trees, greedy play where few layouts are left (`trees_kernels`).
2. *Rollouts* (with `effort=deep` or `seconds`), while no hit is open. The cells that the base
   likes best are compared on sampled layouts, which the base plays to the end. The base's own
   choice is left only if another cell is better by more than the standard error.
3. *Base.* A density with tuned weights where some fit the rules (`weights`); elsewhere the
   most likely cell by exact counting, ties towards isolated cells.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..belief import infer
from ..belief.enumeration_kernels import new_evidence
from ..belief.sampling import draw_layouts
from ..compiled.board_tables import Cells, Floats, Ints
from ..compiled.knowledge import UNKNOWN, Knowledge, new_knowledge
from ..compiled.random_streams import Rng, draw
from ..compiled.rules_tables import board_of
from ..errors import PlayerError
from ..observation import Observation
from ..players.base import SearchReport
from ..players.batch_play import (
    Placements,
    PlayedGames,
    Seeds,
    new_played_games,
    play_move_by_move,
)
from ..players.exact import Exact
from ..players.optimal import Optimal, is_solved_at_once
from ..players.registry import register
from ..rules import Rules
from .choice_kernels import choose
from .endgame_kernels import TOO_MANY, add_greedy_misses, list_layouts, new_endgame
from .rollout_kernels import learn_shots, new_rollout_memory, roll_out
from .tree_games_kernels import (
    STEPS_WITHOUT_BOUND,
    in_opening,
    listing_limits,
    may_be_listed,
    play_on,
)
from .trees_kernels import best_by_trees, new_tree_base, set_root
from .weighted_density_kernels import WeightedDensity, new_density, score_of
from .weights import Base, fitting_weights, is_counted, read_weights


class Budget(NamedTuple):
    """How much work a move may take."""

    layouts: int
    """layouts in an end-game at most; 0: no trees"""
    counted: int
    """the same where exact counting is the base, whose trees are quicker"""
    width: int
    """cells compared"""
    rollouts: int
    """sampled layouts; 0: no rollouts"""
    greedy: int | None = None
    """layouts up to which trees go on with greedy play; None: `FEW`, or all if `layouts` is at most
    `SHORT`"""

    def most_layouts(self, base: Base | None) -> int:
        """Layouts in an end-game at most, with this base."""
        return self.counted if base is None else self.layouts


NO_TREES = Budget(0, 0, 0, 0)

EFFORTS = {
    "quick": Budget(256, 256, 5, 0),
    "normal": Budget(16_000, 64_000, 8, 0),
    "deep": Budget(100_000, 250_000, 10, 3584),
}

ROLLOUTS_PER_SECOND, LAYOUTS_PER_SECOND, COUNTED_PER_SECOND = 4000, 100_000, 250_000
"""Layouts, sampled or listed, that about a second is enough for. They turn seconds into amounts of
work, so that a choice does not depend on the machine or its load."""

MOST_ROLLOUTS = 2**18

MOST_LISTED = 400_000
"""Layouts in trees at most, however many seconds there are: they take memory."""

MOST_LAYOUTS = 1_000_000

FIRST_ROLLOUT = 8
"""Shots before rollouts begin; in the opening the differences are too small to be found."""

CERTAIN = 1.0
"""Standard errors by which a cell must be better than the base's choice."""

MOST_TRIED = 8
"""Cells compared by rollouts."""

ROUNDS = 3
"""Rounds of rollouts; after each, the worse half of the cells is dropped."""

UNIT = "shots saved, compared with the first choice"


@register("admiral", source="seabattle", summary="tuned base, end-game trees and rollouts")
@dataclass(frozen=True)
class Admiral:
    effort: Annotated[Literal["quick", "normal", "deep"], "how much work each move may take"] = (
        "quick"
    )
    seconds: Annotated[float, "time per move, roughly; if 0, effort decides"] = 0.0
    layouts: Annotated[
        int | None, "layouts in end-game trees at most, 0 for no trees; by default effort decides"
    ] = None
    greedy: Annotated[
        int | None,
        "layouts up to which trees go on with greedy play instead of the base; by default 64, or "
        "all in trees of up to 256 layouts",
    ] = None
    weights: Annotated[Path | None, "a file of tuned weights, instead of the shipped ones"] = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.seconds < float("inf"):
            raise PlayerError(
                "seconds of 'admiral' must be a positive time per move, or 0 to use effort; not "
                f"{self.seconds}."
            )
        for name, layouts in (("layouts", self.layouts), ("greedy", self.greedy)):
            if layouts is not None and not 0 <= layouts <= MOST_LAYOUTS:
                raise PlayerError(
                    f"{name} of 'admiral' must be from 0 to {MOST_LAYOUTS:,}, not {layouts}."
                )
        if self.weights is not None:
            read_weights(self.weights)

    def _base(self, rules: Rules) -> Base | None:
        """The weighted density and its opening; None if exact counting is the base."""
        return _base_of(self.weights, rules)

    @property
    def budget(self) -> Budget:
        if self.seconds == 0:
            budget = EFFORTS[self.effort]
        else:
            rollouts = int(min(MOST_ROLLOUTS, self.seconds * ROLLOUTS_PER_SECOND))
            layouts, counted = (
                int(max(256, min(self.seconds * per_second, MOST_LISTED)))
                for per_second in (LAYOUTS_PER_SECOND, COUNTED_PER_SECOND)
            )
            budget = Budget(layouts, counted, 8, rollouts if rollouts > 500 else 0)
        if self.layouts is not None:
            budget = budget._replace(layouts=self.layouts, counted=self.layouts)
        if self.greedy is not None:
            budget = budget._replace(greedy=self.greedy)
        return budget if budget.layouts > 0 else budget._replace(width=0)

    def choose(self, observation: Observation, rng: np.random.Generator) -> int:
        state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
        return self.choose_with(observation, state)

    def choose_with(self, observation: Observation, rng: Rng) -> int:
        """The next cell, with randomness from a compiled generator."""
        arrays, pending = observation.arrays, observation.pending
        return self._decide(observation.rules, *arrays, rng, pending=pending).suggestion

    def report(self, observation: Observation, rng: np.random.Generator) -> SearchReport:
        state = rng.integers(0, 2**64, size=1, dtype=np.uint64)
        began = time.perf_counter()
        arrays, pending = observation.arrays, observation.pending
        report = self._decide(observation.rules, *arrays, state, compare_all=True, pending=pending)
        return replace(report, seconds=time.perf_counter() - began)

    def play_games(self, rules: Rules, placements: Placements, seeds: Seeds) -> PlayedGames:
        base, budget = self._base(rules), self.budget
        if base is not None and budget.rollouts == 0:
            return play_weighted_density(rules, base, budget, placements)
        if base is None and budget.width == 0:
            return _counting(rules).play_games(rules, placements, seeds)

        def choose(cells: Cells, answers: Ints, rng: Rng) -> int:
            if base is None or budget.rollouts == 0:  # no randomness
                return _remembered_cell(self, rules, cells.tobytes(), answers.tobytes())
            return self._decide(rules, cells, answers, rng).suggestion

        return play_move_by_move(rules, placements, seeds, choose)

    def play_from(
        self, observation: Observation, cell: int, placements: Placements
    ) -> npt.NDArray[np.int32] | None:
        """The shots that each of these layouts takes from this position on, the next of them at
        `cell`; None if games from a position on are not compiled."""
        base, budget = self._base(observation.rules), self.budget
        if base is None or budget.rollouts > 0:
            return None
        rules, fired = observation.rules, len(observation.shots)
        if budget.width == 0 and fired >= len(base.opening):
            board, root, density = board_of(rules), new_knowledge(), new_density()
            learn_shots(board, root, base.settings, density, *observation.arrays)
            shots = np.empty(len(placements), dtype=np.int32)
            memory = new_rollout_memory(board, len(placements))
            roll_out(board, root, base.settings, density, memory, placements, cell, shots)
            return shots
        shots, _ = play_weighted_density(rules, base, budget, placements, observation.arrays, cell)
        return shots - fired

    def expected_shots(
        self, observation: Observation, cells: Sequence[int]
    ) -> npt.NDArray[np.float64] | None:
        """The shots that this player needs from a position on, the next of them at each of these
        cells: the mean over all layouts that agree. None if more than exact counting decides its
        moves, if turns are salvos, or if no layout agrees or too many to list."""
        rules = observation.rules
        if not set(cells) <= set(observation.unknown):
            raise PlayerError("Shots are expected from cells that have not been shot at.")
        counts = self._base(rules) is None and self.budget.width == 0 and is_counted(rules)
        if not counts or rules.salvo != 1:
            return None
        board, evidence = board_of(rules), new_evidence()
        game = new_endgame(board, MOST_LAYOUTS, ties_at_nodes=True)
        steps = STEPS_WITHOUT_BOUND * MOST_LAYOUTS
        layouts = list_layouts(board, *observation.arrays, evidence, np.inf, steps, game)
        misses = np.zeros(len(cells), dtype=np.int64)
        tried = np.array(cells, dtype=np.int64)
        if layouts <= 0 or not add_greedy_misses(board, game, evidence, layouts, tried, misses):
            return None
        hits = np.count_nonzero(observation.arrays[1])
        return rules.ship_cells - hits + misses / layouts

    def _decide(
        self,
        rules: Rules,
        cells: Cells,
        answers: Ints,
        rng: Rng,
        compare_all: bool = False,
        pending: tuple[int, ...] = (),
    ) -> SearchReport:
        """Trees decide only the first shot of a salvo; pending cells are never chosen again."""
        budget, base = self.budget, self._base(rules)
        board = board_of(rules)
        # Exact counting takes longer than an attempt to list, the tuned density does not.
        hits = int(np.count_nonzero(answers))
        if base is None and budget.layouts > 0 and is_solved_at_once(rules):
            return _solved_report(Observation.from_arrays(rules, cells, answers))
        listed = base is None or may_be_listed(board, len(cells), hits)
        if budget.layouts > 0 and listed and not pending:
            report = _by_trees(rules, cells, answers, budget, base, compare_all)
            if report is not None:
                return report
        if base is None:
            cell = _counting(rules).next_cell(rules, cells, answers, rng, pending)
            return _base_report(rules, cell, None)
        root, density = new_knowledge(), new_density()
        settings = base.settings
        learn_shots(board, root, settings, density, cells, answers)
        choice = choose(board, root, settings, density)
        scores = np.full(rules.cells, -np.inf)
        unknown = root.status[: rules.cells] == UNKNOWN
        unknown[list(pending)] = False
        covered = unknown & (density.totals[: rules.cells] > 0)
        for each in np.flatnonzero(covered if covered.any() else unknown):
            scores[each] = score_of(board, root, density, int(each))
        if pending:
            choice = int(np.argmax(scores))
        elif in_opening(base.opening, cells, answers):
            note = "The base decided: the next shot of its opening."
            return _base_report(rules, int(base.opening[len(cells)]), scores, note)
        # Next to an open hit the base is as good as rollouts can tell.
        hunting = root.open_hits == 0 and len(cells) >= FIRST_ROLLOUT
        if budget.rollouts > 0 and hunting and is_counted(rules):
            best = np.argsort(-scores, kind="stable")
            others = best[np.isfinite(scores[best]) & (best != choice)]
            tried = np.concatenate([[choice], others])[:MOST_TRIED]
            observation = Observation.from_arrays(rules, cells, answers)
            report = _by_rollouts(
                observation, (root, density), settings, tried, budget.rollouts, rng
            )
            if report is not None:
                return report
        cheaper = root.open_hits == 0 and scores[choice] < scores.max()
        note = "The base decided: the lowest cost of the cells with the highest scores."
        return _base_report(rules, int(choice), scores, note if cheaper else "")


NO_SHOTS = np.empty(0, dtype=np.int16), np.empty(0, dtype=np.int64)


def play_weighted_density(
    rules: Rules,
    base: Base,
    budget: Budget,
    placements: Placements,
    position: tuple[Cells, Ints] = NO_SHOTS,
    first: int = -1,
) -> PlayedGames:
    """Games of the weighted density with end-game trees, from a position on; the first shot of
    each is at `first`, unless that is -1."""
    board = board_of(rules)
    shots, fired = new_played_games(rules, len(placements))
    game = new_endgame(board, budget.layouts)
    play_on(
        board, new_knowledge(), base.settings, base.opening, new_density(), new_evidence(), game,
        new_tree_base(board, base.settings, game, budget.greedy), budget.width, *position, first,
        placements, shots, fired,
    )  # fmt: skip
    return shots, fired


@lru_cache(maxsize=2**15)
def _remembered_cell(player: Admiral, rules: Rules, cells: bytes, answers: bytes) -> int:
    """The choice in a position, for players without randomness: most openings recur from game to
    game, and their trees are the largest."""
    known = np.frombuffer(cells, dtype=np.int16).copy(), np.frombuffer(answers, np.int64).copy()
    return player._decide(rules, *known, np.zeros(1, dtype=np.uint64)).suggestion


@lru_cache(maxsize=64)
def _base_of(path: Path | None, rules: Rules) -> Base | None:
    """The base from a file, or from the weights that fit the rules."""
    weights = fitting_weights(rules) if path is None else read_weights(path)
    return None if weights is None else weights.base(rules)


COUNTED, SAMPLED = Exact(ties="isolated"), Exact(seconds=0.1, ties="isolated")
"""The base where no weights fit; on boards that cannot be counted it soon turns to samples."""


def _counting(rules: Rules) -> Exact:
    """The base by exact counting."""
    return COUNTED if is_counted(rules) else SAMPLED


OPTIMAL = Optimal()
"""Plays boards that are solved at once."""


def _solved_report(observation: Observation) -> SearchReport:
    """The choice of optimal play."""
    infer(observation)  # says why, if no layout agrees
    cell = OPTIMAL.choose(observation, np.random.default_rng(0))
    values = np.full(observation.rules.cells, np.nan)
    values[cell] = 0.0
    note = "The solution decided: no play needs fewer shots on average."
    return SearchReport(cell, np.isfinite(values) * 1.0, values, UNIT, 1, 0.0, note)


def _base_report(rules: Rules, cell: int, scores: Floats | None, note: str = "") -> SearchReport:
    """What the base says: the scores of its cells as fractions of the highest."""
    values = np.full(rules.cells, np.nan)
    if scores is None:
        values[cell] = 1.0
        note = "The base decided: the most likely cell by exact counting."
    else:
        known = np.isfinite(scores)
        values[known] = scores[known] / max(1.0, scores[known].max())
        note = note or "The base decided: the highest score of the tuned density."
    visits = np.isfinite(values).astype(np.float64)
    return SearchReport(cell, visits, values, "fraction of the highest score", 1, 0.0, note)


def _by_trees(
    rules: Rules, cells: Cells, answers: Ints, budget: Budget, base: Base | None, compare_all: bool
) -> SearchReport | None:
    """Compare cells on all layouts that are left; None if there are too many."""
    board, evidence = board_of(rules), new_evidence()
    most = budget.most_layouts(base)
    game = new_endgame(board, most, ties_at_nodes=base is None)
    settings = None if base is None else base.settings
    if settings is not None:
        bound, steps = listing_limits(board, most)
    else:
        bound, steps = np.inf, STEPS_WITHOUT_BOUND * most
    layouts = list_layouts(board, cells, answers, evidence, bound, steps, game)
    if layouts == TOO_MANY:
        return None
    if layouts == 0:
        infer(Observation.from_arrays(rules, cells, answers))  # says why no layout agrees
    trees = new_tree_base(board, settings, game, budget.greedy)
    if settings is not None:
        root, density = new_knowledge(), new_density()
        learn_shots(board, root, settings, density, cells, answers)
        set_root(board, trees, root, density)
    tried, misses = np.zeros(budget.width, dtype=np.int64), np.zeros(budget.width, dtype=np.int64)
    number, best = best_by_trees(
        board, game, evidence, trees, layouts, budget.width, not compare_all, tried, misses
    )
    if number == TOO_MANY:
        return None
    values, visits = np.full(rules.cells, np.nan), np.zeros(rules.cells)
    values[tried[:number]] = (misses[0] - misses[:number]) / layouts
    visits[tried[:number]] = layouts
    listed = f"all {layouts:,} layouts that are" if layouts > 1 else "the only layout that is"
    note = f"Trees decided, on {listed} left."
    return SearchReport(int(tried[best]), visits, values, UNIT, number * layouts, 0.0, note)


def _by_rollouts(
    observation: Observation,
    position: tuple[Knowledge, WeightedDensity],
    settings: Floats,
    tried: Ints,
    count: int,
    rng: Rng,
) -> SearchReport | None:
    """Compare cells on sampled layouts; `tried` begins with the choice of the base. None if
    layouts cannot be sampled independently."""
    rules, board = observation.rules, board_of(observation.rules)
    samples = draw_layouts(observation, count, np.random.default_rng(int(draw(rng))))
    if not samples.independent:
        return None
    shots = np.zeros((len(tried), count), dtype=np.int32)
    root, density = position
    memory = new_rollout_memory(board, count)
    played = np.zeros(len(tried), dtype=np.int64)
    left = list(range(len(tried)))
    # The cells are halved from round to round and the layouts doubled: equal work.
    ends = [count * (2**r - 1) // (2**ROUNDS - 1) for r in range(1, ROUNDS + 1)]
    begin = 0
    for end in ends:
        for each in left:
            layouts, result = samples.placements[begin:end], shots[each, begin:end]
            roll_out(board, root, settings, density, memory, layouts, tried[each], result)
            played[each] = end
        by_shots = sorted(left[1:], key=lambda each: shots[each, :end].mean())
        left = [0, *by_shots[: max(1, len(left) // 2 - 1)]]
        begin = end
    saved = shots[0].astype(np.float64) - shots
    values, errors, visits = np.full((3, rules.cells), np.nan)
    visits[:] = 0
    for each, cell in enumerate(tried):
        differences = saved[each, : played[each]]
        visits[cell], values[cell] = len(differences), differences.mean()
        errors[cell] = differences.std() / np.sqrt(len(differences))
    challenger = int(tried[left[-1]]) if len(left) > 1 else int(tried[0])
    better = values[challenger] > CERTAIN * errors[challenger] > 0
    note = (
        f"Rollouts decided, on {count:,} sampled layouts."
        if better
        else f"The base decided; no cell was clearly better on {count:,} sampled layouts."
    )
    return SearchReport(
        suggestion=challenger if better else int(tried[0]),
        visits=visits,
        values=values,
        unit=UNIT,
        simulations=int(visits.sum()),
        seconds=0.0,
        note=note,
        errors=errors,
    )
