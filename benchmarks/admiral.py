"""What each stage of `admiral` is worth on `classic`: shots saved over its base, by size of trees.

The differences are summed advantages (`seabattle compare --advantage`) over the games of each
form. `python -m benchmarks.admiral --games 300 --images docs/images` makes the plot of
docs/admiral.md; without arguments, this is a short run of the quick forms.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from seabattle.experiment.advantage import Advantage, advantage

BASE = "admiral:layouts=0"

TREES = (16, 64, 256, 1000, 4000, 16_000)
"""Layouts in the trees, at most."""

SAMPLES = 200
"""Layouts sampled for each choice; the error comes from these as much as from the games."""


def main(games: int = 20, images: Path | None = None) -> None:
    sizes = TREES if images else TREES[:3]
    print(f"| layouts in trees | saved over `{BASE}` | choices that differ | ms per game |")
    print("| ---: | ---: | ---: | ---: |")
    found = {layouts: measured(layouts, games) for layouts in sizes}
    if images is not None:
        draw(found, images)


def measured(layouts: int, games: int) -> Advantage:
    effort = "quick" if layouts < 4000 else "normal"
    name = f"admiral:effort={effort},layouts={layouts}"
    result = advantage(name, BASE, games=games, seed=1, samples=SAMPLES)
    print(
        f"| {layouts:,} | {-result.mean_difference:.3f} ± {half(result):.3f} | "
        f"{result.choices:.1f} | {1e3 * result.seconds_per_game:.1f} |",
        flush=True,
    )
    return result


def half(result: Advantage) -> float:
    return (result.ci95[1] - result.ci95[0]) / 2


def draw(found: dict[int, Advantage], images: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    images.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(6, 4), layout="constrained")
        axis = figure.subplots()
        axis.errorbar(
            list(found),
            [-result.mean_difference for result in found.values()],
            [half(result) for result in found.values()],
            capsize=3,
            **look(0),
        )
        axis.axhline(0.0, color="black", linewidth=0.8)
        axis.set(xlabel="layouts in trees, at most", xscale="log", ylabel="shots saved per game")
        figure.savefig(images / "admiral-trees.svg", metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--images", type=Path)
    arguments = parser.parse_args()
    main(arguments.games, arguments.images)
