"""`seabattle hide`: advice on where to put your ships."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..rules import Rules
from . import completion
from .options import Json, Seed, with_rules

if TYPE_CHECKING:
    from ..equilibrium.hide_advice import Advice


@with_rules
def hide(
    rules: Rules,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="LAYOUT",
            help="Your ships, such as 'cruiser B2 down, destroyer A5 down'; without it, one is "
            "drawn at random.",
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER",
            help="A strategy to hide from; repeatable. Four of different strength by default.",
            autocompletion=completion.players,
        ),
    ] = None,
    games: Annotated[int, typer.Option(help="Random layouts to compare with.")] = 100,
    seed: Seed = 0,
    json_output: Json = False,
) -> None:
    """Show how well a layout hides, and a better one nearby.

    Also shows which ship gives the layout away.

    Examples:
      seabattle hide --rules mini --layout "cruiser B2 down, destroyer A5 down"
      seabattle hide --rules mini --player exact --games 500
      seabattle hide --rules mini --json
    """
    import numpy as np

    from ..dealing import random_layout
    from ..equilibrium.hide_advice import advise
    from ..layout import Layout

    mine = (
        random_layout(rules, np.random.default_rng(seed))
        if layout is None
        else Layout.from_text(layout, rules)
    )

    def progress(what: str) -> None:
        if sys.stderr.isatty():
            print(f"seabattle: asking about {what} ...", file=sys.stderr, flush=True)

    advice = advise(mine, player or (), games=games, seed=seed, progress=progress)
    if json_output:
        print(json.dumps(advice.to_json()))
    else:
        _print(advice)


def _print(advice: Advice) -> None:
    from rich.console import Console
    from rich.text import Text

    from ..report.drawing import beside, board_lines, picture_of_layout

    console = Console(highlight=False, markup=False, emoji=False)
    rules = advice.layout.rules
    drawing = [Text("this layout", "bold"), *board_lines(picture_of_layout(advice.layout))]
    if advice.better is not None:
        nearby = [Text("a better one", "bold"), *board_lines(picture_of_layout(advice.better))]
        drawing = beside(drawing, nearby, console.width)
    for line in drawing:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    wide = max(8, *(len(each.name) for each in advice.strategies))
    print(f"\n{'strategy':<{wide}}  {'shots':>6}  {'average':>14}  {'gain':>6}  hides better than")
    for each in advice.strategies:
        average = f"{each.average:.1f} ± {each.average_half_width:.1f}"
        print(
            f"{each.name:<{wide}}  {each.shots:6.1f}  {average:>14}  {each.gain:+6.1f}  "
            f"{100 * each.better_than:.0f}% of random layouts"
        )
    print("\nshots gained by moving one ship elsewhere, on average")
    wide = max(map(len, rules.ship_names))
    for ship, (name, gain) in enumerate(zip(rules.ship_names, advice.ship_gains, strict=True)):
        told = "no other place is free" if gain is None else f"{gain:+6.2f}"
        mark = "  gives you away" if ship == advice.giveaway else ""
        print(f"{name:<{wide}}  {told}{mark}")
    if advice.better is None:
        print("\nNo better layout with one ship moved was found.")
        return
    was = dict(zip(rules.ship_names, advice.layout.ships, strict=True))
    for name, place in zip(rules.ship_names, advice.better.ships, strict=True):
        if was[name] != place:
            where = f"{rules.cell_name(place.cell)} {place.direction}"
            print(f"\nBetter: {name} {where}, {advice.better_gain:+.1f} shots.")
