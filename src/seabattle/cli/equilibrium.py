"""`seabattle equilibrium`: how to hide and how to seek when both sides play well."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import SolveError
from ..rules import Rules
from . import completion
from .options import Json, Png, Svg, with_rules

if TYPE_CHECKING:
    from ..equilibrium import DoubleOracle, Equilibrium
    from ..equilibrium.exploitability import Exploited
    from ..report.drawing import Picture

PROGRESS_SECONDS = 2.0
ALL = "all"
SHOWN_LAYOUTS = 5


@with_rules
def equilibrium(
    rules: Rules,
    gap: Annotated[float, typer.Option(help="Stop at this exploitability, in shots.")] = 1e-6,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this time and print what is proven.")
    ] = None,
    memory: Annotated[float, typer.Option(help="Gigabytes that may be used.")] = 4.0,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the work to this file, and resume from it if it exists."
        ),
    ] = None,
    placer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACER",
            help="Also show how exploitable this placer is, or 'all'; repeatable.",
            autocompletion=completion.placers,
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Also show how exploitable this player is, or 'all'; repeatable.",
            autocompletion=completion.players,
        ),
    ] = None,
    png: Png = None,
    svg: Svg = None,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate", help="Large boards: approximate both sides, and measure the gaps."
        ),
    ] = False,
    rounds: Annotated[int, typer.Option(help="Rounds, with --approximate.")] = 4,
    games: Annotated[
        int, typer.Option(help="Games per shooter and style, with --approximate.")
    ] = 150,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the hider's styles here, with --approximate."),
    ] = None,
    json_output: Json = False,
) -> None:
    """Find how to hide and how to seek when both sides play well, on a small board.

    Prints the hider's mixture of layouts and the shooter's mixture of strategies, with the number
    of shots that each guarantees. The value of the game lies between the two numbers; their
    difference is the exploitability.

    Examples:
      seabattle equilibrium --size 3 --fleet 2,2 --answers hit-miss
      seabattle equilibrium --size 4 --fleet 3,2 --placer all --player exact
      seabattle equilibrium --rules mini --state mini.npz --seconds 600
      seabattle equilibrium --approximate --rules classic --out classic.json
    """
    from ..equilibrium import DoubleOracle
    from ..equilibrium.double_oracle import LEAST_GAP
    from ..report.outputs import checked_file

    if not gap >= LEAST_GAP:
        raise SolveError(
            f"The exploitability to reach must be {LEAST_GAP:g} shots or more, not {gap:g}: "
            "probabilities are rounded."
        )
    for what, given, unit in (("time", seconds, "seconds"), ("memory", memory, "gigabytes")):
        if given is not None and not given > 0:
            raise SolveError(f"The {what} limit must be more than 0 {unit}, not {given:g}.")
    for file in (state, png, svg, out):
        if file is not None:  # before the work, which would be lost
            checked_file(file)
    if approximate:
        _approximate(rules, rounds, games, out, json_output)
        return
    placers, players = _placers(placer or []), _players(player or [], rules)
    oracle = DoubleOracle(rules, memory)
    stopped = False
    try:
        if state is not None and state.exists():
            oracle.load(state)
        oracle.run(gap, seconds, _progress(), state)
    except KeyboardInterrupt:
        stopped = True
    solution = oracle.solution()
    exploited = [] if stopped else _exploit(solution, placers, players)
    _draw_files(solution, png, svg)
    if json_output:
        print(json.dumps(_as_json(solution, exploited)))
    else:
        _print(solution, exploited)
    if stopped:
        raise typer.Exit(130)


def _approximate(rules: Rules, rounds: int, games: int, out: Path | None, as_json: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from ..equilibrium.large_boards import approximate
    from ..report.drawing import heat_lines, picture_of_shares
    from .analyze import write_drawing

    for what, number, least in (("rounds", rounds, 1), ("games", games, 10)):
        if not least <= number <= 100_000:
            raise SolveError(f"{what} must be from {least} to 100,000, not {number}.")

    def tell(line: str) -> None:
        print(f"seabattle: {line}", file=sys.stderr, flush=True)

    found = approximate(rules, rounds, games, final_games=max(100, 3 * games), progress=tell)
    if out is not None:
        write_drawing(out, (json.dumps(found.to_json()) + "\n").encode())
    if as_json:
        told = {"approximate": True, "value": found.value, "exploitability": found.gap}
        print(json.dumps({**told, **found.to_json()}))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    picture = picture_of_shares(rules, found.hidden_at().ravel())
    for line in [Text("where the hider's ships lie", "bold"), *heat_lines(picture)]:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    print(f"(percent, in a sample)\n\nrules             {rules.to_text()}")
    print(f"scale of styles   {found.figures['scale']:g}, 0 being uniform")
    for name, key in (
        ("shots", "mixtures"),
        ("hider gains", "hider_gains"),
        ("shooter gains", "shooter_gains"),
        ("known", "known"),
        ("known, uniform", "uniform_known"),
        ("worth", "worth"),
        ("exact", "exact_on_mixture"),
        ("exact, uniform", "exact_on_uniform"),
    ):
        mean, width = found.figures[key]
        print(f"{name:<17} {mean:.2f} ± {width:.2f}")
    print("\nApproximate: a better response may gain more than those that were found.")


def _placers(names: list[str]) -> list[str]:
    from ..dealing import all_placers, make_placer

    if ALL in names:
        return [
            name for name, info in all_placers().items() if not info.reads_files and not info.learns
        ]
    for name in names:
        make_placer(name)
    return names


def _players(names: list[str], rules: Rules) -> list[str]:
    from ..players import make_player
    from .compare import ready_players

    if ALL in names:
        return ready_players(rules, slow=False)[0]
    for name in names:
        make_player(name)
    return names


def _progress() -> Callable[[DoubleOracle], None]:
    began = shown = time.perf_counter()

    def tell(oracle: DoubleOracle) -> None:
        nonlocal shown
        if time.perf_counter() - shown < PROGRESS_SECONDS:
            return
        shown = time.perf_counter()
        print(
            f"seabattle: {shown - began:.0f} s, {len(oracle.strategies):,} strategies, value "
            f"{oracle.lower:.5f} to {oracle.upper:.5f}, exploitability "
            f"{oracle.exploitability:.1e}",
            file=sys.stderr,
            flush=True,
        )

    return tell


Exploitations = list[tuple[str, "Exploited"]]


def _exploit(solution: Equilibrium, placers: list[str], players: list[str]) -> Exploitations:
    from ..equilibrium.exploitability import exploit_placer, exploit_player
    from ..errors import SeabattleError
    from ..players import make_player

    found: Exploitations = []
    for kind, names in (("placer", placers), ("player", players)):
        for name in names:
            try:
                if kind == "placer":
                    found.append((kind, exploit_placer(solution.problem, name)))
                else:
                    found.append((kind, exploit_player(solution.problem, name, make_player(name))))
            except SeabattleError as error:
                print(f"seabattle: {name} is left out: {error}", file=sys.stderr)
    return found


def _as_json(solution: Equilibrium, exploited: Exploitations) -> dict[str, object]:
    return {
        **solution.to_json(),
        "placers": [each.to_json(solution.value) for kind, each in exploited if kind == "placer"],
        "players": [each.to_json(solution.value) for kind, each in exploited if kind == "player"],
    }


def _draw_files(solution: Equilibrium, png: Path | None, svg: Path | None) -> None:
    from ..report.drawing import to_png, to_svg
    from .analyze import write_drawing

    pictures = _pictures(solution) if png or svg else ()
    if svg is not None:
        write_drawing(svg, to_svg(*pictures).encode())
    if png is not None:
        write_drawing(png, to_png(*pictures))


def _pictures(solution: Equilibrium) -> tuple[Picture, Picture]:
    from ..report.drawing import picture_of_shares

    rules = solution.rules
    return (
        picture_of_shares(rules, solution.hidden_at().ravel(), "where the hider's ships lie"),
        picture_of_shares(rules, solution.first_shots().ravel(), "the shooter's first shot"),
    )


def _print(solution: Equilibrium, exploited: Exploitations) -> None:
    from rich.console import Console
    from rich.text import Text

    from ..report.drawing import beside, heat_lines

    console = Console(highlight=False, markup=False, emoji=False)
    rules = solution.rules
    print(f"rules           {rules.to_text()}")
    print(f"layouts         {solution.problem.layouts:,}")
    print(f"value           {solution.value:.6f} shots")
    print(f"exploitability  {solution.exploitability:.1e} shots, both sides together")
    print(f"hider           at least {solution.lower:.6f} shots whatever the shooter does")
    print(f"shooter         at most {solution.upper:.6f} shots whatever the hider does")
    print(f"strategies      {solution.trees:,} best responses found")
    print(
        f"positions       {solution.positions:,} of the shooter, who shoots at random at "
        f"{solution.mixed:,}"
    )
    print(f"time            {solution.seconds:.1f} s\n")
    left, right = (
        [Text(picture.title, "bold"), *heat_lines(picture)] for picture in _pictures(solution)
    )
    for line in beside(left, right, console.width):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    print("(percent; . never)\n\nlikeliest layouts, with their mirror images")
    for layout, chance, size in solution.likely_layouts(SHOWN_LAYOUTS):
        print(f"{100 * chance:6.2f}%  {size} × {layout.to_text()}")
    for kind, title in (
        ("placer", "placers: shots against a shooter who knows them"),
        ("player", "players: shots on the layout that costs them most"),
    ):
        mine = [each for own, each in exploited if own == kind]
        if not mine:
            continue
        print(f"\n{title}")
        wide = max(len(each.name) for each in mine)
        print(f"{'':{wide}}  {'shots':>9}           exploitability")
        for each in sorted(mine, key=lambda one: abs(one.shots - solution.value)):
            spread = f"± {each.half_width:.3f}" if each.half_width else "exact"
            lost = solution.value - each.shots if kind == "placer" else each.shots - solution.value
            print(f"{each.name:<{wide}}  {each.shots:9.4f} {spread:<9} {lost:12.4f}")
