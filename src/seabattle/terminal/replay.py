"""Replay a saved game move by move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text

from ..belief import infer
from ..errors import RecordError, reason
from ..observation import Observation
from ..record import DuelRecord, GameRecord, read_record
from ..regular_files import read_text
from ..report.drawing import board_lines, heat_lines, picture_of_belief, picture_of_game
from ..report.drawing.text import HEAT_LEGEND
from .board_view import open_boards
from .prompt import THINKING_SECONDS
from .screen import Screen

LARGEST_FILE = 1_000_000
"""in bytes; a record has a few thousand"""

_HELP = """\
  Enter, next   next move
  back          previous move
  12, jump 12   position after move 12
  first, last   start or end of the game
  history       list the moves so far
  heat          heat map for the player who shoots next
  quit          leave"""


def load_record(path: Path) -> GameRecord | DuelRecord:
    """Read a saved game in its text or JSON form."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RecordError(f"{path} is too large to be a game record.")
        text = read_text(path)
    except UnicodeDecodeError:
        raise RecordError(f"{path} is not a game record: it is not text.") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"Cannot read {path}: {reason(error)}.") from None
    return read_record(text)


class Replay:
    """A record and the boards after each of its moves."""

    def __init__(self, record: GameRecord | DuelRecord) -> None:
        self.record = record
        self.rules = record.rules
        self.moves = list(record.moves)
        """the side that shot and the shot, in order"""
        names = record.players if isinstance(record, DuelRecord) else (record.player, "")
        self.names = tuple(name or f"Player {side + 1}" for side, name in enumerate(names))

    def checked(self, move: int) -> int:
        """`move` itself, if the game has it; 0 is the start."""
        if not 0 <= move <= len(self.moves):
            raise RecordError(f"The game has moves 0 to {len(self.moves)}, not {move}.")
        return move

    def position(self, move: int, width: int) -> list[Text]:
        """The boards after a move, everything visible, and what the move did."""
        lines = [Text(self.told(move), "bold"), Text()]
        record = self.record
        if isinstance(record, GameRecord):
            picture = picture_of_game(record.layout, record.shots[:move])
            return [*lines, *board_lines(picture)]
        first, second = (Text(f"{name}'s fleet", "bold") for name in self.names)
        duel = record.replay(move)
        for side, shot in self.moves[len(duel.moves) : move]:  # the first shots of a salvo
            if not shot.wasted:
                duel.targets[side].answer_salvo([shot.cell], 1)
        return [*lines, *open_boards(duel, (first, second), width)]

    def told(self, move: int) -> str:
        """One move in words."""
        count = f"Move {move} of {len(self.moves)}"
        if move == 0:
            return f"{count}: start of the game, {self.rules.to_text()}"
        side, shot = self.moves[move - 1]
        end = f". {self.result()}" if move == len(self.moves) else ""
        return f"{count}: {self.names[side]} {shot.to_text(self.rules)}{end}"

    def result(self) -> str:
        """How the game ended."""
        if isinstance(self.record, GameRecord):
            found = self.record.replay(len(self.moves)).finished
            return "The whole fleet is found." if found else "Not all ships were found."
        duel = self.record.replay(len(self.moves))
        if duel.drawn:
            return "A draw."
        if duel.winner is None:
            return "The game was not finished."
        gave_up = f"{self.names[1 - duel.winner]} resigns. " if duel.resigned is not None else ""
        return f"{gave_up}{self.names[duel.winner]} wins."

    def seen(self, move: int) -> tuple[int, Observation] | None:
        """Who shoots after this move, and what they know; None after the last shot."""
        if move < len(self.moves):
            side = self.moves[move][0]
        elif isinstance(self.record, DuelRecord):
            following = self.record.replay(move).to_move
            if following is None:
                return None
            side = following
        else:
            side = 0
        whole = len(self.record.upto(move).moves)
        shots = tuple(shot for by, shot in self.moves[:whole] if by == side and not shot.wasted)
        pending = tuple(shot.cell for _, shot in self.moves[whole:move] if not shot.wasted)
        seen = Observation(self.rules, shots, pending)
        return None if seen.finished else (side, seen)

    def to_json(self, move: int | None = None) -> dict[str, Any]:
        """The record up to one of its moves, and how the whole game ended."""
        upto = len(self.moves) if move is None else self.checked(move)
        return {**self.record.upto(upto).to_json(), "result": self.result()}

    def browse(self, screen: Screen, move: int = 0) -> None:
        """Step through the game with typed commands until the person leaves."""
        screen.show(self.position(move, screen.width))
        while True:
            try:
                line = screen.ask("Replay (Enter, back, a number, help, quit): ").lower()
            except EOFError:
                screen.say("")
                return
            words = line.split()
            if words and words[0] == "jump":
                words = words[1:] or ["?"]
            if len(words) > 1:
                words = ["?"]
            match words[0] if words else "next":
                case "q" | "quit" | "exit":
                    return
                case "next" | "n":
                    target = move + 1
                case "back" | "b":
                    target = move - 1
                case "first":
                    target = 0
                case "last":
                    target = len(self.moves)
                case "history":
                    screen.say(*(self.told(number) for number in range(1, move + 1)))
                    continue
                case "heat":
                    self._heat(screen, move)
                    continue
                case "help":
                    screen.say(*_HELP.splitlines())
                    continue
                case word if word.isascii() and word.isdecimal() and len(word) < 6:
                    target = int(word)
                case _:
                    screen.say("Type a number, next, back, first, last, heat, help or quit.")
                    continue
            if target < 0:
                screen.say("This is the start of the game.")
            elif target > len(self.moves):
                screen.say(f"This game ends with move {len(self.moves)}. {self.result()}")
            else:
                move = target
                screen.show(self.position(move, screen.width))

    def _heat(self, screen: Screen, move: int) -> None:
        shooter = self.seen(move)
        if shooter is None:
            screen.say("There is no next shot.")
            return
        side, seen = shooter
        with screen.waiting("counting layouts"):
            picture = picture_of_belief(infer(seen, seconds=THINKING_SECONDS))
        screen.draw([Text(), Text(f"Heat map for {self.names[side]}", "bold")])
        screen.draw([*heat_lines(picture), Text(picture.caption)])
        screen.say(f"({HEAT_LEGEND})")
