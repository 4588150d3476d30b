"""An opponent who learns from a person's earlier games, in the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from seabattle.cli import app
from seabattle.errors import RecordError, SeabattleError
from seabattle.learners.person_memory import MOST_GAMES, PersonMemory, RememberedGame
from seabattle.rules import Rules
from seabattle.terminal import MemoryFiles, Session, SessionOptions
from tests.learners.people import game_of
from tests.terminal.dialogue import Dialogue, every_cell

RULES = Rules.from_text("4x4 fleet=3,2 contact=any answers=hit-miss")


def play(memories: MemoryFiles, games: int, opponent: str = "learning-exact") -> str:
    """Some games of Ann, who hides in the top rows and shoots in order."""
    lines: list[str] = []
    for _ in range(games):
        lines += ["A1 across", "B1 across", "done", *every_cell(RULES.to_text()), "y"]
    dialogue = Dialogue([*lines[:-1], "n"])
    options = SessionOptions(RULES, opponent, ("Ann",), learn=True)
    Session(dialogue.screen, options, np.random.default_rng(1), memories=memories).run()
    return dialogue.text


def test_games_are_remembered_from_session_to_session(tmp_path: Path) -> None:
    memories = MemoryFiles(tmp_path / "memories")
    text = play(memories, 1)
    assert "learning-exact does not remember any games with Ann under these rules yet." in text
    assert len(memories.load("Ann").games) == 1
    assert memories.load("Ben") == PersonMemory()
    for _ in range(3):
        memories.add("Ann", game_of(RULES, "cruiser A1 across, destroyer B1 across"))
    text = play(memories, 1, "dreadnought")
    assert "dreadnought remembers 4 games with Ann under these rules." in text
    assert "You like the top edge" in text
    assert len(memories.load("Ann").under(RULES)) == 5


def test_a_damaged_memory_is_a_sentence_and_is_left_alone(tmp_path: Path) -> None:
    memories = MemoryFiles(tmp_path)
    good = PersonMemory((game_of(RULES, "cruiser A1 across, destroyer B1 across"),)).to_text()
    for damage in ("", "{", "[]", good[:-40], good.replace("cruiser A1", "cruiser D4"), "\0"):
        memories.path("Ann").write_text(damage)
        with pytest.raises(RecordError, match="cannot be read"):
            memories.load("Ann")
        text = " ".join(play(memories, 1).split())
        assert "It is left as it is" in text
        assert "This session is played without memory." in text
        assert memories.path("Ann").read_text() == damage
    assert memories.wipe("Ann")
    assert not memories.wipe("Ann")


def test_one_command_forgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    memories = MemoryFiles(tmp_path / "seabattle" / "memories")
    memories.add("Ann", game_of(RULES, "cruiser A1 across, destroyer B1 across"))
    for said in ("Ann is forgotten.", "Nothing was kept about Ann."):
        assert CliRunner().invoke(app, ["play", "--forget", "Ann"]).stdout.strip() == said
    assert not memories.path("Ann").exists()


def test_only_so_many_games_are_kept_and_only_finished_ones() -> None:
    memory = PersonMemory()
    for _ in range(MOST_GAMES + 3):
        memory = memory.and_game(game_of(RULES, "cruiser A1 across, destroyer B1 across"))
    assert len(memory.games) == MOST_GAMES
    assert PersonMemory.from_text(memory.to_text()) == memory
    game = memory.games[0]
    with pytest.raises(RecordError, match="finished"):
        RememberedGame(game.record.upto(3), 0)


@pytest.mark.parametrize("options", [{"opponent": "density"}, {"two": True}])
def test_only_opponents_who_learn_learn(options: dict[str, object]) -> None:
    with pytest.raises(SeabattleError, match="learning-exact"):
        Session(
            Dialogue([]).screen,
            SessionOptions(RULES, learn=True, **options),  # type: ignore[arg-type]
            np.random.default_rng(0),
        )
