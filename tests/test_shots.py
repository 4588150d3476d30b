"""Answers and shots: their codes and their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabattle import Answer, Rules, Shot
from seabattle.compiled import knowledge
from seabattle.rules import ANSWERS
from tests.strategies import FLEETS


@st.composite
def answers(draw: st.DrawFn) -> tuple[Rules, Answer]:
    """Rules, and one of the answers that they can give."""
    rules = Rules(6, 6, draw(st.sampled_from(FLEETS)), answers=draw(st.sampled_from(ANSWERS)))
    hit = draw(st.booleans())
    sunk = hit and rules.answers != "hit-miss" and draw(st.booleans())
    named = rules.answers == "named" or (rules.answers == "sunk-named" and sunk)
    ship = draw(st.integers(0, len(rules.fleet) - 1)) if hit and named else None
    return rules, Answer(hit, sunk, ship).checked(rules)


@given(answers())
def test_the_code_of_an_answer_reads_back(given: tuple[Rules, Answer]) -> None:
    _, answer = given
    assert Answer.from_code(answer.code) == answer


def test_answers_have_the_codes_of_compiled_code() -> None:
    plain = {knowledge.MISS: (False, False), knowledge.HIT: (True, False)}
    plain[knowledge.SANK] = (True, True)
    for kind, (hit, sunk) in plain.items():
        assert Answer(hit, sunk).code == kind
        assert Answer.from_code(kind) == Answer(hit, sunk)
    for ship in (0, 1, 9):
        assert Answer.from_code(knowledge.SANK + 4 * (ship + 1)) == Answer(True, True, ship)


def test_no_two_answers_share_a_code() -> None:
    every = [Answer(False), *(Answer(True, sunk) for sunk in (False, True))]
    every += [Answer(True, sunk, ship) for sunk in (False, True) for ship in range(20)]
    assert len({answer.code for answer in every}) == len(every)


@given(answers(), st.integers(0, 35))
def test_the_text_of_a_shot_reads_back(given: tuple[Rules, Answer], cell: int) -> None:
    rules, answer = given
    shot = Shot(cell, answer)
    assert Shot.from_text(shot.to_text(rules), rules) == shot


@pytest.mark.parametrize("text", ["e5 MISS", "  E5   miss ", "E5 Miss"])
def test_case_and_spaces_do_not_matter(text: str) -> None:
    rules = Rules()
    assert Shot.from_text(text, rules).to_text(rules) == "E5 miss"
