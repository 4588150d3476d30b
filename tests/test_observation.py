"""Observations: their forms, and answers that no game gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import Answer, Game, Observation, Rules
from seabattle.compiled.knowledge import CLOSED, MISSED, OPEN, UNKNOWN, clear, new_knowledge, tell
from seabattle.compiled.rules_tables import board_of
from seabattle.errors import AnswerError, ShotError
from tests.strategies import games, observations


@given(observations())
@settings(deadline=None)
def test_observations_round_trip_and_partition_the_board(observation: Observation) -> None:
    assert Observation.from_text(observation.to_text(), observation.rules) == observation
    assert Observation.from_json(observation.to_json()) == observation
    parts = (observation.hits, observation.misses, frozenset(observation.unknown))
    assert sum(map(len, parts)) == len(frozenset.union(*parts)) == observation.rules.cells


@pytest.mark.parametrize(
    ("answers", "shots", "message"),
    [
        ("sunk-named", "A1 miss, A1 miss", "A1 has been shot at already"),
        ("hit-miss", "A1 sunk", "nobody is told 'sunk'"),
        ("sunk", "A1 sunk cruiser", "'miss' or 'hit' or 'sunk'"),
        ("sunk-named", "A1 sunk", "'sunk SHIP'"),
        ("named", "A1 hit", "'hit SHIP'"),
        ("sunk-named", "A1 miss cruiser", "names no ship"),
        ("sunk-named", "A1 sunk cruiser, A2 sunk cruiser", "had been sunk before"),
        ("named", "A1 sunk cruiser", "sinks on hit 3"),
        ("named", "A1 hit destroyer, A2 hit destroyer", "sinks on hit 2"),
        ("sunk-named", "A1 splash", "Cannot read the shot"),
        ("sunk-named", "A1", "Cannot read the shot"),
    ],
)
def test_answers_that_contradict_the_rules_are_refused(
    answers: str, shots: str, message: str
) -> None:
    with pytest.raises((AnswerError, ShotError), match=message):
        Observation.from_text(shots, Rules(answers=answers))


def test_answers_that_no_rules_give_are_refused() -> None:
    with pytest.raises(AnswerError, match="also a hit"):
        Observation(Rules()).after(0, Answer(hit=False, sunk=True))
    with pytest.raises(AnswerError, match="no ship 9"):
        Observation(Rules()).after(0, Answer(hit=True, sunk=True, ship=9))


@given(observations())
@settings(deadline=None)
def test_the_arrays_of_compiled_code_read_back(observation: Observation) -> None:
    cells, answers = observation.arrays
    assert (cells.dtype, answers.dtype) == (np.int16, np.int64)
    assert Observation.from_arrays(observation.rules, cells, answers) == observation


@given(observations())
@settings(deadline=None)
def test_compiled_code_is_told_the_same_answers(observation: Observation) -> None:
    """The arrays, entered shot by shot into the knowledge of a compiled player."""
    board, knowledge = board_of(observation.rules), new_knowledge()
    clear(board, knowledge)
    for cell, answer in zip(*observation.arrays, strict=True):
        tell(board, knowledge, cell, answer)
    status = knowledge.status[: observation.rules.cells]
    assert set(np.flatnonzero(status == UNKNOWN)) == set(observation.unknown)
    assert set(np.flatnonzero(status == MISSED)) == observation.misses
    assert set(np.flatnonzero((status == OPEN) | (status == CLOSED))) == observation.hits


def test_arrays_that_no_rules_give_are_refused() -> None:
    cells, rules = np.array([0, 1], dtype=np.int16), Rules(answers="hit-miss")
    with pytest.raises(AnswerError, match="nobody is told 'sunk'"):
        Observation.from_arrays(rules, cells, np.array([1, 2]))
    with pytest.raises(ShotError, match="A1 has been shot at already"):
        Observation.from_arrays(rules, cells * 0, np.array([0, 0]))
    with pytest.raises(ValueError, match="shorter"):
        Observation.from_arrays(rules, cells, np.array([0]))


@given(games(), st.data())
@settings(deadline=None)
def test_an_observation_that_grows_equals_one_that_is_built(
    game: Game, data: st.DataObject
) -> None:
    """Whatever was worked out on the way; and earlier ones stay as they were."""
    parts = ("unknown", "hits", "misses", "afloat", "arrays")
    rules, kept = game.rules, [Observation(game.rules)]
    for shot in game.shots:
        for part in data.draw(st.sets(st.sampled_from(parts))):
            getattr(kept[-1], part)
        grow = data.draw(st.booleans())
        latest = kept[-1]
        kept.append(latest.told(shot) if grow else latest.after(shot.cell, shot.answer))
    for count, observation in enumerate(kept):
        built = Observation(rules, game.shots[:count])
        assert observation == built
        assert hash(observation) == hash(built)
        for part in parts[:4]:
            assert getattr(observation, part) == getattr(built, part)
        for one, other in zip(observation.arrays, built.arrays, strict=True):
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
