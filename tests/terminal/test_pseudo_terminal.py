"""The game through a real pseudo-terminal, and through a pipe."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

from seabattle.cli import main
from seabattle.record import DuelRecord, read_record
from tests.forking import SeabattleTerminal, seabattle
from tests.terminal.dialogue import every_cell

MINI = ["--rules", "mini", "--opponent", "random", "--name", "Ann"]


class Terminal:
    """A program on a pseudo-terminal, and the screen that a person would see."""

    def __init__(
        self, arguments: list[str], rows: int = 24, columns: int = 80, **environment: str
    ) -> None:
        env = {**os.environ, "TERM": "xterm-256color", "SEABATTLE_QUIET": "1", **environment}
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
            if name not in environment:
                env.pop(name, None)
        self.process = SeabattleTerminal(
            arguments,
            dimensions=(rows, columns),
            env=env,
            encoding="utf-8",
            timeout=120,
        )
        self.process.delaybeforesend = None
        self.raw = ""
        self._screen = pyte.HistoryScreen(columns, rows, history=1000)
        self._stream = pyte.Stream(self._screen)

    def until(self, prompt: str) -> str:
        """Wait for a prompt and return what was printed before it."""
        self.process.expect_exact(prompt)
        return self._seen(self.process.before + self.process.after)

    def end(self) -> int:
        """Wait for the end and return the exit code."""
        self.process.expect(pexpect.EOF)
        self._seen(self.process.before)
        self.process.close()
        status = self.process.exitstatus
        assert status is not None
        return status

    def _seen(self, printed: str) -> str:
        self.raw += printed
        self._stream.feed(printed)
        return printed

    def type(self, *lines: str, then: str) -> None:
        """Type lines and wait for the prompt after each."""
        for line in lines:
            self.process.sendline(line)
            self.until(then)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def scrolled(self) -> int:
        """How many lines have left the screen at the top."""
        return len(self._screen.history.top)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*arguments: str, **settings: Any) -> Terminal:
        opened.append(Terminal(list(arguments), XDG_DATA_HOME=str(tmp_path), **settings))
        return opened[-1]

    yield start
    for each in opened:
        each.process.close(force=True)


def play_out(session: Terminal, prompt: str) -> None:
    """Shoot at every cell until the game ends."""
    for cell in every_cell("mini"):
        session.process.sendline(cell)
        session.process.expect_exact([prompt, "Play again?"])
        session._seen(session.process.before + session.process.after)
        if session.process.after == "Play again?":
            return
    pytest.fail("every cell was shot at and the game goes on")


def test_a_whole_game_on_a_terminal_and_its_replay(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    session = terminal("play", *MINI, "--seed", "4")
    session.until("Place: ")
    session.process.sendline("A4 across")
    assert "leaves the board" in session.until("Place: ")
    session.process.sendline("A1 across")
    session.until("Place: ")
    session.process.sendline("random")
    session.until("Place: ")
    session.process.sendline("done")
    session.until("Ann, fire at: ")
    assert any(re.fullmatch("Ann's fleet +random's waters", line) for line in session.lines)
    play_out(session, "Ann, fire at: ")
    saved = tmp_path / "game.txt"
    session.process.sendline(f"save {saved}")
    session.until("Play again?")
    session.process.sendline("n")
    assert session.end() == 0
    assert "Goodbye." in session.raw
    assert "\x1b[" in session.raw
    assert "Traceback" not in session.raw

    record = read_record(saved.read_text())
    assert isinstance(record, DuelRecord)
    assert record.replay(len(record.cells)).finished

    replay = terminal("replay", str(saved))
    replay.until("quit): ")
    replay.process.sendline("")
    assert "Move 1 of" in replay.until("quit): ")
    replay.process.sendline("last")
    assert re.search(r"wins\.|A draw\.", replay.until("quit): "))
    replay.process.sendline("back")
    replay.until("quit): ")
    replay.process.sendline("quit")
    assert replay.end() == 0


def test_without_colour_nothing_but_text_is_printed(terminal: Callable[..., Terminal]) -> None:
    session = terminal("play", *MINI, NO_COLOR="1", TERM="dumb")
    session.until("Place: ")
    session.process.sendline("random")
    session.until("Place: ")
    session.process.sendline("done")
    session.until("fire at: ")
    session.process.sendline("A1")
    session.until("fire at: ")
    assert "\x1b[3" not in session.raw
    assert "\x1b[4" not in session.raw


def test_the_end_of_input_exits_cleanly(terminal: Callable[..., Terminal]) -> None:
    session = terminal("play", *MINI)
    session.until("Place: ")
    session.process.sendeof()
    assert session.end() == 0
    assert session.raw.rstrip().endswith("Goodbye.")


def test_an_interrupt_exits_cleanly(terminal: Callable[..., Terminal]) -> None:
    session = terminal("play", *MINI)
    session.until("Place: ")
    session.process.sendintr()
    assert session.end() == 130
    assert "Goodbye." in session.raw
    assert "Traceback" not in session.raw


def classic_battle(terminal: Callable[..., Terminal], **settings: Any) -> Terminal:
    rules = settings.pop("rules", "classic")
    session: Terminal = terminal(
        *("play", "--rules", rules, "--opponent", "random", "--name", "Ann", "--seed", "3"),
        **settings,
    )
    session.until("Place: ")
    session.type("random", then="Place: ")
    session.type("done", then="fire at: ")
    return session


@pytest.mark.parametrize("rules", ["classic", "classic size=16"])
def test_the_game_is_redrawn_in_place(terminal: Callable[..., Terminal], rules: str) -> None:
    session = classic_battle(terminal, rules=rules)
    before = session.scrolled
    for shot in ("E5", "e 6", "7E"):
        session.type(shot, then="Ann, fire at: ")
    if "16" not in rules:  # there the prompt is on the last line, which scrolls
        assert session.scrolled == before
    lines = session.lines
    # Both boards at the top, the fleets that remain, what both did last, and the prompt.
    assert re.fullmatch(r"Ann's fleet +random's waters", lines[0])
    rows = [line for line in lines if re.match(r"[A-P]  .{19,} {5,}[A-P]  ", line)]
    assert len(rows) == (16 if "16" in rules else 10)
    assert sum(bool(re.search(r"afloat: \d", line)) for line in lines) == 1
    answers = [line for line in lines if line.startswith(("You fire", "random fires"))]
    assert answers[0].startswith("You fire at E7: ")
    assert answers[-1].startswith("random fires at ")
    assert [line for line in lines if line][-1] == "Ann, fire at:"


def test_what_is_asked_for_is_shown_below_the_boards_or_instead_of_them(
    terminal: Callable[..., Terminal],
) -> None:
    session = classic_battle(terminal)
    session.type("hint", then="fire at: ")
    assert session.lines[0].startswith("Ann's fleet")
    assert any(line.startswith("Shoot at ") for line in session.lines)
    session.type("heat", then="fire at: ")
    assert not any("Ann's fleet" in line for line in session.lines)
    assert sum(line.startswith("A ") for line in session.lines) == 1
    session.type("nonsense", then="fire at: ")
    assert session.lines[0].startswith("Ann's fleet")
    assert any("is not a cell of this board" in line for line in session.lines)
    assert not any(line.startswith("Shoot at ") for line in session.lines)


def test_a_window_that_is_too_small_scrolls(terminal: Callable[..., Terminal]) -> None:
    session = classic_battle(terminal, rows=15, columns=50)
    before = session.scrolled
    session.type("E5", then="Ann, fire at: ")
    assert session.scrolled > before
    assert any("random's waters" in line for line in session.lines)
    assert any(line.startswith("random fires at ") for line in session.lines)


@pytest.mark.parametrize("leave", ["quit", "end of input", "Ctrl-C", "closed window", "kill"])
def test_however_one_leaves_the_game_is_kept(
    terminal: Callable[..., Terminal], tmp_path: Path, leave: str
) -> None:
    session = terminal("play", *MINI, "--seed", "4")
    session.until("Place: ")
    session.type("random", then="Place: ")
    session.type("done", then="fire at: ")
    session.type("A1", "A2", then="fire at: ")
    match leave:
        case "quit":
            session.process.sendline("q")
            assert session.end() == 0
        case "end of input":
            session.process.sendeof()
            assert session.end() == 0
        case "Ctrl-C":
            session.process.sendintr()
            assert session.end() == 130
        case "kill":
            session.process.kill(signal.SIGTERM)
            assert session.end() == 0
        case _:
            session.process.ptyproc.fileobj.close()
            for _ in range(200):
                if list(tmp_path.rglob("*.txt")):
                    break
                time.sleep(0.1)
    if leave != "closed window":
        assert "To continue it: seabattle play --resume last" in session.raw
    assert "Traceback" not in session.raw
    (kept,) = tmp_path.rglob("*.txt")
    assert " ".join(re.findall(r"^cells: (.*)$", kept.read_text(), re.M)).split()[::2] == [
        *("A1", "A2")
    ]
    later = terminal("play", "--resume", "last")
    later.until("Ann, fire at: ")
    later.type("A2", then="fire at: ")
    assert any("You have already shot at A2" in line for line in later.lines)


def test_ctrl_c_does_not_wait_for_an_opponent_that_thinks_for_minutes(
    terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    opponent = "mcts:iterations=100000000"
    main_of_first_use(opponent, "mini", dict(os.environ))  # compiles, and does not think so long
    session = terminal("play", "--opponent", opponent, "--rules", "mini", "--name", "Ann")
    session.until("Place: ")
    session.type("random", then="Place: ")
    session.type("done", then="fire at: ")
    session.process.sendline("A1")
    session.until("is thinking")
    session.process.sendintr()
    session.process.timeout = 30
    assert session.end() == 130
    assert "Your game is kept." in session.raw
    assert len(list(tmp_path.rglob("*.txt"))) == 1


def test_the_screen_is_hidden_between_two_people(terminal: Callable[..., Terminal]) -> None:
    session = terminal("play", "--rules", "mini", "--two", "--name", "Ann", "--name", "Bob")
    for name, ships in (("Ann", ["A1 across", "C1 across"]), ("Bob", ["B3 down", "B5 down"])):
        session.until(f"{name}, take the keyboard and press Enter when nobody else is looking: ")
        assert not any(re.match("[A-E]  ", line) for line in session.lines)
        session.process.sendline("")
        session.until("Place: ")
        for order in [*ships, "done"]:
            session.process.sendline(order)
            if order != "done":
                session.until("Place: ")
    session.until("nobody else is looking: ")
    assert not any(re.match("[A-E]  ", line) for line in session.lines)
    session.process.sendline("")
    session.until("Ann, fire at: ")
    assert any(line.startswith("A  3 3 3") for line in session.lines)
    session.process.sendline("B3")
    session.until("hand over the keyboard: ")
    assert "You fire at B3: hit" in session.lines
    session.process.sendline("")
    session.until("nobody else is looking: ")
    assert not any("3 3 3" in line or re.match("[A-E]  ", line) for line in session.lines)
    session.process.sendline("")
    session.until("Bob, fire at: ")
    assert any(re.match(r"B  \. \. X<", line) for line in session.lines)
    assert not any("3 3 3" in line for line in session.lines)


def piped(*arguments: str, lines: bytes = b"") -> tuple[str, str]:
    done = seabattle(
        *arguments,
        input=lines,
        env={**os.environ, "SEABATTLE_QUIET": "1", "XDG_DATA_HOME": os.devnull},
        text=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def test_a_whole_game_through_a_pipe() -> None:
    lines = ["random", "done", *every_cell("trio")]
    text, errors = piped(
        *("play", "--rules", "trio", "--opponent", "random", "--name", "Ann", "--seed", "3"),
        lines="\n".join(lines).encode(),
    )
    assert not errors
    assert re.search(r"(Ann|random) wins with \d+ shots\.", text)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_bytes_that_are_not_text_are_just_unknown_input() -> None:
    text, errors = piped("play", *MINI, lines=b"random\ndone\n\xff\xfe\x00\x80\nA1\n")
    assert "is not a cell of this board" in text
    assert "You fire at A1" in text
    assert not errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "--opponent", "nobody"], "Unknown player 'nobody'"),
        (["play", "--first", "us"], "Unknown value of --first 'us'"),
        (["play", "--size", "99"], "A board has 2 to 16 rows"),
        (["play", "--two", "--opponent", "random"], "the second person is the opponent"),
        (["play", "--seed", "-1"], "A seed is a whole number"),
        (["play", "--resume", "x", "--two"], "A saved game has its own rules and players"),
        (["play", "--resume", "nowhere"], "Cannot read nowhere: no such file or directory."),
        (["play", "--resume", "last"], "There is no unfinished game to resume"),
    ],
)
def test_a_wrong_option_is_one_sentence(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert not printed.out


def test_the_first_game_does_not_wait_for_the_compiler(tmp_path: Path) -> None:
    command = ["play", "--rules", "mini", "--opponent", "random", "--name", "Ann"]
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "SEABATTLE_QUIET": "1"}

    def first_shot(*options: str) -> str:
        lines = "random\ndone\nA1\nquit\n"
        done = seabattle(*command, *options, input=lines, env=env, check=True)
        assert "random fires at" in done.stdout
        return done.stdout

    assert "a simple stand-in fires this shot" in first_shot()
    # With a seed, every shot is the opponent's own, however long it takes.
    assert "stand-in" not in first_shot("--seed", "1")
    main_of_first_use("random", "mini", env)
    assert "stand-in" not in first_shot()


def main_of_first_use(player: str, rules: str, env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "seabattle.terminal.first_use", player, rules]
    subprocess.run(command, env=env, check=True)


def test_a_game_in_salvos_on_a_terminal(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    rules = ["--rules", "mini", "--answers", "sunk", "--salvo", "ships"]
    session = terminal("play", *rules, "--opponent", "random", "--name", "Ann", "--seed", "4")
    session.until("Place: ")
    session.type("random", then="Place: ")
    session.process.sendline("done")
    session.until("Ann, fire at (2 cells): ")
    session.process.sendline("A1 A1")
    assert "A1 is in this salvo already" in session.until("(2 cells): ")
    session.process.sendline("A1 Z9")
    assert "not a cell of this board" in session.until("(2 cells): ")
    session.process.sendline("A1, 2a B3")
    assert "These are 3 cells, and 2 are left" in session.until("(2 cells): ")
    session.process.sendline("A1")
    session.until("(1 cell; chosen: A1): ")
    session.type("hint", then="(1 cell; chosen: A1): ")
    session.type("clear", then="(2 cells): ")
    left = every_cell("mini")
    while True:
        # The rest of the prompt tells how many shots the turn has.
        size = int(re.findall(r"fire at \((\d)", session.raw)[-1])
        session.process.sendline(" ".join(left[:size]))
        del left[:size]
        session.process.expect([r"fire at \(\d cells?\): ", r"Play again\?"])
        session._seen(session.process.before + session.process.after)
        if session.process.after == "Play again?":
            break
    saved = tmp_path / "salvo.txt"
    session.type(f"save {saved}", then="Play again?")
    session.process.sendline("n")
    assert session.end() == 0
    assert "Traceback" not in session.raw
    record = read_record(saved.read_text())
    assert isinstance(record, DuelRecord)
    assert record.rules.salvo == "ships"
    replay = terminal("replay", str(saved))
    replay.until("quit): ")
    replay.type("1", "heat", "last", then="quit): ")


def test_solo_and_puzzles(terminal: Callable[..., Terminal]) -> None:
    solo = terminal("play", "--solo", "--rules", "2x2 fleet=2", "--seed", "1")
    solo.until("fire at: ")
    for cell in ("A1", "A2", "B1", "B2"):
        solo.process.sendline(cell)
        if solo.process.expect_exact(["fire at: ", "Play again?"]) == 1:
            break
    text = solo.process.before
    assert "You found the whole fleet with" in text
    assert "Your average:" in text
    assert re.search(r"You: \d shots, 2 hits, accuracy \d+%", text)
    solo.process.sendline("n")
    assert solo.end() == 0
    salvo = terminal("play", "--solo", "--rules", "2x2 fleet=1,1 salvo=ships answers=sunk")
    salvo.until("fire at (2 cells): ")
    salvo.process.sendline("A1 A1")
    salvo.until("A1 is in this salvo already. Choose another cell.")
    salvo.process.sendline("A1")
    salvo.until("fire at (1 cell; chosen: A1): ")
    salvo.process.sendline("clear")
    salvo.until("fire at (2 cells): ")
    salvo.process.sendline("A1, 2a")
    if salvo.process.expect_exact(["cells): ", "cell): ", "Play again?"]) != 2:
        salvo.process.sendline("B1 B2" if "(2 " in salvo.process.before else "B1")
        if salvo.process.expect_exact(["cell): ", "Play again?"]) == 0:
            salvo.process.sendline("B2")
            salvo.process.expect_exact("Play again?")
    salvo.process.sendline("n")
    assert salvo.end() == 0
    puzzle = terminal("puzzle", "best-mini-3")
    puzzle.until("Answer: ")
    assert any("Which one?" in line for line in puzzle.lines)
    puzzle.type("E3", then="Another one?")
    assert any("Right: E3" in line for line in puzzle.lines)
    puzzle.process.sendline("quit")
    assert puzzle.end() == 0
