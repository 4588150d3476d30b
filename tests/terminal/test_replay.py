"""Replaying saved games."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabattle import play, play_duel
from seabattle.errors import SeabattleError
from seabattle.game import Duel
from seabattle.record import DuelRecord
from seabattle.rules import PRESETS
from seabattle.terminal import Replay
from seabattle.terminal.replay import load_record
from tests.terminal.dialogue import Dialogue

DUEL = play_duel("random", "random", "mini", seed=3)
GAME = play("random", "mini", seed=3)


def browse(record: object, *lines: str) -> str:
    dialogue = Dialogue(lines)
    Replay(record).browse(dialogue.screen)  # type: ignore[arg-type]
    return dialogue.text


@pytest.mark.parametrize("record", [DUEL, GAME], ids=["duel", "game"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_saved_game_reads_back(record: DuelRecord, form: str, tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_text(record.to_text() if form == "text" else json.dumps(record.to_json()))
    assert load_record(path) == record


@pytest.mark.parametrize("record", [DUEL, GAME], ids=["duel", "game"])
def test_steps_jumps_and_ends(record: DuelRecord) -> None:
    last = len(Replay(record).moves)
    text = browse(
        record, "", "next", "back", "back", "back", "5", "jump 7", "last", "", "first", "q"
    )
    told = [line.split(":")[0] for line in text.splitlines() if line.startswith("Move ")]
    assert told == [f"Move {move} of {last}" for move in (0, 1, 2, 1, 0, 5, 7, last, 0)]
    assert "This is the start of the game." in text
    assert f"This game ends with move {last}." in text


def test_every_shot_of_every_preset_is_told_as_it_was() -> None:
    for name in PRESETS:
        record = play_duel("random", "random", name, seed=1)
        replay = Replay(record)
        duel = Duel(record.first, record.second)
        for number, cell in enumerate(record.cells, start=1):
            side = duel.to_move
            assert side is not None
            answer = duel.fire(cell)
            assert replay.moves[number - 1][0] == side
            assert replay.moves[number - 1][1].answer == answer
        winner = "A draw." if duel.winner is None else f"{replay.names[duel.winner]} wins."
        assert replay.result() == winner


def test_the_boards_show_the_last_shot_and_everything_hidden() -> None:
    replay = Replay(DUEL)
    lines = [line.plain for line in replay.position(len(replay.moves), 80)]
    assert sum(line.count("<") for line in lines[2:]) == 2
    assert any("#" in line or "X" in line for line in lines)


def test_the_current_belief_can_be_shown() -> None:
    text = browse(GAME, "3", "heat", "last", "heat")
    assert "Heat map for random" in text
    assert "There is no next shot." in text


def test_json_holds_the_record_and_its_moves() -> None:
    assert DuelRecord.from_json(Replay(DUEL).to_json()) == DUEL
    value = Replay(DUEL).to_json(4)
    assert DuelRecord.from_json(value) == DUEL.upto(4)
    assert len(value["moves"]) == 4
    assert value["winner"] is None
    assert value["result"] == Replay(DUEL).result()


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(max_size=20), max_size=20))
def test_whatever_is_typed_the_replay_goes_on(lines: list[str]) -> None:
    typed = [line for line in lines if "heat" not in line]
    text = browse(DUEL, *typed, "last")
    last = len(Replay(DUEL).moves)
    shown = [line for line in text.splitlines() if re.match(r"Move \d+ of", line)]
    assert shown[0].startswith(f"Move 0 of {last}: ")
    clean = ["".join(c if c.isprintable() else " " for c in line).strip() for line in typed]
    left = any(line.lower() in ("q", "quit", "exit") for line in clean)
    assert left or shown[-1] == Replay(DUEL).told(last)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "begins with"),
        (b"\xff\xfe", "not text"),
        (b"{", "not JSON"),
        (b"{}", "begins with"),
        (b"[" * 10_000, "Cannot read the line"),
        (b'{"first_ships": ' + b"[" * 100_000, "not JSON"),
        (DUEL.to_text().replace("C3", "C33").encode(), "does not replay"),
        (DUEL.to_text().replace("cells: ", "cells: A1 A1 ").encode(), "does not replay"),
        (GAME.to_text().replace("miss", "hit").encode(), "the layout answers"),
        (b"a" * 1_000_001, "too large"),
    ],
)
def test_files_that_are_not_records_are_refused_with_a_sentence(
    content: bytes, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "game"
    path.write_bytes(content)
    with pytest.raises(SeabattleError, match=why):
        load_record(path)


def test_a_missing_file_or_move_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SeabattleError, match="no such file"):
        load_record(tmp_path / "nothing")
    with pytest.raises(SeabattleError, match="not a regular file"):
        load_record(tmp_path)
    with pytest.raises(SeabattleError, match="moves 0 to"):
        Replay(DUEL).checked(1000)
