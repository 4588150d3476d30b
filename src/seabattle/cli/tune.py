"""`seabattle tune`: the weights of a player for a set of rules."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..errors import SeabattleError, one_of
from ..rules import Rules
from .options import Seed, with_rules

TUNABLE = ("admiral",)


@with_rules
def tune(
    player: Annotated[str, typer.Argument(help="The player to tune: admiral.")],
    rules: Rules,
    games: Annotated[
        int, typer.Option(min=100, max=10_000_000, help="Layouts that each candidate plays.")
    ] = 20_000,
    generations: Annotated[
        int, typer.Option(min=1, max=100_000, help="Generations of the whole run.")
    ] = 60,
    candidates: Annotated[
        int, typer.Option(min=4, max=1000, help="Candidates in each generation.")
    ] = 14,
    layouts: Annotated[
        int,
        typer.Option(
            min=0,
            max=1_000_000,
            help="Layouts in the end-game trees that candidates play with; 0 for no trees.",
        ),
    ] = 0,
    opening: Annotated[
        int,
        typer.Option(
            min=0,
            max=50,
            help="Find this many first shots, while all miss, instead of weights. About "
            "400,000 games per shot are enough.",
            show_default=False,
        ),
    ] = 0,
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the run.", show_default="out/tune"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in --out.")] = False,
) -> None:
    """Tune a player for a set of rules with CMA-ES.

    It plays layouts of the training set, which no published figure uses.

    Examples:
      seabattle tune admiral --rules named --jobs 2
      seabattle tune admiral --rules named --jobs 2 --generations 200 --resume
      seabattle tune admiral --rules named --opening 10 --games 400000 --resume
    """
    from ..compiled.seeds import checked_seed
    from ..experiment.workers import executor_for
    from ..learn.tuning import WEIGHTS_FILE, Tuning, read_tuning, starting_weights
    from ..learn.tuning import tune as run

    if player not in TUNABLE:
        raise SeabattleError(one_of("player to tune", player, TUNABLE))
    folder = out or Path("out") / "tune"
    if opening:
        _find_opening(rules, opening, games, checked_seed(seed), folder, resume)
        return
    tuning = read_tuning(folder)
    if tuning is not None and not resume:
        raise SeabattleError(
            f"{folder} holds a run already; continue it with --resume, or choose another --out."
        )
    asked = Tuning(rules, checked_seed(seed), games, candidates, starting_weights(rules), layouts)
    if tuning is None:
        tuning = asked
    elif (tuning.rules, tuning.seed, tuning.games, tuning.candidates, tuning.layouts) != (
        *(asked.rules, asked.seed, asked.games, asked.candidates, asked.layouts),
    ):
        raise SeabattleError(
            f"The run in {folder} has other settings: {tuning.rules.to_text()}, --seed "
            f"{tuning.seed} --games {tuning.games} --candidates {tuning.candidates} "
            f"--layouts {tuning.layouts}."
        )
    done = len(tuning.results)

    def tell(generation: int, mean: float) -> None:
        if generation > done:
            line = f"Generation {generation} of {generations}: {mean:.3f} shots on average"
            print(line, file=sys.stderr, flush=True)

    try:
        with executor_for(jobs) as executor:
            run(tuning, generations, folder, executor, tell)
    except KeyboardInterrupt:
        print(
            f"Stopped after {len(tuning.results)} generations; --resume continues.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    _say_how_to_measure(rules, folder / WEIGHTS_FILE)


def _find_opening(
    rules: Rules, shots: int, games: int, seed: int, folder: Path, resume: bool
) -> None:
    """Find the opening of the weights in the folder, or of the shipped ones."""
    from ..admiral.weights import read_weights
    from ..learn.opening import OpeningShot, find_opening
    from ..learn.tuning import WEIGHTS_FILE, starting_weights

    file = folder / WEIGHTS_FILE
    if file.exists() and not resume:
        raise SeabattleError(
            f"{folder} holds weights already; find their opening with --resume, or choose "
            "another --out."
        )
    weights = read_weights(file) if file.exists() else replace(starting_weights(rules), opening=())

    def tell(number: int, shot: OpeningShot) -> None:
        line = f"Shot {number} of {shots}: {rules.cell_name(shot.cell)}, "
        if shot.cell == shot.base:
            line += "as the base would"
        else:
            line += f"saves {shot.saved:.3f} ± {1.96 * shot.error:.3f} shots over "
            line += f"{rules.cell_name(shot.base)}"
        print(line, file=sys.stderr, flush=True)

    try:
        find_opening(weights, rules, shots, games, seed, folder, tell)
    except KeyboardInterrupt:
        print("Stopped; --resume continues.", file=sys.stderr)
        raise typer.Exit(130) from None
    _say_how_to_measure(rules, file)


def _say_how_to_measure(rules: Rules, weights: Path) -> None:
    print(f"Weights: {weights}")
    tuned = shlex.quote(f"admiral:weights={weights}")
    text = shlex.quote(rules.name or rules.to_text())
    print(f"Measure: seabattle compare {tuned} density --rules {text} --games 100000 --set test")
