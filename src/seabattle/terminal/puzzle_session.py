"""Puzzles in the terminal."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from ..belief import infer
from ..errors import SeabattleError
from ..puzzles import Puzzle
from ..report.drawing import board_lines, heat_lines, picture_of_belief, picture_of_observation
from ..report.drawing.text import BOARD_LEGEND, HEAT_LEGEND
from ..report.rules_in_words import contact_in_words
from ..rules import Rules
from .participants import QUIT
from .screen import Screen
from .typed_cells import read_cells


class PuzzleSession:
    """Asks puzzles until the person leaves."""

    def __init__(self, screen: Screen, first: Puzzle, following: Callable[[], Puzzle]) -> None:
        self._screen = screen
        self._first = first
        self._following = following

    def run(self) -> None:
        puzzle, solved, asked = self._first, 0, 0
        try:
            while True:
                solved += self._ask(puzzle)
                asked += 1
                if asked > 1:
                    self._screen.say(f"{solved} of {asked} solved.")
                if self._typed("Another one? [Y/n] ").lower() in ("n", "no"):
                    return
                with self._screen.waiting("looking for a puzzle"):
                    puzzle = self._following()
        except EOFError:
            self._screen.say("")

    def _ask(self, puzzle: Puzzle) -> bool:
        """Whether it was solved."""
        rules = puzzle.rules
        self._screen.show(
            [
                Text(f"Puzzle {puzzle.id} ({puzzle.grade})", "bold"),
                *board_lines(picture_of_observation(puzzle.observation)),
                f"Rules: {rules.to_text()}{_fleet(rules)}. {_afloat(puzzle)}",
                puzzle.question,
            ]
        )
        while True:
            line = self._typed("Answer: ")
            if not line:
                continue
            if line.lower() in ("help", "?"):
                self._screen.say(
                    "  E5       name a cell; several with spaces between them",
                    "  history  list the shots in order",
                    "  give up  see the solution",
                    "  quit     leave",
                    f"  Board: {BOARD_LEGEND}.",
                )
                continue
            if line.lower() == "history":
                self._screen.say(puzzle.observation.to_text())
                continue
            if line.lower() in ("give up", "solution"):
                names = ", ".join(map(rules.cell_name, puzzle.solution))
                self._explain(puzzle, f"The solution is {names}.")
                return False
            try:
                verdict = puzzle.check(read_cells(line, rules))
            except SeabattleError as error:
                self._screen.say(f"{error} Type 'help' for the commands.")
                continue
            self._explain(puzzle, verdict.sentence)
            return verdict.right

    def _explain(self, puzzle: Puzzle, sentence: str) -> None:
        picture = picture_of_belief(infer(puzzle.observation))
        self._screen.draw([Text(), *heat_lines(picture)])
        self._screen.say(f"({HEAT_LEGEND})", Text(sentence, "bold"))

    def _typed(self, question: str) -> str:
        line = self._screen.ask(question)
        if line.lower() in QUIT:
            raise EOFError
        return line


def _fleet(rules: Rules) -> str:
    """What a preset's name does not say to somebody who has forgotten it."""
    if rules.name is None:
        return ""
    return f", ships of {', '.join(map(str, rules.fleet))}; {contact_in_words(rules)}"


def _afloat(puzzle: Puzzle) -> str:
    """What is known of the ships that remain."""
    seen = puzzle.observation
    if seen.rules.answers in ("sunk-named", "named"):
        left = ", ".join(str(seen.rules.fleet[ship]) for ship in seen.afloat)
        return f"Ships afloat: {left}."
    return f"Hits: {len(seen.hits)} of {seen.rules.ship_cells}."
