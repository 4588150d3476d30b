"""P's question: does parallel search play the same, better or worse for the same work?

For each search and each way to share the work: simulations a second on 10×10 with 1, 2
and 4 threads, and the mean shots of games in which all forms make as many simulations a
move. `python -m benchmarks.parallel --games 400 --images docs/images` makes the figures
of docs/parallel.md; without arguments, a short run.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from seabattle import Rules, make_player
from seabattle.match import play_batch

from .search import FORMS, THREADED, Way, rates

THREADS = (1, 2, 4)
STRENGTH = {
    "mcts": ("mini", "mcts:iterations=50"),
    "ismcts": ("trio", "ismcts:iterations=600,determinizations=600"),
    "pomcp": ("trio", "pomcp:iterations=400,particles=200"),
    "branch-mcts": ("patrol size=5", "branch-mcts:branch=10,decay=1.3,nodes=20000"),
}


@dataclass(frozen=True)
class Result:
    player: str
    form: str
    threads: int
    rate: float
    """simulations a second"""
    mean: float
    """shots"""
    half: float
    """half of the 95% interval"""


def main(games: int = 10, images: Path | None = None) -> None:
    every = [(player, form, n) for player in THREADED for form in FORMS for n in THREADS]
    # All speeds first, so that the machine need be quiet for a minute only.
    speeds = {
        player: rates(player, [Way(), *(Way(form, n) for form in FORMS for n in THREADS[1:])])
        for player in THREADED
    }
    results = []
    print(f"   {'':14}{'form':6}{'threads':>8}{'sims/s':>14}{'shots':>9}  ({games} games)")
    for player, form, threads in every:
        speed = speeds[player][Way(form, threads) if threads > 1 else Way()]
        result = Result(player, form, threads, speed, *strength(player, form, threads, games))
        results.append(result)
        print(
            f"   {player:14}{form:6}{threads:8}{result.rate:14,.0f}"
            f"{result.mean:9.2f} ± {result.half:.2f}",
            flush=True,
        )
    if images is not None:
        draw(results, images)


def strength(player: str, form: str, threads: int, games: int) -> tuple[float, float]:
    """Mean shots with the same number of simulations, and half of its 95% interval."""
    rules, name = STRENGTH[player]
    searcher = make_player(f"{name},parallel={form},threads={threads}")
    shots = play_batch(searcher, Rules.from_text(rules), 1, range(games)).shots
    return float(shots.mean()), 1.96 * float(shots.std(ddof=1)) / games**0.5


def draw(results: list[Result], images: Path) -> None:
    """Two plots: speed-up against threads, and shots against threads."""
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    images.mkdir(parents=True, exist_ok=True)
    for file, label in (("parallel-speed", "speed-up"), ("parallel-strength", "mean shots")):
        with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
            figure = Figure(figsize=(11, 3.2), layout="constrained")
            for axis, player in zip(figure.subplots(1, len(THREADED)), THREADED, strict=True):
                for number, form in enumerate(FORMS):
                    mine = [r for r in results if r.player == player and r.form == form]
                    speeds = label == "speed-up"
                    axis.errorbar(
                        [r.threads + (0 if speeds else 0.1 * (number - 1)) for r in mine],
                        [r.rate / mine[0].rate if speeds else r.mean for r in mine],
                        None if speeds else [r.half for r in mine],
                        capsize=3,
                        label=form,
                        **look(number),
                    )
                axis.set(title=player, xlabel="threads", xticks=THREADS)
            figure.axes[0].set_ylabel(label)
            figure.axes[-1].legend()
            figure.savefig(images / f"{file}.svg", metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--images", type=Path)
    arguments = parser.parse_args()
    main(arguments.games, arguments.images)
