"""Puzzles have one answer, which brute force confirms, and are the same everywhere."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest

from seabattle.errors import PuzzleError, SeabattleError
from seabattle.puzzles import KINDS, Puzzle, daily_puzzle, find_puzzle, make_puzzle
from seabattle.puzzles.puzzle import CLEAR_GAP
from seabattle.rules import Rules
from tests import oracle

DAY = date(2026, 11, 17)


def chances(puzzle: Puzzle) -> list[Fraction]:
    """By brute force."""
    rules, seen = puzzle.rules, puzzle.observation
    layouts = oracle.all_layouts(rules.rows, rules.columns, rules.fleet, rules.contact)
    told: list[oracle.Told] = [
        (shot.answer.word,) if shot.answer.ship is None else (shot.answer.word, shot.answer.ship)
        for shot in seen.shots
    ]
    left = oracle.layouts_left(
        layouts, tuple(shot.cell for shot in seen.shots), told, rules.answers
    )
    return [
        sum(column, Fraction(0)) for column in zip(*oracle.chances(left, rules.cells), strict=True)
    ]


@pytest.mark.parametrize("rules", ["mini", "trio", "4x5 fleet=3,2 contact=corners answers=named"])
@pytest.mark.parametrize("number", range(3))
def test_brute_force_confirms_the_answer(rules: str, number: int) -> None:
    best = make_puzzle("best", Rules.from_text(rules), number)
    found = chances(best)
    first, second, *_ = sorted(
        ((found[cell], cell) for cell in best.observation.unknown), reverse=True
    )
    assert best.solution == (first[1],)
    assert first[0] < 1
    assert first[0] - second[0] >= CLEAR_GAP
    certain = make_puzzle("certain", Rules.from_text(rules), number)
    found = chances(certain)
    unknown = certain.observation.unknown
    assert {found[cell] for cell in unknown} <= {0, 1}
    assert certain.solution == tuple(cell for cell in unknown if found[cell] == 1)
    assert len(certain.solution) >= 2


def test_answers_are_judged_and_explained() -> None:
    best = make_puzzle("best", Rules.from_text("mini"), 3)
    name = best.rules.cell_name
    assert best.check(best.solution).right
    wrong = next(cell for cell in best.observation.unknown if cell not in best.solution)
    verdict = best.check([wrong])
    assert not verdict.right
    assert name(best.solution[0]) in verdict.sentence
    fired = best.observation.shots[0].cell
    for cells in ([], [fired], [*best.solution, wrong]):
        with pytest.raises(PuzzleError):
            best.check(cells)
    certain = make_puzzle("certain", Rules.from_text("mini"), 1)
    assert certain.check(reversed(certain.solution)).right
    part = certain.check(certain.solution[:1])
    assert not part.right
    assert "missing" in part.sentence
    assert "solution" not in certain.to_json()
    assert certain.to_json(solution=True)["solution"]


def test_the_puzzle_of_a_day_is_the_same_for_everybody() -> None:
    daily = daily_puzzle(DAY)
    # A change here gives everybody another puzzle today; it must be intended.
    assert daily.observation.to_text() == (
        "B1 hit, C3 miss, A3 miss, A2 miss, B3 miss, A1 miss, D1 miss, C1 hit, C5 miss, "
        "E4 miss, B4 miss, E2 hit"
    )
    assert find_puzzle("daily-2026-11-17") == daily
    other = daily_puzzle(DAY + timedelta(days=1))
    assert {daily.kind, other.kind} == set(KINDS)
    best = make_puzzle("best", Rules.from_text("trio"), 17)
    assert find_puzzle(best.id) == best
    assert best != make_puzzle("best", best.rules, 18)


@pytest.mark.parametrize(
    "id",
    ["", "daily-", "daily-yesterday", "best-classic", "worst-mini-3", "best-huge-3", "x" * 500],
)
def test_ids_that_are_none_are_refused(id: str) -> None:
    with pytest.raises(SeabattleError):
        find_puzzle(id)
