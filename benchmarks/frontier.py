"""The frontier engine and the sampler, on one core."""

from __future__ import annotations

import numpy as np

from seabattle import Game, Observation, Rules
from seabattle.belief.frontier import frontier_cost, frontier_marginals
from seabattle.belief.sampling import draw_layouts
from seabattle.dealing.uniform import deal_games, layout_for, tight_dealer

from .timing import Line, best_of, show


def main() -> None:
    frontier_marginals(Observation(Rules.from_text("mini")))
    lines = []
    for preset, shots, target in (
        ("russian", 0, 120.0),
        ("russian", 20, None),
        ("russian", 40, 1.0),
        ("thesis", 0, None),
        ("classic", 0, None),
        ("classic", 20, None),
    ):
        observation = after(preset, shots)
        seconds = best_of(2, lambda seen=observation: frontier_marginals(seen))  # type: ignore[misc]
        guess = frontier_cost(observation)
        what = f"{preset}, {shots} cells known (estimate {guess:.2g} s)"
        lines.append(Line(what, seconds, "s", target))
    for preset, shots in (
        ("classic", 0),
        ("classic", 20),
        ("classic", 40),
        ("russian", 20),
        ("russian", 40),
    ):
        observation = after(preset, shots)
        method = draw_layouts(observation, 10_000, np.random.default_rng(0)).method
        seconds = best_of(
            3,
            lambda seen=observation: draw_layouts(seen, 10_000, np.random.default_rng(0)),  # type: ignore[misc]
        )
        lines.append(
            Line(f"{preset}, {shots} known, 10,000 samples by {method}", 1e4 / seconds, "samples/s")
        )
    for text in ("10x10 fleet=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2 contact=none", "russian"):
        rules = Rules.from_text(text)
        deal_games(rules, 0, range(10))
        seconds = best_of(3, lambda given=rules: deal_games(given, 0, range(1000)))  # type: ignore[misc]
        name = f"deal {len(rules.fleet)} ships on {rules.rows}x{rules.columns}, contact none"
        lines.append(Line(name, 1000 / seconds, "layouts/s"))
        tight_dealer.cache_clear()
    show(lines)


def after(preset: str, shots: int) -> Observation:
    """A game of this preset after random shots."""
    rules = Rules.from_text(preset)
    game = Game(layout_for(rules, 1, 0))
    for cell in np.random.default_rng(1).permutation(rules.cells)[:shots]:
        game.fire(int(cell))
    return Observation(rules, game.shots)
