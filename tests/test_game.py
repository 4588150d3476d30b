"""Games of one and of two: answers, ends, turns, records."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import (
    Answer,
    Duel,
    DuelRecord,
    Game,
    GameRecord,
    Layout,
    Observation,
    Rules,
    random_layout,
)
from seabattle.errors import AnswerError, CellError, LayoutError, RecordError, ShotError
from seabattle.record import read_record
from tests.strategies import games, observations, small_rules

RULES = Rules(4, 4, (2, 2, 1), "none")
LAYOUT = "destroyer A1 across, destroyer-2 C1 down, boat D4 across"
A1, A2, C1, D1, D4, B2 = (RULES.cell(name) for name in ("A1", "A2", "C1", "D1", "D4", "B2"))


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ("hit-miss", "B2 miss, C1 hit, A1 hit, A2 hit, D4 hit, D1 hit"),
        ("sunk", "B2 miss, C1 hit, A1 hit, A2 sunk, D4 sunk, D1 sunk"),
        (
            "sunk-named",
            "B2 miss, C1 hit, A1 hit, A2 sunk destroyer, D4 sunk boat, D1 sunk destroyer-2",
        ),
        (
            "named",
            "B2 miss, C1 hit destroyer-2, A1 hit destroyer, A2 sunk destroyer, D4 sunk boat, "
            "D1 sunk destroyer-2",
        ),
    ],
)
def test_what_is_told_under_each_kind_of_answers(answers: str, told: str) -> None:
    rules = RULES.override(answers=answers)
    game = Game(Layout.from_text(LAYOUT, rules))
    for cell in (B2, C1, A1, A2, D4, D1):
        assert not game.finished
        game.fire(cell)
    assert game.finished
    assert Observation(rules, game.shots).to_text() == told
    assert Observation.from_text(told, rules).shots == game.shots


def test_shots_that_may_not_be_fired() -> None:
    game = Game(Layout.from_text(LAYOUT, RULES))
    game.fire(A1)
    with pytest.raises(ShotError, match="A1 has been shot at already"):
        game.fire(A1)
    with pytest.raises(CellError):
        game.fire(16)
    with pytest.raises(CellError):
        game.fire("A1")  # type: ignore[arg-type]
    for cell in (A2, C1, D1, D4):
        game.fire(cell)
    with pytest.raises(ShotError, match="over"):
        game.fire(B2)


@given(games())
@settings(deadline=None)
def test_a_record_replays(game: Game) -> None:
    record = GameRecord.of(game, "somebody")
    assert read_record(record.to_text()) == record
    assert GameRecord.from_json(record.to_json()) == record
    middle = len(record.shots) // 2
    assert record.replay(middle).shots == record.shots[:middle]


def test_a_changed_record_does_not_replay() -> None:
    game = Game(Layout.from_text(LAYOUT, RULES))
    game.fire(B2)
    text = GameRecord.of(game).to_text()
    with pytest.raises(RecordError, match="layout answers 'B2 miss'"):
        read_record(text.replace("B2 miss", "B2 hit"))
    with pytest.raises(RecordError, match="no 'shots'"):
        read_record(text.replace("shots:", "shoots:"))
    for damaged in ("", "nonsense", "game: chess 1\n"):
        with pytest.raises(RecordError):
            read_record(damaged)


RECORD = DuelRecord(
    Layout.from_text(LAYOUT, RULES), Layout.from_text(LAYOUT, RULES), (B2, A1, C1), ("a", "b")
).to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess 1"}, "begins with"),
        ({"players": []}, "one or two players"),
        ({"players": "ab"}, "one or two players"),
        ({"moves": {}}, "one or two players"),
        ({"ships": [None]}, "ships of both sides"),
        ({"ships": [None, None]}, "does not replay"),
        ({"resigned": True}, "0, 1 or null"),
        ({"resigned": "first"}, "0, 1 or null"),
        ({"moves": [7]}, "A shot in JSON"),
        ({"moves": [{"cell": 5, "told": "miss"}]}, "A shot in JSON"),
        ({"moves": [{"side": 1, "cell": "B2", "told": "miss"}]}, "by side 0"),
        ({"moves": [{"side": 0, "cell": "B2", "told": "hit"}]}, "gives 'B2 miss'"),
        ({"players": ["a"], "moves": [{"side": 1, "cell": "B2", "told": "miss"}]}, "by side 0"),
    ],
)
def test_a_record_in_json_that_is_not_one_is_refused(change: object, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_record(json.dumps({**RECORD, **change}))  # type: ignore[dict-item]


def test_the_two_kinds_of_record_share_one_json_form() -> None:
    game = GameRecord.of(Game(Layout.from_text(LAYOUT, RULES)))
    assert game.to_json().keys() == RECORD.keys()
    with pytest.raises(RecordError, match="one shooter"):
        DuelRecord.from_json(game.to_json())
    with pytest.raises(RecordError, match="game of two"):
        GameRecord.from_json(RECORD)


def play_in_order(duel: Duel) -> list[int]:
    """Both sides fire from A1 on; returns the side of each move."""
    nexts = [0, 0]
    while (side := duel.to_move) is not None:
        duel.fire(nexts[side])
        nexts[side] += 1
    return duel.moves


def duel_of(turns: str, first: str, second: str) -> Duel:
    rules = Rules(3, 3, (2,), turns=turns)
    return Duel(*(Layout.from_text(f"destroyer {text}", rules) for text in (first, second)))


def test_alternate_the_first_to_finish_wins() -> None:
    duel = duel_of("alternate", "A1 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0]
    assert duel.winner == 0
    assert not duel.drawn


def test_rounds_give_the_second_side_its_last_shot() -> None:
    duel = duel_of("rounds", "A1 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.drawn
    assert duel.winner is None
    assert duel.finished
    duel = duel_of("rounds", "A2 across", "A1 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.winner == 0
    duel = duel_of("rounds", "A1 across", "A2 across")
    assert play_in_order(duel) == [0, 1, 0, 1]
    assert duel.winner == 1


def test_again_a_hit_shoots_again() -> None:
    duel = duel_of("again", "A2 across", "A2 across")
    assert play_in_order(duel) == [0, 1, 0, 0]
    assert duel.winner == 0


def test_resigning_ends_a_game() -> None:
    duel = duel_of("rounds", "A1 across", "A1 across")
    duel.resign(0)
    assert duel.winner == 1
    assert duel.to_move is None
    with pytest.raises(ShotError):
        duel.fire(0)
    assert read_record(DuelRecord.of(duel).to_text()).replay(99).winner == 1


def test_both_sides_play_the_same_rules() -> None:
    with pytest.raises(LayoutError, match="same rules"):
        Duel(
            Layout.from_text("destroyer A1 across", Rules(3, 3, (2,))),
            Layout.from_text("destroyer A1 across", Rules(3, 4, (2,))),
        )


@given(small_rules(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_duels_end_and_replay(rules: Rules, seed: int) -> None:
    rng = np.random.default_rng(seed)
    duel = Duel(random_layout(rules, rng), random_layout(rules, rng))
    orders = [list(rng.permutation(rules.cells)) for _ in range(2)]
    while (side := duel.to_move) is not None:
        duel.fire(int(orders[side].pop()))
    assert (duel.winner is None) == duel.drawn
    if rules.turns != "rounds":
        assert not duel.drawn
    record = DuelRecord.of(duel, ("me", "you"))
    assert read_record(record.to_text()) == record
    assert DuelRecord.from_json(record.to_json()) == record
    again = record.replay(len(record.cells))
    assert (again.winner, again.moves) == (duel.winner, duel.moves)


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
def test_answers_that_contradict_the_rules(answers: str, shots: str, message: str) -> None:
    with pytest.raises((AnswerError, ShotError), match=message):
        Observation.from_text(shots, Rules(answers=answers))


def test_an_answer_that_no_rules_give() -> None:
    with pytest.raises(AnswerError, match="also a hit"):
        Observation(Rules()).after(0, Answer(hit=False, sunk=True))
    with pytest.raises(AnswerError, match="no ship 9"):
        Observation(Rules()).after(0, Answer(hit=True, sunk=True, ship=9))
