"""Unfinished games are kept, and `--resume last` continues them."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from seabattle.errors import OutputError, RecordError, SeabattleError
from seabattle.experiment.play import play, play_duel
from seabattle.record import DuelRecord
from seabattle.rules import Rules
from seabattle.terminal import SavedGames, Session, SessionOptions
from seabattle.terminal.saved_games import MOST_GAMES
from tests.terminal.dialogue import Dialogue, every_cell


def begin(saved: SavedGames, lines: list[str], **options: object) -> tuple[Session, str]:
    """A session on mini that is left when the lines end."""
    dialogue = Dialogue(lines)
    given = {"opponent": "random", "names": ("Ann",), **options}
    chosen = SessionOptions(Rules.from_text("mini"), **given)  # type: ignore[arg-type]
    session = Session(dialogue.screen, chosen, np.random.default_rng(1), saved)
    session.run()
    return session, dialogue.text


def resume(saved: SavedGames, lines: list[str]) -> str:
    dialogue = Dialogue(lines)
    Session(dialogue.screen, SessionOptions(), np.random.default_rng(2), saved).resume_last()
    return dialogue.text


@pytest.fixture
def saved(tmp_path: Path) -> SavedGames:
    return SavedGames(tmp_path / "not yet there" / "games")


def files(saved: SavedGames) -> list[Path]:
    return sorted(saved.folder.iterdir()) if saved.folder.exists() else []


@pytest.mark.parametrize("leave", [["quit"], ["q"], []])
def test_a_game_that_is_left_goes_on_where_it_was(saved: SavedGames, leave: list[str]) -> None:
    session, text = begin(saved, ["random", "done", "A1", "A2", *leave])
    assert "Your game is kept. To continue it: seabattle play --resume last" in text
    assert session.duel is not None
    _, record = saved.last()
    assert record == DuelRecord.of(session.duel, ("Ann", "random"))
    text = resume(saved, ["A1", "A3", "quit"])
    assert "You have already shot at A1" in text
    # Its file has been replaced by that of the game as it now stands.
    assert len(files(saved)) == 1
    assert saved.last()[1].cells[:4] == record.cells
    assert len(saved.last()[1].cells) == 6


def test_a_finished_game_is_not_kept(saved: SavedGames) -> None:
    begin(saved, ["random", "done", "A1"])
    text = resume(saved, [*every_cell("mini"), "n"])
    assert "wins with" in text or "A draw" in text
    assert "is kept" not in text
    assert not files(saved)
    with pytest.raises(RecordError, match="no unfinished game to resume"):
        saved.last()


def test_before_the_battle_there_is_nothing_to_keep(saved: SavedGames) -> None:
    _, text = begin(saved, ["random"])
    assert "is kept" not in text
    assert not files(saved)


def test_two_people_can_leave_and_go_on_too(saved: SavedGames) -> None:
    lines = ["", "random", "done", "", "random", "done", "", "A1", "quit"]
    begin(saved, lines, opponent=None, two=True, names=("Ann", "Bob"))
    assert saved.last()[1].players == ("Ann", "Bob")
    assert "Bob, take the keyboard" in resume(saved, ["", "A1"])


def test_games_left_at_the_same_time_do_not_overwrite_each_other(saved: SavedGames) -> None:
    record = half_played()
    threads = [threading.Thread(target=saved.keep, args=(record,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files(saved)) == 10
    # Two sessions resume the same game: each keeps its own end of it.
    first, second = (Session(Dialogue([]).screen, SessionOptions(), rng(), saved) for _ in "ab")
    first.resume_last()
    second.resume_last()
    assert len(files(saved)) == 10


def test_only_so_many_games_are_kept(saved: SavedGames) -> None:
    kept = [saved.keep(half_played()) for _ in range(MOST_GAMES + 3)]
    assert files(saved) == kept[3:]


def test_the_last_game_is_the_one_that_was_left_last(saved: SavedGames) -> None:
    saved.keep(half_played())
    record = half_played(seed=7)
    saved.keep(record)
    assert saved.last()[1] == record


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"game: seabattle-game 1\n", b"{", b"x" * 2_000_000, b"one: two\n" * 10],
)
def test_a_damaged_file_is_a_sentence_that_names_it(saved: SavedGames, content: bytes) -> None:
    path = saved.keep(half_played())
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"Delete .*{path.name} to resume the game before it"):
        saved.last()


def test_a_game_of_one_is_no_game_to_resume(saved: SavedGames) -> None:
    path = saved.keep(half_played())
    path.write_text(play("random", "mini").to_text())
    with pytest.raises(RecordError, match="not a two-sided game"):
        saved.last()


def test_a_folder_that_cannot_be_written_is_said_and_the_game_ends(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    blocked = SavedGames(tmp_path / "file" / "games")
    with pytest.raises(OutputError, match="Cannot keep the game"):
        blocked.keep(half_played())
    _, text = begin(blocked, ["random", "done", "A1"])
    assert "Cannot keep the game" in text
    assert "seabattle play --resume" not in text
    assert text.endswith("Goodbye.\n")


def test_a_finished_record_cannot_be_resumed(saved: SavedGames) -> None:

    saved.keep(play_duel("random", "random", "mini"))
    with pytest.raises(SeabattleError, match="finished"):
        resume(saved, [])


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def half_played(seed: int = 0) -> DuelRecord:

    record = play_duel("random", "random", "mini", seed=seed)
    return DuelRecord(record.first, record.second, record.cells[:6], ("Ann", "random"))
