"""Reviews against brute force: every chance, cost, luck and the accuracy of a whole game."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle.experiment.play import play, play_duel
from seabattle.layout import Layout
from seabattle.record import GameRecord, played_game
from seabattle.review import review_record
from seabattle.rules import ANSWERS, CONTACTS, Rules
from tests import oracle


def chances_before(rules: Rules, shots: list[tuple[int, tuple[object, ...]]]) -> list[Fraction]:
    """The chance of a ship on each cell after these shots, by brute force."""
    layouts = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    cells, told = tuple(cell for cell, _ in shots), [answer for _, answer in shots]
    left = oracle.layouts_left(layouts, cells, told, rules.answers)
    return [
        sum(column, Fraction(0)) for column in zip(*oracle.chances(left, rules.cells), strict=True)
    ]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(3, 3, (2, 1)), (3, 4, (3, 2)), (4, 4, (2, 2))]),
    st.sampled_from(CONTACTS),
    st.sampled_from(ANSWERS),
    st.integers(0, 1000),
)
def test_a_review_is_what_brute_force_says(
    board: tuple[int, int, tuple[int, ...]], contact: str, answers: str, seed: int
) -> None:
    rules = Rules(*board, contact, answers)  # type: ignore[arg-type]
    record = play("random", rules, seed=seed)
    review = review_record(record).sides[0]
    truth = tuple(frozenset(cells) for cells in record.layout.ship_cells)
    cells = tuple(shot.cell for shot in record.shots)
    told = list(oracle.replay(truth, cells, answers))
    chosen, best, hits = Fraction(0), Fraction(0), 0
    for number, each in enumerate(review.shots):
        chance = chances_before(rules, list(zip(cells[:number], told[:number], strict=True)))
        unknown = [cell for cell in range(rules.cells) if cell not in cells[:number]]
        most = max(chance[cell] for cell in unknown)
        assert each.chance == pytest.approx(float(chance[cells[number]]))
        assert each.best_chance == pytest.approx(float(most))
        assert chance[each.best_cell] == most
        assert (each.judgement == "best") == (chance[cells[number]] == most)
        hit = told[number] != ("miss",)
        assert each.luck == pytest.approx(hit - float(chance[cells[number]]))
        chosen, best, hits = chosen + chance[cells[number]], best + most, hits + hit
    assert review.accuracy == pytest.approx(float(100 * chosen / best))
    assert review.luck == pytest.approx(float(hits - chosen))
    assert review.given_away == pytest.approx(float(best - chosen))
    costs = sorted((each.cost for each in review.shots), reverse=True)
    assert [each.cost for each in review.costliest] == pytest.approx(
        [cost for cost in costs[:3] if cost > 1e-9]
    )


def test_the_likeliest_cells_are_100_percent_and_random_ones_are_not() -> None:
    record = play_duel("exact", "random", "mini", seed=4)
    exact, random = review_record(record).sides
    assert exact.accuracy == pytest.approx(100)
    assert exact.costliest == exact.mistakes == ()
    assert random.accuracy is not None
    assert random.accuracy < 90
    assert len(random.costliest) == 3
    assert set(random.costliest) <= set(random.mistakes)
    assert [each.position.number % 2 for each in random.shots] == [0] * len(random.shots)
    only = review_record(record, sides=[1]).sides
    assert only[0].shots == ()
    assert only[0].accuracy is None
    assert only[1] == random


def test_a_salvo_is_judged_by_what_was_known_when_it_was_fired() -> None:
    rules = Rules(4, 4, (2, 2), salvo=3)
    record = play_duel("random", "density", rules, seed=2)
    shots = sorted(
        (each for side in review_record(record).sides for each in side.shots),
        key=lambda each: each.position.number,
    )
    assert len(shots) == len(record.cells)
    for each in shots[:6]:
        assert each.position.known.shots == ()
        assert len(each.position.known.pending) == (each.position.number - 1) % 3
        assert each.best_cell not in each.position.known.pending


def test_shots_of_a_salvo_that_cannot_hit_are_not_held_against_anybody() -> None:
    rules = Rules(3, 3, (2,), salvo=3)
    layout = Layout.from_text("destroyer B2 down", rules)
    side = review_record(GameRecord.of(played_game(layout, list(range(9))))).sides[0]
    assert [(shot.best_chance, shot.accuracy) for shot in side.shots[8:]] == [(0, 1)]


def test_luck_averages_out() -> None:
    """The expected luck is 0; 60 games of about 12 shots have a standard error of about 0.2."""
    luck = [review_record(play("even", "mini", seed=seed)).sides[0].luck for seed in range(60)]
    assert abs(np.mean(luck)) < 0.8
