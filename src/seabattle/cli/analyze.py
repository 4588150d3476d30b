"""`seabattle analyze` and `seabattle count`: what is known after some shots."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OutputError, reason
from ..rules import Rules
from . import completion
from .options import Png, Svg, with_rules

if TYPE_CHECKING:
    from rich.text import Text

    from ..belief import Belief
    from ..observation import Observation
    from ..report.consult import Consultation
    from ..report.drawing.picture import Scale

ShotsText = Annotated[
    str,
    typer.Option(
        metavar="SHOTS", help="Shots and answers, such as 'E5 miss, E6 hit, F6 sunk cruiser'."
    ),
]


@with_rules
def analyze(
    rules: Rules,
    shots: ShotsText = "",
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="Also show where this player would shoot, the visits and value of every cell if "
            "it searches, and maps of the numbers it goes by if it has any; repeatable.",
            autocompletion=completion.players,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Time limit for exact counting; if it runs out, sample instead."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="auto, enumeration, frontier or samples.",
            autocompletion=completion.values("belief.infer", "ENGINES"),
        ),
    ] = "auto",
    per_ship: Annotated[bool, typer.Option("--per-ship", help="Also draw a map per ship.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of samples and random players.")] = 0,
    png: Png = None,
    svg: Svg = None,
    scale: Annotated[
        str,
        typer.Option(
            metavar="SCALE",
            help="Colours: relative (dark to bright, up to the highest cell) or thesis (light to "
            "dark, darkest from 70%).",
            autocompletion=completion.values("report.drawing.picture", "SCALES"),
        ),
    ] = "relative",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how likely a ship is on each cell, and the best next shot.

    Examples:
      seabattle analyze --shots "E5 miss, E6 hit"
      seabattle analyze --rules mini --shots "C3 hit" --player mcts --per-ship
      seabattle analyze --shots "E5 hit, E6 sunk destroyer" --svg map.svg --json
    """
    from ..belief.analysis import analyze as analyze_position
    from ..belief.infer import checked_engine
    from ..report.drawing import picture_of_belief, to_png, to_svg
    from ..report.drawing.picture import checked_scale

    colours = checked_scale(scale)
    with _waiting("counting layouts"):
        belief = analyze_position(rules, shots, seconds, engine=checked_engine(engine), seed=seed)
    findings = [_consult(name, belief.observation, seed) for name in dict.fromkeys(player or ())]
    pictures = [replace(picture_of_belief(belief), scale=colours)]
    pictures += [picture for finding in findings for picture in finding.pictures()]
    if svg is not None:
        write_drawing(svg, to_svg(*pictures).encode())
    if png is not None:
        write_drawing(png, to_png(*pictures))
    if json_output:
        print(json.dumps(_to_json(belief, findings, per_ship)))
    else:
        _print(belief, findings, per_ship, colours)


