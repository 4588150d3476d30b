"""`seabattle test`: which of two players is better, decided by a sequential test."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ExperimentError
from ..rules import Rules
from . import completion
from .experiments import experiment, placer_words, sealed_log, seed_words
from .options import (
    Jobs,
    Json,
    LayoutSetOption,
    LogOption,
    PlacerOption,
    Scheduler,
    Seed,
    StoreOption,
    with_rules,
)

if TYPE_CHECKING:
    from ..experiment.sequential import Test


@with_rules
def sequential(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="The player that may be better.",
            autocompletion=completion.players,
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(
            metavar="B",
            help="The player to compare it with.",
            autocompletion=completion.players,
        ),
    ],
    rules: Rules,
    elo0: Annotated[
        float | None, typer.Option(help="H0: A is stronger by this much Elo.", show_default="0")
    ] = None,
    elo1: Annotated[
        float | None, typer.Option(help="H1: A is stronger by this much Elo.", show_default="5")
    ] = None,
    better_by: Annotated[
        float | None,
        typer.Option(
            metavar="SHOTS",
            help="Test shots instead of Elo. H0: A and B need equally many on the same layouts. "
            "H1: A needs this many fewer.",
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Highest probability of accepting H1 if H0 is true.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(help="Highest probability of accepting H0 if H1 is true.")
    ] = 0.05,
    games: Annotated[
        int, typer.Option(help="Stop without a verdict after this many games.")
    ] = 1_000_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json_output: Json = False,
    store: StoreOption = None,
    scheduler: Scheduler = None,
    layout_set: LayoutSetOption = None,
    log: LogOption = None,
    placer: PlacerOption = "uniform",
) -> None:
    """Test whether one player is better than another, with as few games as possible.

    Examples:
      seabattle test density greedy --elo0 0 --elo1 5
      seabattle test density greedy --better-by 0.5 --jobs 2 --store default
    """
    from ..dealing import describe_placer
    from ..experiment.comparison import unique_players
    from ..experiment.layout_sets import checked_set
    from ..experiment.sequential_test import sequential_test, settings_of
    from ..report.verdict_text import verdict_text

    chosen = _test(elo0, elo1, better_by, alpha, beta)
    layout_set = checked_set(layout_set)
    placer = describe_placer(placer)
    names = [name for name, _ in unique_players([a, b])]
    words = ["seabattle", "test", *names, "--rules", rules.to_text(), *_options(chosen)]
    words += ["--games", str(games), *seed_words(seed, layout_set), *placer_words(placer)]
    logged_in = sealed_log(layout_set, log, shlex.join(words))
    settings = settings_of(names, rules, chosen, games, seed, layout_set, placer)
    with experiment(
        "test", settings, jobs=jobs, store=store, scheduler=scheduler, progress=not json_output
    ) as setup:
        verdict = sequential_test(
            names[0],
            names[1],
            rules,
            chosen,
            games,
            seed,
            layout_set=layout_set,
            sealed_log=logged_in,
            placer=placer,
            **setup.options,
        )
    if json_output:
        print(json.dumps(verdict.to_json(), allow_nan=False))
    else:
        print(verdict_text(verdict))


def _test(
    elo0: float | None, elo1: float | None, better_by: float | None, alpha: float, beta: float
) -> Test:
    from ..experiment.sequential import EloTest, ErrorRates, ShotsTest

    errors = ErrorRates(alpha, beta)
    if better_by is None:
        return EloTest(0.0 if elo0 is None else elo0, 5.0 if elo1 is None else elo1, errors)
    if elo0 is not None or elo1 is not None:
        raise ExperimentError(
            "A test is about Elo (--elo0, --elo1) or about shots (--better-by), not both."
        )
    return ShotsTest(better_by, errors)


def _options(test: Test) -> list[str]:
    """The options that describe a test."""
    values = {name: value for name, value in test.to_json().items() if name != "kind"}
    return [
        word
        for name, value in values.items()
        for word in (f"--{name.replace('_', '-')}", f"{value:g}")
    ]
