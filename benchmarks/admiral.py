"""What each stage of `admiral` is worth on `classic`: shots saved over its base, by size of trees.

The differences are summed advantages (`seabattle compare --advantage`) over the games of each
form, on layouts of the training set. The times are processor time of whole games, which other
work on the machine changes little. `python -m benchmarks.admiral --games 200 --images docs/images`
makes the plot of docs/admiral.md; without arguments, this is a short run of the quick forms.
`python -m benchmarks.admiral --moves` prints the processor time per move under unusual rules,
`--rollouts` that of a rollout, alone and together with others.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seabattle import Game, Observation, Rules, make_player, random_layout
from seabattle.admiral.player import NO_TREES, play_weighted_density
from seabattle.admiral.weights import shipped_weights
from seabattle.belief.sampling import sample_layouts
from seabattle.dealing import place_games
from seabattle.experiment.advantage import Advantage, advantage
from seabattle.experiment.layout_sets import TRAIN, set_seed

BASE = "admiral:layouts=0"

TREES = (16, 64, 256, 1000, 4000, 16_000, 64_000)
"""Layouts in the trees, at most."""

SAMPLES = 500
"""Layouts sampled for each choice; the error comes from these as much as from the games."""


UNUSUAL = (
    "classic",
    "russian",
    "blind",
    "thesis answers=named",
    "2x2 fleet=2 contact=any answers=sunk",
    "10x10 fleet=1,1,1,1,1,1,1,1,1,1 contact=none answers=hit-miss",
    "12x12 fleet=6,5,4,4,3,3,3,2,2,2,2 contact=corners answers=sunk-named",
    "16x16 fleet=1,1,1,1,1,1 contact=any answers=sunk",
    "16x16 fleet=5,4,3,3,2 contact=any answers=hit-miss",
    "16x16 fleet=5,5,4,4,3,3,2,2 contact=any answers=hit-miss",
    "16x16 fleet=5,4,4,3,3,3,2,2,2,2 contact=none answers=sunk",
    "16x16 fleet=5,4,4,3,3,3,2,2,2,2 contact=none answers=hit-miss",
)
"""Rules under which moves could take long."""


class Measured(NamedTuple):
    """One form: what it saves, and what a game of it costs."""

    saved: Advantage
    milliseconds: float


def main(games: int = 20, images: Path | None = None) -> None:
    sizes = TREES if images else TREES[:3]
    print(f"| layouts in trees | saved over `{BASE}` | choices that differ | ms per game |")
    print("| ---: | ---: | ---: | ---: |")
    print(f"| 0 | | | {cost(BASE, games):.2f} |", flush=True)
    found = {layouts: measured(layouts, games) for layouts in sizes}
    if images is not None:
        draw(found, images)


def measured(layouts: int, games: int) -> Measured:
    effort = "quick" if layouts < 4000 else "normal"
    name = f"admiral:effort={effort},layouts={layouts}"
    result = advantage(name, BASE, games=games, seed=1, samples=SAMPLES, layout_set=TRAIN)
    milliseconds = cost(name, games)
    print(
        f"| {layouts:,} | {-result.mean_difference:.3f} ± {half(result):.3f} | "
        f"{result.choices:.1f} | {milliseconds:.2f} |",
        flush=True,
    )
    return Measured(result, milliseconds)


def cost(name: str, games: int) -> float:
    """Processor time per game in milliseconds."""
    rules, player = Rules(), make_player(name)
    placements = place_games(rules, set_seed(TRAIN, 1), range(games))
    seeds = np.arange(games, dtype=np.uint64)
    player.play_games(rules, placements[:1], seeds[:1])  # compiles
    began = time.process_time()
    player.play_games(rules, placements, seeds)
    return 1e3 * (time.process_time() - began) / games


def time_moves(name: str = "admiral:effort=normal") -> None:
    """Print the processor time of the moves of one game under each of the unusual rules, after a
    game on other layouts that compiles."""
    player = make_player(name)
    print("| rules | shots | mean ms per move | longest |")
    print("| --- | ---: | ---: | ---: |")
    for text in UNUSUAL:
        rules = Rules.from_text(text)
        for seed in (1, 2):
            game = Game(random_layout(rules, np.random.default_rng(seed)))
            times = []
            while not game.finished:
                observation = Observation(rules, game.shots)
                began = time.process_time()
                cell = player.choose(observation, np.random.default_rng(0))
                times.append(1e3 * (time.process_time() - began))
                game.fire(cell)
        print(f"| {text} | {len(times)} | {np.mean(times):.1f} | {max(times):.0f} |", flush=True)


AFTER_EIGHT_MISSES = "C4 miss, D5 miss, B3 miss, E6 miss, G8 miss, H7 miss, F3 miss, D9 miss"


def time_rollouts() -> None:
    """Print the processor time per rollout on `classic`, layout by layout and all together."""
    position = Observation.from_text(AFTER_EIGHT_MISSES, Rules())
    rules, player = position.rules, make_player(BASE)
    weights = shipped_weights(rules)
    assert weights is not None
    base = replace(weights, opening=()).base(rules)
    cell = player.choose(position, np.random.default_rng(0))
    print("| layouts | one by one, µs | together, µs | ratio |")
    print("| ---: | ---: | ---: | ---: |")
    for count in (100, 1000, 10_000, 50_000):
        layouts = sample_layouts(position, count, np.random.default_rng(1))
        times = {}
        for name, play in {
            "one by one": lambda games: play_weighted_density(
                rules, base, NO_TREES, games, position.arrays, cell
            ),
            "together": lambda games: player.play_from(position, cell, games),
        }.items():
            play(layouts[:2])  # compiles
            began = time.process_time()
            play(layouts)
            times[name] = 1e6 * (time.process_time() - began) / count
        alone, together = times.values()
        print(f"| {count:,} | {alone:.1f} | {together:.1f} | {alone / together:.2f} |", flush=True)


def half(result: Advantage) -> float:
    return (result.ci95[1] - result.ci95[0]) / 2


def draw(found: dict[int, Measured], images: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    images.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(6, 4), layout="constrained")
        axis = figure.subplots()
        axis.errorbar(
            [each.milliseconds for each in found.values()],
            [-each.saved.mean_difference for each in found.values()],
            [half(each.saved) for each in found.values()],
            capsize=3,
            **look(0),
        )
        for layouts, each in found.items():
            axis.annotate(
                f"{layouts:,}",
                (each.milliseconds, -each.saved.mean_difference),
                xytext=(6, -12),
                textcoords="offset points",
            )
        axis.axhline(0.0, color="black", linewidth=0.8)
        axis.set(
            xlabel="milliseconds per game (beside each point: layouts in trees, at most)",
            xscale="log",
            ylabel=f"shots saved per game over {BASE}",
        )
        figure.savefig(images / "admiral-trees.svg", metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--moves", action="store_true", help="time moves instead")
    parser.add_argument("--rollouts", action="store_true", help="time rollouts instead")
    arguments = parser.parse_args()
    if arguments.moves:
        time_moves()
    elif arguments.rollouts:
        time_rollouts()
    else:
        main(arguments.games, arguments.images)
