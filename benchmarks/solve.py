"""Reach of `seabattle solve`: seconds to a proof, on one core.

`python -m benchmarks solve` runs what takes about a minute; `python -m benchmarks.solve
long` also the 5×5 boards of two ships under every contact and answers, and 6×6.
"""

from __future__ import annotations

import sys
import time

from seabattle.rules import ANSWERS, CONTACTS, Rules
from seabattle.solver import Solver, greedy_shots, make_problem

from .timing import Line, show

QUICK: tuple[tuple[str, float | None], ...] = (
    ("mini", 5.0),
    ("5x5 fleet=3,2,2 contact=none answers=hit-miss", 60.0),
    ("5x5 fleet=3,2 contact=any answers=hit-miss", None),
)


def prove(text: str, target: float | None, seconds: float = 3600.0) -> Line:
    """Solve a board and print what was proven."""
    rules = Rules.from_text(text)
    warm = Rules(3, 3, (2, 1), rules.contact, rules.answers)
    Solver(warm).run()
    began = time.process_time()
    solution = Solver(rules, memory=8.0).run(seconds)
    spent = time.process_time() - began
    greedy, _ = greedy_shots(make_problem(rules))
    print(
        f"   {text}: {solution.layouts} layouts, {solution.lower_bound:.6f} to "
        f"{solution.upper_bound:.6f}, greedy {greedy:.6f}, {solution.positions:,} positions",
        flush=True,
    )
    return Line(text + ("" if solution.proven else " (not proven)"), spent, "s", target)


def main(long: bool = False) -> None:
    lines = [prove(text, target) for text, target in QUICK]
    for contact in CONTACTS:
        for answers in ANSWERS:
            lines.append(prove(f"4x4 fleet=3,2 contact={contact} answers={answers}", None))
    if long:
        for contact in CONTACTS:
            for answers in ANSWERS:
                lines.append(prove(f"5x5 fleet=3,2 contact={contact} answers={answers}", None))
        lines.append(prove("6x6 fleet=3,2 contact=none answers=hit-miss", 3600.0, 3500.0))
    show(lines)


if __name__ == "__main__":
    main("long" in sys.argv[1:])
