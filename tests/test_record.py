"""Records replay, and damaged ones are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from seabattle import Game, GameRecord, Layout, Rules
from seabattle.errors import RecordError
from seabattle.record import read_record
from tests.strategies import games

RULES = Rules(4, 4, (2, 2, 1), "none")
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
    game.fire(RULES.cell("B2"))
    text = GameRecord.of(game).to_text()
    with pytest.raises(RecordError, match="layout answers 'B2 miss'"):
        read_record(text.replace("B2 miss", "B2 hit"))
    with pytest.raises(RecordError, match="no 'shots'"):
        read_record(text.replace("shots:", "shoots:"))
    for damaged in ("", "nonsense", "game: chess 1\n"):
        with pytest.raises(RecordError):
            read_record(damaged)
