"""Strength of each search by budget: mean shots against simulations per move.

`python -m benchmarks.budget --games 200 --images docs/images` makes the plot of
docs/tree-search.md; without arguments, this is a short run on the small board. The line to beat
is `exact`, which only considers the probability of a hit.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from seabattle import Rules, compare
from seabattle.experiment import PlayerResult

EXACT = "exact"

Named = Callable[[int], str]
"""gives the player that makes this many simulations at its first move"""


def guesses(cells: int, settings: str) -> Named:
    """`mcts` counts iterations per action, and every cell has two actions."""
    return lambda budget: f"mcts:iterations={max(1, budget // (2 * cells))},{settings}"


BOARDS: dict[str, tuple[float, dict[str, tuple[Named, tuple[int, ...]]]]] = {
    "mini": (
        1.0,
        {
            "mcts, classic": (guesses(25, "reward=classic"), (50, 500, 5_000, 50_000)),
            "mcts, full-ships": (guesses(25, "reward=full-ships"), (50, 500, 5_000, 50_000)),
            "ismcts": (lambda n: f"ismcts:iterations={n}", (50, 500, 5_000, 50_000)),
            "pomcp": (lambda n: f"pomcp:iterations={n}", (5, 50, 500, 5_000)),
            "branch-mcts": (lambda n: f"branch-mcts:nodes={n}", (50, 500, 5_000, 50_000)),
        },
    ),
    "thesis": (
        0.25,
        {
            "mcts, classic": (guesses(100, "reward=classic"), (200, 2_000, 20_000)),
            "mcts, ships-squared": (guesses(100, "reward=ships-squared"), (200, 2_000, 20_000)),
            "ismcts": (lambda n: f"ismcts:iterations={n}", (100, 1_000, 10_000)),
            "pomcp": (lambda n: f"pomcp:iterations={n}", (10, 100, 1_000, 4_000)),
            "branch-mcts": (lambda n: f"branch-mcts:nodes={n}", (100, 1_000, 10_000)),
        },
    ),
}
"""for each board: the share of the games played on it, and the searches with their budgets"""

Curve = list[tuple[int, PlayerResult]]


def main(games: int = 40, images: Path | None = None) -> None:
    found = {}
    for board in BOARDS if images else ["mini"]:
        found[board] = measure(board, games)
    if images is not None:
        draw(found, images)


def measure(board: str, games: int) -> dict[str, Curve]:
    share, searches = BOARDS[board]
    curves = {EXACT: [(0, played(EXACT, board, 25 * games))]}
    for label, (named, budgets) in searches.items():
        curves[label] = [
            (budget, played(named(budget), board, int(share * games))) for budget in budgets
        ]
    return curves


def played(player: str, board: str, games: int) -> PlayerResult:
    result = compare([player], Rules.from_text(board), games=games, seed=1).players[0]
    print(
        f"   {board:8}{player:44}{result.mean:7.2f} ± {half(result):.2f}  ({games} games)",
        flush=True,
    )
    return result


def half(result: PlayerResult) -> float:
    return (result.ci95[1] - result.ci95[0]) / 2


def draw(found: dict[str, dict[str, Curve]], images: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    from seabattle.report.plots import SETTINGS, look

    images.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        figure = Figure(figsize=(11, 4.5), layout="constrained")
        labels = list(dict.fromkeys(label for curves in found.values() for label in curves))
        for axis, (board, curves) in zip(
            figure.subplots(1, len(found)), found.items(), strict=True
        ):
            for label, curve in curves.items():
                if label == EXACT:
                    axis.axhline(curve[0][1].mean, color="black", label=f"{EXACT}, no search")
                    continue
                axis.errorbar(
                    [budget for budget, _ in curve],
                    [result.mean for _, result in curve],
                    [half(result) for _, result in curve],
                    capsize=3,
                    label=label,
                    **look(labels.index(label)),
                )
            axis.set(title=board, xlabel="simulations at the first move", xscale="log")
            axis.legend(fontsize=8)
        figure.axes[0].set_ylabel("mean shots")
        figure.savefig(images / "search-budget.svg", metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--images", type=Path)
    arguments = parser.parse_args()
    main(arguments.games, arguments.images)