@with_rules
def count(
    rules: Rules,
    shots: ShotsText = "",
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the exact number of layouts that are still possible.

    Examples:
      seabattle count --rules classic
      seabattle count --rules mini --shots "C3 hit, C4 miss"
    """
    from ..belief import count_layouts, infer
    from ..observation import Observation

    observation = Observation.from_text(shots, rules)
    with _waiting("counting layouts"):
        # Impossible shots are an error, not a count: `infer` names the first of them.
        layouts = count_layouts(observation) or infer(observation).layouts
    print(json.dumps({"layouts": layouts}) if json_output else layouts)


def _to_json(belief: Belief, findings: list[Consultation], per_ship: bool) -> dict[str, Any]:
    rules = belief.rules
    searches = [finding.search_json() for finding in findings if finding.report is not None]
    own = [finding.maps_json() for finding in findings if finding.own_maps]
    choices = {finding.player: rules.cell_name(finding.cell) for finding in findings}
    maps = {name: belief.per_ship[ship].tolist() for ship, name in enumerate(rules.ship_names)}
    return {
        **belief.to_json(),
        **({"players": choices} if choices else {}),
        **({"searches": searches} if searches else {}),
        **({"maps": own} if own else {}),
        **({"per_ship": maps} if per_ship else {}),
    }


def _print(belief: Belief, findings: list[Consultation], per_ship: bool, scale: Scale) -> None:
    from rich.console import Console
    from rich.text import Text

    from ..report.drawing import heat_lines, picture_of_belief, picture_of_ship
    from ..report.drawing.text import HEAT_LEGEND

    console = Console(highlight=False, markup=False, emoji=False)

    def draw(lines: list[Text]) -> None:
        for line in lines:
            console.print(line, no_wrap=True, overflow="ignore", crop=False)

    draw(heat_lines(replace(picture_of_belief(belief), scale=scale)))
    console.print(f"({HEAT_LEGEND})\n")
    if per_ship:
        for ship in range(len(belief.observation.rules.fleet)):
            picture = replace(picture_of_ship(belief, ship), scale=scale)
            draw([Text(picture.title, "bold"), *heat_lines(picture), Text()])
    for name, said in _facts(belief, findings):
        console.print(f"{name:<12} {said}", soft_wrap=True)
    for finding in findings:
        if finding.report is None and not finding.own_maps:
            continue
        console.print()
        console.print(Text(finding.headline(), "bold"), soft_wrap=True)
        draw(finding.maps(console.width))
        for remark in finding.remarks():
            console.print(remark, soft_wrap=True)
        if finding.report is not None:
            draw(_best_cells(finding, belief))


def _facts(belief: Belief, findings: list[Consultation]) -> Iterator[tuple[str, str]]:
    from ..belief import layouts_before
    from ..report.drawing.picture import percent
    from ..report.formatting import afloat_line

    observation = belief.observation
    best = belief.suggestion
    if best is None:
        yield "suggestion", "none: the whole fleet is found"
    else:
        chance = percent(belief.probability.flat[best])
        yield "suggestion", f"{observation.rules.cell_name(best)}, {chance} to hit"
    for finding in findings:
        where = observation.rules.cell_name(finding.cell)
        yield "player", f"{finding.player} shoots at {where}"
    if belief.layouts is None:
        yield "layouts", "not counted"
    else:
        with _waiting("counting the layouts of the empty board"):
            before, told = layouts_before(observation.rules), belief.bits
        yield "layouts", f"{belief.layouts:,}" + (f" of {before:,}" if before else "")
        left = f"{belief.bits_left:.2f} to go"
        yield "information", left if told is None else f"{told:.2f} bits gained, {left}"
    yield "afloat", afloat_line(observation)
    error = belief.standard_error
    spread = "" if error is None else f", standard error {100 * error:.2f} points"
    yield "method", f"{belief.method} ({belief.engine}){spread}, {belief.milliseconds:.1f} ms"


def _consult(name: str, observation: Observation, seed: int) -> Consultation:
    import numpy as np

    from ..players import make_player
    from ..report.consult import consult

    player = make_player(name)
    with _waiting(f"{name} is thinking"):
        return consult(name, player, observation, np.random.default_rng(seed))


def _best_cells(finding: Consultation, belief: Belief) -> list[Text]:
    """The best cells of a search, with the standard errors of their values if these are estimates,
    and the probability that a ship is there."""
    from rich.text import Text

    from ..report.drawing.picture import percent

    report = finding.report
    assert report is not None
    total = report.visits.sum()
    errors = report.errors
    heading = "     error" if errors is not None else ""
    lines = [Text(f"cell       visits  share        value{heading}  to hit", "dim")]
    for cell in finding.best_cells():
        visits, value = report.visits[cell], report.values[cell]
        error = f" {errors[cell]:>9.3g}" if errors is not None else ""
        lines.append(
            Text(
                f"{belief.rules.cell_name(cell):<5} {visits:>11,.0f} "
                f"{percent(visits / total) if total else '':>6} {value:>12.5g}{error} "
                f"{percent(belief.probability.flat[cell]):>7}"
            )
        )
    return lines


def write_drawing(path: Path, content: bytes) -> None:
    """Write an image; a failure is a plain sentence."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason(error)}.") from None


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Show on a terminal that work is going on; print nothing into a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    from ..terminal.waiting import waiting

    with waiting(Console(stderr=True), what):
        yield
