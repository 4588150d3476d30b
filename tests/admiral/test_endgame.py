"""End-games: the list of layouts and the trees on it, against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from seabattle import Observation, Rules
from seabattle.admiral.choice_kernels import choose
from seabattle.admiral.endgame_kernels import (
    TOO_MANY,
    Endgame,
    keep_agreeing_listed,
    list_layouts,
    new_endgame,
    number_cells,
    renumber,
    upper_bound,
)
from seabattle.admiral.rollout_kernels import learn_shots
from seabattle.admiral.trees_kernels import (
    TreeBase,
    best_by_trees,
    misses_after,
    new_tree_base,
    set_root,
)
from seabattle.admiral.weighted_density_kernels import new_density
from seabattle.belief.enumeration_kernels import new_evidence
from seabattle.belief.evidence_kernels import narrow_candidates
from seabattle.compiled.knowledge import new_knowledge
from seabattle.compiled.rules_tables import board_of
from seabattle.learn.tuning import starting_weights
from seabattle.shots import Answer, Shot
from tests.belief.small_positions import layouts_left, positions
from tests.oracle import Layout, replay

WEIGHTS = starting_weights(Rules())
MOST = 4000
UNLIMITED = 2**40


def listed(observation: Observation, most: int = MOST, ties_at_nodes: bool = False):
    board, evidence = board_of(observation.rules), new_evidence()
    game = new_endgame(board, most, ties_at_nodes)
    found = list_layouts(board, *observation.arrays, evidence, np.inf, UNLIMITED, game)
    return board, evidence, game, found


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(positions())
def test_every_layout_is_listed_once(observation: Observation) -> None:
    left = layouts_left(observation)
    assume(len(left) <= MOST)
    board, _, memory, found = listed(observation)
    lists = [
        frozenset(frozenset(map(int, board.cover[p, : board.length[p]])) for p in layout)
        for layout in memory.placements[:found]
    ]
    if observation.rules.answers == "named":
        assert found == len(left)
    else:
        assert len(set(lists)) == found
    assert set(lists) == {frozenset(layout) for layout in left}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(positions(), st.data())
def test_layouts_kept_from_shot_to_shot_are_those_listed_anew(
    observation: Observation, data: st.DataObject
) -> None:
    rules, (cells, answers) = observation.rules, observation.arrays
    begin = data.draw(st.integers(0, len(cells)), label="shots before the list is made")
    before = Observation.from_arrays(rules, cells[:begin], answers[:begin])
    board, evidence, memory, kept = listed(before)
    assume(kept != TOO_MANY)
    bound = upper_bound(board, evidence, memory)
    for cell, answer in zip(cells[begin:].tolist(), answers[begin:].tolist(), strict=True):
        kept = keep_agreeing_listed(board, evidence, memory, kept, cell, answer)
    _, seen, anew, found = listed(observation)
    assert sorted(memory.bits[:kept].tolist()) == sorted(anew.bits[:found].tolist())
    assert (evidence.hit_bits == seen.hit_bits).all()
    assert (evidence.miss_bits == seen.miss_bits).all()
    assert found <= upper_bound(board, seen, anew) <= bound
    narrow_candidates(board, cells, answers, evidence, memory.candidates, memory.counts)
    assert memory.counts.tolist() == anew.counts.tolist()
    for ship, count in enumerate(anew.counts.tolist()):
        assert (memory.candidates[ship, :count] == anew.candidates[ship, :count]).all()


def cell_counts(rules: Rules, layouts: list[Layout], fired: set[int]) -> list[int]:
    """How many of these layouts have a ship on each cell not shot at."""
    counts = [0] * rules.cells
    for layout in layouts:
        for cell in frozenset().union(*layout) - fired:
            counts[cell] += 1
    return counts


def base_choice(rules: Rules, layout: Layout, fired: tuple[int, ...]) -> int:
    """The cell that the weighted density of `classic` shoots at after these shots."""
    shots = tuple(
        Shot(cell, Answer(told[0] != "miss", told[0] == "sunk", *told[1:]))
        for cell, told in zip(fired, replay(layout, fired, rules.answers), strict=True)
    )
    density, knowledge = new_density(), new_knowledge()
    board, values = board_of(rules), WEIGHTS.settings()
    learn_shots(board, knowledge, values, density, *Observation(rules, shots).arrays)
    return int(choose(board, knowledge, values, density))


def by_isolation(rules: Rules, counts: list[int]) -> list[int]:
    """All cells, those whose neighbours have least first."""
    around = [sum(counts[n] for n in rules.neighbours(cell)) for cell in range(rules.cells)]
    return sorted(range(rules.cells), key=lambda cell: (around[cell], cell))


def slow_misses(
    rules: Rules,
    layouts: list[Layout],
    fired: tuple[int, ...],
    cell: int,
    isolated: list[int] | None,
    few: float,
) -> int:
    """Misses that these layouts cost together, by definition: greedy play where no more than `few`
    layouts are left, the weighted density elsewhere. `isolated` has all cells, those that ties go
    to first; without it, ties go to the most isolated cell of each position."""
    groups: dict[tuple[object, ...], list[Layout]] = {}
    fired = (*fired, cell)
    for layout in layouts:
        told = list(replay(layout, fired, rules.answers))
        groups.setdefault(tuple(told), []).append(layout)
    misses = sum(all(cell not in run for run in layout) for layout in layouts)
    for group in groups.values():
        if all(run <= set(fired) for run in group[0]):
            continue
        counts = cell_counts(rules, group, set(fired))
        ties = by_isolation(rules, counts) if isolated is None else isolated
        best = max(ties, key=lambda c: (counts[c], -ties.index(c)))
        # Ships of one length can exchange their names, unless every hit names its ship.
        different = group if rules.answers == "named" else {frozenset(each) for each in group}
        if len(different) > few:
            best = base_choice(rules, group[0], fired)
        misses += slow_misses(rules, group, fired, best, isolated, few)
    return misses


def trees_on(observation: Observation, game: Endgame, few: float) -> TreeBase:
    board = board_of(observation.rules)
    if few == math.inf:
        return new_tree_base(board, None, game)
    trees = new_tree_base(board, WEIGHTS.settings(), game, int(few))
    knowledge, density = new_knowledge(), new_density()
    learn_shots(board, knowledge, trees.settings, density, *observation.arrays)
    set_root(board, trees, knowledge, density)
    return trees


@pytest.mark.parametrize(
    ("few", "ties_at_nodes"), [(math.inf, False), (math.inf, True), (1, False), (8, False)]
)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(positions(), st.data())
def test_a_tree_is_the_play_on_every_layout(
    few: float, ties_at_nodes: bool, observation: Observation, data: st.DataObject
) -> None:
    left, rules = layouts_left(observation), observation.rules
    assume(1 <= len(left) <= (600 if few == math.inf else 150))
    assume(not observation.finished)
    board, evidence, memory, found = listed(observation, ties_at_nodes=ties_at_nodes)
    fired = tuple(shot.cell for shot in observation.shots)
    counts = cell_counts(rules, left, set(fired))
    numbered = range(rules.cells) if ties_at_nodes else by_isolation(rules, counts)
    isolated = None if ties_at_nodes else by_isolation(rules, counts)

    live = number_cells(board, memory, found, evidence.hit_bits | evidence.miss_bits)
    assert memory.live[:live].tolist() == [cell for cell in numbered if counts[cell] > 0]
    renumber(board, memory, found, live)
    number, trees = data.draw(st.integers(0, live - 1)), trees_on(observation, memory, few)
    cell = int(memory.live[number])
    misses = misses_after(board, memory, trees, found, number, 2**60)
    assert misses * len(left) == slow_misses(rules, left, fired, cell, isolated, few) * found

    tried, totals = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    number, best = best_by_trees(board, memory, evidence, trees, found, 4, False, tried, totals)
    for each in range(number):
        one = slow_misses(rules, left, fired, int(tried[each]), isolated, few)
        assert totals[each] * len(left) == one * found
    assert best == totals[:number].argmin()
    first = max(by_isolation(rules, counts), key=lambda cell: counts[cell])
    assert tried[0] == first or not ties_at_nodes
    again, same = best_by_trees(board, memory, evidence, trees, found, 4, True, tried, totals)
    assert (again, same) == (number, best)
    if number == 4 and found > few:
        choice = base_choice(rules, left[0], fired)
        assert counts[choice] == 0 or choice in tried


@pytest.mark.parametrize("ties_at_nodes", [False, True])
def test_trees_on_more_than_64_cells(ties_at_nodes: bool) -> None:
    rules = Rules.from_text("10x10 fleet=2 contact=any answers=hit-miss")
    start = Observation(rules)
    board, evidence, memory, found = listed(start, ties_at_nodes=ties_at_nodes)
    left = layouts_left(start)
    isolated = by_isolation(rules, cell_counts(rules, left, set()))
    assert number_cells(board, memory, found, evidence.hit_bits | evidence.miss_bits) == 100
    renumber(board, memory, found, 100)
    few = math.inf if ties_at_nodes else 8
    trees = trees_on(start, memory, few)
    for number in (0, 63, 64, 99):
        cell = int(memory.live[number])
        slow = slow_misses(rules, left, (), cell, None if ties_at_nodes else isolated, few)
        assert misses_after(board, memory, trees, found, number, 2**60) == slow


def test_more_layouts_than_fit_are_not_listed() -> None:
    start = Observation(Rules.from_text("mini"), ())
    assert listed(start, 524)[3] == 524
    assert listed(start, 523)[3] == TOO_MANY


@pytest.mark.parametrize("steps", [0, 10])
def test_listing_stops_when_its_steps_are_used_up(steps: int) -> None:
    start = Observation(Rules.from_text("mini"), ())
    board = board_of(start.rules)
    game = new_endgame(board, MOST)
    assert list_layouts(board, *start.arrays, new_evidence(), np.inf, steps, game) == TOO_MANY
