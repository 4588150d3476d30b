"""Records replay, and damaged ones are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from seabattle import DuelRecord, Game, GameRecord, Layout, Rules
from seabattle.errors import RecordError
from seabattle.record import read_record
from tests.strategies import games

RULES = Rules(4, 4, (2, 2, 1), "none")
A1, B2, C1 = (RULES.cell(name) for name in ("A1", "B2", "C1"))
LAYOUT = "destroyer A1 across, destroyer-2 C1 down, boat D4 across"


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
    with pytest.raises(RecordError, match="two-sided game"):
        GameRecord.from_json(RECORD)
