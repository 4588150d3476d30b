"""`seabattle tune`: the weights of a player for a set of rules."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import SeabattleError, one_of
from ..rules import Rules
from .options import Seed, with_rules

if TYPE_CHECKING:
    from ..admiral.weights import Weights

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
    costs: Annotated[
        bool,
        typer.Option(
            "--costs",
            help="Find what cells cost while no hit is open, instead of weights. About "
            "400,000 games are enough.",
        ),
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="With --costs: begin with the costs that the weights have, so that the new ones "
            "are those of better play. The weights are the shipped ones, or a copy of "
            "others as weights.json in a new --out, with --resume.",
        ),
    ] = False,
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
      seabattle tune admiral --rules named --costs --games 400000 --jobs 2 --resume
    """
    from ..compiled.seeds import checked_seed
    from ..experiment.workers import executor_for
    from ..learn.tuning import WEIGHTS_FILE, Tuning, read_tuning, starting_weights
    from ..learn.tuning import tune as run

    if player not in TUNABLE:
        raise SeabattleError(one_of("player to tune", player, TUNABLE))
    folder = out or Path("out") / "tune"
    if opening and costs:
        raise SeabattleError("--opening and --costs are found one after the other; choose one.")
    if again and not costs:
        raise SeabattleError("--again goes with --costs.")
    if costs:
        _find_costs(rules, games, checked_seed(seed), jobs, folder, resume, again)
        return
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
    from ..learn.opening import OpeningShot, find_opening
    from ..learn.tuning import WEIGHTS_FILE, starting_weights

    file = folder / WEIGHTS_FILE
    weights = _weights_in(file, "opening", resume)
    weights = weights or replace(starting_weights(rules), opening=())

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


def _weights_in(file: Path, what: str, resume: bool) -> Weights | None:
    """The weights in a file whose opening or costs are to be found, if there are any."""
    from ..admiral.weights import read_weights

    if not file.exists():
        return None
    if not resume:
        raise SeabattleError(
            f"{file.parent} holds weights already; find their {what} with --resume, or choose "
            "another --out."
        )
    return read_weights(file)


def _find_costs(
    rules: Rules, games: int, seed: int, jobs: int, folder: Path, resume: bool, again: bool
) -> None:
    """Find the costs of the weights in the folder, or of the shipped ones."""
    from ..experiment.workers import executor_for
    from ..learn.hunting_costs import FILE, CostsRun, find_costs
    from ..learn.tuning import WEIGHTS_FILE, starting_weights

    weights = _weights_in(folder / WEIGHTS_FILE, "costs", resume)
    run = CostsRun.read(folder / FILE)
    if run is not None and not resume:
        raise SeabattleError(
            f"{folder} holds a run already; continue it with --resume, or choose another --out."
        )
    if run is None:
        start = weights or starting_weights(rules)
        if again and not start.costs:
            raise SeabattleError(
                "--again needs weights that have costs; find them without it first."
            )
        run = CostsRun.new(rules, seed, start if again else replace(start, costs={}))
    elif (run.rules, run.seed) != (rules, seed):
        raise SeabattleError(
            f"The run in {folder} has other settings: {run.rules.to_text()}, --seed {run.seed}."
        )
    elif run.start.costs and not again:
        raise SeabattleError(f"The run in {folder} has other settings: it was begun with --again.")
    elif again and not run.start.costs:
        raise SeabattleError(
            f"The run in {folder} was begun without --again; to go on from its costs, copy its "
            f"{WEIGHTS_FILE} to another --out."
        )
    elif weights is not None and not run.began_with(weights):
        raise SeabattleError(
            f"The weights in {folder} have changed since the run for their costs began; choose "
            "another --out, with a copy of them."
        )

    def tell(played: int) -> None:
        print(f"{played:,} of {games:,} games", file=sys.stderr, flush=True)

    try:
        with executor_for(jobs) as executor:
            find_costs(run, games, folder, executor, jobs, tell)
    except KeyboardInterrupt:
        print(f"Stopped after {run.games:,} games; --resume continues.", file=sys.stderr)
        raise typer.Exit(130) from None
    _say_how_to_measure(rules, folder / WEIGHTS_FILE)


def _say_how_to_measure(rules: Rules, weights: Path) -> None:
    print(f"Weights: {weights}")
    tuned = shlex.quote(f"admiral:weights={weights}")
    text = shlex.quote(rules.name or rules.to_text())
    print(f"Measure: seabattle compare {tuned} density --rules {text} --games 100000 --set test")
