"""P's question: does parallel search play the same, better or worse for the same work?

For each search and each way to share the work with 1, 2 and 4 threads: `speed`, simulations
a second on 10×10, and `strength`, the mean shots of games in which all make as many
simulations a move. `python -m benchmarks.parallel speed --images docs/images` and the same with
`strength --games 400` make the figures of docs/parallel.md; without arguments, both with few
games.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from seabattle import Rules, make_player
from seabattle.experiment.play import play_batch

from .search import FORMS, THREADED, Way, rates

THREADS = (1, 2, 4)
STRENGTH = {
    "mcts": ("mini", "mcts:iterations=50"),
    "ismcts": ("trio", "ismcts:iterations=600,determinizations=600"),
    "pomcp": ("trio", "pomcp:iterations=400,particles=200"),
    "branch-mcts": ("patrol size=5", "branch-mcts:branch=10,decay=1.3,nodes=20000"),
}

ALONE = Way()
WAYS = [ALONE, *(Way(form, threads) for form in FORMS for threads in THREADS[1:])]

Found = dict[str, dict[Way, tuple[float, float]]]
"""For each search and way, a value and half of its 95% interval, 0 if there is none."""


def speed() -> Found:
    """Simulations a second, as multiples of those of one thread."""
    found: Found = {}
    for player in THREADED:
        measured = rates(player, WAYS)
        found[player] = {way: (rate / measured[ALONE], 0.0) for way, rate in measured.items()}
        print(f"   {player}, 1 thread: {measured[ALONE]:,.0f} simulations/s")
        for way in WAYS[1:]:
            print(f"      {label(way):18} × {found[player][way][0]:.2f}", flush=True)
    return found


def strength(games: int) -> Found:
    """Mean shots of games with the same number of simulations a move."""
    found: Found = {}
    for player, (rules, name) in STRENGTH.items():
        print(f"   {name} on {rules}, {games} games")
        found[player] = {}
        for way in WAYS:
            searcher = make_player(f"{name},parallel={way.form},threads={way.threads}")
            shots = play_batch(searcher, Rules.from_text(rules), 1, range(games)).shots
            half = 1.96 * float(shots.std(ddof=1)) / games**0.5
            found[player][way] = float(shots.mean()), half
            print(f"      {label(way):18} {shots.mean():6.2f} ± {half:.2f}", flush=True)
    return found


def label(way: Way) -> str:
    return "1 thread" if way == ALONE else f"{way.form}, {way.threads} threads"


def draw(found: Found, title: str, file: Path) -> None:
    """A value against threads, a panel for each search and a line for each form."""
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    file.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(11, 3.2), layout="constrained")
        for axis, player in zip(figure.subplots(1, len(found)), found, strict=True):
            for number, form in enumerate(FORMS):
                points = [ALONE, *(way for way in WAYS[1:] if way.form == form)]
                values, halves = zip(*(found[player][way] for way in points), strict=True)
                # Side by side where there are intervals to be seen.
                aside = 0.1 * (number - 1) if any(halves) else 0.0
                axis.errorbar(
                    [way.threads + aside for way in points],
                    values,
                    halves if any(halves) else None,
                    capsize=3,
                    label=form,
                    **look(number),
                )
            axis.set(title=player, xlabel="threads", xticks=THREADS)
        figure.axes[0].set_ylabel(title)
        figure.axes[-1].legend()
        figure.savefig(file, metadata={"Date": None})


def main(what: str | None = None, games: int = 10, images: Path | None = None) -> None:
    if what != "strength":
        found = speed()
        if images is not None:
            draw(found, "speed-up", images / "parallel-speed.svg")
    if what != "speed":
        found = strength(games)
        if images is not None:
            draw(found, "mean shots", images / "parallel-strength.svg")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("speed", "strength"))
    parser.add_argument("--games", type=int, default=10, help="for each strength")
    parser.add_argument("--images", type=Path, help="folder for the plots")
    arguments = parser.parse_args()
    main(arguments.what, arguments.games, arguments.images)
