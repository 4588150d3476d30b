"""`seabattle puzzle`: positions with one clearly best shot, or with a certain rest."""

from __future__ import annotations

import json
import random
from datetime import date
from typing import Annotated

import typer

from ..errors import SeabattleError
from ..rules import Rules
from . import completion
from .options import Json, rules_given, with_rules

MOST_TRIED = 200
"""puzzles that are looked at for one of the wanted grade"""


@with_rules
def puzzle(
    ctx: typer.Context,
    rules: Rules,
    name: Annotated[
        str | None, typer.Argument(metavar="PUZZLE", help="A puzzle by its id: best-classic-17.")
    ] = None,
    daily: Annotated[bool, typer.Option("--daily", help="Today's puzzle.")] = False,
    day: Annotated[
        str | None, typer.Option("--date", metavar="DATE", help="The daily puzzle of this date.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="best: find the best shot; certain: find the rest of the fleet.",
            autocompletion=completion.values("puzzles.puzzle", "KINDS"),
        ),
    ] = None,
    grade: Annotated[
        str | None,
        typer.Option(
            metavar="GRADE",
            help="easy, medium or hard.",
            autocompletion=completion.values("puzzles.puzzle", "GRADES"),
        ),
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(metavar="CELLS", help="Check this answer instead of asking for one."),
    ] = None,
    solution: Annotated[
        bool, typer.Option("--solution", help="With --json, also print the solution.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Solve puzzles: one clearly best shot, or a fleet that can be deduced.

    The same id is the same puzzle everywhere, and so is the puzzle of a day.

    Examples:
      seabattle puzzle
      seabattle puzzle --daily
      seabattle puzzle --kind certain --grade hard --rules classic
      seabattle puzzle best-classic-17 --answer E5
      seabattle puzzle --date 2026-11-17 --json
    """
    from ..errors import one_of
    from ..puzzles import KINDS, PUZZLE_RULES, Puzzle, daily_puzzle, find_puzzle, make_puzzle
    from ..puzzles.puzzle import GRADES
    from ..puzzles.source import LARGEST_NUMBER
    from ..terminal import PuzzleSession, Screen
    from ..terminal.typed_cells import read_cells

    chosen = rules if rules_given(ctx) else None
    if grade is not None and grade not in GRADES:
        raise SeabattleError(one_of("grade", grade, GRADES))
    if kind is not None and kind not in KINDS:
        raise SeabattleError(one_of("kind of puzzle", kind, KINDS))
    named = [name is not None, daily, day is not None]
    if sum(named) > 1:
        raise SeabattleError("Give a puzzle's id, --daily or --date, not several of them.")
    if any(named) and (kind is not None or grade is not None or chosen is not None):
        raise SeabattleError("A puzzle that is named has its own kind, grade and rules.")

    def random_puzzle() -> Puzzle:
        for _ in range(MOST_TRIED):
            which = random.choice(KINDS) if kind is None else kind
            under = chosen
            if under is None:
                under = Rules.from_text(random.choice(PUZZLE_RULES[which]))
            found = make_puzzle(which, under, random.randrange(LARGEST_NUMBER))
            if grade in (None, found.grade):
                return found
        raise SeabattleError(f"No {grade} puzzle was found among {MOST_TRIED}; try other rules.")

    if name is not None:
        first = find_puzzle(name)
    elif day is not None:
        first = find_puzzle(f"daily-{day}")
    elif daily:
        first = daily_puzzle(date.today())
    else:
        first = random_puzzle()
    if answer is not None:
        verdict = first.check(read_cells(answer, first.rules))
        if json_output:
            shown = first.to_json(solution=True)
            print(json.dumps({**shown, **verdict.to_json(first.rules)}))
        else:
            print(verdict.sentence)
        return
    if json_output:
        print(json.dumps(first.to_json(solution=solution)))
        return
    PuzzleSession(Screen.standard(), first, random_puzzle).run()
