"""`seabattle solve` and `seabattle bounds`: how few shots any strategy can need."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import SolveError
from ..rules import Rules
from . import completion
from .options import Json, with_rules

if TYPE_CHECKING:
    from ..solver import PlayerValue, Solution, Solver

PROGRESS_SECONDS = 2.0
MOST_MEMORY = 1e6
"""Gigabytes; more than any machine has."""


@with_rules
def solve(
    rules: Rules,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this time and print what is proven.")
    ] = None,
    memory: Annotated[
        float, typer.Option(help="Gigabytes for the table of solved positions.")
    ] = 4.0,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the work to this file, and resume from it if it exists."
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Also evaluate this player; repeatable.",
            autocompletion=completion.players,
        ),
    ] = None,
    worst_case: Annotated[
        bool, typer.Option("--worst-case", help="Also find the fewest shots that always suffice.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Prove the optimal expected number of shots on a small board.

    Examples:
      seabattle solve --size 4 --fleet 3,2
      seabattle solve --rules mini --state mini.state --seconds 600
      seabattle solve --size 3 --fleet 2,2 --player density --worst-case
    """
    from ..players import describe, make_player
    from ..solver import Solver, make_problem, player_value

    _check_positive("time limit", seconds, "seconds")
    _check_positive("memory limit", memory, "gigabytes")
    if memory > MOST_MEMORY:
        raise SolveError(f"The memory limit must be at most {MOST_MEMORY:g} gigabytes.")
    shooters = [(describe(name), make_player(name)) for name in player or []]
    problem = make_problem(rules)
    solver = Solver(rules, memory=memory, problem=problem)
    solution, stopped = _run(solver, seconds, state)
    worst: Solution | None = None
    if worst_case and not stopped:
        other = None if state is None else state.with_name(state.name + ".worst")
        hardest = Solver(rules, memory=memory, problem=problem, worst=True)
        worst, stopped = _run(hardest, seconds, other)
    values: list[PlayerValue] = []
    if not stopped:
        values = [player_value(name, shooter, problem) for name, shooter in shooters]
    if json_output:
        print(json.dumps(_as_json(solution, worst, values)))
    else:
        _print(solution, worst, values)
    if stopped:
        raise typer.Exit(130)


def _check_positive(what: str, value: float | None, unit: str) -> None:
    if value is not None and not value > 0:
        raise SolveError(f"The {what} must be more than 0 {unit}, not {value:g}.")


def _run(solver: Solver, seconds: float | None, state: Path | None) -> tuple[Solution, bool]:
    """Solve; the second value is True if the user stopped it."""
    from ..report.outputs import checked_file

    # Before the work, which would be lost.
    if state is not None and checked_file(state).exists():
        solver.load(state)
    shown = time.perf_counter()

    def progress(solution: Solution) -> None:
        nonlocal shown
        if time.perf_counter() - shown >= PROGRESS_SECONDS:
            shown = time.perf_counter()
            print(
                f"seabattle: {solution.seconds:.0f} s, {_interval(solution)}, "
                f"{solver.search.entries:,} positions solved or bounded",
                file=sys.stderr,
                flush=True,
            )

    try:
        return solver.run(seconds, progress, state), False
    except KeyboardInterrupt:
        return solver.solution(), True


def _interval(solution: Solution) -> str:
    if solution.worst:
        return f"{solution.lower_bound:.0f} to {solution.upper_bound:.0f} shots in the worst case"
    return f"{solution.lower_bound:.4f} to {solution.upper_bound:.4f} shots"


def _as_json(
    solution: Solution, worst: Solution | None, values: list[PlayerValue]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "layouts": solution.layouts,
        "expected_shots": solution.expected_shots,
        "proven": solution.proven,
        "lower_bound": solution.lower_bound,
        "upper_bound": solution.upper_bound,
        "seconds": solution.seconds,
        "first_shot": solution.rules.cell_name(solution.first_shot),
        "rules": solution.rules.to_json(),
    }
    if worst is not None:
        result["worst_case"] = {
            "shots": int(worst.upper_bound),
            "proven": worst.proven,
            "lower_bound": int(worst.lower_bound),
            "first_shot": worst.rules.cell_name(worst.first_shot),
        }
    if values:
        result["players"] = [
            {
                "name": value.name,
                "mean": value.mean,
                "exact": value.exact,
                "ci95": [value.mean - value.half_width, value.mean + value.half_width],
                "most": value.most,
            }
            for value in values
        ]
    return result


def _print(solution: Solution, worst: Solution | None, values: list[PlayerValue]) -> None:
    rules = solution.rules
    print(f"rules       {rules.to_text()}")
    print(f"layouts     {solution.layouts:,}")
    if solution.proven:
        print(f"optimal     {solution.expected_shots:.6f} shots on average (proven)")
    else:
        print(f"optimal     {_interval(solution)} on average (proof not finished)")
    print(f"first shot  {rules.cell_name(solution.first_shot)}")
    print(f"time        {solution.seconds:.1f} s")
    if worst is not None:
        if worst.proven:
            print(f"worst case  {worst.upper_bound:.0f} shots always suffice, no fewer (proven)")
        else:
            print(f"worst case  {_interval(worst)} (proof not finished)")
    for value in values:
        shots = f"{value.mean:.6f}" if value.exact else f"{value.mean:.3f} ± {value.half_width:.3f}"
        how = "exact, over all layouts" if value.exact else "sampled, because it plays randomly"
        print(f"\n{value.name}")
        print(f"  {shots} shots on average ({how}), {value.most} at most")
        above = value.mean - solution.expected_shots
        best = "optimal play" if solution.proven else "the upper bound"
        print(f"  {above:+.6f} compared with {best}")


@with_rules
def bounds(
    rules: Rules,
    seconds: Annotated[
        float | None, typer.Option(help="Stop counting layouts after this time.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Print lower bounds on the expected shots, for any rules.

    Examples:
      seabattle bounds
      seabattle bounds --rules thesis --json
    """
    from ..solver import bounds as find_bounds
    from ..solver.bounds import best

    _check_positive("time limit", seconds, "seconds")
    found = find_bounds(rules, seconds)
    highest = best(found)
    if json_output:
        listed = [{"name": b.name, "shots": b.shots, "why": b.why} for b in found]
        print(
            json.dumps(
                {
                    "rules": rules.to_json(),
                    "bounds": listed,
                    "best": {"name": highest.name, "shots": highest.shots},
                }
            )
        )
        return
    print(f"Under {rules.to_text()}, no strategy needs fewer shots on average than:\n")
    for bound in found:
        mark = "*" if bound is highest else " "
        print(f"{mark} {bound.name:<12} {bound.shots:9.4f}")
        print(f"      {bound.why}")
    print(f"\nBest: {highest.shots:.4f} ({highest.name}).")
